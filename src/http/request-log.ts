import { toIso } from "../core/time/timestamp.ts";
import type { Page } from "../core/state/table.ts";
import type { WireRequest } from "../core/wire.ts";
import type { Answer } from "./answers/answer.ts";
import { readToken } from "./parse/headers.ts";
import type { ReceivedCall } from "./faces/received-call.ts";

/** A request that the gateway received, and its response. */
export interface LoggedRequest {
  /** From 1 on, in the order of the responses. */
  readonly number: number;
  readonly integration: string | null;
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

/** The newest requests, in memory: they are not part of the state. */
export class RequestLog {
  readonly #keep: number;
  /** Each at its number modulo `#keep`. */
  readonly #ring: (LoggedRequest | undefined)[] = [];
  #last = 0;
  readonly #listeners = new Set<(request: LoggedRequest) => void>();

  /** @param keep how many requests it stores */
  constructor(keep: number) {
    this.#keep = keep;
  }

  get nextNumber(): number {
    return this.#last + 1;
  }

  /** @param request with the next number */
  add(request: LoggedRequest): void {
    this.#last = request.number;
    if (this.#keep > 0) this.#ring[request.number % this.#keep] = request;
    for (const listener of this.#listeners) listener(request);
  }

  /** Drops the requests of an integration, or all (`null`). */
  clear(integration: string | null): void {
    for (const [place, request] of this.#ring.entries())
      if (integration === null || request?.integration === integration)
        this.#ring[place] = undefined;
  }

  /** The requests of an integration, or all (`null`), the oldest first; undefined if `after` is not one of them. */
  page(
    integration: string | null,
    { limit, after }: { limit: number; after?: string | undefined },
  ): Page<LoggedRequest> | undefined {
    const own: LoggedRequest[] = [];
    for (let number = Math.max(1, this.#last - this.#keep + 1); number <= this.#last; number++) {
      const request = this.#ring[number % this.#keep];
      if (request && (integration === null || request.integration === integration))
        own.push(request);
    }
    const start = after === undefined ? 0 : own.findIndex((one) => idOf(one) === after) + 1;
    if (after !== undefined && start === 0) return undefined;
    const rows = own.slice(start, start + limit);
    const last = rows.at(-1);
    return { rows, next: last && start + limit < own.length ? idOf(last) : null };
  }

  /** Calls `listener` with each request after its response; the returned function removes it. */
  onRequest(listener: (request: LoggedRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function idOf({ number }: LoggedRequest): string {
  return `req_${number}`;
}

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
  const headers: Record<string, string> = {};
  const { rawHeaders } = request;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = SECRET.has(name) ? REDACTED : (rawHeaders[index + 1] ?? "");
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return {
    id: idOf(request),
    at: toIso(request.atMs),
    method: request.method,
    path: request.path,
    headers,
    body: body === undefined ? null : cut(body.toString()),
    status: answer.status,
    response_headers: isText ? answer.headers : {},
    response: isText ? cut(answer.body) : null,
    lost: request.isLost,
    duration_ms: Math.round(request.durationMs * 10) / 10,
  };
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

function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
