import type { Assumptions } from "../../core/assumptions/table.ts";
import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { type FieldError, GatewayError, invalidFields } from "../../core/records/errors.ts";
import {
  type Effect,
  effectRule,
  type FaultyOperation,
  isOperationEffect,
  readEffect,
} from "../../core/faults/effects.ts";
import type { BodyReader, Reading } from "../parse/readers.ts";
import { parseJson } from "../parse/body.ts";
import type { Call } from "../calls/call.ts";
import { headerText, isRepeated, readHeader, repeatedHeader } from "../calls/headers.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import type { Operation } from "./answer-call.ts";
import { say } from "../../text/message.ts";

/** The identification headers of the specification. */
export interface Identification {
  /** `x-api-token`: the integration. */
  readonly integration: string;
  readonly providerId: string;
  /** `x-provider`: the merchant's name. */
  readonly provider: string;
  /** `x-idempotency-key`; empty if the operation takes none. */
  readonly key: string;
}

/** A gateway call whose headers and body are valid. */
export interface ReadCall<Draft> extends Identification {
  /** Undefined if the operation takes no body. */
  readonly draft: Draft;
  /** The body's text, undocumented members included. */
  readonly request: string;
  /** The effect that the header `x-sandbox-fault` requests. */
  readonly requestedFault: Effect | undefined;
  readonly trace: AssumptionTrace;
}

/**
 * Reads headers and body together, so that one response names every field that is wrong.
 * @throws GatewayError VALIDATION_ERROR, or NO_ACTIVE_CREDENTIAL for incomplete headers.
 */
export function readCall<Draft>(
  call: Call,
  operation: Pick<Operation<Draft, never>, "readerOf" | "dependsOn" | "isKeyed" | "faults">,
  { isOwnControlRoute }: Pick<Context, "isOwnControlRoute">,
  trace: AssumptionTrace,
): ReadCall<Draft> {
  const fields: FieldError[] = [];
  if (operation.dependsOn) trace.record(operation.dependsOn);
  const caller = readIdentification(call, operation.isKeyed === true, trace, fields);
  const requestedFault = readFaultHeader(call, operation.faults, fields);
  if (operation.readerOf === undefined) {
    if (fields.length > 0) throw refusalOf(fields, [], trace);
    return toReadCall(caller, undefined as Draft, "", requestedFault, trace);
  }
  const reader = operation.readerOf(trace.assumptions);
  const reading = readBody(call, reader, fields);
  trace.record(reader.dependsOn);
  if ("fields" in reading) throw refusalOf(fields, reading.fields, trace);
  const { webhook_url: url } = reading.draft as { readonly webhook_url?: string };
  // Most addresses have no such path, and need no parsing. A backslash counts as a slash in one.
  const isOwn = url?.includes("_sandbox") === true && isOwnControlRoute(url);
  if (isOwn || fields.length > 0) throw refusalOf(fields, isOwn ? [OWN_CONTROL_ROUTE] : [], trace);
  return toReadCall(caller, reading.draft, call.text ?? "", requestedFault, trace);
}

/** Written out: spreading the caller costs more than reading all headers. */
function toReadCall<Draft>(
  { integration, providerId, provider, key }: Identification,
  draft: Draft,
  request: string,
  requestedFault: Effect | undefined,
  trace: AssumptionTrace,
): ReadCall<Draft> {
  return { integration, providerId, provider, key, draft, request, requestedFault, trace };
}

/** Reads the identification headers. Adds an entry to `fields` for each that is wrong. */
function readIdentification(
  call: Call,
  isKeyed: boolean,
  trace: AssumptionTrace,
  fields: FieldError[],
): Identification {
  const integration = readField(call, "x-api-token", fields);
  const providerId = readField(call, "x-provider-id", fields);
  const provider = readField(call, "x-provider", fields);
  checkCountry(call, trace.read("country_code"), fields);
  const key = isKeyed ? readField(call, "x-idempotency-key", fields) : "";
  return { integration, providerId, provider, key };
}

function readField(call: Call, name: string, fields: FieldError[]): string {
  const sent = readHeader(call, name);
  if (sent === null) {
    fields.push(missing(name));
    return "";
  }
  const value = headerText(sent);
  if (value === "") fields.push(empty(name));
  else if (sent.includes(",") && isRepeated(call, name)) fields.push(repeatedHeader(name));
  return value;
}

function checkCountry(call: Call, choice: Assumptions["country_code"], fields: FieldError[]): void {
  const before = fields.length;
  const country = readField(call, "x-country-code", fields);
  const pattern = choice === "br_only" ? /^br$/i : /^[a-z]{2}$/i;
  if (fields.length === before && !pattern.test(country)) fields.push(wrongCountry(choice));
}

function missing(field: string): FieldError {
  return {
    field,
    code: "REQUIRED_VALUE",
    message: say`The header ${field} is required.`,
  };
}

function empty(field: string): FieldError {
  return {
    field,
    code: "EMPTY_VALUE",
    message: say`The header ${field} is empty.`,
  };
}

function wrongCountry(choice: Assumptions["country_code"]): FieldError {
  const message =
    choice === "br_only"
      ? say`x-country-code must be BR.`
      : say`x-country-code must be two letters, such as BR.`;
  return { field: "x-country-code", code: "INVALID_VALUE", message };
}

/** Reads `x-sandbox-fault`: the effect that a call requests. Adds an entry to `fields` if it is wrong. */
function readFaultHeader(
  call: Call,
  operation: FaultyOperation | undefined,
  fields: FieldError[],
): Effect | undefined {
  const sent = readHeader(call, FAULT_HEADER);
  if (sent === null) return undefined;
  const effect = readEffect(headerText(sent));
  const isPossible =
    effect && operation && (isOperationEffect(effect) || operation !== SENDS_NO_WEBHOOK);
  if (isPossible) return effect;
  const message =
    operation === undefined
      ? NO_FAULTS
      : effect
        ? NO_WEBHOOK
        : effectRule(FAULT_HEADER, operation === SENDS_NO_WEBHOOK ? operation : undefined);
  fields.push({ field: FAULT_HEADER, code: "INVALID_VALUE", message });
  return undefined;
}

const FAULT_HEADER = "x-sandbox-fault";
/** A payin's webhook is sent by the call that settles it. */
const SENDS_NO_WEBHOOK: FaultyOperation = "payins.create";

const NO_FAULTS = say`This call takes no x-sandbox-fault; only calls that create or simulate a transaction accept it.`;
const NO_WEBHOOK = say`Creating a payin sends no webhook: send x-sandbox-fault with the simulation, or add a fault on webhook with POST /_sandbox/faults.`;

function readBody<Draft>(
  call: Call,
  reader: BodyReader<Draft>,
  headerFields: readonly FieldError[],
): Reading<Draft> {
  try {
    return reader(parseJson(call));
  } catch (error) {
    if (!(error instanceof HttpRefusal) || headerFields.length === 0) throw error;
    throw new HttpRefusal(error.status, error.code, error.text, { fields: headerFields });
  }
}

function refusalOf(
  headerFields: readonly FieldError[],
  bodyFields: readonly FieldError[],
  trace: AssumptionTrace,
): GatewayError {
  if (
    headerFields.some(({ code }) => code !== "INVALID_VALUE") &&
    trace.read("header.missing") === "unauthorized"
  ) {
    return new GatewayError("NO_ACTIVE_CREDENTIAL", NO_CREDENTIAL, headerFields);
  }
  return invalidFields([...headerFields, ...bodyFields]);
}

const OWN_CONTROL_ROUTE: FieldError = {
  field: "webhook_url",
  code: "INVALID_VALUE",
  message: say`webhook_url must not be a control route of this sandbox. Use a path of /_sandbox/sink/, or your receiver's address.`,
};

const NO_CREDENTIAL = say`No active credential: the identification headers are incomplete.`;
