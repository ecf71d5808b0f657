import { toIso } from "../core/time/timestamp.ts";
import { count } from "../core/state/counts.ts";
import { type Page, type PageRequest, readPage } from "../core/state/page.ts";
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
  #size = 0;
  /** The number of stored requests of each integration. */
  readonly #counts = new Map<string | null, number>();
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
    if (this.#keep > 0) this.#store(request);
    for (const listener of this.#listeners) listener(request);
  }

  /** Drops the requests of an integration, or all (`null`). */
  clear(integration: string | null): void {
    for (const [place, request] of this.#ring.entries())
      if (integration === null || request?.integration === integration) this.#remove(place);
  }

  /** A page of the requests of an integration, or of all (`null`); undefined if it is requested by an id that is not one of them. */
  page(integration: string | null, request: PageRequest): Page<LoggedRequest> | undefined {
    const isOwn = (one: LoggedRequest): boolean =>
      integration === null || one.integration === integration;
    const at = (number: number): LoggedRequest | undefined => this.#ring[number % this.#keep];
    const list = {
      first: Math.max(1, this.#last - this.#keep + 1),
      last: this.#last,
      at,
      placeOf: (id: string) => {
        const found = at(Number(id.slice("req_".length)));
        return found && idOf(found) === id && isOwn(found) ? found.number : undefined;
      },
      keyOf: idOf,
    };
    const page = readPage(list, request, isOwn);
    const total = integration === null ? this.#size : (this.#counts.get(integration) ?? 0);
    return page && { ...page, total };
  }

  #store(request: LoggedRequest): void {
    const place = request.number % this.#keep;
    this.#remove(place);
    this.#ring[place] = request;
    count(this.#counts, request.integration, 1);
    this.#size++;
  }

  #remove(place: number): void {
    const removed = this.#ring[place];
    if (!removed) return;
    this.#ring[place] = undefined;
    count(this.#counts, removed.integration, -1);
    this.#size--;
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
