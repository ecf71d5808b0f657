import type { ErrorCode, TopLevelCode } from "../core/records/errors.ts";
import { OWN_CLIENT_HEADER, TOTAL_HEADER } from "../wire/names.ts";
import { sampleValue } from "../wire/sample.ts";
import { toSafeText } from "../text/plain/safe-text.ts";
import { fillRoute, type Page } from "../wire/route-key.ts";
import { readEventStream, type ServerSentEvent } from "../wire/server-sent-events.ts";
import type { AnswerOf, RouteKey, ValuesOf } from "../http/routes/table.ts";

/** One invalid field of a request. */
export interface SandboxFieldError {
  readonly message: string;
  readonly code: ErrorCode;
  /** The field's name on the wire, or a header's name. */
  readonly field: string;
}

/** The body of a response that refuses a call. */
export interface Refusal {
  readonly message: string;
  readonly code: TopLevelCode;
  readonly errors: readonly SandboxFieldError[];
}

/** The sandbox refused a call. The message is the response's, followed by those of its invalid fields. */
export class SandboxError extends Error {
  override readonly name: string = "SandboxError";
  /** The response's HTTP status. */
  readonly status: number;
  readonly code: TopLevelCode;
  readonly errors: readonly SandboxFieldError[];
  /** The whole body of the response, with the names of the wire. */
  readonly answer: Refusal;
  /** The URL that was called. */
  readonly url: string;

  constructor(status: number, answer: Refusal, url: string, text = toText(answer)) {
    super(text);
    this.status = status;
    this.code = answer.code;
    this.errors = answer.errors;
    this.answer = answer;
    this.url = url;
  }
}

/** A response that is not in pix-sandbox's format. */
export class UnexpectedReplyError extends Error {
  override readonly name = "UnexpectedReplyError";
  readonly status: number;
  /** Undefined if it is not JSON. */
  readonly body: unknown;
  /** The URL that was called. */
  readonly url: string;

  constructor(status: number, body: unknown, url: string) {
    super(`The server is not pix-sandbox (status ${status}).`);
    this.status = status;
    this.body = body;
    this.url = url;
  }
}

export interface Call {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** The part of a `fetch` response that the client reads. */
export interface Reply {
  readonly status: number;
  readonly headers?: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
  /** Rejects if the body is not JSON. */
  json(): Promise<unknown>;
}

/** What a client of a sandbox consists of. */
export interface Caller {
  /** The sandbox's, without a trailing slash. */
  readonly url: string;
  /** Sends one request: over a socket, within this process, or as a browser does. */
  readonly send: (path: string, call: Call) => Promise<Reply>;
  /** Returns the headers that identify an integration, or the default one, in a gateway call. */
  readonly identify: (token?: string) => Record<string, string>;
  /** The token of the integration that the calls act on; null, the default, for all integrations. */
  readonly token?: string | null;
  readonly controlToken?: string | undefined;
  /** The headers of each call, such as the language of texts. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The number of the newest event, if it is known without a call. */
  readonly lastEvent?: () => number;
}

/** Of one call. */
export interface CallOptions {
  /** Of a gateway call. Default: the client's own integration. */
  readonly token?: string | undefined;
  /** Of a gateway call. Default: a new one. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The keys of the lists.
 * @internal
 */
export type ListKey = {
  [Key in RouteKey]: AnswerOf<Key> extends Page<unknown> ? Key : never;
}[RouteKey];
/**
 * What a row of a list is.
 * @internal
 */
export type RowOf<Key extends ListKey> = AnswerOf<Key> extends Page<infer Row> ? Row : never;

/**
 * Calls a sandbox's routes by their keys, with the values of path, query and body by their names of the wire. A call
 * that is refused throws a SandboxError, one that pix-sandbox did not answer an UnexpectedReplyError.
 */
export class Calls {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  get url(): string {
    return this.#caller.url;
  }

  get token(): string | null {
    return this.#caller.token ?? null;
  }

  /** The same sandbox, called as an integration, or as all (`null`). */
  as(token: string | null): Calls {
    return new Calls({ ...this.#caller, token });
  }

  /** The headers of a gateway call. A client for all integrations uses the default integration. */
  headers(token: string | null = this.token): Record<string, string> {
    return this.#caller.identify(token ?? undefined);
  }

  /** @internal */
  async call<Key extends RouteKey>(
    key: Key,
    values: ValuesOf<Key> = {},
    options: CallOptions = {},
  ): Promise<AnswerOf<Key>> {
    return (await this.#read<AnswerOf<Key>>(key, values, options)).value;
  }

  /**
   * A page of a list, and the number of the whole list's rows; undefined if the sandbox did not count them.
   * @internal
   */
  async page<Key extends ListKey>(key: Key, values: ValuesOf<Key>) {
    const { value, reply } = await this.#read<Page<RowOf<Key>>>(key, values);
    const total = reply.headers?.get(TOTAL_HEADER);
    return { document: value, total: total == null ? undefined : Number(total) };
  }

  /**
   * A whole list, page by page.
   * @internal
   */
  async list<Key extends ListKey>(key: Key, values: ValuesOf<Key> = {}): Promise<RowOf<Key>[]> {
    const rows: RowOf<Key>[] = [];
    const { after: start, ...filter } = values as { readonly after?: string };
    let after: string | null | undefined = start;
    while (after !== null) {
      const asked = { ...filter, limit: MAX_ROWS, after } as ValuesOf<Key>;
      const { value } = await this.#read<Page<RowOf<Key>>>(key, asked);
      if (!Array.isArray(value?.data)) throw new UnexpectedReplyError(200, value, this.url);
      rows.push(...value.data);
      after = value.next;
    }
    return rows;
  }

  /** Opens the event stream after an event, by default from now on. Resolves when no later event can be missed. */
  async openEvents(
    lastId: string | undefined = this.#caller.lastEvent?.().toString(),
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const headers = { accept: "text/event-stream", ...(lastId && { "last-event-id": lastId }) };
    const path = "/_sandbox/events";
    const reply = await this.#send("GET", path, { ...this.#scope(), ...headers }, { signal });
    if (reply.status === 200 && reply.body) return reply.body;
    throw await this.#errorOf(reply, path);
  }

  /** Reads the event stream, from now on, until the connection ends. */
  async *events(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    yield* eventsOf(await this.openEvents(undefined, signal));
  }

  /** The sample amount in an integration's unit. A sandbox that does not show its assumptions has reais. */
  async sampleValue(token: string | null = this.token): Promise<number> {
    const rows = await this.as(token ?? this.headers()["x-api-token"] ?? null)
      .call("GET /assumptions")
      .then(({ data }) => data)
      .catch(() => []);
    return sampleValue(rows.find(({ name }) => name === "value.unit")?.choice);
  }

  async #read<Value>(key: string, values: object, options: CallOptions = {}) {
    const { method, path, body } = fillRoute(key, values as Readonly<Record<string, unknown>>);
    const { token, idempotencyKey, signal } = options;
    const headers = isControlPath(path)
      ? this.#scope()
      : {
          ...this.headers(token),
          ...(idempotencyKey !== undefined && { "x-idempotency-key": idempotencyKey }),
          [OWN_CLIENT_HEADER]: "pix-sandbox",
        };
    const reply = await this.#send(method, path, headers, { body, signal });
    const isDone = reply.status >= 200 && reply.status < 300;
    const value = isDone ? await readJson(reply) : undefined;
    if (value === undefined) throw await this.#errorOf(reply, path, isDone);
    return { value: value as Value, reply };
  }

  /** The headers of a control call. */
  #scope(): Record<string, string> {
    const { controlToken } = this.#caller;
    return {
      ...(this.token !== null && { "x-api-token": this.token }),
      ...(controlToken !== undefined && { authorization: `Bearer ${controlToken}` }),
    };
  }

  #send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    {
      body,
      signal,
    }: { readonly body?: object | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<Reply> {
    return this.#caller.send(path, {
      method,
      headers: {
        ...this.#caller.headers,
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }

  async #errorOf(reply: Reply, path: string, isRead = false) {
    const body = isRead ? undefined : await readJson(reply);
    const at = `${this.url}${path}`;
    return isRefusal(body)
      ? new SandboxError(reply.status, body, at)
      : new UnexpectedReplyError(reply.status, body, at);
  }
}

/** The events of an open stream, until the connection ends or is lost. */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  const texts = async function* () {
    for await (const bytes of body) yield decoder.decode(bytes, { stream: true });
  };
  try {
    yield* readEventStream(texts());
  } catch {
    // The next connection repeats what a lost one has cut short.
  }
}

/** Whether a path is that of a control route, and not the gateway's. */
export function isControlPath(path: string): boolean {
  return path.startsWith("/_sandbox/");
}

/** The maximum number of rows in a page. */
const MAX_ROWS = 1000;

/** Undefined if a body is not JSON. */
function readJson(reply: Reply): Promise<unknown> {
  return reply.json().catch((error: unknown) => {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  });
}

function isRefusal(value: unknown): value is Refusal {
  const { message, code, errors } = (value ?? {}) as Partial<Refusal>;
  return typeof message === "string" && typeof code === "string" && Array.isArray(errors);
}

/** The message of a refusal, followed by those of its fields. */
export function toText({ message, errors }: Refusal): string {
  const details = errors.map((entry) => entry.message).filter((text) => text !== message);
  // The details name the fields, so that the list of their names says no more.
  return toSafeText((details.length > 0 ? details : [message]).join(" "));
}

/**
 * Checks a token. An empty one would select all integrations.
 * @throws TypeError for anything but a non-blank string.
 */
export function toToken(token: unknown): string {
  if (typeof token === "string" && token.trim() !== "") return token;
  throw new TypeError(
    `A token is a text that is not blank, not ${JSON.stringify(token) ?? String(token)}.`,
  );
}
