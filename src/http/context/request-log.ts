import type { FaultyOperation } from "../../core/faults/effects.ts";
import { type Page, type PageRequest, readPage } from "../../core/state/page.ts";
import type { WireRequest } from "../../core/state/wire.ts";
import type { Noun } from "../../review/observation.ts";
import type { Reviewer } from "../../review/reviewer.ts";
import { OWN_CLIENT_HEADER } from "../../wire/names.ts";
import { toIso } from "../../wire/timestamp.ts";
import {
  type Answer,
  type Call,
  decodeHeader,
  headerText,
  readHeader,
  readToken,
} from "../calls/call.ts";

export interface RingEntry {
  /** Ends with its number: from 1 on, in the order of the log. */
  readonly id: string;
  readonly integration: string | null;
}

/** The newest entries of a log, in memory: they are not part of the state. */
export class Ring<Entry extends RingEntry> {
  readonly #keep: number;
  readonly #prefix: string;
  /** The oldest ones are dropped together, from time to time. */
  #entries: Entry[] = [];
  #last = 0;
  readonly #listeners = new Set<(entry: Entry) => void>();

  /**
   * @param keep how many entries it stores
   * @param prefix the beginning of an entry's id
   */
  constructor(keep: number, prefix: string) {
    this.#keep = keep;
    this.#prefix = prefix;
  }

  add(values: Omit<Entry, "id">): void {
    const entry = { id: `${this.#prefix}${++this.#last}`, ...values } as Entry;
    this.#entries.push(entry);
    if (this.#entries.length > this.#keep * 1.1) this.#entries = this.#stored();
    for (const listener of this.#listeners) listener(entry);
  }

  /** Drops the entries of an integration, or all (`null`). */
  clear(integration: string | null): void {
    this.#entries = this.#entries.filter((one) => !isOf(integration, one));
  }

  /**
   * A page of the entries of an integration, or of all (`null`), that `isWanted` accepts (default: each of them);
   * undefined if it is requested by an id that is not one of the integration's.
   */
  page(
    integration: string | null,
    request: PageRequest,
    isWanted?: (entry: Entry) => boolean,
  ): Page<Entry> | undefined {
    const rows = this.#stored().filter((one) => isOf(integration, one));
    return readPage({ rows, keyOf: ({ id }) => id, isWanted }, request);
  }

  /** The entry of an integration, or of any (`null`), by its id. */
  find(integration: string | null, id: string): Entry | undefined {
    return this.#stored().find((one) => one.id === id && isOf(integration, one));
  }

  /** Calls `listener` with each new entry; the returned function removes it. */
  onEntry(listener: (entry: Entry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #stored(): Entry[] {
    return this.#entries.slice(Math.max(0, this.#entries.length - this.#keep));
  }
}

function isOf(integration: string | null, entry: RingEntry): boolean {
  return integration === null || entry.integration === integration;
}

/** A request that the gateway received, and its response, in the order of the responses. */
export interface LoggedRequest extends RingEntry {
  /** Undefined for a call that no fault can act on. */
  readonly operation: FaultyOperation | undefined;
  /** Sandbox time. */
  readonly atMs: number;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Call["headers"];
  /** Undefined if it was not read: there was none, or the request was refused before. */
  readonly body: string | undefined;
  readonly answer: Answer;
  /** Whether the client could no longer receive the response. */
  readonly isLost: boolean;
  readonly durationMs: number;
}

export class RequestLog extends Ring<LoggedRequest> {
  constructor(keep: number) {
    super(keep, "req_");
  }

  /** Adds a request, just before its response is sent. */
  log(
    call: Call,
    answer: Answer,
    { operation, atMs, durationMs }: Pick<LoggedRequest, "operation" | "atMs" | "durationMs">,
  ): void {
    const { method, location, headers, text } = call;
    this.add({
      integration: readToken(call),
      operation,
      atMs,
      method,
      path: `${location.pathname}${location.search}`,
      headers,
      // A copy of the part that is shown: a part of a text keeps the whole of it in memory.
      body: text !== undefined && text.length > MAX_LENGTH ? String(Buffer.from(cut(text))) : text,
      answer,
      isLost: answer.outcome?.isLost === true || call.isDisconnected(),
      durationMs,
    });
  }
}

const MAX_LENGTH = 16_384;

/** The request as control routes show it: secrets are redacted, long texts are cut. */
export function toWireRequest(request: LoggedRequest): WireRequest {
  const { answer } = request;
  const { transactionId, isRepeat, refusal, fault } = answer.outcome ?? {};
  const isText = typeof answer.body === "string";
  return {
    id: request.id,
    at: toIso(request.atMs),
    method: request.method,
    path: request.path,
    headers: redact(request.headers),
    body: request.body ?? null,
    status: answer.status,
    response_headers: isText ? answer.headers : {},
    response: isText ? cut(answer.body) : null,
    code: refusal?.code ?? null,
    message: refusal?.message ?? null,
    errors: [...(refusal?.errors ?? [])],
    transaction_id: transactionId ?? null,
    is_repeat: isRepeat ?? false,
    fault: fault ?? null,
    lost: request.isLost,
    duration_ms: Math.round(request.durationMs * 10) / 10,
    integration: request.integration,
  };
}

/** The length of a request's long texts. */
export function sizeOf({ body = "", answer }: LoggedRequest): number {
  return body.length + (typeof answer.body === "string" ? answer.body.length : 0);
}

/** The headers without their secrets. */
export function redact(headers: Call["headers"]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET.has(name) ? "[redacted]" : decodeHeader(String(value)),
    ]),
  );
}

const SECRET: ReadonlySet<string> = new Set([
  "x-api-token",
  "authorization",
  "proxy-authorization",
  "cookie",
]);

export function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** Shows a gateway call to the reviewer, if it is one that creates something. */
export function reviewRequest(request: LoggedRequest, reviewer: Reviewer): void {
  const { operation, id, integration, method, path, headers, atMs, body, answer, isLost } = request;
  const { isRepeat = false, refusal, isLost: isFault = false } = answer.outcome ?? {};
  const noun = operation && CREATIONS[operation];
  const key = headerText(readHeader(request, KEY_HEADER) ?? "");
  // Without a key it is refused in any case: it has no outcome.
  if (!noun || !key || integration === null) return;
  if (headers[OWN_CLIENT_HEADER] !== undefined) return reviewer.seeOwnCreation(integration, key);
  const { status } = answer;
  // Every status can be 400 by assumption: the code tells.
  const isFailed = status >= 500 || refusal?.code === "EXTERNAL_ERROR";
  const usedKey = refusal?.errors.find(({ code }) => code === "DUPLICATED_VALUE");
  const isRefused = usedKey?.field === KEY_HEADER;
  const retryAfter = answer.headers["retry-after"];
  const endedAtMs = reviewer.realMs;
  reviewer.seeCreation({
    noun,
    integration,
    requestId: id,
    method,
    path,
    atMs,
    startedAtMs: endedAtMs - request.durationMs,
    endedAtMs,
    key,
    body,
    status,
    outcome: isLost ? "lost" : isFailed ? "failed" : "known",
    hasLeft: isLost && !isFault,
    retryAfterMs: retryAfter === undefined ? undefined : Number(retryAfter) * 1000,
    keyUse: isRefused ? "refused" : isRepeat ? "repeated" : "new",
  });
}

const CREATIONS: Readonly<Partial<Record<FaultyOperation, Noun>>> = {
  "payins.create": "payin",
  "payouts.create": "payout",
};
const KEY_HEADER = "x-idempotency-key";
