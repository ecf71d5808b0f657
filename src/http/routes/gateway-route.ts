import * as z from "zod";
import type { Assumptions } from "../../core/assumptions/table.ts";
import { AssumptionTrace } from "../../core/assumptions/trace.ts";
import type { Created } from "../../core/operations/gateway.ts";
import type { Payin } from "../../core/records/payin.ts";
import type { Payout, PayoutOutcome } from "../../core/records/payout.ts";
import { type Answer, JSON_HEADERS, toAnswer } from "../calls/answer.ts";
import type { Eventually } from "../../core/state/ports.ts";
import type { WireRoute } from "../../core/state/wire-routes.ts";
import type { RefusalName } from "../definitions/refusals.ts";
import { answerCall, type Operation } from "../pipeline/answer-call.ts";
import type { ReadCall } from "../pipeline/read-call.ts";
import type { Route } from "../definitions/route.ts";
import {
  BODIES,
  type GatewayBody,
  type GatewayReader,
  readerOf,
  type Simulation,
} from "../parse/readers.ts";
import { say } from "../../text/message.ts";
import { translate } from "../../text/languages.ts";

interface GatewayRoute<Draft, Result, Schema extends z.ZodType>
  extends Pick<Route, "id" | "summary">, Omit<Operation<Draft, Result>, "readerOf"> {
  readonly at: WireRoute;
  /** Undefined if it takes no body. */
  readonly body?: GatewayBody;
  /** The name of the body's schema in the document. */
  readonly bodyId?: string;
  readonly examples?: (assumptions: Assumptions) => Readonly<Record<string, unknown>>;
  readonly answer: Schema;
  readonly refusals?: readonly RefusalName[];
  readonly respond: (result: Result, call: ReadCall<Draft>) => Eventually<Answer<z.output<Schema>>>;
}

/** Defines a route of the gateway: its calls run through the pipeline. */
export function defineGatewayRoute<Draft, Result, Schema extends z.ZodType>(
  route: GatewayRoute<Draft, Result, Schema>,
): Route {
  const { at, id, summary, answer, bodyId, examples, refusals = [] } = route;
  const { body, isKeyed, faults } = route;
  const operation: Operation<Draft, Result> = {
    ...route,
    readerOf: body && ((assumptions) => readerOf(body, assumptions) as GatewayReader<Draft>),
  };
  return {
    path: at.path,
    method: at.method,
    id,
    tag: "Gateway",
    summary,
    caller: isKeyed ? "identified, with key" : "identified",
    ...(body &&
      bodyId !== undefined && {
        body: {
          id: bodyId,
          describe: (assumptions) => ({
            ...BODIES[body](new AssumptionTrace(assumptions)),
            examples: examples?.(assumptions) ?? {},
          }),
        },
      }),
    operation: faults,
    answer,
    refusals: [
      "invalid",
      "noCredential",
      ...(isKeyed ? (["duplicatedKey"] as const) : []),
      ...refusals,
      "tooMany",
      "unwritable",
    ],
    handle: (call, context) => answerCall(call, operation, context),
  };
}

/** The response of a creation, from its JSON text. */
export function toCreated<Value>(
  text: string,
  { record: { id: transactionId }, isRepeat }: Created<Payin | Payout>,
): Answer<Value> {
  const headers = isRepeat ? REPLAYED : JSON_HEADERS;
  return { status: 200, headers, body: text, outcome: { transactionId, isRepeat } };
}

const REPLAYED = { ...JSON_HEADERS, "idempotent-replayed": "true" };

/** The response of a simulation. */
export const simulated = z.object({ message: z.string() }).meta({
  id: "Simulated",
  description: "A simulation's confirmation; the text says 'charge' for payouts too.",
  examples: [{ message: "The charge was marked as completed in staging." }],
});

/** The message names a charge for payouts too, as in the specification. */
export function toSimulated({
  draft: { status, transactionId },
  trace,
}: ReadCall<Simulation<PayoutOutcome>>): Answer<z.output<typeof simulated>> {
  trace.read("simulation.message");
  const message = translate(SIMULATED[status], trace.read("error.language"));
  return { ...toAnswer({ message }), outcome: { transactionId } };
}

const SIMULATED = {
  completed: say`The charge was marked as completed in staging.`,
  canceled: say`The charge was marked as canceled in staging.`,
};
