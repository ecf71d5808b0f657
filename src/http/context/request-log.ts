import { toIso } from "../../wire/timestamp.ts";
import type { WireRequest } from "../../core/state/wire.ts";
import type { Answer } from "../calls/answer.ts";
import { decodeHeader, readToken } from "../calls/headers.ts";
import type { ReceivedCall } from "../calls/received-call.ts";
import { Ring, type RingEntry } from "./ring.ts";

/** A request that the gateway received, and its response, in the order of the responses. */
export interface LoggedRequest extends RingEntry {
  /** Sandbox time. */
  readonly atMs: number;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** Undefined if it was not read: there was none, or the request was refused before. */
  readonly body: string | undefined;
  readonly answer: Answer;
  /** Whether the client could no longer receive the response. */
  readonly isLost: boolean;
  readonly durationMs: number;
}

/** The newest requests. */
export class RequestLog extends Ring<LoggedRequest> {
  /** The headers of the newest request. */
  #headers: readonly string[] = [];

  /** @param keep how many requests it stores */
  constructor(keep: number) {
    super(keep, PREFIX);
  }

  /** Adds a request, just before its response is sent. */
  log(
    call: ReceivedCall,
    answer: Answer,
    { atMs, durationMs }: Pick<LoggedRequest, "atMs" | "durationMs">,
  ): void {
    const { method, url, text } = call;
    this.#headers = sharedHeaders(call.rawHeaders, this.#headers);
    this.add({
      number: this.nextNumber,
      integration: readToken(call),
      atMs,
      method,
      path: `${url.pathname}${url.search}`,
      rawHeaders: this.#headers,
      // A copy of the part that is shown: the log does not retain the rest of a long body.
      body: text !== undefined && text.length > MAX_LENGTH ? flat(cut(text)) : text,
      answer,
      isLost: call.isDisconnected,
      durationMs,
    });
  }
}

const PREFIX = "req_";

/** Most headers are those of the request before: sharing their texts keeps the log small. */
function sharedHeaders(headers: readonly string[], before: readonly string[]): readonly string[] {
  return headers.map((text, index) => (text === before[index] ? before[index] : text));
}

/** The id of a request in control routes. */
export function requestId({ number }: Pick<LoggedRequest, "number">): string {
  return `${PREFIX}${number}`;
}

/** The request as control routes show it: secrets are redacted, long texts are cut. */
export function toWireRequest(request: LoggedRequest): WireRequest {
  const { body, answer } = request;
  const isText = typeof answer.body === "string";
  return {
    id: requestId(request),
    at: toIso(request.atMs),
    method: request.method,
    path: request.path,
    headers: redact(request.rawHeaders),
    body: body ?? null,
    status: answer.status,
    response_headers: isText ? answer.headers : {},
    response: isText ? cut(answer.body) : null,
    lost: request.isLost,
    duration_ms: Math.round(request.durationMs * 10) / 10,
    integration: request.integration,
  };
}

/** The headers by their names in lower case; secrets are redacted. */
export function redact(rawHeaders: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = SECRET.has(name) ? REDACTED : decodeHeader(rawHeaders[index + 1] ?? "");
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

const SECRET: ReadonlySet<string> = new Set([
  "x-api-token",
  "authorization",
  "proxy-authorization",
  "cookie",
]);
const REDACTED = "[redacted]";
const MAX_LENGTH = 16_384;

export function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** A copy: a part of a text would keep the whole of it in memory. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}
