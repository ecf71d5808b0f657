import { describe, expect, it } from "vitest";
import { effectKindsOn, type EffectKind } from "../../src/core/faults/effects.ts";
import { TOP_LEVEL_CODES } from "../../src/core/records/errors.ts";
import type { WireReview } from "../../src/review/report.ts";
import { type ClockMoves, createClient, type Integration, startSandbox } from "../../src/index.ts";
import { startServe } from "../support/cli.ts";
import { createFolder } from "../support/folder.ts";
import { freePort } from "../support/process.ts";
import { type RunningShop, type ShownPayment, startShop } from "./start-shop.ts";

const TOKEN = "merchant";
const CPF = "52998224725";
type Clock = "real" | "frozen";
/** What happens around the merchant. */
const DAYS: readonly (readonly [name: string, play: (stage: Stage) => Promise<void>])[] = [
  [
    "a webhook arrives twice",
    async (stage) => {
      await stage.shop.faults.once("webhook", "duplicate");
      for (const value of [10.5, 7]) {
        const order = await stage.merchant.order(`order ${value}`, value);
        await move(stage, order, (id) => stage.shop.payins.simulate(id));
      }
    },
  ],
  [
    "a charge expires",
    async (stage) => {
      const { merchant, shop, clock } = stage;
      const order = await merchant.order("order 1", 10.5, 60);
      await clock.advance({ minutes: 2 });
      await expect(shop.payins.pay(String(order.transaction))).rejects.toMatchObject(FINAL);
      await settle(stage);
    },
  ],
  [
    "the response to a payout is lost",
    async (stage) => {
      const { merchant, shop } = stage;
      await shop.faults.once("payouts.create", "lost_answer");
      const withdrawal = await merchant.withdraw("invoice 1", 25, CPF);
      for (let repeats = 0; repeats < 2; repeats++) await merchant.withdraw("invoice 1", 25, CPF);
      await merchant.withdraw("invoice 2", 26, CPF);
      await move(stage, withdrawal, (id) => shop.payouts.complete(id));
    },
  ],
  [
    "a charge is paid in its last second",
    async (stage) => {
      const { merchant, shop, clock } = stage;
      await clock.freeze();
      const inTime = await merchant.order("order 1", 10.5, 60);
      const tooLate = await merchant.order("order 2", 10.5, 60);
      await clock.advance({ seconds: 59 });
      await move(stage, inTime, (id) => shop.payins.simulate(id));
      await clock.advance({ seconds: 1 });
      await expect(shop.payins.pay(String(tooLate.transaction))).rejects.toMatchObject(FINAL);
      await clock.advance({ hours: 1 });
      await settle(stage);
    },
  ],
  [
    "a charge is paid",
    async (stage) => {
      const { merchant, shop } = stage;
      const order = await merchant.order("order 1", 10.5);
      await move(stage, order, (id) => shop.payins.simulate(id));
      await expect(shop.payins.simulate(String(order.transaction))).rejects.toMatchObject(FINAL);
    },
  ],
  [
    "a payout is canceled by a rival",
    async (stage) => {
      const { merchant, shop } = stage;
      const withdraw = async (invoice: string, value: number): Promise<ShownPayment> => {
        const withdrawal = await merchant.withdraw(invoice, value, CPF);
        await settle(stage);
        return withdrawal;
      };
      const first = await withdraw("invoice 1", 25);
      await withdraw("invoice 2", 40);
      await move(stage, first, (id) => shop.payouts.complete(id));
      const third = await withdraw("invoice 3", 40);
      await move(stage, third, (id) => shop.payouts.complete(id));
    },
  ],
  [
    "the webhook of a payout fails once",
    async (stage) => {
      const { merchant, shop, clock } = stage;
      const withdrawal = await merchant.withdraw("invoice 1", 25, CPF);
      await shop.faults.once("webhook", "drop_attempts=1");
      await move(stage, withdrawal, (id) => shop.payouts.simulate(id));
      await clock.advance({ seconds: 10 });
      await settle(stage);
      const canceling = shop.payouts.simulate(String(withdrawal.transaction), "canceled");
      await expect(canceling).rejects.toMatchObject(FINAL);
    },
  ],
  [
    "the provider is down, then up",
    async (stage) => {
      const { merchant, shop } = stage;
      await shop.faults.add({ on: "payouts.create", effect: "error=EXTERNAL_ERROR", times: 2 });
      for (let calls = 0; calls < 2; calls++) await merchant.withdraw("invoice 1", 25, CPF);
      const order = await merchant.order("order 1", 10.5);
      for (let calls = 0; calls < 2; calls++) await merchant.withdraw("invoice 1", 25, CPF);
      const withdrawal = (await merchant.withdrawalOf("invoice 1")) ?? never();
      await move(stage, withdrawal, (id) => shop.payouts.complete(id));
      await move(stage, order, (id) => shop.payins.cancel(id));
    },
  ],
];

/** How the gateway refuses to move a transaction whose status is final. */
const FINAL = { status: 422 };

/** Describes that the reviewer blames the merchant without a mistake for nothing, on these clocks. */
export function describeGoodMerchant(clocks: readonly Clock[]): void {
  describe("a merchant without a mistake", { timeout: 240_000 }, () => {
    it.each(DAYS.flatMap(([name, play]) => clocks.map((clock) => [name, clock, play] as const)))(
      "is not blamed for anything if %s, on a %s clock",
      async (_name, clock, play) => {
        await using stage = await startStage(clock);
        await play(stage);
        await expectRightBooks(stage);
        expect(await blamedFor(stage)).toEqual([]);
      },
    );

    it.each(clocks)("is not blamed for any fault of its calls, on a %s clock", async (clock) => {
      await using stage = await startStage(clock);
      const { merchant, shop } = stage;
      const effects = effectKindsOn("payins.create").flatMap(samplesOf);
      for (const [index, effect] of effects.entries()) {
        for (const noun of ["order", "withdraw"] as const) {
          const on = noun === "order" ? "payins.create" : "payouts.create";
          const { id } = await shop.faults.add({ on, effect, times: 1 } as never);
          const name = `${noun} ${index}`;
          const created =
            noun === "order" ? merchant.order(name, 10.5) : merchant.withdraw(name, 25, CPF);
          if (effect === "hold") {
            await untilHeld(shop, id);
            await shop.faults.release(id);
          }
          const { state, transaction } = await created;
          expect([name, effect, state]).toEqual([
            name,
            effect,
            /^error=(?!EXTERNAL)/.test(effect) ? "refused" : "waiting",
          ]);
          if (transaction === null) continue;
          if (noun === "order") await shop.payins.pay(transaction);
          else await shop.payouts.complete(transaction);
        }
      }
      await expectRightBooks(stage);
      expect(await blamedFor(stage)).toEqual([]);
    });

    it.each(clocks)("is not blamed for any fault of webhooks, on a %s clock", async (clock) => {
      await using stage = await startStage(clock);
      const { merchant, shop } = stage;
      for (const effect of effectKindsOn("webhook").flatMap(samplesOf)) {
        await shop.faults.add({ on: "webhook", effect, times: 2 } as never);
        const { transaction: order } = await merchant.order(`order ${effect}`, 10.5);
        const { transaction: withdrawal } = await merchant.withdraw(
          `withdrawal ${effect}`,
          25,
          CPF,
        );
        await shop.payins.pay(String(order));
        await shop.payouts.complete(String(withdrawal));
        await stage.clock.advance({ seconds: 60 });
        const states = [
          (await merchant.orderOf(String(order)))?.state,
          (await merchant.withdrawalOf(String(withdrawal)))?.state,
        ];
        const expected = /^(?:bad_signature|drop_attempts=100)$/.test(effect) ? "waiting" : "paid";
        expect([effect, ...states]).toEqual([effect, expected, expected]);
        await shop.faults.clear();
      }
      expect(await blamedFor(stage)).toEqual([]);
    });

    it.each(clocks)(
      "is not blamed for restarts of the sandbox and its own, on a %s clock",
      async (clock) => {
        await using folder = await createFolder();
        const port = await freePort();
        const serve = () =>
          startServe([
            "--state",
            folder.at("state.json"),
            "--port",
            String(port),
            "--clock",
            clock,
          ]);
        let sandbox = await serve();
        const client = createClient({ baseUrl: sandbox.url });
        const shop = client.integration(TOKEN);
        const settings = { gateway: sandbox.url, secret: sandbox.secret, token: TOKEN };
        const shopPort = await freePort();
        const open = () =>
          startShop("shop.js", { ...settings, books: folder.at("books.json"), port: shopPort });
        let merchant = await open();
        const stage = () => ({ merchant, shop, clock: client.clock, url: sandbox.url });
        const held = async (): Promise<string> => {
          const { id } = await shop.faults.add({ on: "payouts.create", effect: "hold", times: 1 });
          return id;
        };
        try {
          // The sandbox is killed while a call is under way.
          const first = await held();
          const created = merchant.withdraw("B1", 25, CPF);
          await untilHeld(shop, first);
          await sandbox.stop("SIGKILL");
          sandbox = await serve();
          await shop.faults.clear();
          expect((await created).state).toBe("waiting");
          await shop.payouts.complete(String((await created).transaction));
          await expectRightBooks(stage());
          expect(await blamedFor(stage())).toEqual([]);

          // The merchant is killed while a call is under way, and before a webhook.
          const { transaction } = await merchant.order("A1", 10.5);
          const second = await held();
          merchant.withdraw("B2", 30, CPF).catch(() => undefined);
          await untilHeld(shop, second);
          await merchant.stop("SIGKILL");
          await shop.faults.clear();
          await shop.payins.pay(String(transaction));
          await shop.settled();
          merchant = await open();
          await merchant.quiet();
          await expectRightBooks(stage());
          expect((await merchant.withdrawalOf("B2"))?.state).toBe("paid");
          expect(await blamedFor(stage())).toEqual([]);

          // Both are, and the webhook of before is sent after that.
          const order = await merchant.order("A2", 12);
          await merchant.stop("SIGKILL");
          await shop.payins.pay(String(order.transaction));
          await sandbox.stop("SIGKILL");
          sandbox = await serve();
          merchant = await open();
          await expectRightBooks(stage());
          expect((await merchant.orderOf("A2"))?.state).toBe("paid");
          expect(await blamedFor(stage())).toEqual([]);
        } finally {
          await merchant[Symbol.asyncDispose]();
          await sandbox[Symbol.asyncDispose]();
        }
      },
    );
  });
}

/** A sandbox, the merchant, and what moves them. */
interface Stage {
  readonly merchant: RunningShop;
  readonly shop: Integration;
  readonly clock: ClockMoves;
  readonly url: string;
}

async function startStage(clock: Clock): Promise<Stage & AsyncDisposable> {
  const sandbox = await startSandbox({ clock });
  const { url, secret } = sandbox;
  const merchant = await startShop("shop.js", { gateway: url, secret, token: TOKEN });
  return {
    merchant,
    shop: sandbox.integration(TOKEN),
    clock: sandbox.clock,
    url,
    [Symbol.asyncDispose]: async () => {
      await merchant[Symbol.asyncDispose]();
      await sandbox.close();
    },
  };
}

/** Texts of an effect, each of which the merchant meets once. */
function samplesOf(kind: EffectKind): readonly string[] {
  return VALUES[kind]?.map((value) => `${kind}=${value}`) ?? [kind];
}

const VALUES: { readonly [Kind in EffectKind]?: readonly string[] } = {
  error: TOP_LEVEL_CODES,
  latency_ms: ["50"],
  patch_body: ['{"id":null}'],
  delay_ms: ["500"],
  drop_attempts: ["2", "100"],
};

/** Moves a payment's transaction, unless the merchant's own new payout has taken its turn. */
async function move(
  stage: Stage,
  { id }: ShownPayment,
  toStatus: (transaction: string) => Promise<unknown>,
): Promise<void> {
  const { merchant } = stage;
  const payment = (await merchant.orderOf(id)) ?? (await merchant.withdrawalOf(id)) ?? never();
  const moving = toStatus(String(payment.transaction));
  if (payment.state === "canceled") await expect(moving).rejects.toMatchObject(FINAL);
  else await moving;
  await settle(stage);
}

async function settle({ shop, merchant }: Stage): Promise<void> {
  await shop.settled();
  await merchant.quiet();
}

function never(): never {
  throw new Error("The merchant does not know the payment.");
}

/** Completes what is in progress. Then expects that the merchant's books say what the gateway's do, and that it has paid each receiver once. */
async function expectRightBooks({ merchant, shop, clock }: Stage): Promise<void> {
  for (;;) {
    await clock.advance({ seconds: 60 });
    await merchant.quiet();
    const waiting = await shop.payouts.list({ status: "waiting" });
    if (waiting.length === 0) break;
    for (const { id } of waiting) await shop.payouts.complete(id);
  }
  for (const { id, value, status } of await shop.payins.list()) {
    const isPaid = status === "paid" || status === "completed";
    const { credited, state } = (await merchant.orderOf(id)) ?? {};
    expect([credited, state === "paid"]).toEqual([isPaid ? value : 0, isPaid]);
  }
  const payouts = await shop.payouts.list();
  for (const { description, value } of payouts) {
    const completed = payouts.filter(
      (one) => one.description === description && one.status === "completed",
    );
    expect([description, completed.length]).toEqual([description, 1]);
    expect(await merchant.withdrawalOf(String(description))).toMatchObject({
      state: "paid",
      credited: value,
    });
  }
}

/** The rules that the merchant has broken, with what was seen. */
async function blamedFor({ url }: Stage): Promise<readonly unknown[]> {
  const response = await fetch(`${url}/_sandbox/report`, { headers: { "x-api-token": TOKEN } });
  const { rules } = (await response.json()) as WireReview;
  return rules.filter(({ verdict }) => verdict === "fail" || verdict === "warning");
}

/** Resolves when a fault holds a call. */
async function untilHeld(shop: Integration, fault: string): Promise<void> {
  for (;;) {
    const one = (await shop.faults.list()).find(({ id }) => id === fault);
    if ((one?.held ?? []).length > 0) return;
  }
}
