import http from "node:http";
import { describe, expect, it } from "vitest";
import type { WireFinding, WireReview } from "../../src/review/report.ts";
import { RULE_IDS, type RuleId } from "../../src/review/rules.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/server/start.ts";
import { BUYER, type Calls, callsTo } from "../support/calls.ts";
import { call, control, type Json } from "../support/gateway.ts";
import { startMerchant } from "../support/merchant.ts";

const PERSONAL = "http://127.0.0.1:9/maria@example.com";
const NOWHERE = { webhook_url: "http://127.0.0.1:9/hook" };

describe("rules about calls", { timeout: 60_000 }, () => {
  it("1 and 2: a payout is repeated under a new key after a lost response", async () => {
    await using sandbox = await start();
    const shop = callsTo(sandbox.url);
    await addFault(shop, "payouts.create", "lost_answer");
    await expect(shop.createPayout(NOWHERE, "first")).rejects.toThrow("fetch failed");
    expect(await brokenIn(sandbox)).toEqual(["unknown_outcome_not_retried"]);
    await shop.createPayout(NOWHERE, "second");
    const { rules } = await reportOf(sandbox);
    expect(brokenOf(rules)).toEqual([
      "payout_new_key_after_failure",
      "unknown_outcome_not_retried",
    ]);
    expect(findingOf(rules, "unknown_outcome_not_retried").implied_by).toBe(
      "payout_new_key_after_failure",
    );
    const [evidence] = findingOf(rules, "payout_new_key_after_failure").evidence;
    expect(evidence).toMatchObject({
      request: "req_2",
      says: "req_2 repeats the payout of req_1, whose response was lost, under the new key second.",
      command: "npx pix-sandbox faults add payouts.create lost_answer --times 1",
    });
  });

  it("2: an error that is always 400 is an unknown outcome too, in both versions", async () => {
    await using sandbox = await start({ assumptions: { "error.status": "always_400" } });
    const shop = callsTo(sandbox.url);
    await addFault(shop, "payins.create", "error=EXTERNAL_ERROR", 2);
    await shop.gateway("POST", "/v1/payins?source=shop", { ...BUYER, ...NOWHERE }, "first");
    await shop.gateway("POST", "/v2/payins", { ...BUYER, ...NOWHERE }, "second");
    const { rules } = await reportOf(sandbox);
    const { evidence } = findingOf(rules, "unknown_outcome_not_retried");
    expect(evidence.map(({ request }) => request)).toEqual(["req_1", "req_2"]);
    await shop.gateway("POST", "/v1/payins", { ...BUYER, ...NOWHERE }, "first");
    await shop.gateway("POST", "/v2/payins", { ...BUYER, ...NOWHERE, value: 2 }, "second");
    expect(await brokenIn(sandbox)).toEqual([]);
  });

  it("2: a call that is refused before its body is read repeats one too", async () => {
    await using sandbox = await start();
    const shop = callsTo(sandbox.url);
    await addFault(shop, "payins.create", "error=EXTERNAL_ERROR");
    await shop.createPayin(NOWHERE, "first");
    expect(await brokenIn(sandbox)).toEqual(["unknown_outcome_not_retried"]);
    const headers = { "x-idempotency-key": "first", "content-type": "text/plain" };
    await call(sandbox, { path: "/v1/payins", token: "shop", headers, body: "{}" });
    expect(await brokenIn(sandbox)).toEqual([]);
  });

  it("2: a client that waits no longer repeats its call before the first one has ended", async () => {
    await using sandbox = await start();
    const shop = callsTo(sandbox.url);
    await addFault(shop, "payins.create", "hold");
    const headers = { ...sandbox.headers("shop"), "x-idempotency-key": "first" };
    const outgoing = http.request(`${sandbox.url}/v1/payins`, { method: "POST", headers });
    outgoing.end(JSON.stringify({ ...BUYER, ...NOWHERE }));
    outgoing.on("error", () => undefined);
    const used = async () => (await rowsOf(sandbox, "faults"))[0]?.["used"];
    await expect.poll(used).toBe(1);
    await shop.createPayin(NOWHERE, "first");
    outgoing.destroy();
    await expect.poll(() => rowsOf(sandbox, "requests")).toHaveLength(2);
    expect(await brokenIn(sandbox)).toEqual([]);
  });

  it.each(["reject", "replay"] as const)(
    "3: one key is used for different bodies (idempotency.mismatch=%s)",
    async (mismatch) => {
      await using sandbox = await start({ assumptions: { "idempotency.mismatch": mismatch } });
      const shop = callsTo(sandbox.url);
      await shop.createPayin(NOWHERE, "key");
      await shop.createPayin({ ...NOWHERE, value: 11 }, "key");
      expect(await verdictsIn(sandbox)).toMatchObject({ key_reused_with_other_body: "fail" });
    },
  );
});

describe("rules about webhooks", { timeout: 60_000 }, () => {
  it.each([
    ["webhook_answer_not_200", 204, "warning"],
    ["webhook_answer_redirects", 302, "fail"],
    ["valid_signature_refused", 401, "fail"],
    ["webhook_never_received", 410, "fail"],
  ] as const)("%s", async (rule, bad, verdict) => {
    await using sandbox = await start({
      assumptions: { "webhook.retries": "none", "webhook.success": "only_200" },
    });
    await using merchant = await startMerchant({ answer: bad });
    await payOne(sandbox, "bad", merchant.url);
    merchant.answerWith(200);
    await payOne(sandbox, "good", merchant.url);
    const { rules } = await reportOf(sandbox, "bad");
    const evidence = [{ delivery: expect.stringMatching(/^evt_/) as string }];
    expect(findingOf(rules, rule)).toMatchObject({ verdict, evidence });
    expect(rules.filter(({ implied_by }) => implied_by === rule)).toEqual([]);
    expect(await verdictsIn(sandbox, "good")).toMatchObject({ [rule]: "pass" });
  });

  it("12: a duplicate is refused", async () => {
    await using sandbox = await start();
    await using merchant = await startMerchant({
      answer: (_webhook, index) => (index ? 409 : 200),
    });
    await payOne(sandbox, "bad", merchant.url, "duplicate");
    await using good = await startMerchant();
    await payOne(sandbox, "good", good.url, "duplicate");
    expect(await verdictsIn(sandbox, "bad")).toMatchObject({ duplicate_refused: "fail" });
    expect(await verdictsIn(sandbox, "good")).toMatchObject({ duplicate_refused: "pass" });
  });

  it("are not judged by what the sandbox's own receiver answers", async () => {
    await using sandbox = await start();
    await payOne(sandbox, "shop", `${sandbox.url}/_sandbox/sink/shop`);
    const { rules } = await reportOf(sandbox);
    expect(rules.filter(({ verdict }) => verdict !== "not_seen")).toEqual([]);
  });
});

describe("GET /_sandbox/report", { timeout: 60_000 }, () => {
  it("has every rule in the order of the numbers, for one integration and for all", async () => {
    await using sandbox = await start();
    await callsTo(sandbox.url, "one").createPayin({ webhook_url: PERSONAL });
    await callsTo(sandbox.url, "a b").createPayin(NOWHERE);
    const { rules } = await reportOf(sandbox);
    expect(rules.map(({ id }) => id)).toEqual(RULE_IDS);
    expect(brokenOf(rules)).toEqual(["personal_data_in_address"]);
    expect(await verdictsIn(sandbox, "a b")).toMatchObject({ personal_data_in_address: "pass" });
    expect(await brokenIn(sandbox, "one")).toEqual(["personal_data_in_address"]);
  });

  it("survives a reset, but what came before is not compared with what comes after", async () => {
    await using sandbox = await start();
    const shop = callsTo(sandbox.url);
    await shop.createPayin({ webhook_url: PERSONAL });
    await shop.createPayin(NOWHERE, "key");
    await shop.control("POST", "/reset");
    await shop.createPayin(NOWHERE);
    await shop.createPayin({ ...NOWHERE, value: 3 }, "key");
    expect(await brokenIn(sandbox)).toEqual(["personal_data_in_address"]);
  });

  it("starts anew after a DELETE, of one integration or of all", async () => {
    await using sandbox = await start();
    for (const token of ["one", "other", "third"])
      await callsTo(sandbox.url, token).createPayin({
        webhook_url: PERSONAL,
      });
    const cleared = await control(sandbox, "one", "DELETE /report");
    const { rules, assumptions } = cleared as unknown as WireReview;
    expect([brokenOf(rules), assumptions]).toEqual([[], []]);
    expect(
      findingOf((await reportOf(sandbox)).rules, "personal_data_in_address").evidence,
    ).toHaveLength(2);
    await control(sandbox, undefined, "DELETE /report");
    expect(await brokenIn(sandbox)).toEqual([]);
  });

  it("is written in Portuguese, as JUnit and as Markdown", async () => {
    await using sandbox = await start();
    await callsTo(sandbox.url).createPayin({ webhook_url: PERSONAL });
    const read = async (format: string) => {
      const headers = { "x-sandbox-language": "pt" };
      const answer = await sandbox.fetch(`/_sandbox/report?format=${format}`, { headers });
      return [answer.headers.get("content-type"), await answer.text()];
    };
    const rule = expect.stringContaining("o e-mail ou o nome de uma pessoa na webhook_url");
    expect(await read("json")).toEqual(["application/json", rule]);
    expect(await read("junit")).toEqual(["application/xml", rule]);
    const heading = expect.stringContaining("### Aviso: `11 personal_data_in_address`");
    expect(await read("markdown")).toEqual(["text/markdown; charset=utf-8", heading]);
    expect((await fetch(`${sandbox.url}/_sandbox/report?format=pdf`)).status).toBe(400);
  });

  it("lists the assumptions of webhooks, with the question to the provider", async () => {
    await using sandbox = await start();
    await using merchant = await startMerchant();
    await payOne(sandbox, "shop", merchant.url);
    const { assumptions } = await reportOf(sandbox, "shop");
    expect(assumptions).toContainEqual({
      name: "webhook.timeout_seconds",
      choice: "10",
      question: expect.stringMatching(/\?$/),
    });
  });
});

function start(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox({ clock: "frozen", seed: "report", ...options });
}

async function reportOf(sandbox: Sandbox, token?: string): Promise<WireReview> {
  // What is pending is decided.
  return (await control(sandbox, token, "GET /report?final=true")) as unknown as WireReview;
}

function findingOf(rules: readonly WireFinding[], id: RuleId): WireFinding {
  return rules.find((one) => one.id === id) as WireFinding;
}

function brokenOf(rules: readonly WireFinding[]): RuleId[] {
  return rules
    .filter(({ verdict }) => verdict === "fail" || verdict === "warning")
    .map(({ id }) => id);
}

async function brokenIn(sandbox: Sandbox, token?: string): Promise<RuleId[]> {
  return brokenOf((await reportOf(sandbox, token)).rules);
}

async function verdictsIn(sandbox: Sandbox, token = "shop"): Promise<Record<string, string>> {
  const { rules } = await reportOf(sandbox, token);
  return Object.fromEntries(rules.map(({ id, verdict }) => [id, verdict]));
}

async function addFault(shop: Calls, on: string, effect: string, times = 1): Promise<void> {
  await shop.control("POST", "/faults", { on, effect, times });
}

/** Creates and pays a charge, and waits until its webhook was attempted. */
async function payOne(sandbox: Sandbox, token: string, url: string, fault?: string): Promise<void> {
  const calls = callsTo(sandbox.url, token);
  if (fault !== undefined) await addFault(calls, "webhook", fault);
  const { body } = await calls.createPayin({ webhook_url: url });
  await calls.simulate("payin", body.id);
  await calls.control("POST", "/settle");
}

async function rowsOf(sandbox: Sandbox, list: string): Promise<Json[]> {
  return (await control(sandbox, undefined, `GET /${list}`))["data"] as Json[];
}
