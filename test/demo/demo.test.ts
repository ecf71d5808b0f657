import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Demo, startDemo } from "../../src/demo/demo.ts";
import type { Order, Step } from "../../src/demo/orders.ts";
import { english } from "../../src/text/languages.ts";
import { lacks } from "../support/lacks.ts";

let demo: Demo;
const steps: { order: Order; step: Step }[] = [];
let notify: () => void = () => undefined;

beforeAll(async () => {
  const onStep = (order: Order, step: Step): void => {
    steps.push({ order, step });
    notify();
  };
  demo = await startDemo({ port: 0, gatewayPort: 0, isLocal: false, onStep });
});
afterAll(() => demo[Symbol.asyncDispose]());

const visit = (path: string, init?: RequestInit): Promise<Response> =>
  fetch(new URL(path, demo.shopUrl), { redirect: "manual", ...init });
const submit = (path: string, form: Record<string, string>): Promise<Response> =>
  visit(path, { method: "POST", body: new URLSearchParams(form) });

const buy = async (): Promise<Order> => {
  const response = await submit("/orders", { product: "coffee" });
  const number = response.headers.get("location")?.split("/").at(-1);
  return steps.find(({ order }) => order.number === number)!.order;
};

/** Waits until an order has this status. */
const until = (order: Order, status: Order["status"]): Promise<void> =>
  new Promise((resolve) => {
    notify = () => order.status === status && resolve();
    notify();
  });

const textsOf = (order: Order): string[] => order.steps.map(({ text }) => english(text));

describe("the demo's shop", () => {
  it("sells: an order has a charge, and is paid on the payer's page", async () => {
    const order = await buy();
    expect(order.status).toBe("waiting");

    const paid = await submit(`/pay/${order.payin!.id}`, { action: "pay" });
    await until(order, "paid");

    expect(paid.status).toBe(303);
    expect(textsOf(order)).toEqual([
      "The order is placed.",
      "The shop has created a charge: POST /v1/payins, 200.",
      "Webhook payin.paid: valid signature, the shop responds 200.",
      "The order is paid.",
    ]);
    const receipt = await (await visit(`/pay/${order.payin!.id}`)).text();
    expect(receipt).toContain(`href="/orders/${order.number}"`);
    expect(await (await visit(`/orders/${order.number}`)).text()).toContain('data-status="paid"');
  });

  it("applies a repeated webhook once", async () => {
    const order = await buy();
    await demo.sandbox.payins.pay(order.payin!.id);
    const { id } = await demo.sandbox.webhooks.waitFor({ transactionId: order.payin!.id });
    await demo.sandbox.webhooks.resend(id);
    await demo.sandbox.settled();

    expect(textsOf(order).slice(-2)).toEqual([
      "The order is paid.",
      "Webhook payin.paid again: known, the shop responds 200.",
    ]);
  });

  it("repeats a call whose response was lost, and creates one charge", async () => {
    const before = (await demo.sandbox.payins.list()).length;
    await demo.sandbox.faults.add({ on: "payins.create", effect: "lost_answer", times: 1 });

    const order = await buy();

    expect(textsOf(order)).toEqual([
      "The order is placed.",
      "No charge was created: POST /v1/payins, no response.",
      "The shop has created a charge: POST /v1/payins, 200.",
    ]);
    expect(await demo.sandbox.payins.list()).toHaveLength(before + 1);
  });

  it("closes an order whose charge expires", async () => {
    const order = await buy();
    await submit(`/pay/${order.payin!.id}`, { action: "expire" });
    await until(order, "expired");

    expect(textsOf(order).at(-1)).toBe("The charge has expired. The order is closed.");
  });

  it("tells the page of an order about each step", async () => {
    const order = await buy();
    const changes = await visit(`/orders/${order.number}/changes?shown=${order.steps.length}`);
    const reader = changes.body!.getReader();
    await demo.sandbox.payins.pay(order.payin!.id);

    expect(new TextDecoder().decode((await reader.read()).value)).toContain("data: changed");
    await reader.cancel();
  });

  it.each([
    ["/orders/0", 404],
    ["/pay/0", 404],
    ["/_sandbox/payins", 404],
    ["/v1/payins", 404],
    ["/webhooks", 404],
    ["/%", 404],
    ["//x", 404],
  ])("has no page %s", async (path, status) => {
    expect((await fetch(demo.shopUrl.slice(0, -1) + path)).status).toBe(status);
  });

  it("refuses a form that is too long, or names no product", async () => {
    expect((await submit("/orders", { product: "toString" })).status).toBe(404);
    expect((await submit("/orders", { product: "x".repeat(100_000) })).status).toBe(404);
  });

  it("shows the payer's page of its own charges only", async () => {
    const { id } = await demo.sandbox.payins.create();
    expect((await visit(`/pay/${id}`)).status).toBe(404);
    expect((await submit(`/pay/${id}`, { action: "pay" })).status).toBe(404);
    expect((await demo.sandbox.payins.get(id)).status).toBe("waiting");
  });
});

describe("the network", () => {
  const outer = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4");

  it.skipIf(lacks("network"))("reaches the shop, but not the gateway", async () => {
    const [url] = demo.networkUrls;
    expect((await fetch(url!)).status).toBe(200);
    const gateway = `http://${new URL(url!).hostname}:${demo.sandbox.port}/_sandbox/health`;
    await expect(fetch(gateway)).rejects.toThrow(TypeError);
  });

  it.skipIf(lacks("network"))("reaches nothing of a local demo", async () => {
    const onStep = (): void => undefined;
    await using local = await startDemo({ port: 0, gatewayPort: 0, isLocal: true, onStep });
    const { port } = new URL(local.shopUrl);
    await expect(fetch(`http://${outer!.address}:${port}/`)).rejects.toThrow(TypeError);
    expect(local.networkUrls).toEqual([]);
    const form = new URLSearchParams({ product: "coffee" });
    const order = await fetch(`${local.shopUrl}orders`, { method: "POST", body: form });
    expect(await order.text()).not.toContain("order-qr");
  });
});
