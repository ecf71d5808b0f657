import type { H3Event } from "h3";
import { onAbort } from "../calls/abort.ts";
import { bodyCutShort, bodyTooLarge } from "../calls/refusals.ts";
import type { Call } from "../calls/call.ts";
import type { ReceivedCall } from "../calls/received-call.ts";

/** The part of a `Request` that a call is read from. */
export interface WebRequest {
  readonly method: string;
  readonly url: string;
  /** By their names in lower case. */
  readonly headers: Iterable<[string, string]>;
  /** Null without a body. */
  readonly body: unknown;
  readonly signal: AbortSignal;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A call of this process: a request without a connection. */
export class WebCall implements ReceivedCall {
  /** A request of this process needs no Host header. */
  readonly mayOmitHost = true;
  readonly address = "";
  readonly #event: H3Event;
  #headers: Call["headers"] | undefined;
  #rawHeaders: readonly string[] | undefined;
  #isLost = false;
  #text: string | undefined;
  body: Buffer | undefined;

  constructor(event: H3Event) {
    this.#event = event;
  }

  get method(): string {
    return this.#event.req.method;
  }

  get url(): URL {
    return this.#event.url;
  }

  get target(): string {
    return this.#event.req.url;
  }

  get headers(): Call["headers"] {
    return (this.#headers ??= Object.fromEntries(this.#event.req.headers));
  }

  get rawHeaders(): readonly string[] {
    return (this.#rawHeaders ??= [...this.#event.req.headers].flat());
  }

  get parameters(): Readonly<Record<string, string>> {
    return this.#event.context.params ?? {};
  }

  get text(): string | undefined {
    return (this.#text ??= this.body?.toString());
  }

  get hasBody(): boolean {
    return this.#event.req.body !== null;
  }

  get isDisconnected(): boolean {
    return this.#isLost || this.#event.req.signal.aborted;
  }

  async readBody(maxBytes: number): Promise<Buffer> {
    if (Number(this.headers["content-length"] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
    const read = await this.#event.req.arrayBuffer().catch(() => {
      throw bodyCutShort();
    });
    if (read.byteLength > maxBytes) throw bodyTooLarge(maxBytes);
    this.body = Buffer.from(read);
    return this.body;
  }

  onDisconnect(listener: () => void): void {
    onAbort(this.#event.req.signal, listener);
  }

  loseAnswer(): void {
    this.#isLost = true;
  }
}
