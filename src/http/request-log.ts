import { toIso } from "../core/time/timestamp.ts";
import type { WireRequest } from "../core/wire.ts";
import type { Answer } from "./answers/answer.ts";
import { decodeHeader, readToken } from "./parse/headers.ts";
import type { ReceivedCall } from "./faces/received-call.ts";
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
  readonly body: Buffer | undefined;
  readonly answer: Answer;
  /** Whether the client could no longer receive the response. */
  readonly isLost: boolean;
  readonly durationMs: number;
}

/** The newest requests. */
export class RequestLog extends Ring<LoggedRequest> {
  /** @param keep how many requests it stores */
  constructor(keep: number) {
    super(keep, PREFIX);
  }
}

const PREFIX = "req_";

/** The log entry of a request, just before its response is sent. */
export function toLogged(
  call: ReceivedCall,
  answer: Answer,
  { number, atMs, durationMs }: Pick<LoggedRequest, "number" | "atMs" | "durationMs">,
): LoggedRequest {
  const { method, url, rawHeaders, body } = call;
  return {
    number,
    integration: readToken(call),
    atMs,
    method,
    path: `${url.pathname}${url.search}`,
    rawHeaders,
    // A copy of the part that is shown: the log does not retain the rest of a long body.
    body: body && body.length > MAX_BYTES ? Buffer.from(body.subarray(0, MAX_BYTES)) : body,
    answer,
    isLost: call.isDisconnected,
    durationMs,
  };
}

/** The request as control routes show it: secrets are redacted, long texts are cut. */
export function toWireRequest(request: LoggedRequest): WireRequest {
  const { body, answer } = request;
  const isText = typeof answer.body === "string";
  return {
    id: `${PREFIX}${request.number}`,
    at: toIso(request.atMs),
    method: request.method,
    path: request.path,
    headers: redact(request.rawHeaders),
    body: body === undefined ? null : cut(body.toString()),
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
/** Enough for one character more than that: UTF-8 has at most four bytes a character. */
const MAX_BYTES = (MAX_LENGTH + 1) * 4;

export function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
