import { STATUS_CODES } from "node:http";
import { type ErrorCode, invalidFields, type TopLevelCode } from "../../core/records/errors.ts";
import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import type { CallFault } from "../../core/faults/fault.ts";
import { type Language, LANGUAGE_NAMES, preferredLanguage } from "../../text/languages.ts";
import { say } from "../../text/message.ts";

/** The most bytes of a request's body that are read. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** A request as its face received it: the same over a socket and from this process. */
export interface Call {
  readonly method: string;
  /** The request's target, parsed. */
  readonly location: Pick<URL, "origin" | "pathname" | "search" | "searchParams">;
  /** The parameters in the route's path, still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The client's IP address; empty for a call of this process. */
  readonly address: string;
  /** Names in lower case; the values of a header that was sent more than once are joined. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined for a call of this process. */
  readonly httpVersion?: string;
  /** The body and its text, once they are read. */
  body?: Buffer | undefined;
  text?: string | undefined;
  /** What a response of the gateway depends on, refusals too, once the pipeline has found it out. */
  trace?: AssumptionTrace | undefined;
  fault?: CallFault | undefined;
  /** Whether the client can no longer receive the response. */
  isDisconnected(): boolean;
  /**
   * Receives the body; of one over `MAX_BODY_BYTES` perhaps only the beginning, which is longer than that too.
   * @throws HttpRefusal 400 for a body that is cut short.
   */
  receiveBody(): Promise<Buffer>;
  /** Calls `listener` when the response has been sent or the client has disconnected. */
  onDisconnect(listener: () => void): void;
  /** Breaks the connection, if there is one, so that the client does not receive the response. */
  loseAnswer?(): void;
}

/** A response, before any server sends it. `Value` is the type of its JSON value. */
export interface Answer<Value = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An endless body is a stream. */
  readonly body: string | ReadableStream<Uint8Array> | null;
  /** Stands beside the response of a gateway call: it is not sent. */
  readonly outcome?: Outcome;
  /** Only for the type checker: the JSON value is in `body`. */
  readonly [VALUE]?: Value;
}
declare const VALUE: unique symbol;

/** What the pipeline knows about a gateway call at its end, so that no code parses the response. */
export interface Outcome {
  /** The payin or payout that the call created or simulated. */
  readonly transactionId?: string;
  /** Whether it got the response of an earlier call with its key. */
  readonly isRepeat?: boolean;
  readonly refusal?: Refusal;
  /** The fault that acted on it, with the text of its effect; the id is null if the call itself requested it. */
  readonly fault?: { readonly id: string | null; readonly effect: string };
  /** Whether the fault breaks the connection in place of the response. */
  readonly isLost?: boolean;
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

/** Statuses in words; two of Node's are older than RFC 9110. */
export const TITLES: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  413: "Content Too Large",
  422: "Unprocessable Content",
};

/** Browsers must not take JSON for a script or a page, whatever text is in it. */
const NO_SNIFF = { "x-content-type-options": "nosniff" };
export const JSON_HEADERS = { "content-type": "application/json", ...NO_SNIFF };

/** The response of a control route or page: no other site may load it, not even as an image or a script. */
export function toControlAnswer(answer: Answer): Answer {
  return withHeaders(answer, { ...NO_SNIFF, "cross-origin-resource-policy": "same-origin" });
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

type Sent = Pick<Call, "headers">;

/** The value in a route's path, decoded: no path has two. Empty if it has none. */
export function readPathValue({ parameters }: Call): string {
  return decodeURIComponent(Object.values(parameters)[0] ?? "");
}

/** The value of a request's header; null if it was not sent. */
export function readHeader({ headers }: Sent, name: string): string | null {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : (value ?? null);
}

/** A header's text without blanks around it. */
export function headerText(value: string): string {
  return decodeHeader(value).trim();
}

/** A header's text. Its bytes arrive as Latin-1; clients that send UTF-8 mean UTF-8. */
export function decodeHeader(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const text = Buffer.from(value, "latin1").toString("utf8");
  return text.includes("\ufffd") ? value : text;
}

/** The integration that a request names in `x-api-token`; null if it names none. */
export function readToken(call: Sent): string | null {
  return headerText(readHeader(call, "x-api-token") ?? "") || null;
}

/**
 * Checks the token of a control route. A blank one, for example from an unset variable, would select
 * all integrations.
 * @throws GatewayError VALIDATION_ERROR for a blank token.
 */
export function checkToken(call: Call): void {
  if (call.headers["x-api-token"] !== undefined && readToken(call) === null)
    throw invalidFields([{ field: "x-api-token", code: "EMPTY_VALUE", message: BLANK_TOKEN }]);
}

const BLANK_TOKEN = say`The header x-api-token is empty; leave it out to act on all integrations.`;

/** The language of messages that the call requests, as commands do; undefined: that of `error.language`. */
export function requestedLanguage(call: Sent): Language | undefined {
  const requested = call.headers["x-sandbox-language"];
  return requested === undefined ? undefined : LANGUAGE_NAMES.find((one) => one === requested);
}

/** The language of a page, as its reader's browser asks for it. */
export function pageLanguage(call: Sent): Language {
  return preferredLanguage(readHeader(call, "accept-language") ?? "");
}

/**
 * Calls `listener` when a signal aborts, at once if it has already; the returned function removes it.
 *
 * The option `signal` of addEventListener cannot remove the listener reliably: Node holds its removal callback
 * weakly, and only one for each target, so of several listeners all but the last may stay.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
