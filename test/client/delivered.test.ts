import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isDelivered } from "../../src/client/delivered.ts";
import { type EventType, type Sandbox, startSandbox } from "../../src/index.ts";
import { type Merchant, startMerchant } from "../support/merchant.ts";

let sandbox: Sandbox;
let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant();
  sandbox = await startSandbox();
});
afterAll(async () => {
  await sandbox.close();
  await merchant.close();
});

describe("toHaveBeenDelivered", () => {
  it.each(["payin.payd", "", null, { type: "payout.completed" }])(
    "refuses the invalid type %j, with which it could not fail as intended",
    async (type) => {
      const payin = await sandbox.payins.create({ webhookUrl: merchant.url });
      await sandbox.payins.pay(payin.id);
      for (const isNot of [false, true])
        await expect(
          isDelivered(sandbox, payin, type as unknown as EventType, { isNot }),
        ).rejects.toThrow("toHaveBeenDelivered takes one of payin.paid, ");
    },
  );

  it("passes with `not` only after attempts in flight have ended", async () => {
    let answer: (status: number) => void = () => undefined;
    const answered = new Promise<number>((resolve) => {
      answer = resolve;
    });
    merchant.answerWith(() => answered);
    const { id } = await sandbox.payins.create({ webhookUrl: merchant.url });
    await sandbox.payins.pay(id);
    await merchant.waitFor(1, ({ body }) => body.includes(id));
    // The merchant answers when somebody waits for that.
    const settled = (): Promise<void> => {
      answer(200);
      return sandbox.settled();
    };
    const verdict = await isDelivered({ ...sandbox, settled }, id, "payin.paid", { isNot: true });
    answer(200);
    expect(verdict.pass).toBe(true);
  });

  it.each([undefined, null, 5, "", {}, { id: 5 }])("refuses %j", async (received) => {
    for (const isNot of [false, true])
      await expect(isDelivered(sandbox, received, undefined, { isNot })).rejects.toThrow(
        "takes a payin, a payout, or the id of one",
      );
  });
});
