import type { AssumptionName, Assumptions } from "../../core/assumptions/table.ts";
import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import {
  type Effect,
  effectRule,
  type FaultyOperation,
  isEffectOn,
  partsOf,
  readEffect,
} from "../../core/faults/effects.ts";
import type { CallFault } from "../../core/faults/fault.ts";
import type { Magic } from "../../core/faults/magic.ts";
import type { Gateway } from "../../core/operations/gateway.ts";
import type { FaultedCall } from "../../core/operations/injector.ts";
import { type FieldError, GatewayError, invalidFields } from "../../core/records/errors.ts";
import type { Kind } from "../../core/records/transaction.ts";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import { type Message, say } from "../../text/message.ts";
import { type Answer, type Call, headerText, onAbort, readHeader } from "../calls/call.ts";
import { HttpRefusal, stopping } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import type { GatewayReader } from "../parse/bodies.ts";
import { parseMembers, readBytes } from "../parse/body.ts";
import { traceOf } from "./dispatch.ts";

/** An operation of the gateway, as the stages of {@link answerCall} use it. */
export interface Operation<Draft, Result> {
  /** The reader of its body under given assumptions; undefined if it takes no body. */
  readonly readerOf?: ((assumptions: Assumptions) => GatewayReader<Draft>) | undefined;
  /** Assumptions that every response depends on, in addition to those of the body. */
  readonly dependsOn?: readonly AssumptionName[];
  /** What it creates, under an idempotency key; undefined if it creates nothing. */
  readonly creates?: Kind;
  /** Its name in faults; undefined if none can act on it. */
  readonly faults?: FaultyOperation;
  /** The meaning of a magic value in its body. */
  readonly findMagic?: (draft: Draft) => Magic | undefined;
  /** Decides before it returns; resolves to the result when it is durable. */
  readonly decide: (call: ReadCall<Draft>, gateway: Gateway) => Promise<Result>;
  /** The response, and beside it what the result adds to the outcome. */
  readonly respond: (result: Result, call: ReadCall<Draft>) => Answer | Promise<Answer>;
}

/** A gateway call whose headers and body are valid. */
export interface ReadCall<Draft> {
  /** `x-api-token`: the integration. */
  readonly integration: string;
  readonly providerId: string;
  /** `x-provider`: the merchant's name. */
  readonly provider: string;
  /** `x-idempotency-key`; empty if the operation takes none. */
  readonly key: string;
  /** Undefined if the operation takes no body. */
  readonly draft: Draft;
  /** The body's text, undocumented members included. */
  readonly request: string;
  /** The effect that the header `x-sandbox-fault` requests. */
  readonly requestedFault: Effect | undefined;
  readonly trace: AssumptionTrace;
  /** The fault that applies to it, once it is taken. */
  fault: CallFault | undefined;
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
  const { creates } = operation;
  /** The result of the earlier call that this one repeats, when it is durable; undefined for a first call. */
  const findRepeat = () =>
    creates && (gateway.repeatOf(creates, request) as Promise<Result> | undefined);
  let result = findRepeat(); // 409
  if (!result) {
    if (perMinute > 0) rateLimit.admit(request.integration, perMinute); // 429
    const turn = takeFault(call, request, operation, context);
    if (turn) {
      await turn;
      // Other calls ran meanwhile: one of them may have used the key.
      result = findRepeat();
    }
  }
  result ??= operation.decide(request, gateway); // 422, 502
  return operation.respond(await result, request);
}

/**
 * Reads headers and body together, so that one response names every field that is wrong.
 * @throws GatewayError VALIDATION_ERROR, or NO_ACTIVE_CREDENTIAL for incomplete headers.
 */
function readCall<Draft, Result>(
  call: Call,
  trace: AssumptionTrace,
  operation: Operation<Draft, Result>,
  { isOwnControlRoute }: Context,
): ReadCall<Draft> {
  const fields: FieldError[] = [];
  if (operation.dependsOn) trace.record(operation.dependsOn);
  const integration = readField(call, "x-api-token", fields);
  const providerId = readField(call, "x-provider-id", fields);
  const provider = readField(call, "x-provider", fields);
  checkCountry(call, trace.read("country_code"), fields);
  const key = operation.creates ? readField(call, "x-idempotency-key", fields) : "";
  const requestedFault = readFaultHeader(call, operation.faults, fields);
  const ofHeaders = fields.length;
  const reader = operation.readerOf?.(trace.assumptions);
  const draft = reader?.(parseMembers(call, fields), fields);
  if (reader) trace.record(reader.dependsOn);
  const { webhook_url: url } = (draft ?? {}) as { readonly webhook_url?: string };
  // Most addresses have no such path, and need no parsing. A backslash counts as a slash in one.
  if (url?.includes("_sandbox") && isOwnControlRoute(url)) fields.push(OWN_CONTROL_ROUTE);
  if (fields.length > 0) throw refusalOf(fields, ofHeaders, trace);
  return {
    integration,
    providerId,
    provider,
    key,
    draft: draft as Draft,
    request: call.text ?? "",
    requestedFault,
    trace,
    fault: undefined,
  };
}

function readField(call: Call, name: string, fields: FieldError[]): string {
  const sent = readHeader(call, name);
  if (sent === null) {
    const message = say`The header ${name} is required.`;
    fields.push({ field: name, code: "REQUIRED_VALUE", message });
    return "";
  }
  const value = headerText(sent);
  if (value === "")
    fields.push({ field: name, code: "EMPTY_VALUE", message: say`The header ${name} is empty.` });
  return value;
}

function checkCountry(call: Call, choice: Assumptions["country_code"], fields: FieldError[]): void {
  const country = readField(call, "x-country-code", fields);
  const pattern = choice === "br_only" ? /^br$/i : /^[a-z]{2}$/i;
  if (country === "" || pattern.test(country)) return;
  const message =
    choice === "br_only"
      ? say`x-country-code must be BR.`
      : say`x-country-code must be two letters, such as BR.`;
  fields.push({ field: "x-country-code", code: "INVALID_VALUE", message });
}

/** Reads the effect that a call requests with a header. Adds an entry to `fields` if it is wrong. */
function readFaultHeader(
  call: Call,
  operation: FaultyOperation | undefined,
  fields: FieldError[],
): Effect | undefined {
  const sent = readHeader(call, FAULT_HEADER);
  if (sent === null) return undefined;
  const effect = readEffect(headerText(sent));
  // A payin's webhook is sent by the call that settles it.
  const sendsWebhook = operation !== "payins.create";
  const wrong = (): Message | undefined => {
    if (operation === undefined) return NO_FAULTS;
    if (effect === undefined) return effectRule(FAULT_HEADER, sendsWebhook ? undefined : operation);
    return sendsWebhook || isEffectOn(effect, "call") ? undefined : NO_WEBHOOK;
  };
  const message = wrong();
  if (message) fields.push({ field: FAULT_HEADER, code: "INVALID_VALUE", message });
  return effect;
}

const FAULT_HEADER = "x-sandbox-fault";
const NO_FAULTS = say`This call takes no x-sandbox-fault; only calls that create or simulate a transaction accept it.`;
const NO_WEBHOOK = say`Creating a payin sends no webhook: send x-sandbox-fault with the simulation, or add a fault on webhook with POST /_sandbox/faults.`;

function refusalOf(
  fields: readonly FieldError[],
  ofHeaders: number,
  trace: AssumptionTrace,
): GatewayError {
  const headers = fields.slice(0, ofHeaders);
  const isIncomplete = headers.some(({ code }) => code !== "INVALID_VALUE");
  return isIncomplete && trace.read("header.missing") === "unauthorized"
    ? new GatewayError("NO_ACTIVE_CREDENTIAL", NO_CREDENTIAL, headers)
    : invalidFields(fields);
}

const NO_CREDENTIAL = say`No active credential: the identification headers are incomplete.`;

const OWN_CONTROL_ROUTE: FieldError = {
  field: "webhook_url",
  code: "INVALID_VALUE",
  message: say`webhook_url must not be a control route of this sandbox. Use a path of /_sandbox/sink/, or your receiver's address.`,
};

/** @throws GatewayError NO_ACTIVE_CREDENTIAL if only listed credentials are active and the caller's is not one. */
function authorize(
  { integration, providerId, trace }: ReadCall<unknown>,
  { credentials }: Context,
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
function takeFault<Draft, Result>(
  call: Call,
  request: ReadCall<Draft>,
  operation: Operation<Draft, Result>,
  { gateway: { faults }, magic, closing }: Context,
): Promise<void> | undefined {
  if (operation.faults === undefined) return undefined;
  const faulted: FaultedCall = {
    operation: operation.faults,
    integration: request.integration,
    key: operation.creates ? request.key : null,
    request: request.request,
    requested: request.requestedFault,
    magic: magic ? operation.findMagic?.(request.draft) : undefined,
  };
  const fault = faults.take(faulted);
  call.fault = request.fault = fault;
  if (!fault?.effect) return undefined;
  const { kind, value } = partsOf(fault.effect);
  if (kind !== "hold" && kind !== "latency_ms") return undefined;
  const isHeld = kind === "hold";
  const { turn, end } = faults.wait(faulted, isHeld ? (fault.id ?? null) : null);
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
