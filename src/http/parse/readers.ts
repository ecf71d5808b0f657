import * as z from "zod";
import type { AssumptionName, Assumptions } from "../../core/assumptions/table.ts";
import { AssumptionTrace } from "../../core/assumptions/trace.ts";
import type { PayoutOutcome } from "../../core/records/payout.ts";
import { CONFIGURED_EVENTS } from "../../core/records/webhook-configuration.ts";
import { payinBody } from "./payin-body.ts";
import { payoutBody } from "./payout-body.ts";
import { type BodyReader, createReader, type Rules } from "./body-reader.ts";
import {
  bodyObject,
  oneOf,
  text,
  textRule,
  WEBHOOK_URL_RULE,
  webhookUrl,
} from "./request-members.ts";

/** The body of a simulation. */
export interface Simulation<Status> {
  readonly transactionId: string;
  readonly status: Status;
}

/**
 * The gateway's bodies: the schema of each, the rule of each member in words, and its conversion for the core.
 * Each reads the assumptions that it depends on while it is built.
 */
export const BODIES = {
  payin: payinBody,
  payout: payoutBody,

  payinSimulation(trace: AssumptionTrace) {
    const takesCanceled = trace.read("payin.simulation_status") === "also_canceled";
    return simulation(trace, takesCanceled ? PAYOUT_OUTCOMES : (["completed"] as const));
  },

  payoutSimulation: (trace: AssumptionTrace) => simulation(trace, PAYOUT_OUTCOMES),

  webhookConfiguration(trace: AssumptionTrace) {
    trace.read("webhook.configuration");
    const schema = bodyObject(trace)({
      webhook_url: webhookUrl,
      events: z.array(z.enum(CONFIGURED_EVENTS)).min(1),
    });
    const rules: Rules = {
      webhook_url: WEBHOOK_URL_RULE,
      events: {
        en: `events must be a list of at least one of ${CONFIGURED_EVENTS.join(", ")}.`,
        pt: `events deve ser uma lista com ao menos um de ${CONFIGURED_EVENTS.join(", ")}.`,
      },
    };
    const toDraft = (body: z.output<typeof schema>) => ({
      webhookUrl: body.webhook_url,
      events: body.events,
    });
    return { schema, rules, toDraft };
  },
};

function simulation<Statuses extends readonly [PayoutOutcome, ...PayoutOutcome[]]>(
  trace: AssumptionTrace,
  statuses: Statuses,
) {
  const schema = bodyObject(trace)({ transaction_id: text, status: z.enum(statuses) });
  const rules: Rules = {
    transaction_id: textRule("transaction_id"),
    status: oneOf("status", statuses),
  };
  const toDraft = (body: {
    transaction_id: string;
    status: PayoutOutcome;
  }): Simulation<PayoutOutcome> => ({ transactionId: body.transaction_id, status: body.status });
  return { schema, rules, toDraft };
}

const PAYOUT_OUTCOMES = ["completed", "canceled"] as const satisfies readonly PayoutOutcome[];

export type GatewayBody = keyof typeof BODIES;

/** The draft that the reader of a body returns. */
export type DraftOf<Name extends GatewayBody> = ReturnType<
  ReturnType<(typeof BODIES)[Name]>["toDraft"]
>;

/** Reads one of the gateway's bodies. */
export interface GatewayReader<Draft> extends BodyReader<Draft> {
  /** The assumptions that it was built from. */
  readonly dependsOn: readonly AssumptionName[];
}

/** The readers of the gateway's bodies under one set of assumptions, each built at its first use. */
export type Readers = { readonly [Name in GatewayBody]: GatewayReader<DraftOf<Name>> };

const built = new WeakMap<Assumptions, Readers>();

/** The readers for these assumptions. */
export function readersFor(assumptions: Assumptions): Readers {
  let readers = built.get(assumptions);
  if (!readers) {
    readers = lazyReaders(assumptions);
    built.set(assumptions, readers);
  }
  return readers;
}

function lazyReaders(assumptions: Assumptions): Readers {
  const readers: Partial<Record<GatewayBody, unknown>> = {};
  const names = Object.keys(BODIES) as GatewayBody[];
  const getters = names.map((name) => {
    const get = () => (readers[name] ??= buildReader(BODIES[name], assumptions));
    return [name, { get }] as const;
  });
  return Object.defineProperties({}, Object.fromEntries(getters)) as Readers;
}

function buildReader(
  build: (typeof BODIES)[GatewayBody],
  assumptions: Assumptions,
): GatewayReader<unknown> {
  const names = new Set<AssumptionName>();
  const { schema, rules, toDraft } = build(new AssumptionTrace(assumptions, names));
  const read = createReader(schema as z.ZodType, rules, toDraft as (body: unknown) => unknown);
  return Object.assign(read, { dependsOn: [...names] });
}
