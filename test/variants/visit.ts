import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Variant } from "./start-variant.ts";

export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown> & { readonly errors?: Record<string, string>[] };
}

export interface Hit {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/** A merchant that visits a variant: it sends calls and receives webhooks. */
export interface Visit {
  readonly variant: Variant;
  readonly hits: Hit[];
  /** What an attempt is answered with, by its number; null: nothing. */
  answer: (attempt: number) => number | null;
  call(path: string, body?: unknown, headers?: Record<string, string | undefined>): Promise<Seen>;
  payin(body?: object, headers?: Record<string, string | undefined>): Promise<Seen>;
  payout(body?: object, headers?: Record<string, string | undefined>): Promise<Seen>;
  simulate(kind: "payins" | "payouts", id: unknown, status?: string): Promise<Seen>;
  /** The first webhook of a type, past ones included; the type may be of either form. */
  webhook(type: string): Promise<Hit>;
  /** Resolves after that many of the variant's seconds: when a payin has expired. */
  pass(seconds: number): Promise<void>;
  readonly hookUrl: string;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function visit(variant: Variant): Promise<Visit> {
  const hits: Hit[] = [];
  const waiting = new Set<() => void>();
  const receiver = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => void receiver.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const hookUrl = `${origin}/hook`;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { url: path = "", method = "", headers } = request;
    response.once("close", () => {
      if (!response.writableEnded) note({ path, method: "CLOSED", headers, text, body: {} });
    });
    const attempt = hits.filter((hit) => hit.path === "/hook" && hit.method !== "CLOSED").length;
    const status = path === "/hook" ? visitor.answer(attempt) : 200;
    note({ path, method, headers, text, body: JSON.parse(text) as Hit["body"] });
    if (status !== null) response.writeHead(status).end();
  }

  function note(hit: Hit): void {
    hits.push(hit);
    for (const look of waiting) look();
  }

  function hitWhere(isIt: (hit: Hit) => boolean): Promise<Hit> {
    return new Promise((resolve) => {
      const look = () => {
        const found = hits.find(isIt);
        if (found) resolve(found);
        return found;
      };
      if (!look()) waiting.add(look);
    });
  }

  const visitor: Visit = {
    variant,
    hits,
    hookUrl,
    answer: () => 200,
    async call(path, body, headers = {}) {
      const sent = {
        "content-type": "application/json",
        "x-api-token": variant.credential.api_key,
        "x-provider-id": variant.credential.merchant_id,
        "x-provider": "Loja São João",
        "x-country-code": "BR",
        "x-idempotency-key": randomUUID(),
        ...headers,
      };
      const [method, where] = path.split(" ") as [string, string];
      const url = where.startsWith("/v") ? new URL(where, variant.url).href : variant.url + where;
      const response = await fetch(url, {
        method,
        headers: Object.entries(sent).filter(
          (pair): pair is [string, string] => pair[1] !== undefined,
        ),
        ...(body === undefined
          ? {}
          : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const answered = (await response.json()) as Seen["body"];
      return { status: response.status, headers: response.headers, body: answered };
    },
    payin: (body, headers) =>
      visitor.call("POST /payins", { ...payinBody(hookUrl), ...body }, headers),
    payout: (body, headers) =>
      visitor.call("POST /payouts", { ...payoutBody(hookUrl), ...body }, headers),
    simulate: (kind, id, status = "completed") =>
      visitor.call(`POST /${kind}/simulations`, { transaction_id: id, status }),
    webhook: (type) => hitWhere(({ body }) => body["type"] === type || body["event"] === type),
    async pass(seconds) {
      const path = `/marker/${randomUUID()}`;
      await visitor.call("PUT /webhooks", {
        webhook_url: origin + path,
        events: ["payment.failed"],
      });
      await visitor.payin({ expiration: seconds, webhook_url: `${origin}/expired` });
      await hitWhere((hit) => hit.path === path);
    },
    async [Symbol.asyncDispose]() {
      receiver.closeAllConnections();
      await new Promise((resolve) => void receiver.close(resolve));
    },
  };
  return visitor;
}

function payinBody(webhook_url: string) {
  return {
    value: 10,
    buyer_cpf: "52998224725",
    buyer_name: "Ana",
    buyer_email: "ana@example.com",
    webhook_url,
  };
}

function payoutBody(webhook_url: string) {
  return {
    value: 10,
    receiver_cpf: "52998224725",
    receiver_name: "Ana",
    receiver_email: "ana@example.com",
    webhook_url,
    pix_key: "ana@example.com",
    pix_key_type: "email",
  };
}
