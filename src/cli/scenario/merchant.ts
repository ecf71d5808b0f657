import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { verifyWebhook } from "../../sandbox/tools.ts";
import type { LocalizedText } from "../../core/localized-text.ts";

/** A webhook that the merchant received. */
export interface Received {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Why the signature is invalid; null if it is valid. */
  readonly flaw: LocalizedText | null;
}

/** The merchant's response to a webhook: an HTTP status, or a closed connection. */
export type MerchantAnswer = number | "nothing";

/** A scenario's webhook handler, on the local interface. Records the webhooks that it receives. */
export class Merchant implements AsyncDisposable {
  readonly received: Received[] = [];
  readonly #server: http.Server;
  readonly #secret: string;
  #answers: readonly MerchantAnswer[] = [200];

  private constructor(secret: string) {
    this.#secret = secret;
    this.#server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.once("end", () => {
        this.received.push(read(request.headers, Buffer.concat(chunks), this.#secret));
        const [answer = 200, ...others] = this.#answers;
        if (others.length > 0) this.#answers = others;
        if (answer === "nothing") request.socket.destroy();
        // One connection per webhook: a sender may repeat a request that fails on a reused connection.
        else response.writeHead(answer, { connection: "close" }).end();
      });
    });
  }

  /** @param secret the secret that signs its webhooks */
  static async open(secret: string): Promise<Merchant> {
    const merchant = new Merchant(secret);
    merchant.#server.listen(0, "127.0.0.1");
    await once(merchant.#server, "listening");
    return merchant;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/webhooks`;
  }

  /** Sets the responses to the next webhooks. The last one repeats. */
  answerWith(answers: readonly MerchantAnswer[]): void {
    this.#answers = answers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

function read(headers: http.IncomingHttpHeaders, body: Buffer, secret: string): Received {
  const verdict = verifyWebhook(
    { headers: headers as Record<string, string>, body },
    { secret, nowMs: Date.now(), toleranceMs: TOLERANCE_MS },
  );
  const { type = "", data = {} } = parse(body) as Partial<Received>;
  return {
    id: String(headers["webhook-id"] ?? ""),
    type,
    data,
    flaw: verdict.isValid ? null : verdict.text,
  };
}

/** The tolerance of Standard Webhooks verifiers for timestamps. */
const TOLERANCE_MS = 5 * 60 * 1000;

function parse(body: Buffer): object {
  try {
    return Object(JSON.parse(body.toString())) as object;
  } catch {
    return {};
  }
}
