import { toSafeText } from "../core/safe-text.ts";
import type { ErrorCode, TopLevelCode } from "../core/errors.ts";
import { type InCamelCase, toCamelCase } from "../core/camel-case.ts";

/** One field at fault. */
export interface SandboxFieldError {
  readonly message: string;
  readonly code: ErrorCode;
  /** Its name on the wire, or a header's. */
  readonly field: string;
}

/** The answer by which a route refuses. */
export interface Refusal {
  readonly message: string;
  readonly code: TopLevelCode;
  readonly errors: readonly SandboxFieldError[];
}

/** A call that the sandbox refused: the message of its answer, and what is at fault where fields are. */
export class SandboxError extends Error {
  override readonly name: string = "SandboxError";
  /** The answer's HTTP status. */
  readonly status: number;
  readonly code: TopLevelCode;
  readonly errors: readonly SandboxFieldError[];
  /** The whole answer, under the names of the wire. */
  readonly answer: Refusal;

  constructor(status: number, answer: Refusal, text = toText(answer)) {
    super(text);
    this.status = status;
    this.code = answer.code;
    this.errors = answer.errors;
    this.answer = answer;
  }
}

/** Reaches a sandbox: a path and a request to it become an answer. */
export type Fetcher = (path: string, init: Call) => Promise<Response>;

export interface Call {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
}

/** A sandbox seen through its routes, as one integration or as everyone. */
export class Client {
  /** Null for everyone. */
  readonly token: string | null;
  readonly #reach: Fetcher;
  readonly #headersOf: (token?: string) => Record<string, string>;

  /** @param headersOf what identifies an integration, with an idempotency key */
  constructor(
    reach: Fetcher,
    headersOf: (token?: string) => Record<string, string>,
    token: string | null = null,
  ) {
    this.token = token;
    this.#reach = reach;
    this.#headersOf = headersOf;
  }

  /** The same sandbox as an integration sees it. */
  as(token: string): Client {
    return new Client(this.#reach, this.#headersOf, toToken(token));
  }

  /** The headers of a gateway call, of everyone's default integration where it is nobody's. */
  headers(token: string | null = this.token): Record<string, string> {
    return this.#headersOf(token ?? undefined);
  }

  /**
   * Calls a control route; the body has the names of the wire, the answer those of the programmatic API.
   * @throws SandboxError where the sandbox refuses.
   */
  async control<Wire>(method: string, path: string, body?: unknown): Promise<InCamelCase<Wire>> {
    return toCamelCase(await this.#control<Wire>(method, path, body));
  }

  /** All of a list, page by page. */
  async list<Row>(path: string, query: Query = {}): Promise<InCamelCase<Row>[]> {
    const rows: InCamelCase<Row>[] = [];
    let after: string | null | undefined;
    while (after !== null) {
      const asked = toQuery({ ...query, limit: MAX_ROWS, after });
      const page = await this.#control<Page<Row>>("GET", `${path}${asked}`);
      if (!Array.isArray(page?.data)) throw notASandbox(200);
      rows.push(...page.data.map(toCamelCase<Row>));
      after = page.next;
    }
    return rows;
  }

  /**
   * Calls the gateway as an integration does.
   * @throws SandboxError where the gateway refuses, TypeError where a fault loses the answer.
   */
  async gateway<Wire>(
    method: string,
    path: string,
    body?: unknown,
    { token, idempotencyKey }: { token?: string; idempotencyKey?: string | undefined } = {},
  ): Promise<InCamelCase<Wire>> {
    const keyed = idempotencyKey !== undefined && { "x-idempotency-key": idempotencyKey };
    const headers = { ...this.headers(token), ...keyed };
    return toCamelCase(await this.#call<Wire>(method, `/v1${path}`, headers, body));
  }

  #control<Wire>(method: string, path: string, body?: unknown): Promise<Wire> {
    const headers = {
      ...(this.token !== null && { "x-api-token": this.token }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    return this.#call<Wire>(method, `/_sandbox${path}`, headers, body);
  }

  async #call<Answer>(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: unknown,
  ): Promise<Answer> {
    const answer = await this.#reach(path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const value: unknown = await answer.json().catch(() => undefined);
    if (answer.ok && value !== undefined) return value as Answer;
    throw refusal(answer.status, value);
  }
}

/** One part of a list, and where the next begins. */
interface Page<Row> {
  readonly data: readonly Row[];
  readonly next: string | null;
}

/**
 * A token as it names an integration: what names none would call as everyone.
 * @throws TypeError for what is no text, or a blank one.
 */
export function toToken(token: unknown): string {
  if (typeof token === "string" && token.trim() !== "") return token;
  throw new TypeError(
    `A token is a text that is not blank, not ${JSON.stringify(token) ?? String(token)}.`,
  );
}

/**
 * A name as a part of a path.
 * @throws TypeError for what would lead to another path.
 */
export function toSegment(name: unknown): string {
  if (typeof name === "string" && !["", ".", ".."].includes(name)) return encodeURIComponent(name);
  throw new TypeError(
    `An id or a name is a text that is not empty, not ${JSON.stringify(name) ?? String(name)}.`,
  );
}

/** What is asked of a list; what is undefined is not asked. */
export type Query = Readonly<Record<string, unknown>>;

/** The query of a path, with its question mark; empty where nothing is asked. */
export function toQuery(query: Query): string {
  // What is neither text nor a number is asked as well, and so refused: nobody means everything by it.
  const said = Object.entries(query).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [[name, typeof value === "string" ? value : JSON.stringify(value)] as const],
  );
  return said.length === 0 ? "" : `?${new URLSearchParams(Object.fromEntries(said)).toString()}`;
}

/** A message, and what is wrong with each field. */
function toText({ message, errors }: Refusal): string {
  const details = errors.map((entry) => entry.message).filter((text) => text !== message);
  return toSafeText([message, ...details].join(" "));
}

/** As many as a page can have. */
const MAX_ROWS = 1000;

function refusal(status: number, value: unknown): Error {
  const { message, code, errors } = (value ?? {}) as Partial<Refusal>;
  const isOurs = typeof message === "string" && typeof code === "string" && Array.isArray(errors);
  return isOurs ? new SandboxError(status, value as Refusal) : notASandbox(status);
}

function notASandbox(status: number): Error {
  return new Error(`What answers there is no pix-sandbox (status ${status}).`);
}
