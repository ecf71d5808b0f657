import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { type Sandbox, startSandbox } from "../client/start.ts";
import { isLoopback } from "../core/records/webhook-url.ts";
import { networkAddresses } from "../server/activity/network-addresses.ts";
import { renderQr } from "../server/tools/tools.ts";
import { loadLanguages, preferredLanguage } from "../text/languages.ts";
import { WebhookServer } from "../webhook-diagnosis/webhook-server.ts";
import { type Order, Orders, type ProductName, PRODUCTS, type Step } from "./orders.ts";
import { toBackLink, toMissingPage, toOrderPage, toShopPage } from "./pages.ts";

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
}

/** A form of the shop has one short member. */
const MAX_FORM_BYTES = 4096;

/**
 * Starts a gateway in memory and a shop. Only the shop and its payer's page listen for the network: the gateway, its
 * control routes and the receiver of webhooks are on the loopback interface.
 * @throws Error with the code EADDRINUSE if a port is busy.
 */
export async function startDemo({
  port,
  gatewayPort,
  isLocal,
  onStep,
}: DemoOptions): Promise<Demo> {
  await loadLanguages();
  const sandbox = await startSandbox({
    port: gatewayPort,
    webhookAllow: "loopback",
    // The shop has no other way to learn that the payer let a charge expire.
    assumptions: { "payin.expiry_event": "webhook" },
  });
  const receiver = await WebhookServer.open({
    secret: sandbox.secret,
    // No order exists before the shop does.
    respond: async (webhook) => orders.receive(webhook),
    onWebhook: () => undefined,
  });
  const orders = new Orders(sandbox.integration("demo"), receiver.url, onStep);
  const server = http.createServer((request, response) => {
    serve(request, response, { orders, sandbox, payUrl: networkUrls[0] }).catch(() =>
      response.destroy(),
    );
  });
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await receiver.close();
    await sandbox.close();
  };
  const host = isLocal ? "127.0.0.1" : "0.0.0.0";
  await once(server.listen(port, host), "listening").catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const used = (server.address() as AddressInfo).port;
  const toUrl = (address: string): string => `http://${address}:${used}/`;
  const networkUrls = isLocal ? [] : networkAddresses(host).map(toUrl);
  return { sandbox, shopUrl: toUrl("127.0.0.1"), networkUrls, [Symbol.asyncDispose]: close };
}

interface Shop {
  readonly orders: Orders;
  readonly sandbox: Sandbox;
  /** The shop as a phone reaches it; undefined if none does. */
  readonly payUrl: string | undefined;
}

/** Answers with the shop's pages, and with the payer's page of its charges. */
async function serve(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { orders, sandbox, payUrl }: Shop,
): Promise<void> {
  const accepted = request.headers["accept-language"] ?? "";
  const language = preferredLanguage(accepted);
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const [, place, id = "", rest] = path.split("/");
  const route = `${request.method ?? ""} ${[place, id && "…", rest].filter(Boolean).join("/")}`;
  const send = ({ status, headers, body }: Page): void =>
    void response.writeHead(status, headers).end(body);
  const form = request.method === "POST" ? await readForm(request) : undefined;
  if (route === "GET ") return send(toShopPage(language));
  const product = form?.get("product") ?? "";
  if (route === "POST orders" && Object.hasOwn(PRODUCTS, product)) {
    const { number } = await orders.place(product as ProductName);
    return send({ status: 303, headers: { location: `/orders/${number}` }, body: "" });
  }
  const order = place === "pay" ? orders.findByPayin(id) : orders.find(id);
  if (order && route === "GET orders/…") {
    // The inspector is on this machine only.
    const inspector = isLoopback(request.socket.remoteAddress ?? "") ? sandbox.url : undefined;
    const qr = payUrl && order.payin && (await renderQr(`${payUrl}pay/${order.payin.id}`, "png"));
    return send(toOrderPage(order, { qr: qr as Buffer | undefined, inspector }, language));
  }
  if (order && route === "GET orders/…/changes") {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.flushHeaders();
    const shown = Number(new URLSearchParams(query).get("shown"));
    const report = (): void => {
      if (order.steps.length > shown) response.write("data: changed\n\n");
    };
    response.once("close", orders.watch(order, report));
    return report();
  }
  if (!order || place !== "pay" || rest !== undefined) return send(toMissingPage(language));
  // The sandbox's page of the charge. Its paths are relative.
  const answer = await sandbox.fetch(`/_sandbox/pay/${id}?${query}`, {
    method: request.method ?? "GET",
    headers: { "accept-language": accepted },
    redirect: "manual",
    ...(form && { body: form }),
  });
  const headers = Object.fromEntries(answer.headers);
  delete headers["content-length"];
  const body = (await answer.text()).replace(
    "</main>",
    `${toBackLink(order, language).text}</main>`,
  );
  send({ status: answer.status, headers, body });
}

interface Page {
  readonly status: number;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body: string;
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
