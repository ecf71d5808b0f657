import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { type Sandbox, startSandbox } from "../client/start.ts";
import { networkAddresses } from "../server/activity/network-addresses.ts";
import { renderQr } from "../server/tools/tools.ts";
import { isLoopback } from "../core/records/webhook-url.ts";
import { loadLanguages, preferredLanguage } from "../text/languages.ts";
import { WebhookServer } from "../webhook-diagnosis/webhook-server.ts";
import { type Order, Orders, type ProductName, PRODUCTS, type Step } from "./orders.ts";
import { type OrderView, toMissingPage, toOrderPage, toShopPage } from "./pages.ts";

export interface DemoOptions {
  /** The port of the shop; 0 takes a free one. */
  readonly port: number;
  /** The port of the gateway; 0 takes a free one. */
  readonly gatewayPort: number;
  /** Whether only this machine reaches the shop. */
  readonly isLocal: boolean;
  /** Receives each step of each order. */
  readonly onStep: (order: Order, step: Step) => void;
}

/** A gateway, and a shop that uses it. */
export interface Demo extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** The shop, as this machine reaches it. */
  readonly shopUrl: string;
  /** The shop, as other machines reach it: one URL for each address in a network. */
  readonly networkUrls: readonly string[];
  close(): Promise<void>;
}

/** A form of the shop has one short member. */
const MAX_FORM_BYTES = 4096;
/** Each open page of an order holds one. */
const MAX_CONNECTIONS = 200;

/**
 * Starts a gateway in memory and a shop. Only the shop and its payer's page listen for the network: the gateway, its
 * control routes and the receiver of webhooks are on the loopback interface.
 * @throws Error with the code EADDRINUSE if a port is busy.
 */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  await loadLanguages();
  const sandbox = await startSandbox({
    port: options.gatewayPort,
    webhookAllow: "loopback",
    // The shop has no other way to learn that the payer let a charge expire.
    assumptions: { "payin.expiry_event": "webhook" },
  });
  const opened: AsyncDisposable[] = [sandbox];
  const close = async (): Promise<void> => {
    for (const one of opened.toReversed()) await one[Symbol.asyncDispose]();
  };
  try {
    const receiver = await WebhookServer.open({
      secret: sandbox.secret,
      // No order exists before the shop does.
      respond: async (webhook) => orders.receive(webhook),
      onWebhook: () => undefined,
    });
    opened.push(receiver);
    const orders = new Orders(sandbox.integration("demo"), receiver.url, options.onStep);
    const shop = await ShopServer.open(orders, sandbox, options);
    opened.push(shop);
    return { sandbox, ...shop.urls, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The shop's pages, and the payer's page of its charges. */
class ShopServer implements AsyncDisposable {
  readonly #server: http.Server;
  readonly #orders: Orders;
  readonly #sandbox: Sandbox;
  #urls: Pick<Demo, "shopUrl" | "networkUrls"> = { shopUrl: "", networkUrls: [] };

  private constructor(orders: Orders, sandbox: Sandbox) {
    this.#orders = orders;
    this.#sandbox = sandbox;
    this.#server = http.createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  static async open(
    orders: Orders,
    sandbox: Sandbox,
    { port, isLocal }: DemoOptions,
  ): Promise<ShopServer> {
    const opened = new ShopServer(orders, sandbox);
    const server = opened.#server;
    const host = isLocal ? "127.0.0.1" : "0.0.0.0";
    server.listen(port, host);
    await once(server, "listening");
    const used = (server.address() as AddressInfo).port;
    const toUrl = (address: string): string => `http://${address}:${used}/`;
    opened.#urls = {
      shopUrl: toUrl("127.0.0.1"),
      networkUrls: isLocal ? [] : networkAddresses(host).map(toUrl),
    };
    return opened;
  }

  get urls(): Pick<Demo, "shopUrl" | "networkUrls"> {
    return this.#urls;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const language = preferredLanguage(request.headers["accept-language"] ?? "");
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const [, place, id = "", rest] = path.split("/");
    const route = `${request.method ?? ""} ${[place, id && "…", rest].filter(Boolean).join("/")}`;
    const order = place === "pay" ? this.#orders.findByPayin(id) : this.#orders.find(id);
    if (route === "GET ") return send(response, toShopPage(language));
    if (route === "POST orders") {
      const product = (await readForm(request))?.get("product") ?? "";
      if (!Object.hasOwn(PRODUCTS, product)) return send(response, toMissingPage(language));
      const { number } = await this.#orders.place(product as ProductName);
      return send(response, { status: 303, headers: { location: `/orders/${number}` }, body: "" });
    }
    if (!order) return send(response, toMissingPage(language));
    if (route === "GET orders/…")
      return send(response, toOrderPage(order, await this.#view(order, request), language));
    if (route === "GET orders/…/changes")
      return this.#follow(order, Number(new URLSearchParams(query).get("shown")), response);
    if (route === "GET pay/…" || route === "POST pay/…")
      return this.#showPayerPage(`${id}?${query}`, request, response);
    return send(response, toMissingPage(language));
  }

  async #view({ payin }: Order, request: http.IncomingMessage): Promise<OrderView | undefined> {
    if (!payin) return undefined;
    const { shopUrl, networkUrls } = this.#urls;
    const payUrl = `${networkUrls[0] ?? shopUrl}pay/${payin.id}`;
    const png = (await renderQr(payUrl, "png")) as Buffer;
    // The inspector is on this machine only.
    const isHere = isLoopback(request.socket.remoteAddress ?? "");
    return {
      qrImage: `data:image/png;base64,${png.toString("base64")}`,
      inspectorUrl: isHere ? `${this.#sandbox.url}/_sandbox/#/payins/${payin.id}` : undefined,
    };
  }

  /** Sends an event as soon as the order has more steps than the page shows. */
  #follow(order: Order, shown: number, response: http.ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.flushHeaders();
    const report = (): void => {
      if (order.steps.length > shown) response.write("data: changed\n\n");
    };
    response.once("close", this.#orders.watch(order, report));
    report();
  }

  /** Passes a call on to the sandbox's page of the charge. Its paths are relative. */
  async #showPayerPage(
    address: string,
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> {
    const form = request.method === "POST" ? await readForm(request) : undefined;
    const answer = await this.#sandbox.fetch(`/_sandbox/pay/${address}`, {
      method: request.method ?? "GET",
      headers: { "accept-language": request.headers["accept-language"] ?? "" },
      redirect: "manual",
      ...(form && { body: form }),
    });
    const headers = Object.fromEntries(answer.headers);
    send(response, { status: answer.status, headers, body: await answer.text() });
  }
}

/** The members of a form; undefined if it is too long. */
async function readForm(request: http.IncomingMessage): Promise<URLSearchParams | undefined> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > MAX_FORM_BYTES) return undefined;
  }
  return new URLSearchParams(text);
}

interface Answer {
  readonly status: number;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body: string;
}

function send(response: http.ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body);
}
