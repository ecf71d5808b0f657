import { once } from "node:events";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Webhook } from "standardwebhooks";
import { PATIENCE_MS } from "./patience.ts";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A webhook's body, as far as every one of them has it. */
export interface WebhookBody {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * How the merchant answers: a status, a whole answer, or none at all. `hold` keeps the caller
 * waiting until the merchant closes, `reset` breaks the connection, `nonsense` is not HTTP, and
 * `drip` begins an answer that goes on by a byte a second until the caller has enough of it.
 */
export type Answer =
  | number
  | { readonly status: number; readonly headers?: http.OutgoingHttpHeaders; readonly body?: string }
  | "hold"
  | "reset"
  | "nonsense"
  | "drip";

/** Decides an answer from what came and from how many came before it. */
export type Answering = (received: Received, index: number) => Answer | Promise<Answer>;

/** A merchant's web server: it writes down what it is sent and answers as it is told to. */
export interface Merchant extends AsyncDisposable {
  readonly url: string;
  /** The address of another path of the same server. */
  at(path: string): string;
  readonly port: number;
  /** Everything so far, in the order of arrival. */
  readonly received: readonly Received[];
  /** From now on it answers so. */
  answerWith(answer: Answer | Answering): void;
  /** Resolves once `count` have come, to all that have; rejects when that takes far too long. */
  waitFor(count: number, isMeant?: (received: Received) => boolean): Promise<readonly Received[]>;
  close(): Promise<void>;
}

export interface MerchantOptions {
  /** What it listens on. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0, a free one. */
  readonly port?: number;
  /** The name that stands in its address. Default: the host. */
  readonly name?: string;
  /** Default 200. */
  readonly answer?: Answer | Answering;
}

/** Starts a merchant on a free port. */
export async function startMerchant(options: MerchantOptions = {}): Promise<Merchant> {
  const { host = "127.0.0.1", name = host } = options;
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let answering = toAnswering(options.answer ?? 200);

  const server = http.createServer(async (request, response) => {
    const one: Received = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers as Record<string, string>,
      body: await readText(request),
    };
    const index = received.push(one) - 1;
    for (const look of waiting) look();
    reply(await answering(one, index), request.socket, response);
  });
  server.listen(options.port ?? 0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const root = `http://${name.includes(":") ? `[${name}]` : name}:${port}`;

  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `${root}/hook`,
    at: (path) => `${root}${path}`,
    port,
    received,
    answerWith: (answer) => {
      answering = toAnswering(answer);
    },
    waitFor: (count, isMeant = () => true) =>
      new Promise((resolve, reject) => {
        const stop = (): void => {
          clearTimeout(timer);
          waiting.delete(look);
        };
        const look = (): void => {
          if (received.filter(isMeant).length < count) return;
          stop();
          resolve(received.filter(isMeant));
        };
        const timer = setTimeout(() => {
          stop();
          reject(new Error(`${received.filter(isMeant).length} of ${count} webhooks came.`));
        }, PATIENCE_MS);
        waiting.add(look);
        look();
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * The webhook that a request carries, its signature verified by the package that merchants use.
 * @throws WebhookVerificationError where it does not hold.
 */
export function verified({ body, headers }: Received, secret: string): WebhookBody {
  return new Webhook(secret).verify(body, headers) as WebhookBody;
}

function toAnswering(answer: Answer | Answering): Answering {
  return typeof answer === "function" ? answer : () => answer;
}

function reply(answer: Answer, socket: Socket, response: http.ServerResponse): void {
  if (answer === "hold") return;
  if (answer === "reset") socket.resetAndDestroy();
  else if (answer === "nonsense") socket.end("Good morning, this is no HTTP.\r\n\r\n");
  else if (answer === "drip") drip(response);
  else {
    const {
      status,
      headers = {},
      body = "",
    } = typeof answer === "number" ? { status: answer } : answer;
    response.writeHead(status, headers).end(body);
  }
}

function drip(response: http.ServerResponse): void {
  response.writeHead(200).write(".");
  const dripping = setInterval(() => response.write("."), 1000);
  response.once("close", () => clearInterval(dripping));
}

async function readText(request: http.IncomingMessage): Promise<string> {
  request.setEncoding("utf8");
  let text = "";
  for await (const chunk of request) text += chunk as string;
  return text;
}
