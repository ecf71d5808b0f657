import type { IncomingMessage } from "node:http";
import type { H3Event } from "h3";
import { toIso } from "../core/time/timestamp.ts";
import type { Page } from "../core/state/table.ts";
import type { WireRequest } from "../core/wire.ts";
import type { Answer } from "./envelope.ts";
import { isDisconnected } from "./disconnect.ts";
import { readToken } from "./headers.ts";

/** A request that the gateway was sent, and what it answered. */
export interface LoggedRequest {
  /** From 1 on, in the order of the answers. */
  readonly number: number;
  readonly integration: string | null;
  /** Sandbox time. */
  readonly atMs: number;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** Undefined where it was not read: there was none, or it was refused before. */
  readonly body: Buffer | undefined;
  readonly status: number;
  readonly written: Answer["written"];
  /** Whether nobody was there any more to hear the answer. */
  readonly isLost: boolean;
  readonly durationMs: number;
}

/** The newest requests, in memory: they are no state. */
export class RequestLog {
  readonly #keep: number;
  /** Each at its number modulo `#keep`. */
  readonly #ring: (LoggedRequest | undefined)[] = [];
  #last = 0;
  readonly #listeners = new Set<(request: LoggedRequest) => void>();

  /** @param keep how many are remembered */
  constructor(keep: number) {
    this.#keep = keep;
  }

  get nextNumber(): number {
    return this.#last + 1;
  }

  /** @param request with the next number */
  add(request: LoggedRequest): void {
    if (this.#keep === 0) return;
    this.#last = request.number;
    this.#ring[request.number % this.#keep] = request;
    for (const listener of this.#listeners) listener(request);
  }

  /** Forgets those of an integration, or all where it is null. */
  clear(integration: string | null): void {
    for (const [place, request] of this.#ring.entries())
      if (integration === null || request?.integration === integration)
        this.#ring[place] = undefined;
  }

  /** Those of an integration, or of any where it is null, the oldest first; undefined where `after` is none of them. */
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

  /** Calls `listener` with each request once it is answered; the answer stops that. */
  onRequest(listener: (request: LoggedRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function idOf({ number }: LoggedRequest): string {
  return `req_${number}`;
}

/** What is to be remembered of a request besides its answer, as it stands when that is given. */
export function toLogged(
  event: H3Event,
  answer: Answer,
  { number, atMs, durationMs }: Pick<LoggedRequest, "number" | "atMs" | "durationMs">,
): LoggedRequest {
  const incoming = event.runtime?.node?.req as IncomingMessage | undefined;
  return {
    number,
    integration: readToken(event),
    atMs,
    method: event.req.method,
    path: `${event.url.pathname}${event.url.search}`,
    rawHeaders: incoming?.rawHeaders ?? [...event.req.headers].flat(),
    body: event.context[BODY] as Buffer | undefined,
    status: answer.status,
    written: answer.written,
    isLost: isDisconnected(event),
    durationMs,
  };
}

/** Remembers the body of a request, which can be read once alone: as much of a long one as is shown. */
export function keepBody(event: H3Event, body: Buffer): void {
  event.context[BODY] = body.length > MAX_BYTES ? Buffer.from(body.subarray(0, MAX_BYTES)) : body;
}

const BODY = "sandboxBody";

/** Secrets are redacted; what is long is cut. */
export function toWireRequest(request: LoggedRequest): WireRequest {
  const { body, written } = request;
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
    status: request.status,
    response_headers: written?.headers ?? {},
    response: written === undefined ? null : cut(written.text),
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
/** Holds one character more than that, however many bytes each has. */
const MAX_BYTES = (MAX_LENGTH + 1) * 4;

function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
