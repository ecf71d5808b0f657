import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { GatewayError, type TopLevelCode } from "../../core/records/errors.ts";
import { NotLeadingError, SnapshotError, StorageError } from "../../core/state/ports.ts";
import { type Answer, JSON_HEADERS, type Refusal, TITLES } from "./answer.ts";
import { HttpRefusal } from "./refusals.ts";
import { say } from "../../text/message.ts";
import { type Language, translate } from "../../text/languages.ts";

/** The sandbox's own statuses: the specification shows none for errors. */
const STATUS_BY_CODE: Readonly<Record<TopLevelCode, number>> = {
  VALIDATION_ERROR: 400,
  NO_ACTIVE_CREDENTIAL: 401,
  DUPLICATED_VALUE: 409,
  NOT_PROCESSABLE: 422,
  EXTERNAL_ERROR: 502,
};

/** The statuses that `error.status` = `always_400` replaces by 400. */
const FOLDED = new Set([401, 409, 422, 502]);

/** The form of errors: the specification's envelope, or RFC 9457's under `/v2`. */
export type ErrorFormat = "envelope" | "problem";

/** Converts anything thrown to a documented error. An unexpected error becomes a 500 without its details. */
export function toErrorAnswer(
  thrown: unknown,
  trace: AssumptionTrace,
  format: ErrorFormat = "envelope",
  requestedLanguage?: Language,
): Answer {
  const error = toGatewayError(thrown);
  const choice = trace.read("error.language");
  const language = requestedLanguage ?? choice;
  const named = error instanceof HttpRefusal ? error.status : STATUS_BY_CODE[error.code];
  const status = FOLDED.has(named) && trace.read("error.status") === "always_400" ? 400 : named;
  const refusal: Refusal = {
    message: translate(error.text, language),
    code: error.code,
    errors: error.fields.map(({ message, code, field }) => ({
      message: translate(message, language),
      code,
      field,
    })),
  };
  const { message: detail, ...reason } = refusal;
  const body =
    format === "problem"
      ? { type: "about:blank", title: TITLES[status] ?? "Error", status, detail, ...reason }
      : { ...refusal, ...(error instanceof HttpRefusal && error.members) };
  const type = format === "problem" ? "application/problem+json" : "application/json";
  const headers = {
    ...JSON_HEADERS,
    "content-type": type,
    ...(error instanceof HttpRefusal && error.headers),
  };
  return {
    status,
    headers,
    body: JSON.stringify(body),
    outcome: { refusal },
  };
}

function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (thrown instanceof StorageError) {
    const isSpecific = thrown instanceof SnapshotError || thrown instanceof NotLeadingError;
    const text = isSpecific ? thrown.text : UNWRITABLE;
    return new HttpRefusal(503, "EXTERNAL_ERROR", text);
  }
  return new HttpRefusal(
    500,
    "EXTERNAL_ERROR",
    say`The sandbox itself failed. Its standard error has the details. Please report it.`,
  );
}

const UNWRITABLE = say`The sandbox cannot write its state file and refuses changes. See its standard error for the reason.`;
