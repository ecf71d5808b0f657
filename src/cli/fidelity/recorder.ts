import { randomUUID } from "node:crypto";
import { type Arrived, type Listening, listenOn, type Reply } from "../../fidelity/http-server.ts";
import { type Exchange, toJson } from "../../fidelity/exchange.ts";
import { replaceWebhookUrl } from "../../fidelity/model.ts";
import type { RecordedEvent, RecordedWebhook } from "../../fidelity/recording.ts";
import { Masks } from "../../server/trace/mask.ts";
import { type ByteResponse, sendCall } from "./http-target.ts";

/** What a recorder needs from outside. */
export interface RecorderOptions {
  readonly port: number;
  /** The gateway's base URL, which ends in its version. */
  readonly target: string;
  /** Where the gateway's webhooks reach the recorder; undefined to record calls only. */
  readonly publicUrl: string | undefined;
  readonly nowMs: () => number;
  /** Receives events without personal data and tokens. */
  readonly onEvent: (event: RecordedEvent) => void;
  /** An event could not be recorded. No further one is: a recording with a gap says something else. */
  readonly onFailure: (error: Error) => void;
}

/** Passes calls on to a gateway, and its webhooks on to the application, and records both. */
export async function startRecorder(options: RecorderOptions): Promise<Listening> {
  const stopped = new AbortController();
  const recorder = new Recorder(options, stopped.signal);
  const server = await listenOn(options.port, (request) => recorder.reply(request));
  return {
    port: server.port,
    async [Symbol.asyncDispose]() {
      // A gateway that does not respond would keep the process running.
      stopped.abort();
      await server[Symbol.asyncDispose]();
    },
  };
}

class Recorder {
  readonly #options: RecorderOptions;
  readonly #signal: AbortSignal;
  readonly #masks = new Masks();
  /** No one else can guess the addresses of webhooks. */
  readonly #folder = `/webhooks/${randomUUID()}/`;
  /** The application's addresses. The same one gets the same number, so that a repeated call stays equal. */
  readonly #addresses: string[] = [];
  #hasFailed = false;

  constructor(options: RecorderOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  async reply(request: Arrived): Promise<Reply> {
    // The public URL may have a path of its own.
    const [, number] = request.path.split(this.#folder);
    const address = number === undefined ? undefined : this.#addresses[Number(number)];
    try {
      return await (address === undefined ? this.#call(request) : this.#webhook(request, address));
    } catch (error) {
      return json(502, `The recorder reached nothing: ${(error as Error).message}.`);
    }
  }

  async #call({ method, path, headers, body }: Arrived): Promise<Reply> {
    const { target, publicUrl, nowMs } = this.#options;
    const [, version = "", rest = ""] = /^\/(v\d+)(\/.*)$/.exec(path) ?? [];
    if (rest === "") return json(404, "This is a recorder: use the base URL that it printed.");
    const text = body.toString();
    const sent =
      publicUrl === undefined
        ? text
        : replaceWebhookUrl(text, (url) => `${publicUrl}${this.#folder}${this.#numberOf(url)}`);
    const url = target.replace(/v\d+$/, version) + rest;
    // Its webhook can come before its response.
    this.#learnFrom(headers, text);
    const atMs = nowMs();
    // Not every body is a text.
    const call = { method, headers: passedOn(headers), body: sent === text ? body : sent };
    // Also if the application gives up: the gateway goes on, and what it does is part of the recording.
    const response = await sendCall({ url, ...call, signal: this.#signal });
    this.#masks.learnFromBody(response.body);
    const recorded = {
      atMs,
      method,
      // A query can contain a secret, and no documented operation has one.
      path: path.replace(/\?.*/, ""),
      headers: kept(headers, CALL_HEADERS),
      body: text,
      response: {
        status: response.status,
        headers: kept(response.headers, RESPONSE_HEADERS),
        body: this.#restore(response.body),
      },
    };
    this.#record(() => ({ type: "call", call: this.#mask(recorded) }));
    return toReply(response);
  }

  async #webhook({ method, headers, body, closed }: Arrived, url: string): Promise<Reply> {
    const { nowMs } = this.#options;
    const recorded = {
      atMs: nowMs(),
      method,
      url,
      headers: kept(headers, WEBHOOK_HEADERS),
      body: this.#restore(body.toString()),
    };
    this.#masks.learnFromBody(recorded.body);
    for (const [name, value] of Object.entries(recorded.headers))
      if (/signature/.test(name)) this.#masks.learn("text", value);
    this.#record(() => ({ type: "webhook", webhook: this.#mask(recorded) }));
    const gone = new AbortController();
    void closed.then(() => gone.abort());
    const response = await sendCall({
      method,
      url,
      headers: passedOn(headers),
      body,
      signal: gone.signal,
    });
    return toReply(response);
  }

  /** The call is passed on nevertheless: an application would take an error for a failed call, and repeat a payout. */
  #record(toEvent: () => RecordedEvent): void {
    if (this.#hasFailed) return;
    try {
      this.#options.onEvent(toEvent());
    } catch (error) {
      this.#hasFailed = true;
      this.#options.onFailure(error as Error);
    }
  }

  /** A text with the application's addresses in the place of the recorder's. */
  #restore(text: string): string {
    const start = `${this.#options.publicUrl}${this.#folder}`;
    return text.split(start).reduce((before, after) => {
      const number = /^\d+/.exec(after)?.[0] ?? "";
      return before + (this.#addresses[Number(number)] ?? "") + after.slice(number.length);
    });
  }

  #numberOf(url: string): number {
    if (!this.#addresses.includes(url)) this.#addresses.push(url);
    return this.#addresses.indexOf(url);
  }

  #learnFrom(headers: Arrived["headers"], body: string): void {
    const masks = this.#masks;
    masks.learn("token", headers["x-api-token"]);
    masks.learn("token", headers["x-provider-id"]);
    if (headers["x-idempotency-key"]) masks.learnKey(headers["x-idempotency-key"]);
    masks.learnFromBody(body);
    replaceWebhookUrl(body, (url) => {
      // A receiver's address may contain a password.
      const { password, searchParams } = new URL(url);
      for (const value of [password, ...searchParams.values()]) masks.learn("token", value);
      return url;
    });
    const { description } = Object(toJson(body)) as { description?: unknown };
    if (typeof description === "string") masks.learn("text", description);
  }

  #mask<Value extends Exchange | RecordedWebhook>(value: Value): Value {
    this.#masks.learnFromTexts(value);
    return this.#masks.applyTo(value) as Value;
  }
}

const CALL_HEADERS =
  /^(?:content-type|x-api-token|x-provider(?:-id)?|x-country-code|x-idempotency-key)$/;
const RESPONSE_HEADERS = /^content-type$|^retry-after$|idempotent/;
const WEBHOOK_HEADERS = /^content-type$|^webhook-|signature/;
/** They belong to one connection, or are set anew. Responses must not be compressed. */
const OWN_HEADERS =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|accept-encoding|expect|upgrade|te|trailer)$/;

function kept(headers: Arrived["headers"], names: RegExp): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.test(name)));
}

function passedOn(headers: Arrived["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.test(name)));
}

function toReply({ status, headers, bytes }: ByteResponse): Reply {
  return { status, headers: passedOn(headers), body: bytes };
}

function json(status: number, message: string): Reply {
  const headers = { "content-type": "application/json" };
  return { status, headers, body: Buffer.from(JSON.stringify({ message })) };
}
