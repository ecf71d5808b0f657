import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from "bun:test";
import { useSandbox } from "pix-sandbox";
import { Shop } from "./shop.js";

const hooks = { before: beforeAll, beforeEach, after: afterAll };
const used = useSandbox(hooks);
const tokens = new Set();

describe("a shop", () => {
  let shop;
  beforeEach(async () => {
    shop = new Shop(used.sandbox.baseUrl, used.integration.headers);
    await shop.open();
    tokens.add(used.integration.token);
  });
  afterEach(() => shop.close());

  it("hears that a charge is paid", async () => {
    const id = await shop.sell(10.5);
    await used.integration.payins.pay(id);
    await used.integration.webhooks.waitFor({ type: "payin.paid", transactionId: id });
    assert.deepEqual([...shop.paid], [id]);
  });

  it("has nothing of the tests before it", async () => {
    assert.deepEqual(await used.integration.payins.list(), []);
    assert.equal(tokens.size, 2);
  });
});

describe("a suite with options", () => {
  const own = useSandbox(hooks, { clock: "frozen", now: "2026-11-21T12:00:00Z" });

  it("has a sandbox of its own", async () => {
    assert.notEqual(own.sandbox.url, used.sandbox.url);
    const { expiresAt } = await own.integration.payins.create({ expiration: 60 });
    assert.equal(expiresAt, "2026-11-21T12:01:00.000Z");
  });
});

describe("a suite that reads the sandbox too early", () => {
  const early = useSandbox(hooks);
  let message = "";
  try {
    void early.sandbox;
  } catch (error) {
    message = error.message;
  }

  it("gets advice", () => {
    assert.match(message, /no sandbox yet.*Store the result of useSandbox\(\)/);
  });
});
