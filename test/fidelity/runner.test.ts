import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { withModel } from "../../src/cli/fidelity/model-sandbox.ts";
import type { Response } from "../../src/fidelity/exchange.ts";
import { admitted } from "../../src/fidelity/own-verdicts.ts";
import { readPlace } from "../../src/fidelity/place.ts";
import { newObserved, type Observed, runExperiments } from "../../src/fidelity/runner.ts";
import { judge } from "../../src/fidelity/verdicts.ts";
import { STANDARD_ASSUMPTIONS } from "../../src/core/assumptions/table.ts";
import { type Sandbox, startSandbox } from "../../src/index.ts";

const CHOICES = {
  "payout.rival": "reject",
  "payout.auto": "complete_after:5",
  "idempotency.repeat": "reject",
  "simulation.final": "repeat",
  "rate_limit.per_minute": 0,
  "webhook.retries": "none",
} as const;

const SETTINGS = {
  clock: "frozen",
  assumptions: CHOICES,
  // No webhook of a probe without a receiver is sent.
  webhookAllow: "loopback",
} as const;

/** When a process is killed: before the gateway gets a call, or before it stores the response. */
type Moment = "before" | "after";

it("never repeats a payout, at whichever call it is killed", async () => {
  const whole = new Killable();
  await whole.run();
  for (let call = 1; call < whole.calls; call += 1) {
    // The second one comes after the gateway has processed a call.
    const probed = new Killable(undefined, (number) =>
      number === call ? "before" : number === call + 1 && "after",
    );
    await probed.run();
    await probed.run();
    await probed.run();
    expect([call, probed.repeatedPayouts, probed.isFinished]).toEqual([call, [], true]);
  }
}, 60_000);

it("makes at most 30 calls that a rate limit counts, before it looks for one", async () => {
  await using sandbox = await startSandbox(SETTINGS);
  // Late calls must not come after it.
  const probed = new Killable(sandbox, () => false, 700);
  await probed.run();
  const { burst, ...others } = probed.observed.exchanges;
  expect(burst?.length).toBeGreaterThan(30);
  expect(admitted({ exchanges: others }, 0).length).toBeLessThanOrEqual(30);
  const last = Math.max(...Object.values(others).flatMap((made) => made.map(({ atMs }) => atMs)));
  expect(burst?.[0]?.atMs).toBeGreaterThan(last);
});

it("claims nothing wrong of a gateway that is slow to create payouts", async () => {
  await using sandbox = await startSandbox(SETTINGS);
  const probed = new Killable(sandbox, () => false, 700);
  await probed.run();
  const { verdicts, wrong } = await probed.judge();
  expect(wrong).toEqual([]);
  expect(verdicts.filter(({ verdict }) => verdict === "observed").length).toBeGreaterThan(15);
}, 60_000);

it("claims nothing wrong after many interruptions, and resumes with what it knows", async () => {
  await using sandbox = await startSandbox(SETTINGS);
  const probed = new Killable(
    sandbox,
    (number) => number % 7 === 0 && (number % 2 === 0 ? "before" : "after"),
  );
  while (!probed.isFinished) await probed.run();
  expect(probed.repeatedPayouts).toEqual([]);
  expect(probed.observed.lost.length).toBeGreaterThan(0);
  const { verdicts, wrong } = await probed.judge();
  expect(wrong).toEqual([]);
  expect(verdicts.filter(({ verdict }) => verdict === "observed").length).toBeGreaterThan(10);
}, 60_000);

/** A probe with a frozen clock whose gateway can be slow to create payouts, and that can be killed at a call. It goes on with what was stored last. */
class Killable {
  /** Without one, every call succeeds. */
  readonly #sandbox: Sandbox | undefined;
  readonly #killsAt: (call: number) => Moment | false;
  readonly #payoutMs: number;
  readonly #payouts: string[] = [];
  #stored = JSON.stringify(newObserved("http://gateway.example/v1"));
  #nowMs = Date.parse("2026-11-26T12:00:00Z");
  calls = 0;
  isFinished = false;

  constructor(
    sandbox?: Sandbox,
    killsAt: (call: number) => Moment | false = () => false,
    payoutMs = 0,
  ) {
    this.#sandbox = sandbox;
    this.#killsAt = killsAt;
    this.#payoutMs = payoutMs;
  }

  get observed(): Observed {
    return readPlace(this.#stored) ?? expect.unreachable("damaged");
  }

  /** The payouts that were sent twice: the experiment, and the place in it. */
  get repeatedPayouts(): string[] {
    return this.#payouts.filter((one, index) => this.#payouts.indexOf(one) !== index);
  }

  /** What it claims, and what of that is not so. */
  async judge() {
    const callers = [{ apiKey: "own", merchantId: "shop" }];
    const verdicts = await withModel({ callers }, (model) => judge(this.observed, model));
    const held: Readonly<Record<string, string | number>> = {
      ...STANDARD_ASSUMPTIONS,
      ...SETTINGS.assumptions,
    };
    const wrong = verdicts.filter(
      ({ name, verdict, choice }) =>
        verdict === "contradicted" || (choice !== null && choice !== held[name]),
    );
    return { verdicts, wrong };
  }

  /** Runs until it ends or is killed. */
  async run(): Promise<void> {
    const killed = new Error("killed");
    const die = (): never => {
      throw killed;
    };
    try {
      await runExperiments(
        {
          baseUrl: "http://gateway.example/v1",
          headers: {
            "x-api-token": "own",
            "x-provider-id": "shop",
            "x-provider": "Shop",
            "x-country-code": "BR",
          },
          perSecond: 5,
          publicUrl: undefined,
          nowMs: () => this.#nowMs,
          pause: (ms) => this.#pass(ms),
          signal: new AbortController().signal,
          store: async (observed) => void (this.#stored = JSON.stringify(observed)),
          send: async (call) => {
            this.calls += 1;
            const moment = this.#killsAt(this.calls);
            if (moment === "before") die();
            if (call.url.endsWith("/payouts")) await this.#pass(this.#payoutMs);
            const response = await this.#send(call);
            if (moment === "after") die();
            return response;
          },
        },
        this.observed,
      );
      this.isFinished = true;
    } catch (error) {
      if (error !== killed) throw error;
    }
  }

  async #pass(ms: number): Promise<void> {
    if (ms <= 0) return;
    this.#nowMs += ms;
    await this.#sandbox?.clock.advance({ milliseconds: Math.ceil(ms) });
  }

  async #send({
    url,
    ...call
  }: {
    method: string;
    url: string;
    headers: Readonly<Record<string, string>>;
    body: string;
  }): Promise<Response> {
    const { pathname } = new URL(url);
    if (pathname === "/v1/payouts") {
      const { sending = "", exchanges } = this.observed;
      this.#payouts.push(`${sending} ${exchanges[sending]?.length ?? 0}`);
    }
    if (!this.#sandbox) return { status: 200, headers: {}, body: `{"id":"${randomUUID()}"}` };
    const response = await this.#sandbox.fetch(pathname, call);
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, headers, body: await response.text() };
  }
}
