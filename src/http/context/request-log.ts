import { count } from "../../core/state/table.ts";
import { type Page, type PageRequest, readPage } from "../../core/state/page.ts";
import { toIso } from "../../wire/timestamp.ts";
import type { WireRequest } from "../../core/state/wire.ts";
import type { Answer, Refusal } from "../calls/answer.ts";
import { decodeHeader, headerText, readToken } from "../calls/headers.ts";
import type { Call } from "../calls/call.ts";
import type { FaultyOperation } from "../../core/faults/effects.ts";
import type { Noun, SeenCreation } from "../../review/observation.ts";
import { OWN_CLIENT_HEADER } from "../../wire/names.ts";
import type { Reviewer } from "../../review/reviewer.ts";

export interface RingEntry {
  /** From 1 on, in the order of the log. */
  readonly number: number;
  readonly integration: string | null;
}

/** The newest entries of a log, in memory: they are not part of the state. */
export class Ring<Entry extends RingEntry> {
  readonly #keep: number;
  readonly #prefix: string;
  /** Each at its number modulo `#keep`. */
  readonly #entries: (Entry | undefined)[] = [];
  #last = 0;
  #size = 0;
  /** The number of stored entries of each integration. */
  readonly #counts = new Map<string | null, number>();
  readonly #listeners = new Set<(entry: Entry) => void>();

  /**
   * @param keep how many entries it stores
   * @param prefix the beginning of an entry's id; its number follows
   */
  constructor(keep: number, prefix: string) {
    this.#keep = keep;
    this.#prefix = prefix;
  }

  get nextNumber(): number {
    return this.#last + 1;
  }

  /** @param entry with the next number */
  add(entry: Entry): void {
    this.#last = entry.number;
    if (this.#keep > 0) this.#store(entry);
    for (const listener of this.#listeners) listener(entry);
  }

  /** Drops the entries of an integration, or all (`null`). */
  clear(integration: string | null): void {
    for (const [place, entry] of this.#entries.entries())
      if (integration === null || entry?.integration === integration) this.#remove(place);
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
    const isOwn = (one: Entry): boolean => integration === null || one.integration === integration;
    const at = (number: number): Entry | undefined => this.#entries[number % this.#keep];
    const list = {
      first: Math.max(1, this.#last - this.#keep + 1),
      last: this.#last,
      at,
      placeOf: (id: string) => {
        const found = at(Number(id.slice(this.#prefix.length)));
        return found && this.#idOf(found) === id && isOwn(found) ? found.number : undefined;
      },
      keyOf: (entry: Entry) => this.#idOf(entry),
    };
    if (isWanted) return readPage(list, request, (one) => isOwn(one) && isWanted(one));
    const page = readPage(list, request, isOwn);
    const total = integration === null ? this.#size : (this.#counts.get(integration) ?? 0);
    return page && { ...page, total };
  }

  /** The entry of an integration, or of any (`null`), by its id. */
  find(integration: string | null, id: string): Entry | undefined {
    return this.page(integration, { limit: 1 }, (one) => this.#idOf(one) === id)?.rows[0];
  }

  /** Calls `listener` with each new entry; the returned function removes it. */
  onEntry(listener: (entry: Entry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #store(entry: Entry): void {
    const place = entry.number % this.#keep;
    this.#remove(place);
    this.#entries[place] = entry;
    count(this.#counts, entry.integration, 1);
    this.#size++;
  }

  #remove(place: number): void {
    const removed = this.#entries[place];
    if (!removed) return;
    this.#entries[place] = undefined;
    count(this.#counts, removed.integration, -1);
    this.#size--;
  }

  #idOf({ number }: Entry): string {
    return `${this.#prefix}${number}`;
  }
}

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

export class RequestLog extends Ring<LoggedRequest> {
  #headers: readonly string[] = [];

  constructor(keep: number) {
    super(keep, PREFIX);
  }

  /** Adds a request, just before its response is sent. */
  log(
    call: Call,
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
      isLost: call.isDisconnected(),
      durationMs,
    });
  }
}

const PREFIX = "req_";

/** Most headers are those of the request before: sharing their texts keeps the log small. */
function sharedHeaders(headers: readonly string[], before: readonly string[]): readonly string[] {
  const isSame =
    headers.length === before.length && headers.every((text, at) => text === before[at]);
  return isSame ? before : headers.map((text, at) => (text === before[at] ? before[at] : text));
}

function requestId({ number }: Pick<LoggedRequest, "number">): string {
  return `${PREFIX}${number}`;
}

/** The request as control routes show it: secrets are redacted, long texts are cut. */
export function toWireRequest(request: LoggedRequest): WireRequest {
  const { body, answer } = request;
  const { transactionId, isRepeat, refusal, fault } = answer.outcome ?? {};
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

/** Shows a gateway call to the reviewer, if it is one that creates something. */
export function reviewRequest(request: LoggedRequest, reviewer: Reviewer): void {
  const { integration, path, method, atMs, body, answer, durationMs } = request;
  const { operation, isRepeat = false, refusal } = answer.outcome ?? {};
  const noun = operation && CREATIONS[operation];
  if (!noun || integration === null) return;
  const key = headerText(readRaw(request, KEY_HEADER) ?? "");
  // Refused in any case: it has no outcome.
  if (key === "") return;
  if (readRaw(request, OWN_CLIENT_HEADER) !== undefined)
    return reviewer.seeOwnCreation(integration, key);
  const endedAtMs = reviewer.realMs;
  reviewer.seeCreation({
    noun,
    integration,
    requestId: requestId(request),
    method,
    path,
    atMs,
    startedAtMs: endedAtMs - durationMs,
    endedAtMs,
    key,
    body,
    status: answer.status,
    outcome: learnedFrom(request, refusal),
    hasLeft: request.isLost && answer.outcome?.isLost !== true,
    retryAfterMs: secondsIn(answer.headers["retry-after"]),
    keyUse: isKeyRefused(refusal) ? "refused" : isRepeat ? "repeated" : "new",
  });
}

const CREATIONS: Readonly<Partial<Record<FaultyOperation, Noun>>> = {
  "payins.create": "payin",
  "payouts.create": "payout",
};
const KEY_HEADER = "x-idempotency-key";
const INTERNAL_ERROR = 500;

/** The first value of a header; undefined if it was not sent. */
function readRaw({ rawHeaders }: LoggedRequest, name: string): string | undefined {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name)
      return rawHeaders[index + 1];
  return undefined;
}

function secondsIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text) * 1000;
}

function learnedFrom(
  { isLost, answer: { status } }: LoggedRequest,
  refusal: Refusal | undefined,
): SeenCreation["outcome"] {
  if (isLost) return "lost";
  // Every status can be 400 by assumption: the code tells.
  return status >= INTERNAL_ERROR || refusal?.code === "EXTERNAL_ERROR" ? "failed" : "known";
}

function isKeyRefused(refusal: Refusal | undefined): boolean {
  const used = refusal?.errors.find(({ code }) => code === "DUPLICATED_VALUE");
  return used?.field === KEY_HEADER;
}
