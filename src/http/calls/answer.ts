import { STATUS_CODES } from "node:http";
import type { ErrorCode, TopLevelCode } from "../../core/records/errors.ts";

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
