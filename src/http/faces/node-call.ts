import type { IncomingMessage, ServerResponse } from "node:http";
import { bodyCutShort, bodyTooLarge } from "../calls/refusals.ts";
import type { Call } from "../calls/call.ts";
import { closeSoon } from "./close-soon.ts";
import type { ReceivedCall } from "../calls/received-call.ts";

const NO_PARAMETERS = {};

/** A call over a connection: Node's request and response. */
export class NodeCall implements ReceivedCall {
  readonly url: Call["url"];
  readonly parameters: Readonly<Record<string, string>>;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #text: string | undefined;
  body: Buffer | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    url: Call["url"],
    parameters: Readonly<Record<string, string>> = NO_PARAMETERS,
  ) {
    this.#request = request;
    this.#response = response;
    this.url = url;
    this.parameters = parameters;
  }

  get method(): string {
    return this.#request.method ?? "";
  }

  get address(): string {
    return this.#request.socket.remoteAddress ?? "";
  }

  get target(): string {
    return this.#request.url ?? "";
  }

  get headers(): Call["headers"] {
    return this.#request.headers;
  }

  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders;
  }

  /** HTTP/1.1 requires a Host header, HTTP/1.0 does not. */
  get mayOmitHost(): boolean {
    return this.#request.httpVersion === "1.0";
  }

  get text(): string | undefined {
    return (this.#text ??= this.body?.toString());
  }

  get hasBody(): boolean {
    const { headers } = this.#request;
    return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  }

  get isDisconnected(): boolean {
    return this.#response.socket?.destroyed ?? true;
  }

  readBody(maxBytes: number): Promise<Buffer> {
    const request = this.#request;
    if (Number(this.headers["content-length"] ?? 0) > maxBytes) {
      request.resume();
      throw this.#tooLarge(maxBytes);
    }
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const cutShort = (): void => reject(bodyCutShort());
      const add = (chunk: Buffer): void => {
        size += chunk.length;
        if (size <= maxBytes) chunks.push(chunk);
        else reject(this.#tooLarge(maxBytes));
      };
      const end = (): void => {
        request.off("close", cutShort);
        this.body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
        resolve(this.body);
      };
      if (request.destroyed) return cutShort();
      request.once("close", cutShort);
      if (hasBegun(request)) request.on("data", add).once("end", end);
      else pass(request, add, end);
    });
  }

  onDisconnect(listener: () => void): void {
    if (this.#response.closed) listener();
    else this.#response.once("close", listener);
  }

  loseAnswer(): void {
    this.#response.socket?.destroy();
  }

  /** The rest of the body is read for a moment, so that the client receives the response, and then cut off. */
  #tooLarge(maxBytes: number): Error {
    const response = this.#response;
    const { socket } = response;
    if (socket) {
      response.shouldKeepAlive = false;
      // Node calls it after the last response on a connection.
      socket.destroySoon = () => closeSoon(socket);
    }
    return bodyTooLarge(maxBytes);
  }
}

/** Whether a part of a request's body may be in its stream. */
function hasBegun(request: IncomingMessage): boolean {
  return request.complete || request.readableLength > 0 || request.readableFlowing !== null;
}

/** Passes a body on as it arrives, without the request's stream: that would cost more than parsing the body. */
function pass(request: IncomingMessage, add: (chunk: Buffer) => void, end: () => void): void {
  request.push = (chunk: Buffer | null) => {
    if (chunk !== null) {
      add(chunk);
      return true;
    }
    // Node refers to the request until the connection's next one: it must not keep the body in memory.
    Reflect.deleteProperty(request, "push");
    end();
    return false;
  };
}
