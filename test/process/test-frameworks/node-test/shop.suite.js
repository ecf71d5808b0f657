import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it, test } from "node:test";
import { useSandbox } from "pix-sandbox";

const used = useSandbox({ before, beforeEach, after });
const seen = new Set();

/** Creates a payin over HTTP, as a shop does, in an integration that no other test had. */
async function order(sandbox, integration) {
  assert.ok(!seen.has(integration.token));
  seen.add(integration.token);
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

test("has an integration", () => order(used.sandbox, used.integration));
test("has another one", async (t) => {
  await order(used.sandbox, used.integration);
  await t.test("with a subtest", () => order(used.sandbox, used.integration));
});

test("knows the address as a program under test does", () => {
  assert.equal(process.env.PIX_SANDBOX_URL, used.sandbox.url);
});

describe("tests that run at the same time", { concurrency: true }, () => {
  for (const name of ["one", "two", "three"])
    it(name, () => order(used.sandbox, used.sandbox.integration(`${process.pid}-${name}`)));
});

describe("a suite with options", () => {
  const own = useSandbox({ before, beforeEach, after }, { clock: "frozen", seed: "42" });
  const same = useSandbox({ before, beforeEach, after }, { clock: "frozen", seed: "42" });

  it("has a sandbox of its own", async () => {
    const urls = [used, own, same].map(({ sandbox }) => sandbox.url);
    assert.equal(new Set(urls).size, 3);
    const [one, other] = [
      await own.integration.payins.create(),
      await same.integration.payins.create(),
    ];
    assert.equal(one.id, other.id);
    const { mode } = await own.sandbox.clock.advance({ minutes: 5 });
    assert.equal(mode, "frozen");
  });
});

test("refuses a suite without its hooks", () => {
  assert.throws(() => useSandbox(), /needs the hook "before"/);
});
