import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import payinRequest from "../../../fixtures/requests/payin.json" with { type: "json" };
import type { WireWebhookCheck } from "../../../src/review/webhook-check.ts";
import { type Sandbox, startSandbox } from "../../../src/server/start.ts";
import { callsTo } from "../../support/calls.ts";
import { type Answering, startMerchant } from "../../support/merchant.ts";

vi.mock(import("node:dns"), async (load) =>
  (await import("../delivery/fake-dns.ts")).fakeDns(await load()),
);

const TOKEN = { "x-api-token": "shop" };
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({
    controlToken: "a-token-of-the-test",
    checkWebhookHosts: ["Mixed.test", "link-local.test", "169.254.169.254"],
  });
});
afterAll(() => sandbox.close());

async function check(body: unknown, headers: Record<string, string> = TOKEN) {
  const response = await fetch(`${sandbox.url}/_sandbox/check-webhook`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: "Bearer a-token-of-the-test",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as WireWebhookCheck & Refused };
}

interface Refused {
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

/** A handler that verifies, with a body that no answer of the sandbox may contain. */
const verifies: Answering = ({ body, headers }) => {
  try {
    new Webhook(sandbox.secret).verify(body, headers);
    return { status: 200, body: "SECRET-OF-THE-SHOP" };
  } catch {
    return { status: 401, body: "SECRET-OF-THE-SHOP" };
  }
};

const verdictsOf = ({ rules }: WireWebhookCheck) =>
  Object.fromEntries(rules.map(({ id, verdict }) => [id, verdict]));

describe("the route check-webhook", { timeout: 60_000 }, () => {
  it("passes a handler that verifies, and shows nothing of its bodies", async () => {
    await using merchant = await startMerchant({ answer: verifies });
    const { status, json } = await check({ url: merchant.url });
    expect(status).toBe(200);
    expect(verdictsOf(json)).toMatchObject({
      valid_signature_refused: "pass",
      bad_signature_accepted: "pass",
      duplicate_acts_twice: "not_seen",
    });
    expect(json.probes.filter(({ result }) => result === "changed")).toEqual([]);
    expect(JSON.stringify(json)).not.toContain("SECRET-OF-THE-SHOP");
    const { data } = (await (
      await sandbox.fetch("/_sandbox/payins", {
        headers: { authorization: "Bearer a-token-of-the-test" },
      })
    ).json()) as { data: unknown[] };
    expect(data).toEqual([]);
  });

  it("names what a handler that accepts everything does otherwise, in the caller's language", async () => {
    await using merchant = await startMerchant();
    const { json } = await check({ url: merchant.url }, { ...TOKEN, "x-sandbox-language": "pt" });
    expect(verdictsOf(json)).toMatchObject({ signature_not_checked: "warning" });
    const changed = json.probes.filter(({ result }) => result === "changed");
    expect(changed.length).toBeGreaterThan(2);
    expect(changed[0]?.seen).toContain("após");
  });

  it("says that nothing listens at a dead port, and nothing else", async () => {
    const merchant = await startMerchant();
    await merchant.close();
    const { status, json } = await check({ url: merchant.at("/pix") });
    expect(status).toBe(400);
    expect(json.errors).toMatchObject([
      { field: "url", message: `Nothing listens at ${merchant.at("/pix")}.` },
    ]);
  });

  it("follows no redirect", async () => {
    await using target = await startMerchant();
    await using merchant = await startMerchant({
      answer: { status: 302, headers: { location: target.url } },
    });
    const { json } = await check({ url: merchant.url });
    expect(verdictsOf(json)).toMatchObject({ webhook_answer_redirects: "fail" });
    expect(target.received).toEqual([]);
  });

  it("reaches another host if the integration has used it, or an option names it", async () => {
    await using merchant = await startMerchant();
    const url = `http://partly-here.test:${merchant.port}/pix`;
    expect((await check({ url })).status).toBe(400);
    await sandbox.fetch("/v1/payins", {
      method: "POST",
      headers: {
        ...sandbox.headers("shop"),
        "content-type": "application/json",
        "x-idempotency-key": "1",
      },
      body: JSON.stringify({ ...payinRequest, webhook_url: `${url}/other` }),
    });
    expect((await check({ url }, { "x-api-token": "another" })).status).toBe(400);
    expect((await check({ url })).status).toBe(200);
    const mixed = `http://mixed.test:${merchant.port}/pix`;
    expect((await check({ url: mixed })).status).toBe(200);
    // One address is this machine's, the other link-local: only the first was called.
    expect(merchant.received.some(({ headers }) => headers["host"]?.startsWith("mixed"))).toBe(
      true,
    );
  });

  it.each([
    ["elsewhere.test", "--check-webhook-host elsewhere.test"],
    ["link-local.test", "link-local.test has no address"],
    ["metadata.test", "metadata.test has no address"],
    ["169.254.169.254", "url must be the address"],
    ["[fd00:ec2::254]", "url must be the address"],
  ])("refuses %s", async (host, message) => {
    const { status, json } = await check({ url: `http://${host}/latest/meta-data` });
    expect(status).toBe(400);
    expect(json.errors).toMatchObject([{ field: "url" }]);
    expect(json.errors?.[0]?.message).toContain(message);
  });

  it("refuses the sandbox's own control routes, unknown members and anything but an address", async () => {
    const bodies = [
      { url: `${sandbox.url}/_sandbox/reset` },
      { url: "file:///etc/passwd" },
      { url: 5 },
      {},
      { url: "http://localhost:3000/", command: "cat /etc/passwd" },
    ];
    for (const body of bodies) expect((await check(body)).status).toBe(400);
    expect((await check({ url: "http://localhost:1/" }, { authorization: "" })).status).toBe(401);
  });

  it("pays the shop's open orders and says what became of them, without a text of its address", async () => {
    const credits = new Map<string, number>();
    await using merchant = await startMerchant({
      answer: (received, number) => {
        const id = /^\/orders\/(.+)$/.exec(received.path)?.[1];
        if (id !== undefined)
          return { status: 200, body: `SECRET-OF-THE-SHOP ${credits.get(id) ?? 0}` };
        const verdict = verifies(received, number);
        const { type, data } = JSON.parse(received.body) as {
          readonly type: string;
          readonly data: { readonly id: string };
        };
        if (verdict === 200 || type !== "payin.paid") return verdict;
        if ((verdict as { status: number }).status === 200)
          credits.set(data.id, (credits.get(data.id) ?? 0) + 1);
        return verdict;
      },
    });
    const shop = callsTo(sandbox.url, "shop");
    const url = merchant.at("/hook");
    for (let count = 0; count < 10; count++)
      await shop.createPayin({ webhook_url: url }, `order-${count}`);
    const { status, json } = await check({ url, effect: merchant.at("/orders/{id}") });
    expect(status).toBe(200);
    expect(verdictsOf(json)).toMatchObject({
      duplicate_acts_twice: "fail",
      foreign_transaction_settles: "pass",
    });
    expect(JSON.stringify(json)).toContain("The effect changed.");
    expect(JSON.stringify(json)).not.toContain("SECRET-OF-THE-SHOP");
  });

  it.each([
    ["http://elsewhere.test/orders/{id}", "--check-webhook-host elsewhere.test"],
    ["http://169.254.169.254/latest/{id}", "effect must be the address"],
    ["http://metadata.test/{id}", "metadata.test has no address"],
    ["http://{id}/orders", "Invalid address of an effect"],
    ["./show $PIX_ID", "Invalid address of an effect"],
    ["CONTROL", "effect must be the address"],
    [5, "effect must be text"],
  ])("refuses the effect %s", async (effect, message) => {
    const address = effect === "CONTROL" ? `${sandbox.url}/_sandbox/payins/{id}` : effect;
    const { status, json } = await check({ url: "http://localhost:3000/", effect: address });
    expect(status).toBe(400);
    expect(json.errors).toMatchObject([{ field: "effect" }]);
    expect(json.errors?.[0]?.message).toContain(message);
  });

  it("runs one check at a time, and ends it when the caller goes", async () => {
    await using merchant = await startMerchant({ answer: "hold" });
    const gone = new AbortController();
    const first = fetch(`${sandbox.url}/_sandbox/check-webhook`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer a-token-of-the-test" },
      body: JSON.stringify({ url: merchant.url }),
      signal: gone.signal,
    });
    first.catch(() => undefined);
    await merchant.waitFor(1);
    expect((await check({ url: merchant.url })).status).toBe(429);
    gone.abort();
    await expect(first).rejects.toThrow("aborted");
    await using other = await startMerchant();
    await expect.poll(async () => (await check({ url: other.url })).status).toBe(200);
  });
});
