import { type InCamelCase, toCamelCase, toWireNames } from "../text/plain/camel-case.ts";
import type { AnswerOf, RouteKey, ValuesOf } from "../http/routes/table.ts";
import {
  type GatewayCallOptions,
  type Reply,
  toError,
  type Transport,
  WireClient,
} from "./wire-client.ts";

/** A response whose body can be read as it arrives. */
export interface StreamReply extends Reply {
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** The test API's face of the client: responses have camelCase names. */
export class Client {
  readonly #wire: WireClient;
  readonly #transport: Transport<StreamReply>;
  readonly #lastEvent: (() => number) | undefined;
  /** The sandbox's, without a trailing slash. */
  readonly url: string;

  /**
   * @param identify returns the headers that identify an integration in a gateway call, with an idempotency key
   * @param lastEvent returns the number of the newest event, if it is known without a call
   */
  constructor(
    url: string,
    transport: Transport<StreamReply>,
    identify: (token?: string) => Record<string, string>,
    token: string | null = null,
    lastEvent?: () => number,
  ) {
    this.url = url;
    this.#transport = transport;
    this.#lastEvent = lastEvent;
    this.#wire = new WireClient(transport, identify, token);
  }

  /** The integration; null for all. */
  get token(): string | null {
    return this.#wire.token;
  }

  /** The client with the names of the wire. */
  get wire(): WireClient {
    return this.#wire;
  }

  /** The same sandbox as one integration sees it. */
  as(token: string): Client {
    const identify = (of?: string): Record<string, string> => this.#wire.headers(of);
    return new Client(this.url, this.#transport, identify, toToken(token), this.#lastEvent);
  }

  /** Opens the event stream after an event, by default from now on. Resolves when no later event can be missed. */
  async openEvents(
    lastId: string | undefined = this.#lastEvent?.().toString(),
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const headers = {
      accept: "text/event-stream",
      ...(this.token !== null && { "x-api-token": this.token }),
      ...(lastId !== undefined && { "last-event-id": lastId }),
    };
    const reply = await this.#transport("/_sandbox/events", {
      method: "GET",
      headers,
      ...(signal && { signal }),
    });
    if (reply.status === 200 && reply.body) return reply.body;
    throw toError(reply.status, await reply.json().catch(() => undefined));
  }

  headers(token?: string): Record<string, string> {
    return this.#wire.headers(token);
  }

  /**
   * Calls a control route by its key, with the values of its path, its query and its body, by their names of the wire.
   * @internal
   */
  async call<Key extends RouteKey>(
    key: Key,
    values: ValuesOf<Key> = {},
  ): Promise<InCamelCase<AnswerOf<Key>>> {
    return toCamelCase(await this.#wire.call(key, values));
  }

  /** Calls a control route. The body has the names of the wire. */
  async control<Wire>(method: string, path: string, body?: unknown): Promise<InCamelCase<Wire>> {
    return toCamelCase(await this.#wire.control<Wire>(method, path, body));
  }

  /** Reads a whole list, page by page. The filter has the names of the API. */
  async list<Row>(path: string, filter: object = {}): Promise<InCamelCase<Row>[]> {
    return (await this.#wire.list<Row>(path, toWireNames(filter))).map(toCamelCase<Row>);
  }

  /** Calls a gateway route. The body has the names of the wire. */
  async gateway<Wire>(
    method: string,
    path: string,
    body?: unknown,
    options?: GatewayCallOptions,
  ): Promise<InCamelCase<Wire>> {
    return toCamelCase(await this.#wire.gateway<Wire>(method, path, body, options));
  }
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

/**
 * Encodes a name as a segment of a path.
 * @throws TypeError for a name that would change the path.
 */
export function toSegment(name: unknown): string {
  if (typeof name === "string" && !["", ".", ".."].includes(name)) return encodeURIComponent(name);
  throw new TypeError(
    `An id or a name is a text that is not empty, not ${JSON.stringify(name) ?? String(name)}.`,
  );
}
