import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { type FieldError, GatewayError, invalidFields } from "../../core/errors.ts";
import type { Effect } from "../../core/faults/effects.ts";
import { parseJson } from "../body.ts";
import type { BodyReader, Reading } from "../body-reader.ts";
import type { Call } from "../call.ts";
import { HttpRefusal } from "../refusals.ts";
import { readersFor } from "../schemas.ts";
import { readFaultHeader } from "./fault-header.ts";
import { type Identification, readIdentification } from "./identification.ts";
import type { Operation } from "./operation.ts";

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
 * Reads headers and body together, so that one answer names every field that is wrong.
 * @throws GatewayError VALIDATION_ERROR, or NO_ACTIVE_CREDENTIAL for incomplete headers.
 */
export function readCall<Draft>(
  call: Call,
  operation: Pick<Operation<Draft, never>, "body" | "dependsOn" | "isKeyed" | "faults">,
  trace: AssumptionTrace,
): ReadCall<Draft> {
  const fields: FieldError[] = [];
  if (operation.dependsOn) trace.record(operation.dependsOn);
  const caller = readIdentification(call, operation.isKeyed === true, trace, fields);
  const requestedFault = readFaultHeader(call, operation.faults, fields);
  if (operation.body === undefined) {
    if (fields.length > 0) throw refusalOf(fields, [], trace);
    return { ...caller, draft: undefined as Draft, request: "", requestedFault, trace };
  }
  const reader = readersFor(trace.assumptions)[operation.body];
  const { request, reading } = readBody(call.body ?? NO_BODY, reader as BodyReader<Draft>, fields);
  trace.record(reader.dependsOn);
  if ("fields" in reading) throw refusalOf(fields, reading.fields, trace);
  if (fields.length > 0) throw refusalOf(fields, [], trace);
  return { ...caller, draft: reading.draft, request, requestedFault, trace };
}

const NO_BODY = Buffer.alloc(0);

function readBody<Draft>(
  bytes: Buffer,
  reader: BodyReader<Draft>,
  headerFields: readonly FieldError[],
): { request: string; reading: Reading<Draft> } {
  try {
    const { text, value } = parseJson(bytes);
    return { request: text, reading: reader(value) };
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

const NO_CREDENTIAL = {
  en: "No active credential: the identification headers are incomplete.",
  pt: "Nenhuma credencial ativa: os cabeçalhos de identificação estão incompletos.",
};
