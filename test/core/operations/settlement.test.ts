import { describe, expect, it } from "vitest";
import { EffectiveAssumptions } from "../../../src/core/assumptions/trace.ts";
import { Ids } from "../../../src/core/records/ids.ts";
import type { Fault } from "../../../src/core/faults/fault.ts";
import { Settlement } from "../../../src/core/operations/settlement.ts";
import { Records } from "../../../src/core/state/records.ts";
import type { Delivery } from "../../../src/core/records/delivery.ts";
import { WebhookReorder } from "../../../src/core/state/reorder.ts";
import { assume, delivery, fakeDigest, payin, payout, START_MS } from "../../support/core.ts";

const NOW_MS = START_MS + 5000;
const REORDER = { kind: "reorder" } as const;
const DUPLICATE = { kind: "duplicate" } as const;

describe("a settled payin", () => {
  it("has its status, its time, an end-to-end id and the next event number", () => {
    const { settlement, records } = createSettlement();
    const waiting = payin();
    const { payins } = settlement.ofPayin(waiting, "paid", NOW_MS);
    expect(payins).toEqual([
      {
        ...waiting,
        status: "paid",
        settledAtMs: NOW_MS,
        endToEndId: expect.stringMatching(/^E\d{8}202611211200/) as string,
        eventNumber: 1,
      },
    ]);
    expect(records.payins.get(waiting.id)).toBeUndefined();
  });

  it("has a webhook to its own address, numbered after it", () => {
    const { settlement } = createSettlement();
    const { payins, deliveries } = settlement.ofPayin(payin(), "paid", NOW_MS);
    expect(deliveries).toMatchObject([
      {
        integration: "shop",
        type: "payin.paid",
        transactionId: payins[0].id,
        url: payins[0].webhookUrl,
        status: "pending",
        attempts: [],
        nextAttemptAtMs: NOW_MS,
        eventNumber: 2,
      },
    ]);
  });

  it("cannot be settled again", () => {
    const { settlement } = createSettlement();
    expect(() => settlement.ofPayin(payin({ status: "paid" }), "canceled", NOW_MS)).toThrow(
      expect.objectContaining({ code: "NOT_PROCESSABLE" }) as Error,
    );
  });
});

describe("a settled payout", () => {
  it.each([
    ["completed", "payout.completed", expect.stringMatching(/^E\d{8}/) as string],
    ["canceled", "payout.canceled", null],
  ] as const)("is %s, and its webhook reports that", (status, type, endToEndId) => {
    const { settlement } = createSettlement();
    const { payouts, deliveries } = settlement.ofPayout(payout(), status, NOW_MS);
    expect(payouts).toMatchObject([{ status, settledAtMs: NOW_MS, endToEndId }]);
    expect(deliveries).toMatchObject([{ type, transactionId: payouts[0].id }]);
  });

  it("cannot be settled again", () => {
    const { settlement } = createSettlement();
    expect(() => settlement.ofPayout(payout({ status: "canceled" }), "completed", NOW_MS)).toThrow(
      expect.objectContaining({ code: "NOT_PROCESSABLE" }) as Error,
    );
  });
});

describe("the fault of a settled record's webhook", () => {
  it("is none, and nothing is used, if no fault matches", () => {
    const { settlement, records } = createSettlement();
    const plain = settlement.ofPayin(payin(), "paid", NOW_MS);
    expect(plain.deliveries[0]?.fault).toBeUndefined();
    expect(plain).not.toHaveProperty("faults");
    records.apply({ faults: [fault({ integration: "other" })] });
    const change = settlement.ofPayin(payin(), "paid", NOW_MS);
    expect(change.deliveries[0]?.fault).toBeUndefined();
    expect(change).not.toHaveProperty("faults");
  });

  it("is the stored fault that matches, whose use is part of the change", () => {
    const { settlement, records } = createSettlement();
    records.apply({ faults: [fault({ times: 2, match: { value: 10.5 } })] });
    const change = settlement.ofPayin(payin({ valueCents: 1050 }), "paid", NOW_MS);
    expect(change.deliveries[0]?.fault).toEqual(DUPLICATE);
    expect(change).toMatchObject({ faults: [{ id: "flt_1", used: 1, times: 1 }] });
    expect(records.faults.get("flt_1")).toMatchObject({ used: 0, times: 2 });
  });

  it("is what the call's header requests, and then no stored fault is used", () => {
    const { settlement, records } = createSettlement();
    records.apply({ faults: [fault()] });
    const webhook = { kind: "drop_attempts", count: 1 } as const;
    const change = settlement.ofPayin(payin(), "paid", NOW_MS, { webhook });
    expect(change.deliveries[0]?.fault).toEqual(webhook);
    expect(change).not.toHaveProperty("faults");
  });

  it("is none for the webhook that a reordered one waits for", () => {
    const held = delivery({ id: "evt_held", fault: REORDER });
    const { settlement, records } = createSettlement(held);
    records.apply({ faults: [fault()] });
    const change = settlement.ofPayin(payin(), "paid", NOW_MS);
    expect(change.deliveries[0]?.fault).toBeUndefined();
    expect(change).not.toHaveProperty("faults");
    // Another address has its own pairs.
    const other = settlement.ofPayin(payin({ webhookUrl: "http://b/" }), "paid", NOW_MS);
    expect(other.deliveries[0]?.fault).toEqual(DUPLICATE);
  });

  it("is its own call's even then, unless that would reorder the pair again", () => {
    const held = delivery({ id: "evt_held", fault: REORDER });
    const { settlement } = createSettlement(held);
    const faultOf = (webhook: typeof REORDER | typeof DUPLICATE) =>
      settlement.ofPayin(payin(), "paid", NOW_MS, { webhook }).deliveries[0]?.fault;
    expect(faultOf(DUPLICATE)).toEqual(DUPLICATE);
    expect(faultOf(REORDER)).toBeUndefined();
  });

  it("reorders two webhooks of one transaction with each other", () => {
    const { settlement, records } = createSettlement();
    records.apply({ faults: [fault({ effect: REORDER })] });
    const uses = settlement.newUses();
    const [first, second, third] = ["1", "2", "3"].map(
      (id) => settlement.ofPayin(payin({ id }), "paid", NOW_MS, { uses }).deliveries[0]?.fault,
    );
    expect([first, second, third]).toEqual([REORDER, undefined, REORDER]);
    expect(uses.change).toMatchObject({ faults: [{ used: 2 }] });
  });
});

function fault(members: Partial<Fault> = {}): Fault {
  return {
    id: "flt_1",
    integration: "shop",
    ordinal: 1,
    on: "webhook",
    effect: DUPLICATE,
    used: 0,
    drawn: 0,
    ...members,
  };
}

/** @param held deliveries of earlier transactions */
function createSettlement(...held: readonly Delivery[]) {
  const records = new Records();
  const reorder = new WebhookReorder();
  for (const one of held) reorder.note(one);
  const settlement = new Settlement({
    records,
    ids: new Ids(fakeDigest, "seed"),
    assumptions: new EffectiveAssumptions(assume(), records),
    reorder,
  });
  return { records, settlement };
}
