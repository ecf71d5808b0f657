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

  it("refuses an unknown option", async () => {
    // @ts-expect-error -- there is no such option
    await expect(newShop().report({ finally: true })).rejects.toThrow(
      'Unknown member "finally" of report(). Use final.',
    );
  });
});
