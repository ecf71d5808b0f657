import type { Assumptions } from "../../core/assumptions/table.ts";
import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import {
  type Effect,
  effectRule,
  type FaultyOperation,
  isEffectOn,
  readEffect,
} from "../../core/faults/effects.ts";
import type { CallFault } from "../../core/faults/fault.ts";
import { type FieldError, GatewayError, invalidFields } from "../../core/records/errors.ts";
import { type Message, say } from "../../text/message.ts";
import { type Call, headerText, readHeader } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { parseMembers } from "../parse/body.ts";
import type { Operation } from "./answer-call.ts";

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
 * Reads headers and body together, so that one response names every field that is wrong.
 * @throws GatewayError VALIDATION_ERROR, or NO_ACTIVE_CREDENTIAL for incomplete headers.
 */
export function readCall<Draft>(
  call: Call,
  trace: AssumptionTrace,
  operation: Pick<Operation<Draft, never>, "readerOf" | "dependsOn" | "isKeyed" | "faults">,
  { isOwnControlRoute }: Pick<Context, "isOwnControlRoute">,
): ReadCall<Draft> {
  const fields: FieldError[] = [];
  if (operation.dependsOn) trace.record(operation.dependsOn);
  const integration = readField(call, "x-api-token", fields);
  const providerId = readField(call, "x-provider-id", fields);
  const provider = readField(call, "x-provider", fields);
  checkCountry(call, trace.read("country_code"), fields);
  const key = operation.isKeyed ? readField(call, "x-idempotency-key", fields) : "";
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
  const before = fields.length;
  const country = readField(call, "x-country-code", fields);
  const pattern = choice === "br_only" ? /^br$/i : /^[a-z]{2}$/i;
  if (fields.length > before || pattern.test(country)) return;
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
  const message = wrongFault(effect, operation);
  if (message) fields.push({ field: FAULT_HEADER, code: "INVALID_VALUE", message });
  return effect;
}

/** Why a call of an operation cannot request an effect; undefined if it can. */
function wrongFault(
  effect: Effect | undefined,
  operation: FaultyOperation | undefined,
): Message | undefined {
  if (operation === undefined) return NO_FAULTS;
  // A payin's webhook is sent by the call that settles it.
  const sendsWebhook = operation !== "payins.create";
  if (effect === undefined) return effectRule(FAULT_HEADER, sendsWebhook ? undefined : operation);
  return sendsWebhook || isEffectOn(effect, "call") ? undefined : NO_WEBHOOK;
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
