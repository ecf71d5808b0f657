import { type FieldError, GatewayError, type TopLevelCode } from "../../core/records/errors.ts";
import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { NotLeadingError, SnapshotError, StorageError } from "../../core/state/ports.ts";
import { type Language, translate } from "../../text/languages.ts";
import { type Message, say } from "../../text/message.ts";
import { type Answer, JSON_HEADERS, type Refusal, TITLES } from "./call.ts";

/** The codes of statuses that a refusal has of its own; any other is NOT_PROCESSABLE. */
const CODES: Readonly<Record<number, TopLevelCode>> = {
  400: "VALIDATION_ERROR",
  401: "NO_ACTIVE_CREDENTIAL",
  413: "VALIDATION_ERROR",
  415: "VALIDATION_ERROR",
  500: "EXTERNAL_ERROR",
  501: "VALIDATION_ERROR",
  503: "EXTERNAL_ERROR",
};

/** The sandbox's own statuses of the gateway's codes: the specification shows none for errors. */
const STATUSES: Readonly<Record<TopLevelCode, number>> = {
  VALIDATION_ERROR: 400,
  NO_ACTIVE_CREDENTIAL: 401,
  DUPLICATED_VALUE: 409,
  NOT_PROCESSABLE: 422,
  EXTERNAL_ERROR: 502,
};

/** The statuses that `error.status` = `always_400` replaces by 400. */
const FOLDED = new Set([401, 409, 422, 502]);

interface RefusalParts {
  readonly fields?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Members of the body beside those of the envelope. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** A refusal with an HTTP status of its own, which decides the code. */
export class HttpRefusal extends GatewayError {
  override readonly name = "HttpRefusal";
  readonly status: number;
  readonly headers: RefusalParts["headers"];
  readonly members: RefusalParts["members"];

  constructor(status: number, text: Message, { fields, headers, members }: RefusalParts = {}) {
    super(CODES[status] ?? "NOT_PROCESSABLE", text, fields);
    this.status = status;
    this.headers = headers;
    this.members = members;
  }
}

/** The request's target is no path, or cannot be decoded. */
export function malformedAddress(): HttpRefusal {
  return new HttpRefusal(400, say`The request's address is malformed.`);
}

const NOUNS = {
  payin: say.for("record")`payin`,
  payout: say`payout`,
  transaction: say`payin or payout`,
  delivery: say`delivery`,
  fault: say`fault`,
  request: say`request`,
};

/** The record does not exist, or belongs to another integration. */
export function unknownRecord(what: keyof typeof NOUNS, id: string): HttpRefusal {
  return new HttpRefusal(404, say`There is no ${NOUNS[what]} with the id ${id}.`);
}

export function stopping(): HttpRefusal {
  return new HttpRefusal(503, say`The sandbox is stopping.`);
}

/** A call of this process to a closed sandbox. */
export class SandboxClosedError extends Error {
  override readonly name = "SandboxClosedError";
}

/** What the form of a refusal depends on. */
interface Form {
  readonly language: Language;
  /** Whether it has RFC 9457's form, as under `/v2`, in place of the specification's envelope. */
  readonly isProblem?: boolean;
  /** Of a gateway call: the response depends on the choice of statuses. */
  readonly trace?: AssumptionTrace | undefined;
}

/** Converts anything thrown to a documented error. An unexpected error becomes a 500 without its details. */
export function toErrorAnswer(thrown: unknown, { language, isProblem, trace }: Form): Answer {
  const error = toGatewayError(thrown);
  const own = error instanceof HttpRefusal ? error : undefined;
  const named = own?.status ?? STATUSES[error.code];
  const status = FOLDED.has(named) && trace?.read("error.status") === "always_400" ? 400 : named;
  const errors = error.fields.map(({ message, code, field }) => ({
    message: translate(message, language),
    code,
    field,
  }));
  const refusal: Refusal = { message: translate(error.text, language), code: error.code, errors };
  const { message: detail, ...reason } = refusal;
  const body = isProblem
    ? { type: "about:blank", title: TITLES[status], status, detail, ...reason }
    : { ...refusal, ...own?.members };
  const type = isProblem ? { "content-type": "application/problem+json" } : {};
  return {
    status,
    headers: { ...JSON_HEADERS, ...type, ...own?.headers },
    body: JSON.stringify(body),
    outcome: { refusal },
  };
}

function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (!(thrown instanceof StorageError)) return new HttpRefusal(500, FAILED);
  const isSpecific = thrown instanceof SnapshotError || thrown instanceof NotLeadingError;
  return new HttpRefusal(503, isSpecific ? thrown.text : UNWRITABLE);
}

const FAILED = say`The sandbox itself failed. Its standard error has the details. Please report it.`;
const UNWRITABLE = say`The sandbox cannot write its state file and refuses changes. See its standard error for the reason.`;
