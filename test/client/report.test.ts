import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createClient,
  type Integration,
  type Review,
  type ReviewFinding,
  type RuleId,
  type Sandbox,
  startSandbox,
} from "../../src/index.ts";
import { type Merchant, startMerchant } from "../support/merchant.ts";

let sandbox: Sandbox;
let merchant: Merchant;
beforeAll(async () => {
  sandbox = await startSandbox();
  merchant = await startMerchant();
});
afterAll(async () => {
  await sandbox.close();
  await merchant.close();
});

let shops = 0;
/** An integration of its own, since a review outlives resets. */
const newShop = (): Integration => sandbox.integration(`shop-${++shops}`);

async function pay(shop: Pick<Integration, "payins">, webhookUrl = merchant.url) {
  const { id } = await shop.payins.create({ webhookUrl });
  return shop.payins.pay(id);
}

const ruleOf = ({ rules }: Review, id: RuleId) => rules.find((one) => one.id === id);
const DUPLICATE = "duplicate_acts_twice";
const RACE = "concurrent_duplicates_act_twice";

/** An effect that gives these results, one after the other, then the last. */
function effects(...results: readonly unknown[]) {
  const left = [...results];
  return () => (left.length > 1 ? left.shift() : left[0]);
}

describe("report()", { timeout: 60_000 }, () => {
  it("is what the route answers, for the sandbox, an integration and a connected sandbox", async () => {
    const shop = newShop();
    await pay(shop);
    const route = await (await shop.report(), sandbox.fetch("/_sandbox/report"));
    const all = (await route.json()) as Review;
    expect(await sandbox.report()).toEqual(all);
    expect(await createClient({ baseUrl: sandbox.baseUrl }).report()).toEqual(all);
    expect(ruleOf(await shop.report(), "webhook_never_received")?.verdict).toBe("pass");
    expect(ruleOf(await newShop().report(), "webhook_never_received")?.verdict).toBe("not_seen");
    const connected = createClient({ baseUrl: sandbox.baseUrl }).integration(shop.token);
    expect(await connected.report()).toEqual(await shop.report());
  });

  it("does not blame the merchant for what the test itself creates", async () => {
    const shop = newShop();
    await shop.payins.create({ webhookUrl: `${merchant.url}?cpf=123.456.789-09` });
    await shop.payins.create({ webhookUrl: `${merchant.url}?cpf=123.456.789-09` });
    await shop.faults.once("payouts.create", "error=EXTERNAL_ERROR");
    const { url: webhookUrl } = merchant;
    await expect(shop.payouts.create({ webhookUrl })).rejects.toThrow("A fault of the sandbox");
    await shop.payouts.cancel((await shop.payouts.create({ webhookUrl })).id);
    // A merchant does not know the transaction.
    merchant.answerWith(403);
    await pay(shop);
    await sandbox.settled();
    merchant.answerWith(200);
    const isBroken = ({ verdict }: ReviewFinding): boolean => /^(fail|warning)$/.test(verdict);
    expect((await shop.report()).rules.filter(isBroken)).toEqual([]);
  });

  it("waits for the webhooks that are due", async () => {
    const shop = newShop();
    await pay(shop);
    expect(ruleOf(await shop.report(), "webhook_answer_not_200")?.verdict).toBe("pass");
  });

  it("finds a merchant that acts twice, and reads the effect by the record", async () => {
    const shop = newShop();
    const from = merchant.received.length;
    const payin = await pay(shop);
    const seen = new Set<string>();
    const effect = ({ id, ...record }: { id: string }) => {
      seen.add(`${id} ${"buyerCpf" in record}`);
      return merchant.received.slice(from).filter(({ body }) => body.includes(id)).length;
    };
    const review = await shop.report({ effect });
    expect([...seen]).toEqual([`${payin.id} true`]);
    const [{ id: delivery } = { id: "" }] = await shop.webhooks.list();
    expect(ruleOf(review, DUPLICATE)).toMatchObject({
      verdict: "fail",
      evidence: [
        {
          says: `${delivery} (payin.paid) was sent again: the effect of ${payin.id} changed from "1" to "2".`,
          delivery,
          transaction: payin.id,
          command: `npx pix-sandbox webhooks resend ${delivery}`,
        },
      ],
    });
    // The duplicate was accepted.
    expect(ruleOf(review, "duplicate_refused")?.verdict).toBe("pass");
    expect(review.rules.map(({ id }) => id)).toEqual(
      (await shop.report()).rules.map(({ id }) => id),
    );
  });

  it("finds a merchant that responds first and acts then", async () => {
    const shop = newShop();
    await pay(shop);
    const review = await shop.report({ effect: effects(1, 1, 1, 2, 2) });
    expect(ruleOf(review, DUPLICATE)?.verdict).toBe("fail");
  });

  it("passes a merchant that acts once, and does not claim to have seen a race", async () => {
    const shop = newShop();
    await pay(shop);
    const balance = new Map([["order", { paid: 1n, tags: new Set(["a"]) }]]);
    const review = await shop.report({ effect: () => balance });
    expect(ruleOf(review, DUPLICATE)).toMatchObject({ verdict: "pass", evidence: [] });
    expect(ruleOf(review, RACE)).toMatchObject({
      verdict: "not_seen",
      says: expect.stringContaining("had processed the webhooks before") as string,
    });
  });

  it.each([
    ["before the webhook is sent again", effects(1, 2)],
    ["after it was sent again", effects(1, 1, 2, 3)],
  ])("does not judge by an effect that changes by itself %s", async (_title, effect) => {
    const shop = newShop();
    const { id } = await pay(shop);
    const { verdict, says } = ruleOf(await shop.report({ effect }), DUPLICATE) ?? {};
    expect(verdict).toBe("not_seen");
    expect(says).toContain(`The effect of ${id} changes by itself.`);
  });

  it("does not judge a merchant that does not accept the webhook again", async () => {
    const shop = newShop();
    await using strict = await startMerchant({ answer: (_received, index) => (index ? 409 : 200) });
    await pay(shop, strict.url);
    const review = await shop.report({ effect: () => 1 });
    expect(ruleOf(review, DUPLICATE)?.verdict).toBe("not_seen");
    expect(ruleOf(review, DUPLICATE)?.says).toContain("(the status 409)");
    expect(ruleOf(review, "duplicate_refused")?.verdict).toBe("fail");
  });

  it("sends the newest three again, and none of the sandbox's own receiver", async () => {
    const shop = newShop();
    const ids: string[] = [];
    for (let count = 0; count < 4; count++) ids.push((await pay(shop)).id);
    await shop.payins.pay((await shop.payins.create()).id);
    await shop.settled();
    await shop.report({ effect: () => 1 });
    const resent = (await shop.webhooks.list()).filter(({ attempts }) => attempts.length > 1);
    expect(resent.map(({ transactionId }) => transactionId)).toEqual(ids.slice(1));

    const other = newShop();
    await other.payins.pay((await other.payins.create()).id);
    const { verdict, says } = ruleOf(await other.report({ effect: () => 1 }), DUPLICATE) ?? {};
    expect(verdict).toBe("not_seen");
    expect(says).toMatch(/^The merchant accepted no payin\.paid/);
  });

  it("judges payouts too", async () => {
    const shop = newShop();
    const { id } = await shop.payouts.create({ webhookUrl: merchant.url });
    await shop.payouts.complete(id);
    const review = await shop.report({ effect: effects(1, 1, 2) });
    expect(ruleOf(review, DUPLICATE)).toMatchObject({
      verdict: "fail",
      evidence: [{ transaction: id }],
    });
  });

  it("shows where two long effects differ", async () => {
    const shop = newShop();
    await pay(shop);
    const [one, other] = ["1", "2"].map((paid) => `${"a".repeat(90)}${paid}${"b".repeat(90)}`);
    const review = await shop.report({ effect: effects(one, one, other) });
    const says = ruleOf(review, DUPLICATE)?.evidence[0]?.says ?? "";
    expect(says).toMatch(/from "…a{20}1b{39}…" to "…a{20}2b{39}…"\.$/);
  });

  it("rejects with the error of the effect, and refuses one that is no function", async () => {
    const shop = newShop();
    await pay(shop);
    const effect = (): never => {
      throw new RangeError("no such order");
    };
    await expect(shop.report({ effect })).rejects.toThrow(new RangeError("no such order"));
    // @ts-expect-error -- an effect is a function
    await expect(shop.report({ effect: "curl" })).rejects.toThrow(TypeError);
  });
});
