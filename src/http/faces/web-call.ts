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
  readonly #request: WebRequest;
  readonly url: URL;
  readonly parameters: Readonly<Record<string, string>>;
  #headers: Call["headers"] | undefined;
  #rawHeaders: readonly string[] | undefined;
  #isLost = false;
  #text: string | undefined;
  body: Buffer | undefined;

  constructor(request: WebRequest, url: URL, parameters: Readonly<Record<string, string>>) {
    this.#request = request;
    this.url = url;
    this.parameters = parameters;
  }

  get method(): string {
    return this.#request.method;
  }

  get target(): string {
    return this.#request.url;
  }

  get headers(): Call["headers"] {
    return (this.#headers ??= Object.fromEntries(this.#request.headers));
  }

  get rawHeaders(): readonly string[] {
    return (this.#rawHeaders ??= [...this.#request.headers].flat());
  }

  get text(): string | undefined {
    return (this.#text ??= this.body?.toString());
  }

  get hasBody(): boolean {
    return this.#request.body !== null;
  }

  get isDisconnected(): boolean {
    return this.#isLost || this.#request.signal.aborted;
  }

  async readBody(maxBytes: number): Promise<Buffer> {
    if (Number(this.headers["content-length"] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
    const read = await this.#request.arrayBuffer().catch(() => {
      throw bodyCutShort();
    });
    if (read.byteLength > maxBytes) throw bodyTooLarge(maxBytes);
    this.body = Buffer.from(read);
    return this.body;
  }

  onDisconnect(listener: () => void): void {
    onAbort(this.#request.signal, listener);
  }

  loseAnswer(): void {
    this.#isLost = true;
  }
}
