import type { InProcess } from "../../http/faces/in-process.ts";
import type { GatewayPort } from "../../play/gateway-port.ts";
import type { Language } from "../../text/languages.ts";
import { OWN_CLIENT_HEADER } from "../../wire/own-headers.ts";
import { readEventStream } from "../../wire/server-sent-events.ts";

/** What the calls of this process need. */
export interface OwnCalls {
  readonly url: string;
  readonly fetch: InProcess["fetch"];
  readonly controlToken: string | undefined;
  readonly language: Language;
}

/** The sandbox as a check in its own process calls it. */
export class OwnGateway implements GatewayPort {
  readonly url: string;
  readonly #calls: OwnCalls;
  readonly #token: string | null;

  constructor(calls: OwnCalls, token: string | null = null) {
    this.url = calls.url;
    this.#calls = calls;
    this.#token = token;
  }

  as(token: string | null): OwnGateway {
    return new OwnGateway(this.#calls, token);
  }

  async control<Wire>(method: string, path: string, body?: unknown): Promise<Wire> {
    return this.#send<Wire>(method, `/_sandbox${path}`, this.#scope(), body);
  }

  async gateway<Wire>(
    method: string,
    path: string,
    body: unknown,
    { token, idempotencyKey }: { readonly token: string; readonly idempotencyKey: string },
  ): Promise<Wire> {
    const headers = { ...identification(token), "x-idempotency-key": idempotencyKey };
    return this.#send<Wire>(method, `/v1${path}`, headers, body);
  }

  async *events(_from: { readonly since: undefined }, signal: AbortSignal) {
    const { body } = await this.#call("GET", "/_sandbox/events", this.#scope(), undefined, signal);
    if (body) yield* readEventStream(body.pipeThrough(new TextDecoderStream()));
  }

  #scope(): Record<string, string> {
    const { controlToken, language } = this.#calls;
    return {
      "x-sandbox-language": language,
      ...(controlToken !== undefined && { authorization: `Bearer ${controlToken}` }),
      ...(this.#token !== null && { "x-api-token": this.#token }),
    };
  }

  #call(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: unknown,
    signal?: AbortSignal,
  ) {
    return this.#calls.fetch(path, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }

  async #send<Wire>(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: unknown,
  ): Promise<Wire> {
    const response = await this.#call(method, path, headers, body);
    const value: unknown = await response.json();
    if (response.status < 300) return value as Wire;
    const { message, code } = value as { readonly message: string; readonly code: string };
    const known = response.status === NOT_FOUND ? "NOT_FOUND" : code;
    throw Object.assign(new Error(message), { code: known });
  }
}

const NOT_FOUND = 404;

function identification(token: string): Record<string, string> {
  return {
    "x-api-token": token,
    "x-provider-id": "sandbox",
    "x-provider": "pix-sandbox",
    "x-country-code": "BR",
    [OWN_CLIENT_HEADER]: "pix-sandbox",
  };
}
