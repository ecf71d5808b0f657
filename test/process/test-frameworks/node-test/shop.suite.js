import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { useSandbox } from "pix-sandbox/node-test";

const seen = new Set();
const urls = new Set();

/** Creates a payin over HTTP, as a shop does, in a test's integration. */
async function order({ sandbox, integration }) {
  assert.ok(!seen.has(`${sandbox.url} ${integration.token}`));
  seen.add(`${sandbox.url} ${integration.token}`);
  urls.add(sandbox.url);
  assert.deepEqual(await integration.payins.list(), []);
  const response = await fetch(`${sandbox.baseUrl}/payins`, {
    method: "POST",
    headers: integration.headers(),
    body: JSON.stringify({
      value: 25,
      buyer_cpf: "12345678909",
      buyer_name: "Maria da Silva",
      buyer_email: "maria@example.com",
      webhook_url: "http://127.0.0.1:1/hook",
    }),
  });
  const { id } = await response.json();
  assert.equal((await integration.payins.get(id)).value, 25);
}

test("has an integration", async (t) => order(await useSandbox(t)));
test("has another one", async (t) => order(await useSandbox(t)));

describe("a suite", { concurrency: true }, () => {
  for (const name of ["one", "two", "three"])
    it(name, async (t) => {
      await order(await useSandbox(t));
      await t.test("with a subtest", async (s) => order(await useSandbox(s)));
    });
});

test("has a sandbox of its own with options", async (t) => {
  const [own, same] = [
    await useSandbox(t, { clock: "frozen", seed: "42" }),
    await useSandbox(t, { clock: "frozen", seed: "42" }),
  ];
  assert.notEqual(own.sandbox.url, same.sandbox.url);
  const [one, other] = [
    await own.integration.payins.create(),
    await same.integration.payins.create(),
  ];
  assert.equal(one.id, other.id);
  const { mode } = await own.sandbox.clock.advance({ minutes: 5 });
  assert.equal(mode, "frozen");
});

test("closes the sandbox of earlier tests", async (t) => {
  const { sandbox } = await useSandbox(t);
  const given = process.env.PIX_SANDBOX_URL;
  for (const url of urls)
    if (given) assert.equal(url, given);
    else if (url !== sandbox.url) await assert.rejects(fetch(url), TypeError);
});

test("refuses a test without its context", async () => {
  await assert.rejects(useSandbox(), /Call useSandbox\(t\) in a test/);
});
