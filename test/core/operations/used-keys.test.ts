import { describe, expect, it } from "vitest";
import { AssumptionTrace, EffectiveAssumptions } from "../../../src/core/assumptions/trace.ts";
import { UsedKeys } from "../../../src/core/operations/repeat.ts";
import { Records } from "../../../src/core/state/records.ts";
import { Clock } from "../../../src/core/time/clock.ts";
import { assume, payin, payout, START_MS } from "../../support/core.ts";

const RETENTION_SECONDS = 60;
const PAST_MS = START_MS + RETENTION_SECONDS * 1000;
const call = { integration: "shop", key: "order-1", request: "{}" };

describe("a call whose key is used", () => {
  it("repeats the call of the same integration, operation and request", () => {
    const { keys, records } = createKeys(START_MS);
    const first = payin();
    records.apply({ payins: [first] });
    expect(keys.repeated("payins.create", call, records.payins)).toBe(first);
    expect(keys.repeated("payins.create", { ...call, key: "order-2" }, records.payins)).toBe(
      undefined,
    );
    expect(
      keys.repeated("payins.create", { ...call, integration: "other" }, records.payins),
    ).toBeUndefined();
  });

  it("is a first call again when the retention has passed, and not before", () => {
    for (const [nowMs, isRepeat] of [
      [PAST_MS - 1, true],
      [PAST_MS, false],
    ] as const) {
      const { keys, records } = createKeys(nowMs);
      records.apply({ payins: [payin()] });
      const repeat = keys.repeated("payins.create", call, records.payins);
      expect(repeat !== undefined).toBe(isRepeat);
    }
  });

  it("records in its trace the assumptions that it read", () => {
    const { keys, records } = createKeys(START_MS);
    records.apply({ payins: [payin()] });
    const names = new Set<never>();
    const trace = new AssumptionTrace(assume(), names);
    keys.repeated("payins.create", { ...call, trace }, records.payins);
    expect([...names]).toEqual(["idempotency.retention_seconds", "idempotency.repeat"]);
  });
});

describe("expired keys", () => {
  it("are dropped, and no other", () => {
    const { keys, records, clock } = createKeys(START_MS);
    records.apply({
      payins: [payin(), payin({ id: "young", idempotencyKey: "young", createdAtMs: PAST_MS })],
      payouts: [payout({ integration: "other" })],
    });
    clock.set({ mode: "frozen", nowMs: PAST_MS - 1 });
    keys.forgetPast();
    expect(records.takenFor("shop", "order-1")).toBeDefined();
    clock.set({ mode: "frozen", nowMs: PAST_MS });
    keys.forgetPast();
    expect(records.takenFor("shop", "order-1")).toBeUndefined();
    expect(records.takenFor("other", "order-1")).toBeUndefined();
    expect(records.takenFor("shop", "young")).toBeDefined();
  });

  it("are stored as long as the persisted clock has not passed their retention", () => {
    const { keys, records } = createKeys(PAST_MS);
    records.apply({ payins: [payin()], clock: { mode: "frozen", nowMs: START_MS } });
    keys.forgetPast();
    expect(records.takenFor("shop", "order-1")).toBeDefined();
    records.apply({ clock: { mode: "frozen", nowMs: PAST_MS } });
    keys.forgetPast();
    expect(records.takenFor("shop", "order-1")).toBeUndefined();
  });
});

function createKeys(nowMs: number) {
  const records = new Records();
  const clock = new Clock(() => START_MS, { mode: "frozen", nowMs });
  const start = assume({ "idempotency.retention_seconds": RETENTION_SECONDS });
  const assumptions = new EffectiveAssumptions(start, records);
  return { records, clock, keys: new UsedKeys({ records, assumptions, clock }) };
}
