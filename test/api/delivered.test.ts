import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isDelivered } from "../../src/api/delivered.ts";
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
    "takes no type that is none, such as %j: it could not fail, or not as is meant",
    async (type) => {
      const payin = await sandbox.payins.create({ webhookUrl: merchant.url });
      await sandbox.payins.pay(payin.id);
      for (const isNot of [false, true])
        await expect(
          isDelivered(sandbox, payin, type as unknown as EventType, { isNot }),
        ).rejects.toThrow("toHaveBeenDelivered takes one of payin.paid, ");
    },
  );

  it.each([undefined, null, 5, "", {}, { id: 5 }])("takes no %j", async (received) => {
    for (const isNot of [false, true])
      await expect(isDelivered(sandbox, received, undefined, { isNot })).rejects.toThrow(
        "takes a payin, a payout, or the id of one",
      );
  });
});
