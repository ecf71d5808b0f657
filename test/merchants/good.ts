import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { readDurationMs } from "../../src/cli/terminal/duration.ts";
import { readScenario, type Step } from "../../src/play/scenario/scenario.ts";
import { shippedScenarios } from "../../src/play/scenario/shipped.ts";
import { effectKindsOn, type EffectKind, INJECTED_CODES } from "../../src/core/faults/effects.ts";
import type { WireReview } from "../../src/review/report.ts";
import {
  type ClockMoves,
  createClient,
  type Integration,
  SandboxError,
  startSandbox,
} from "../../src/index.ts";
import { startServe } from "../support/cli.ts";
import { createFolder } from "../support/folder.ts";
import { freePort } from "../support/process.ts";
import { type RunningShop, startShop } from "./start-shop.ts";

const TOKEN = "merchant";
const CPF = "52998224725";
type Clock = "real" | "frozen";
/** In these, the scenario's shop itself makes no mistake that the merchant would have to repeat. */
const SCENARIOS = [
  "duplicate-webhook",
  "expired",
  "lost-answer-and-retry",
  "paid-at-the-last-second",
  "paid",
  "payout-canceled-by-a-rival",
  "payout-completed",
  "provider-down-then-up",
];

/** Describes that the reviewer blames the merchant without a mistake for nothing, on these clocks. */
export function describeGoodMerchant(clocks: readonly Clock[]): void {
  describe("a merchant without a mistake", { timeout: 240_000 }, () => {
    it.each(SCENARIOS.flatMap((name) => clocks.map((clock) => [name, clock] as const)))(
      "is not blamed for anything in the scenario %s, on a %s clock",
      async (name, clock) => {
        await using stage = await startStage(clock);
        const file = (await shippedScenarios()).get(name) ?? "";
        const { steps } = await readScenario(file, basename(file));
        await new Player(stage).play(steps);
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
  error: INJECTED_CODES,
  latency_ms: ["50"],
  patch_body: ['{"id":null}'],
  delay_ms: ["500"],
  drop_attempts: ["2", "100"],
};

/** Plays the part of a scenario's shop with the merchant's program. What a scenario expects of its own shop is left out. */
class Player {
  readonly #stage: Stage;
  /** The payments by the names of the steps. */
  readonly #payments = new Map<string, { noun: "order" | "withdrawal"; id: string }>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const [index, step] of steps.entries()) await this.#take(step, index);
  }

  async #take(step: Step, index: number): Promise<void> {
    const { merchant, shop, clock } = this.#stage;
    switch (step.verb) {
      case "create_payin": {
        const { value = 10.5, expiration } = step.create_payin as Record<string, number>;
        const id = `${step.key ?? "order"} ${step.key === undefined ? index : value}`;
        await merchant.order(id, value, expiration);
        this.#payments.set(step.as ?? "", { noun: "order", id });
        return;
      }
      case "create_payout": {
        const { value = 25 } = step.create_payout as Record<string, number>;
        const id = `${step.key ?? "invoice"} ${step.key === undefined ? index : value}`;
        await merchant.withdraw(id, value, CPF);
        this.#payments.set(step.as ?? "", { noun: "withdrawal", id });
        return this.#settle();
      }
      case "fault":
        await shop.faults.add({ on: step.on, effect: step.fault, times: step.times } as never);
        return;
      case "clock": {
        const [move, rest = ""] = step.clock.split(" ");
        if (move === "advance") await clock.advance({ milliseconds: readDurationMs(rest) });
        else if (move === "freeze") await clock.freeze();
        else throw new Error(`The merchant cannot play ${step.clock}.`);
        return;
      }
      case "merchant_answers":
        await shop.faults.once("webhook", "drop_attempts=1");
        return;
      case "pay":
        return this.#move(step.pay, step.answer?.status, (noun, id) => shop[noun].simulate(id));
      case "simulate":
        return this.#move(step.simulate, step.answer?.status, (noun, id) =>
          shop[noun].simulate(id, step.status),
        );
      case "complete":
        return this.#move(step.complete, step.answer?.status, (_noun, id) =>
          shop.payouts.complete(id),
        );
      case "cancel":
        return this.#move(step.cancel, step.answer?.status, (noun, id) => shop[noun].cancel(id));
      case "expect_record":
      case "expect_webhooks":
      case "expect_received":
        return this.#settle();
      case "answer_of":
      case "call":
      case "clear_faults":
      case "expire":
      case "release":
      case "send_webhook":
      case "settle":
      case "wait_for":
        throw new Error(`The merchant cannot play ${step.verb}.`);
    }
  }

  /** Moves the payment's transaction, unless the merchant's own new payout has taken its turn. */
  async #move(
    name: string,
    status: number | undefined,
    move: (noun: "payins" | "payouts", id: string) => Promise<unknown>,
  ): Promise<void> {
    const { noun, id } = this.#payments.get(name) ?? { noun: "order", id: "" };
    const { merchant } = this.#stage;
    const payment = await (noun === "order" ? merchant.orderOf(id) : merchant.withdrawalOf(id));
    try {
      await move(noun === "order" ? "payins" : "payouts", String(payment?.transaction));
    } catch (error) {
      const isExpected = status !== undefined || payment?.state === "canceled";
      if (!(error instanceof SandboxError && error.status === 422 && isExpected)) throw error;
    }
    await this.#settle();
  }

  async #settle(): Promise<void> {
    await this.#stage.shop.settled();
    await this.#stage.merchant.quiet();
  }
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
