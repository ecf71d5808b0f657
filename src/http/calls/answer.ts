import type { ErrorCode, TopLevelCode } from "../../core/records/errors.ts";
import type { FaultyOperation } from "../../core/faults/effects.ts";
import { nextPart } from "./parts.ts";

/** A response, before any server sends it. `Value` is the type of its JSON value. */
export interface Answer<Value = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A long or endless body is a stream. */
  readonly body: string | ReadableStream<Uint8Array> | null;
  /** Stands beside the response of a gateway call: it is not sent. */
  readonly outcome?: Outcome;
  /** Only for the type checker: the JSON value is in `body`. */
  readonly [VALUE]?: Value;
}
declare const VALUE: unique symbol;

/** What the pipeline knows about a gateway call at its end, so that no code parses the response. */
export interface Outcome {
  /** Undefined for a call that no fault can act on. */
  readonly operation?: FaultyOperation | undefined;
  /** The payin or payout that the call created or simulated. */
  readonly transactionId?: string;
  /** Whether it got the response of an earlier call with its key. */
  readonly isRepeat?: boolean;
  readonly refusal?: Refusal;
  /** The fault that acted on it; the id is null if the call itself requested it, or by a magic value. */
  readonly fault?: ActedFault;
  /** Whether the fault breaks the connection in place of the response. */
  readonly isLost?: boolean;
}

/** A fault that acted, with the text of its effect. */
export interface ActedFault {
  readonly id: string | null;
  readonly effect: string;
}

/** Why a call was refused, in the language of the response. */
export interface Refusal {
  readonly message: string;
  readonly code: TopLevelCode;
  readonly errors: readonly {
    readonly message: string;
    readonly code: ErrorCode;
    readonly field: string;
  }[];
}

export const TITLES: Readonly<Record<number, string>> = {
  200: "OK",
  302: "Found",
  303: "See Other",
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

/** Browsers must not take JSON for a script or a page, whatever text is in it. */
const NO_SNIFF = { "x-content-type-options": "nosniff" };
export const JSON_HEADERS = { "content-type": "application/json", ...NO_SNIFF };
/** Of every response of a control route or page: no other site may load it, not even as an image or a script. */
const CONTROL_HEADERS = { ...NO_SNIFF, "cross-origin-resource-policy": "same-origin" };

/** The response of a control route, with the headers of all. */
export function toControlAnswer(answer: Answer): Answer {
  return withHeaders(answer, CONTROL_HEADERS);
}

/** A 200, or another status, whose body is JSON text. */
export function toJsonAnswer<Value>(
  text: string,
  headers: Answer["headers"] = JSON_HEADERS,
  status = 200,
): Answer<Value> {
  return { status, headers, body: text };
}

/** A 200, or another status, with a JSON value. */
export function toAnswer<Value>(value: Value, status = 200): Answer<Value> {
  return { status, headers: JSON_HEADERS, body: JSON.stringify(value) };
}

/** A redirect to a path; after a form (303) the client reads it with GET. */
export function toRedirect(path: string, status: 302 | 303 = 303): Answer {
  return { status, headers: { location: path, "cache-control": "no-store" }, body: null };
}

/** The same response with more headers, if there are any. */
export function withHeaders<Value>(
  answer: Answer<Value>,
  more: Readonly<Record<string, string>> | undefined,
): Answer<Value> {
  return more === undefined ? answer : { ...answer, headers: { ...answer.headers, ...more } };
}

/** A 200 with a JSON object whose lists contain `toWire` of each item; a long one is written as it is read. */
export function toListAnswer<Members extends ListMembers, Wire>(
  members: Members,
  toWire: (item: ItemOf<Members>) => Wire,
): Answer<WithLists<Members, Wire>> {
  const texts = textsOf(members, toWire as (item: unknown) => unknown);
  const first = nextPart(texts) ?? "";
  let next = nextPart(texts);
  if (next === undefined) return toJsonAnswer(first);
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
  return { status: 200, headers: JSON_HEADERS, body };
}

type ListMembers = Readonly<Record<string, readonly unknown[] | string | null>>;
type ItemOf<Members> = {
  [Name in keyof Members]: Members[Name] extends readonly (infer Item)[] ? Item : never;
}[keyof Members];
type WithLists<Members, Wire> = {
  [Name in keyof Members]: Members[Name] extends readonly unknown[] ? Wire[] : Members[Name];
};

/** The JSON of such an object, piece by piece. */
function* textsOf(
  members: ListMembers,
  toWire: (item: unknown) => unknown,
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
