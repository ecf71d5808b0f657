import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import { call } from "../support/gateway.ts";
import { BUYER, RECEIVER } from "../support/calls.ts";

const PUBLIC = "https://pix.example";
const REFUSAL = {
  field: "webhook_url",
  code: "INVALID_VALUE",
  message: expect.stringContaining("must not be a control route"),
};
const inNetwork = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ internal, family }) => !internal && family === "IPv4")?.address;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({
    port: 0,
    host: "0.0.0.0",
    publicUrl: PUBLIC,
    allowHosts: ["pix.shop.example"],
    controlToken: "token",
  });
});
afterAll(() => sandbox.close());

/** Creates a payin, creates a payout, and configures a webhook, all with this address. */
async function sendAll(address: string) {
  const webhook_url = address.replace("PORT", String(sandbox.port));
  const configuration = { webhook_url, events: ["payment.received"] };
  return Promise.all([
    call(sandbox, { path: "/v1/payins", body: { ...BUYER, webhook_url } }),
    call(sandbox, { path: "/v1/payouts", body: { ...RECEIVER, webhook_url } }),
    call(sandbox, { path: "/v1/webhooks", method: "PUT", body: configuration }),
  ]);
}

describe("a webhook_url that is a control route of the sandbox itself", () => {
  it.each([
    "http://127.0.0.1:PORT/_sandbox/reset",
    "http://localhost:PORT/_sandbox/reset?x",
    "http://shop.LOCALHOST.:PORT/_sandbox/clock/advance",
    "http://[::1]:PORT/_sandbox/reset",
    "http://[::ffff:127.0.0.1]:PORT/_sandbox/reset",
    "http://2130706433:PORT/_sandbox/reset",
    "http://0.0.0.0:PORT/_sandbox/reset",
    "http://0:PORT/_sandbox/reset",
    "http://127.0.0.1:PORT/a/../_sandbox/reset",
    "http://127.0.0.1:PORT\\_sandbox\\reset",
    "http://127.0.0.1:PORT/_sandbox/sink/../reset",
    `${PUBLIC}/_sandbox/reset`,
    "https://pix.shop.example/_sandbox/reset",
    "http://PIX.shop.example.:PORT/_sandbox/reset",
    ...(inNetwork === undefined ? [] : [`http://${inNetwork}:PORT/_sandbox/reset`]),
  ])("is refused: %s", async (address) => {
    for (const { status, json } of await sendAll(address)) {
      expect(status).toBe(400);
      expect(json).toMatchObject({ errors: [REFUSAL] });
    }
  });

  it("is refused under a name by which a client has called the sandbox", async () => {
    const address = "http://pix-in-compose:PORT/_sandbox/reset";
    for (const { status } of await sendAll(address)) expect(status).toBeLessThan(300);
    const host = `pix-in-compose:${sandbox.port}`;
    await call(sandbox, { path: "/v1/webhooks", method: "GET", headers: { host } });
    for (const { status } of await sendAll(address)) expect(status).toBe(400);
  });

  it("is named beside the other wrong members", async () => {
    const body = { ...BUYER, webhook_url: `http://localhost:${sandbox.port}/_sandbox/reset` };
    const headers = { "x-provider": undefined };
    const { json } = await call(sandbox, { path: "/v1/payins", body, headers });
    expect(json).toMatchObject({ errors: [{ field: "x-provider" }, REFUSAL] });
  });
});

describe("a webhook_url that is no control route of the sandbox itself", () => {
  it.each([
    "http://127.0.0.1:PORT/_sandbox/sink/orders",
    "http://127.0.0.1:PORT/hooks/_sandbox/reset",
    "http://127.0.0.1:1/_sandbox/reset",
    "https://other.example/_sandbox/reset",
    "https://pix.shop.example:8443/_sandbox/reset",
    "http://127.0.0.1:PORT/hook",
  ])("is accepted: %s", async (address) => {
    for (const { status } of await sendAll(address)) expect(status).toBeLessThan(300);
  });
});
