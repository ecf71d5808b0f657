import { afterEach, describe, expect, it } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/server/start.ts";
import { control, type Json, recordsOf } from "../support/gateway.ts";
import { callsTo } from "../support/calls.ts";
import { type Merchant, startMerchant } from "../support/merchant.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

describe("the value of a record", () => {
  it.each([
    ["reais", "centavos", 10.5],
    ["centavos", "reais", 1050],
  ] as const)(
    "that was created in %s stays in it when the unit becomes %s",
    async (unit, later, value) => {
      const merchant = await open();
      const sandbox = await start({ assumptions: { "value.unit": unit } });
      const ids = await createBoth(sandbox, merchant, value);
      await control(sandbox, undefined, "PATCH /assumptions", { "value.unit": later });
      const laterValue = value === 10.5 ? 1050 : 10.5;
      await createBoth(sandbox, merchant, laterValue, "kiosk");

      for (const noun of ["payins", "payouts"] as const) {
        expect(await control(sandbox, "shop", `GET /${noun}/${ids[noun]}`)).toMatchObject({
          value,
        });
        const listed = await recordsOf(sandbox, undefined, noun);
        expect(listed).toMatchObject([{ value }, { value: laterValue }]);
      }
      const paid = await control(sandbox, "shop", `POST /payins/${ids.payins}/pay`);
      const completed = await control(sandbox, "shop", `POST /payouts/${ids.payouts}/complete`);
      expect([paid, completed]).toMatchObject([{ value }, { value }]);
      await control(sandbox, undefined, "POST /settle");
      expect(valuesIn(merchant)).toEqual([value, value]);
    },
  );
});

async function open(): Promise<Merchant> {
  const merchant = await startMerchant();
  closing.push(() => merchant.close());
  return merchant;
}

async function start(options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  closing.push(() => sandbox.close());
  return sandbox;
}

async function createBoth(
  sandbox: Sandbox,
  { url: webhook_url }: Merchant,
  value: number,
  token = "shop",
): Promise<{ payins: string; payouts: string }> {
  const calls = callsTo(sandbox.url, token);
  const payin = await calls.createPayin({ webhook_url, value });
  const payout = await calls.createPayout({ webhook_url, value });
  expect([payin.status, payout.status]).toEqual([200, 200]);
  return { payins: payin.body.id, payouts: payout.body.id };
}

function valuesIn(merchant: Merchant): unknown[] {
  return merchant.received.map(({ body }) => (JSON.parse(body) as { data: Json }).data["value"]);
}
