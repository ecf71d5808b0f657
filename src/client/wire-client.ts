import type { ErrorCode, TopLevelCode } from "../core/records/errors.ts";
import type { AssumptionRow } from "../core/assumptions/table.ts";
import { OWN_CLIENT_HEADER } from "../wire/names.ts";
import { sampleValue } from "../wire/sample.ts";
import { toSafeText } from "../text/plain/safe-text.ts";
import { fillRoute, type Page, toQuery } from "../wire/route-key.ts";
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

  constructor(status: number, answer: Refusal, text = toText(answer)) {
    super(text);
    this.status = status;
    this.code = answer.code;
    this.errors = answer.errors;
    this.answer = answer;
  }
}

/** A response that is not in pix-sandbox's format. */
export class UnexpectedReplyError extends Error {
  override readonly name = "UnexpectedReplyError";
  readonly status: number;
  /** Undefined if it is not JSON. */
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(`The server is not pix-sandbox (status ${status}).`);
    this.status = status;
    this.body = body;
  }
}

/** Sends one request. */
export type Transport<R extends Reply = Reply> = (path: string, call: Call) => Promise<R>;

/** A transport that sends the control token of a protected sandbox with each control call. */
export function withControlToken<R extends Reply>(
  transport: Transport<R>,
  token: string | undefined,
): Transport<R> {
  if (token === undefined) return transport;
  return (path, call) =>
    transport(
      path,
      isControlPath(path)
        ? { ...call, headers: { ...call.headers, authorization: `Bearer ${token}` } }
        : call,
    );
}

/** Whether a path is that of a control route, and not the gateway's. */
export function isControlPath(path: string): boolean {
  return path.startsWith("/_sandbox/");
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
  /** Rejects if the body is not JSON. */
  json(): Promise<unknown>;
}

export interface GatewayCallOptions {
  /** Default: the client's own integration. */
  readonly token?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/**
 * Calls a sandbox's routes, with the names of the wire. `Client` (client.ts) builds the test API on it, and
 * `CommandClient` (src/cli) the commands.
 */
export class WireClient<R extends Reply = Reply> {
  /** The token of the integration that the calls act on; null for all integrations. */
  readonly token: string | null;
  protected readonly transport: Transport<R>;
  protected readonly identify: (token?: string) => Record<string, string>;

  /** @param identify returns the headers that identify an integration in a gateway call */
  constructor(
    transport: Transport<R>,
    identify: (token?: string) => Record<string, string>,
    token: string | null = null,
  ) {
    this.token = token;
    this.transport = transport;
    this.identify = identify;
  }

  /** The headers of a gateway call. A client for all integrations uses the default integration. */
  headers(token: string | null = this.token): Record<string, string> {
    return this.identify(token ?? undefined);
  }

  /**
   * Calls a control route.
   * @throws SandboxError if the sandbox refuses the call, UnexpectedReplyError if the server is not pix-sandbox.
   */
  async control<Wire>(
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<Wire> {
    return (await this.send<Wire>(method, `/_sandbox${path}`, this.scope(), body, signal)).value;
  }

  /**
   * Calls a gateway route.
   * @throws SandboxError if the gateway refuses the call; the transport's error if a fault loses the response.
   */
  async gateway<Wire>(
    method: string,
    path: string,
    body?: unknown,
    options: GatewayCallOptions = {},
  ): Promise<Wire> {
    const headers = this.#gatewayHeaders(options);
    return (await this.send<Wire>(method, `/v1${path}`, headers, body)).value;
  }

  /**
   * Calls a route of the gateway by its key, with the values of its body.
   * @internal
   */
  async callGateway<Key extends RouteKey>(
    key: Key,
    values: ValuesOf<Key> = {},
    options: GatewayCallOptions = {},
  ): Promise<AnswerOf<Key>> {
    const { method, path, body } = fillRoute(key, values);
    return (await this.send<AnswerOf<Key>>(method, path, this.#gatewayHeaders(options), body))
      .value;
  }

  /**
   * Calls a control route by its key, with the values of its path, its query and its body.
   * @throws SandboxError if the sandbox refuses the call, UnexpectedReplyError if the server is not pix-sandbox.
   * @internal
   */
  async call<Key extends RouteKey>(
    key: Key,
    values: ValuesOf<Key> = {},
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<AnswerOf<Key>> {
    const { method, path, body } = fillRoute(key, values);
    return (await this.send<AnswerOf<Key>>(method, path, this.scope(), body, signal)).value;
  }

  /** Reads a whole list, page by page. */
  async list<Row>(
    path: string,
    query: Readonly<Record<string, unknown>> = {},
    start?: string,
  ): Promise<Row[]> {
    const rows: Row[] = [];
    let after: string | null | undefined = start;
    while (after !== null) {
      const page: Page<Row> = await this.control(
        "GET",
        `${path}${toQuery({ ...query, limit: MAX_ROWS, after })}`,
      );
      if (!Array.isArray(page?.data)) throw new UnexpectedReplyError(200, page);
      rows.push(...page.data);
      after = page.next;
    }
    return rows;
  }

  /** The sample amount in an integration's unit. A sandbox that does not show its assumptions has reais. */
  async sampleValue(token: string | null = this.token): Promise<number> {
    type Rows = Page<Pick<AssumptionRow, "name" | "choice">>;
    const read = this.send<Rows>("GET", "/_sandbox/assumptions", this.headers(token));
    const rows = await read.then(({ value }) => value.data).catch(() => []);
    return sampleValue(rows.find(({ name }) => name === "value.unit")?.choice);
  }

  #gatewayHeaders({ token, idempotencyKey }: GatewayCallOptions): Record<string, string> {
    const key = idempotencyKey !== undefined && { "x-idempotency-key": idempotencyKey };
    return { ...this.headers(token), ...key, [OWN_CLIENT_HEADER]: "pix-sandbox" };
  }

  /** The headers of a control call. */
  protected scope(): Record<string, string> {
    return this.token === null ? {} : { "x-api-token": this.token };
  }

  /** Sends a request. @returns the response's JSON value, and the response. */
  protected async send<Wire>(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<{ value: Wire; reply: R }> {
    const reply = await this.transport(path, toCall(method, headers, body, signal));
    const value = await reply.json().catch((error: unknown) => {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    });
    const { status } = reply;
    if (status >= 200 && status < 300 && value !== undefined)
      return { value: value as Wire, reply };
    throw toError(status, value);
  }
}

/** The error of a response that is not a result. */
export function toError(status: number, value: unknown): SandboxError | UnexpectedReplyError {
  return isRefusal(value)
    ? new SandboxError(status, value)
    : new UnexpectedReplyError(status, value);
}

/** A request with a JSON body. */
export function toCall(
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
  signal?: AbortSignal,
): Call {
  return {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  };
}

/** The maximum number of rows in a page. */
const MAX_ROWS = 1000;

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
