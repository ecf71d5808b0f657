import { describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/index.ts";
import { readTrace, recordsAt, type Trace } from "../../../src/server/trace/trace.ts";
import { startMerchant } from "../../support/merchant.ts";

async function traceOf({ trace }: Pick<Sandbox, "trace">): Promise<Trace> {
  return readTrace(await trace(), "trace.html");
}

function verdictIn({ reports }: Trace, language: "en" | "pt") {
  return reports[language].rules.find(({ id }) => id === "webhook_answer_redirects");
}

describe("the trace of a test", () => {
  it("has only what its integration did in it", async () => {
    await using merchant = await startMerchant({ answer: 302 });
    await using sandbox = await startSandbox({ assumptions: { "webhook.retries": "none" } });
    const sell = async (test: string, token: string, webhookUrl: string) => {
      const shop = sandbox.integration(token, { test });
      await shop.reset();
      const { id } = await shop.payins.create({ webhookUrl });
      await shop.payins.pay(id);
      await shop.settled();
      return { id, shop };
    };
    const sink = `${sandbox.url}/_sandbox/sink/shop`;
    const first = await sell("first", "one", merchant.url);
    const broken = await traceOf(first.shop);
    // While its second test runs, another integration is in a test too.
    const other = await sell("other", "two", merchant.url);
    const second = await sell("second é 2", "one", sink);
    await sandbox.integration("two").payins.create();

    const trace = await traceOf(second.shop);
    expect(recordsAt(trace, 0).payins.size).toBe(0);
    expect(recordsAt(trace).payins.all()).toMatchObject([{ id: second.id, integration: "shop-1" }]);
    expect(recordsAt(trace).deliveries.all()).toMatchObject([
      { transactionId: second.id, status: "delivered", attempts: [{ status: 200 }] },
    ]);
    expect(trace.requests).toMatchObject([{ method: "POST", path: "/v1/payins" }]);
    expect(trace.tests).toMatchObject([
      { name: "second é 2", from: 0, until: trace.steps.length, integration: "shop-1" },
    ]);
    expect(JSON.stringify(trace)).not.toContain(other.id);
    expect(JSON.stringify(trace)).not.toContain(first.id);
    // The first test broke the rule, this one did not.
    expect(verdictIn(broken, "en")).toMatchObject({ verdict: "fail" });
    for (const language of ["en", "pt"] as const)
      expect(verdictIn(trace, language)).toMatchObject({ verdict: "not_seen", evidence: [] });
  });

  it("has all of it although the test resets its integration", async () => {
    await using sandbox = await startSandbox();
    const shop = sandbox.integration("one", { test: "resets" });
    const { id } = await shop.payins.create();
    await shop.reset();
    const trace = await traceOf(shop);
    expect(trace.requests).toHaveLength(1);
    const sizes = trace.steps.map((_step, index) => recordsAt(trace, index + 1).payins.size);
    expect(Math.max(...sizes)).toBe(1);
    expect(recordsAt(trace).payins.get(id)).toBeUndefined();
  });

  it("is that of its last run if a test runs again", async () => {
    await using sandbox = await startSandbox();
    const run = async () => {
      const shop = sandbox.integration("one", { test: "again" });
      await shop.payins.create();
      return traceOf(shop);
    };
    const [first, second] = [await run(), await run()];
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
    const whole = await traceOf(sandbox);
    expect(whole.tests.map(({ name }) => name)).toEqual(["again", "again"]);
    expect(whole.requests).toHaveLength(2);
  });

  it("is everything that an integration did if the call names no test", async () => {
    await using sandbox = await startSandbox();
    await sandbox.integration("one", { test: "a" }).payins.create();
    await sandbox.integration("two", { test: "b" }).payins.create();
    const trace = await traceOf(sandbox.integration("one"));
    expect(trace.tests).toMatchObject([{ name: "a", from: 0, until: trace.steps.length }]);
    expect(recordsAt(trace).payins.size).toBe(1);
  });
});
