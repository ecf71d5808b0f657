import { toIso } from "../../../src/wire/timestamp.ts";
import { describe, expect, it } from "vitest";
import { earliestRealMs, settingOf } from "../../../src/server/start-up/clock-setting.ts";
import { identify } from "../../../src/server/start-up/identity.ts";
import { persistStart } from "../../../src/server/start-up/startup.ts";
import { validateOptions } from "../../../src/server/options/validate-options.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { delivery, payin, START_MS } from "../../support/core.ts";
import { putsOf } from "../../../src/core/state/records.ts";

const HOUR = 3_600_000;

describe("the clock of a start", () => {
  const real = (offsetMs: number) => ({ mode: "real", offsetMs }) as const;
  const frozen = (nowMs: number) => ({ mode: "frozen", nowMs }) as const;
  const iso = new Date(START_MS + HOUR).toISOString();

  it.each([
    ["is real time", {}, undefined, real(0)],
    ["keeps the offset of the state", {}, real(5000), real(5000)],
    ["keeps a negative offset too", {}, real(-5000), real(-5000)],
    ["goes on from where a frozen clock stood ahead", {}, frozen(START_MS + 7), real(7)],
    ["leaves a frozen clock that real time has passed", {}, frozen(START_MS - 7), real(0)],
    ["is set by a text", { now: iso }, real(5000), real(HOUR)],
    ["is set by a date", { now: new Date(iso) }, frozen(1), real(HOUR)],
    ["is frozen now", { clock: "frozen" }, undefined, frozen(START_MS)],
    ["is frozen where it was", { clock: "frozen" }, frozen(42), frozen(42)],
    ["is frozen by the offset", { clock: "frozen" }, real(5), frozen(START_MS + 5)],
    [
      "is frozen where it is set",
      { clock: "frozen", now: iso },
      frozen(42),
      frozen(START_MS + HOUR),
    ],
  ] as const)("%s", (_title, options, persisted, expected) => {
    expect(settingOf(validateOptions(options), persisted, START_MS)).toEqual(expected);
  });
});

describe("the earliest real time of a start", () => {
  it.each(["transactions", "deliveries"] as const)(
    "is when the newest of the %s was created",
    (list) => {
      const store = new MemoryStore();
      const [early, late] = [START_MS, START_MS + HOUR];
      store.commit(
        putsOf({
          transactions: [payin({ created_at: toIso(list === "transactions" ? late : early) })],
          deliveries: [delivery({ createdAtMs: list === "deliveries" ? late : early })],
        }),
      );

      expect(earliestRealMs(store, validateOptions({}))).toBe(late);
    },
  );

  it("leaves out the offset of the clock, which sandbox time has beside", () => {
    const store = new MemoryStore();
    store.commit(
      putsOf({
        transactions: [payin({ created_at: toIso(START_MS) })],
        clock: [{ mode: "real", offsetMs: 5000 }],
      }),
    );

    expect(earliestRealMs(store, validateOptions({}))).toBe(START_MS - 5000);
  });

  it("is any where the state is empty, its clock frozen, or the time set", () => {
    const store = new MemoryStore();
    expect(earliestRealMs(store, validateOptions({}))).toBe(Number.NEGATIVE_INFINITY);

    store.commit(putsOf({ transactions: [payin({ created_at: toIso(START_MS) })] }));
    expect(earliestRealMs(store, validateOptions({ now: "2026-01-01T00:00:00Z" }))).toBe(
      Number.NEGATIVE_INFINITY,
    );
    store.commit([["clock", { mode: "frozen", nowMs: START_MS }]]);
    expect(earliestRealMs(store, validateOptions({}))).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe("the identity of a start", () => {
  it("is stored, with a stream for a state that has none, and stays", () => {
    const store = new MemoryStore();
    store.commit([["identity", { seed: "42", secret: "whsec_c2VjcmV0" }]]);
    const first = identify(store, undefined);
    persistStart(store, first, {});

    expect(first).toMatchObject({ seed: "42", secret: "whsec_c2VjcmV0" });
    expect(identify(store, undefined)).toEqual(first);
  });
});
