import type { AssumptionName, Assumptions } from "../../core/assumptions/table.ts";
import { type FaultyOperation, partsOf } from "../../core/faults/effects.ts";
import type { Magic } from "../../core/faults/magic.ts";
import type { Gateway } from "../../core/operations/gateway.ts";
import type { FaultedCall } from "../../core/operations/injector.ts";
import { GatewayError } from "../../core/records/errors.ts";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import { say } from "../../text/message.ts";
import type { Answer } from "../calls/answer.ts";
import { type Call, onAbort } from "../calls/call.ts";
import { HttpRefusal, stopping } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import type { GatewayReader } from "../parse/bodies.ts";
import { readBytes } from "../parse/body.ts";
import { traceOf } from "./dispatch.ts";
import { type ReadCall, readCall } from "./read-call.ts";

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
  readonly findRepeat?: (call: ReadCall<Draft>, gateway: Gateway) => Promise<Result> | undefined;
  /** Decides before it returns; resolves to the result when it is durable. */
  readonly decide: (call: ReadCall<Draft>, gateway: Gateway) => Promise<Result>;
  /** The response, and beside it what the result adds to the outcome. */
  readonly respond: (result: Result, call: ReadCall<Draft>) => Answer | Promise<Answer>;
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
  const trace = traceOf(call, context);
  const { gateway, rateLimit } = context;
  // Headers and body together: a 400 names every field that is wrong.
  const request = readCall(call, trace, operation, context);
  authorize(request, context); // 401
  // Reading alone does not create an integration.
  if (operation.readerOf) gateway.integrationIsUsed(request.integration);
  // Read for every call: the response of a repeat depends on it too, since a repeat is not refused.
  const perMinute = trace.read("rate_limit.per_minute");
  let result = operation.findRepeat?.(request, gateway); // 409
  if (!result) {
    if (perMinute > 0) rateLimit.admit(request.integration, perMinute); // 429
    const turn = takeFault(call, request, operation, context);
    if (turn) {
      await turn;
      // Other calls ran meanwhile: one of them may have used the key.
      result = operation.findRepeat?.(request, gateway);
    }
  }
  result ??= operation.decide(request, gateway); // 422, 502
  return operation.respond(await result, request);
}

/**
 * Checks the caller's credential.
 * @throws GatewayError NO_ACTIVE_CREDENTIAL if only listed credentials are active and this is not one.
 */
function authorize(
  { integration, providerId, trace }: ReadCall<unknown>,
  { credentials }: Pick<Context, "credentials">,
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

/**
 * Takes the fault that applies to a call, if any, and notes it with the call.
 * @returns resolves when a call that its fault lets wait may continue; rejects if it must not; undefined without a wait
 */
function takeFault<Draft>(
  call: Call,
  request: ReadCall<Draft>,
  operation: Pick<Operation<Draft, unknown>, "faults" | "isKeyed" | "findMagic">,
  { gateway: { faults }, magic, closing }: Context,
): Promise<void> | undefined {
  if (operation.faults === undefined) return undefined;
  const faulted: FaultedCall = {
    operation: operation.faults,
    integration: request.integration,
    key: operation.isKeyed ? request.key : null,
    request: request.request,
    requested: request.requestedFault,
    magic: magic ? operation.findMagic?.(request.draft) : undefined,
  };
  const fault = faults.take(faulted);
  call.fault = request.fault = fault;
  const { kind, value } = partsOf(fault?.effect ?? "");
  if (kind !== "hold" && kind !== "latency_ms") return undefined;
  const isHeld = kind === "hold";
  const { turn, end } = faults.wait(faulted, isHeld ? (fault?.id ?? null) : null);
  // In real time. The call runs even if its client disconnects meanwhile.
  const timer = isHeld ? undefined : setTimeout(end, Number(value));
  // Only the request log shows this refusal.
  if (isHeld) call.onDisconnect(() => end(new HttpRefusal(408, DISCONNECTED)));
  const stopListening = onAbort(closing, () => end(stopping()));
  const clean = (): void => {
    clearTimeout(timer);
    stopListening();
  };
  void turn.then(clean, clean);
  return turn;
}

const DISCONNECTED = say`The client disconnected while a fault held the call; nothing was done.`;
