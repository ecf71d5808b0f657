import { once } from "node:events";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Webhook } from "standardwebhooks";

/** What a sandbox sent. */
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
  /** Its webhook address. */
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

/** No wait is meant to take this long: it is what a test says instead of hanging. */
const PATIENCE_MS = 30_000;

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

/** A status and a JSON body. */
export interface Answered<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** A record or a delivery, as far as tests look into it. */
export interface Shown {
  readonly id: string;
  readonly type: string;
  readonly transaction_id: string;
  readonly url: string;
  readonly status: string;
  readonly body: string;
  readonly qr_code: string;
  readonly integration: string;
  readonly attempts: readonly {
    readonly at?: string;
    readonly duration_ms?: number;
    readonly status?: number;
    readonly error?: string;
    readonly response?: string;
    readonly retry_after_seconds?: number;
    readonly headers: Readonly<Record<string, string>>;
  }[];
}

/** A merchant's own program: the calls that it makes of a gateway, and the control routes beside them. */
export interface Calls {
  /** A body with sample values for whatever is not said. */
  createPayin(members: Readonly<Record<string, unknown>>, key?: string): Promise<Answered<Shown>>;
  createPayout(members: Readonly<Record<string, unknown>>, key?: string): Promise<Answered<Shown>>;
  simulate(noun: "payin" | "payout", id: string, status?: string): Promise<Answered>;
  gateway<Body>(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<Answered<Body>>;
  /** A control route, of all integrations. */
  control<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  /** Every delivery, in the order of creation. */
  deliveries(query?: string): Promise<readonly Shown[]>;
  /** Lets attempts in flight end, then moves the sandbox's time. */
  advance(seconds: number): Promise<void>;
}

/** The body of a payin, but for its webhook_url, and that of a payout. */
export const BUYER = {
  value: 10.5,
  buyer_cpf: "12345678909",
  buyer_name: "Maria da Silva",
  buyer_email: "maria@example.com",
};
export const RECEIVER = {
  value: 25,
  receiver_cpf: "52998224725",
  receiver_name: "José de Souza",
  receiver_email: "jose@example.com",
  pix_key: "52998224725",
  pix_key_type: "cpf",
};

/** Calls a gateway as one integration does. */
export function callsTo(url: string, token = "shop"): Calls {
  const call = async <Body>(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: unknown,
  ): Promise<Answered<Body>> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as Body,
    };
  };
  const gateway = <Body>(method: string, path: string, body?: unknown, key?: string) =>
    call<Body>(
      method,
      path,
      {
        "x-api-token": token,
        "x-provider-id": "42",
        "x-provider": "Loja da Maria",
        "x-country-code": "BR",
        "x-idempotency-key": key ?? crypto.randomUUID(),
      },
      body,
    );
  const control = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await call<Body>(method, `/_sandbox${path}`, {}, body);
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    gateway,
    control,
    createPayin: (members, key) => gateway("POST", "/v1/payins", { ...BUYER, ...members }, key),
    createPayout: (members, key) =>
      gateway("POST", "/v1/payouts", { ...RECEIVER, ...members }, key),
    simulate: (noun, id, status = "completed") =>
      gateway("POST", `/v1/${noun}s/simulations`, { transaction_id: id, status }),
    deliveries: async (query = "") =>
      (await control<{ data: readonly Shown[] }>("GET", `/deliveries?limit=1000${query}`)).data,
    advance: async (seconds) => {
      await control("POST", "/clock/advance", { seconds });
    },
  };
}

/** One event of the sandbox's stream. */
export interface StreamEvent {
  readonly number: number;
  readonly kind: string;
}

/** The first `count` events behind the one with the number `after`, read from the stream of server-sent events. */
export async function readEvents(
  url: string,
  after: number,
  count: number,
): Promise<readonly StreamEvent[]> {
  const reading = new AbortController();
  const answer = await fetch(`${url}/_sandbox/events`, {
    headers: { "last-event-id": String(after) },
    signal: AbortSignal.any([reading.signal, AbortSignal.timeout(PATIENCE_MS)]),
  });
  const events: StreamEvent[] = [];
  let text = "";
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const messages = (text + chunk).split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) {
      const [, number, kind] =
        /^id: (\d+)\nevent: (payin|payout|delivery|attempt)$/m.exec(message) ?? [];
      if (number !== undefined) events.push({ number: Number(number), kind: kind ?? "" });
    }
    if (events.length >= count) break;
  }
  reading.abort();
  return events.slice(0, count);
}
