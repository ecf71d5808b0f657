import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { verifyWebhook } from "../../sandbox/tools.ts";
import type { LocalizedText } from "../../core/localized-text.ts";

/** A webhook as the merchant of a story received it. */
export interface Received {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Why the signature does not hold; null where it does. */
  readonly flaw: LocalizedText | null;
}

/** How a merchant answers a webhook: an HTTP status, or by closing the connection. */
export type MerchantAnswer = number | "nothing";

/** The webhook handler of a story, on this machine alone: it writes down what it is sent. */
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
        // A connection each: what is lost on one that was used before, a sender may well send again.
        else response.writeHead(answer, { connection: "close" }).end();
      });
    });
  }

  /** @param secret what its webhooks are signed with */
  static async open(secret: string): Promise<Merchant> {
    const merchant = new Merchant(secret);
    merchant.#server.listen(0, "127.0.0.1");
    await once(merchant.#server, "listening");
    return merchant;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/webhooks`;
  }

  /** The next webhooks are answered so, one after the other; all others as the last of them. */
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

/** How far off a timestamp may lie for the verifiers of Standard Webhooks. */
const TOLERANCE_MS = 5 * 60 * 1000;

function parse(body: Buffer): object {
  try {
    return Object(JSON.parse(body.toString())) as object;
  } catch {
    return {};
  }
}
