import type { AssumptionName, Assumptions } from "../../core/assumptions/table.ts";
import { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { GatewayError } from "../../core/records/errors.ts";
import type { FaultyOperation } from "../../core/faults/effects.ts";
import type { CallFault } from "../../core/faults/fault.ts";
import type { Magic } from "../../core/faults/magic.ts";
import type { Gateway } from "../../core/operations/gateway.ts";
import { type Eventually, StorageError } from "../../core/state/ports.ts";
import type { Answer } from "../calls/answer.ts";
import { toErrorAnswer } from "../calls/envelope.ts";
import type { Call } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { readToken, requestedLanguage } from "../calls/headers.ts";
import { readBytes } from "../parse/body.ts";
import type { GatewayReader } from "../parse/readers.ts";
import { faultIn, patched, takeFault } from "./call-fault.ts";
import { type Identification, type ReadCall, readCall } from "./read-call.ts";
import { say } from "../../text/message.ts";

/** An operation of the gateway, as the stages of {@link answerCall} use it. */
export interface Operation<Draft, Result> {
  /** The reader of its body under given assumptions; undefined if it takes no body. */
  readonly readerOf?: ((assumptions: Assumptions) => GatewayReader<Draft>) | undefined;
  /** Assumptions that every response depends on, in addition to those of the body. */
  readonly dependsOn?: readonly AssumptionName[];
  /** Whether it takes an idempotency key. */
  readonly isKeyed?: boolean;
  /** Its name in faults; undefined if none can act on it. */
  readonly faults?: FaultyOperation;
  /** The meaning of a magic value in its body. */
  readonly findMagic?: (draft: Draft) => Magic | undefined;
  /** The result of the earlier call that this one repeats, when it is durable; undefined for a first call. */
  readonly findRepeat?: (call: ReadCall<Draft>, gateway: Gateway) => Eventually<Result> | undefined;
  /** Decides before it returns the result, or a promise of it until it is durable. */
  readonly decide: (
    call: ReadCall<Draft>,
    gateway: Gateway,
    fault: CallFault | undefined,
  ) => Eventually<Result>;
  /** The response, and beside it what the result adds to the outcome. */
  readonly respond: (result: Result, call: ReadCall<Draft>) => Eventually<Answer>;
}

/**
 * Answers one gateway call, in the contract's order of checks. Neither the rate limit nor faults apply to a repeat.
 * From the look for a repeat to the decision there is no `await`: no other call can use the key between them.
 */
export async function answerCall<Draft, Result>(
  call: Call,
  operation: Operation<Draft, Result>,
  context: Context,
): Promise<Answer> {
  if (operation.readerOf) await readBytes(call); // 415, 413
  const { gateway, rateLimit } = context;
  const trace = traceFor(call, context);
  const traced = { trace, operation: operation.faults };
  let fault: CallFault | undefined;
  try {
    // Headers and body together: a 400 names every field that is wrong.
    const request = readCall<Draft>(call, operation, context, trace);
    authorize(request, context, trace); // 401
    const { integration } = request;
    // Reading alone does not create an integration.
    if (operation.readerOf) gateway.integrationIsUsed(integration);
    // Read for every call: the response of a repeat depends on it too, since a repeat is not refused.
    const perMinute = trace.read("rate_limit.per_minute");

    let deciding = operation.findRepeat?.(request, gateway); // 409
    if (!deciding) {
      const admittedAtMs = perMinute > 0 ? rateLimit.admit(integration, perMinute) : 0; // 429
      const taken = takeFault(call, request, operation, context);
      fault = taken?.fault;
      if (taken?.turn) {
        await taken.turn;
        // Other calls ran meanwhile: one of them may have used the key.
        deciding = operation.findRepeat?.(request, gateway);
        if (deciding) rateLimit.withdraw(integration, admittedAtMs);
      }
      deciding ??= operation.decide(request, gateway, fault); // 422, 502
    }
    const answered = await operation.respond(await deciding, request);
    return respond(answered, traced, context, fault);
  } catch (error) {
    return refuse(error, call, traced, context, fault);
  }
}

/** Reads the assumptions that are in force for a gateway call. The reviewer learns which were read. */
export function traceFor(call: Call, { gateway, reviewer }: Context): AssumptionTrace {
  const integration = readToken(call);
  const used = reviewer.used.namesOf(integration);
  const trace = new AssumptionTrace(gateway.assumptionsOf(integration), used);
  if (isVersion2(call)) trace.read("payin.v2");
  return trace;
}

/**
 * Checks the caller's credential.
 * @throws GatewayError NO_ACTIVE_CREDENTIAL if only listed credentials are active and this is not one.
 */
function authorize(
  { integration, providerId }: Identification,
  { credentials }: Pick<Context, "credentials">,
  trace: AssumptionTrace,
): void {
  if (trace.read("credentials") === "any") return;
  const listed = credentials.get(integration);
  if (listed?.merchantId === providerId) return;
  const field = listed ? "x-provider-id" : "x-api-token";
  throw new GatewayError("NO_ACTIVE_CREDENTIAL", NOT_LISTED, [
    { field, code: "NO_ACTIVE_CREDENTIAL", message: NOT_LISTED },
  ]);
}

const NOT_LISTED = say`No active credential: send the api_key as x-api-token and its merchant_id as x-provider-id, from the sandbox's credentials.`;

/** A call whose assumptions are read, and the name in faults of its operation. */
interface TracedCall {
  readonly trace: AssumptionTrace;
  readonly operation?: FaultyOperation | undefined;
}

/**
 * Completes the outcome, and adds the headers that name what the response depends on. Call it after the body is
 * written, since writing the body reads assumptions.
 */
function respond(
  answered: Answer,
  { trace, operation }: TracedCall,
  { explain }: Pick<Context, "explain">,
  fault?: CallFault,
): Answer {
  const { status, headers, body, outcome } = patched(answered, fault);
  const assumptions = trace.describe(explain);
  const magic = fault?.magic?.name;
  const isPlain = assumptions === undefined && magic === undefined;
  return {
    status,
    headers: isPlain
      ? headers
      : {
          ...headers,
          ...(assumptions !== undefined && { "x-sandbox-assumption": assumptions }),
          ...(magic !== undefined && { "x-sandbox-magic": magic }),
        },
    body,
    outcome: {
      ...outcome,
      operation,
      ...(fault && faultIn(fault, outcome?.refusal !== undefined)),
    },
  };
}

/** Answers a gateway call with an error. */
export function refuse(
  error: unknown,
  call: Call,
  traced: TracedCall,
  context: Pick<Context, "explain" | "report">,
  fault?: CallFault,
): Answer {
  if (!(error instanceof GatewayError || error instanceof StorageError)) context.report(error);
  const format = isVersion2(call) ? "problem" : "envelope";
  const answer = toErrorAnswer(error, traced.trace, format, requestedLanguage(call));
  return respond(answer, traced, context, fault);
}

function isVersion2({ url }: Call): boolean {
  return url.pathname.startsWith("/v2/");
}
