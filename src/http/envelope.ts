import { FastResponse } from "srvx";
import type { Assumptions } from "../core/assumptions/table.ts";
import { GatewayError, type TopLevelCode } from "../core/errors.ts";
import { SnapshotError, StorageError } from "../core/ports.ts";
import { nextPart } from "./parts.ts";
import { HttpRefusal } from "./refusals.ts";

/** The specification shows no statuses for errors, so these are the sandbox's own. */
const STATUS_BY_CODE: Readonly<Record<TopLevelCode, number>> = {
  VALIDATION_ERROR: 400,
  NO_ACTIVE_CREDENTIAL: 401,
  DUPLICATED_VALUE: 409,
  NOT_PROCESSABLE: 422,
  EXTERNAL_ERROR: 502,
};

/** The statuses that `error.status` = `always_400` folds into one. */
const FOLDED = new Set([401, 409, 422, 502]);

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
};

/** How errors look: the specification's envelope, or RFC 9457's where the second version of a path asks for it. */
export type ErrorFormat = "envelope" | "problem";

const JSON_HEADERS = { "content-type": "application/json" };

/** An answer, and what it is made of where its body was written at once: a response gives that away only once. */
export type Answer = Response & {
  written?: { readonly text: string; readonly headers: Readonly<Record<string, string>> };
};

/** Sets further headers of an answer. */
export function setHeaders(answer: Answer, more: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(more)) answer.headers.set(name, value);
  if (answer.written)
    answer.written = { ...answer.written, headers: { ...answer.written.headers, ...more } };
}

/** A 200, or another status, with its body ready as JSON text. */
export function toJsonResponse(
  text: string,
  headers: Readonly<Record<string, string>> = JSON_HEADERS,
  status = 200,
): Answer {
  return withText(text, { status, statusText: TITLES[status] ?? "OK", headers });
}

function withText(
  text: string,
  init: ResponseInit & { readonly headers: Readonly<Record<string, string>> },
): Answer {
  const answer: Answer = new FastResponse(text, init);
  answer.written = { text, headers: init.headers };
  return answer;
}

/** A 200, or another status, with a JSON value. */
export function toAnswer(value: unknown, status?: number): Answer {
  return toJsonResponse(JSON.stringify(value), JSON_HEADERS, status);
}

/** A 200 with a JSON object whose lists hold what `toWire` makes of each item; a long one is written as it is read. */
export function toListAnswer<Item>(
  members: Readonly<Record<string, readonly Item[] | string | null>>,
  toWire: (item: Item) => unknown,
): Response {
  const texts = textsOf(members, toWire);
  const first = nextPart(texts) ?? "";
  let next = nextPart(texts);
  if (next === undefined) return toJsonResponse(first);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(first));
    },
    pull(controller) {
      if (next === undefined) return controller.close();
      controller.enqueue(encoder.encode(next));
      next = nextPart(texts);
    },
  });
  return new FastResponse(body, { status: 200, statusText: "OK", headers: JSON_HEADERS });
}

/** The JSON of such an object, piece by piece. */
function* textsOf<Item>(
  members: Readonly<Record<string, readonly Item[] | string | null>>,
  toWire: (item: Item) => unknown,
): Generator<string, undefined> {
  let comma = "{";
  for (const [name, value] of Object.entries(members)) {
    yield `${comma}${JSON.stringify(name)}:`;
    comma = ",";
    if (value === null || typeof value === "string") yield JSON.stringify(value);
    else {
      yield "[";
      for (const [index, item] of value.entries())
        yield `${index > 0 ? "," : ""}${JSON.stringify(toWire(item))}`;
      yield "]";
    }
  }
  yield "}";
}

/** Whatever was thrown, as the documented error; what nobody foresaw is an error of ours, and its details stay here. */
export function toErrorResponse(
  thrown: unknown,
  assumptions: Assumptions,
  format: ErrorFormat = "envelope",
): Answer {
  const error = toGatewayError(thrown);
  const language = assumptions["error.language"];
  const named = error instanceof HttpRefusal ? error.status : STATUS_BY_CODE[error.code];
  const status = FOLDED.has(named) && assumptions["error.status"] === "always_400" ? 400 : named;
  const message = error.text[language];
  const errors = error.fields.map((entry) => ({
    message: entry.message[language],
    code: entry.code,
    field: entry.field,
  }));
  const body =
    format === "problem"
      ? {
          type: "about:blank",
          title: TITLES[status] ?? "Error",
          status,
          detail: message,
          code: error.code,
          errors,
        }
      : { message, code: error.code, errors, ...(error instanceof HttpRefusal && error.members) };
  const type = format === "problem" ? "application/problem+json" : "application/json";
  const headers = { "content-type": type, ...(error instanceof HttpRefusal && error.headers) };
  return withText(JSON.stringify(body), {
    status,
    statusText: TITLES[status] ?? "",
    headers,
  });
}

function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (thrown instanceof StorageError) {
    const text = thrown instanceof SnapshotError ? thrown.text : UNWRITABLE;
    return new HttpRefusal(503, "EXTERNAL_ERROR", text);
  }
  return new HttpRefusal(500, "EXTERNAL_ERROR", {
    en: "The sandbox itself failed; its standard error says more. Please report it.",
    pt: "O próprio sandbox falhou; a saída de erro diz mais. Por favor, relate.",
  });
}

const UNWRITABLE = {
  en: "The sandbox cannot write its state file and refuses changes. See its standard error for the reason.",
  pt: "O sandbox não consegue gravar seu arquivo de estado e nada pode ser alterado; a saída de erro diz por quê.",
};
