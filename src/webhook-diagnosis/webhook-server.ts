import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { wallNowMs } from "../platform/real-time.ts";
import { STANDARD_TOLERANCE_MS, type Verdict, verifyWebhook } from "./verify.ts";

/** The response to a webhook: an HTTP status, or a closed connection. */
export type WebhookResponse = number | "nothing";

/** Why a webhook is not valid. */
export type WebhookFlaw = Extract<Verdict, { isValid: false }>;

/** A webhook as it arrived. */
export interface ArrivedWebhook {
  /** The header `webhook-id`; empty without one. */
  readonly id: string;
  /** Empty if the body has none. */
  readonly type: string;
  /** Empty if the body has none. */
  readonly transactionId: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
  readonly rawBody: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null if the signature is valid. */
  readonly flaw: WebhookFlaw | null;
}

export interface WebhookServerOptions {
  /** The secret that signs the webhooks. */
  readonly secret: string;
  /** Whether the process may end while the server listens. */
  readonly isBackground?: boolean;
  /** Chooses each response, in place of those that are set. */
  readonly respond?: (webhook: ArrivedWebhook) => Promise<WebhookResponse>;
  /** Receives each webhook when it has arrived, and the response that it gets. */
  readonly onWebhook: (webhook: ArrivedWebhook, response: WebhookResponse) => void;
}

/** A webhook handler on the loopback interface, which verifies each webhook. */
export class WebhookServer implements AsyncDisposable {
  readonly #server: http.Server;
  readonly #options: WebhookServerOptions;
  #responses: readonly WebhookResponse[] = [200];

  private constructor(options: WebhookServerOptions) {
    this.#options = options;
    this.#server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.once("end", () => void this.#receive(request, response, Buffer.concat(chunks)));
    });
  }

  /** Opens a server on a free port. */
  static async open(options: WebhookServerOptions): Promise<WebhookServer> {
    const opened = new WebhookServer(options);
    const server = opened.#server;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    if (options.isBackground) server.unref();
    return opened;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/webhooks`;
  }

  /** Sets the responses to the next webhooks. The last one repeats. */
  respondWith(responses: readonly WebhookResponse[]): void {
    this.#responses = responses;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #receive(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    body: Buffer,
  ): Promise<void> {
    // One connection for each request: a sender may repeat a request that fails on a reused connection.
    response.setHeader("connection", "close");
    if (request.method !== "POST") {
      response.writeHead(405, { allow: "POST" }).end();
      return;
    }
    const { secret, respond: choose, onWebhook } = this.#options;
    const webhook = toArrived(request.headers, body, secret);
    const chosen = choose ? await choose(webhook) : this.#nextResponse();
    onWebhook(webhook, chosen);
    if (chosen === "nothing") request.socket.destroy();
    else response.writeHead(chosen).end();
  }

  #nextResponse(): WebhookResponse {
    const [next = 200, ...others] = this.#responses;
    if (others.length > 0) this.#responses = others;
    return next;
  }
}

function toArrived(
  received: http.IncomingHttpHeaders,
  bytes: Buffer,
  secret: string,
): ArrivedWebhook {
  const headers = Object.fromEntries(
    Object.entries(received).map(([name, value]) => [name, String(value)]),
  );
  const verdict = verifyWebhook(
    { headers, body: bytes },
    { secret, nowMs: wallNowMs(), toleranceMs: STANDARD_TOLERANCE_MS },
  );
  const rawBody = bytes.toString();
  const body = parse(rawBody);
  const { type, data } = Object(body) as { type?: unknown; data?: unknown };
  const transaction = Object(data) as ArrivedWebhook["data"];
  const { id: transactionId } = transaction;
  return {
    id: headers["webhook-id"] ?? "",
    type: typeof type === "string" ? type : "",
    transactionId: typeof transactionId === "string" ? transactionId : "",
    data: transaction,
    body,
    rawBody,
    headers,
    flaw: verdict.isValid ? null : verdict,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
