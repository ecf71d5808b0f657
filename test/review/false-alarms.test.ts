import { describe, expect, it } from "vitest";
import type { TransactionOf } from "../../src/core/records/transaction.ts";
import { BODY, world } from "./world.ts";

const LOST = { outcome: "lost" } as const;
const FAILED = { outcome: "failed", status: 502 } as const;
const RULE = "unknown_outcome_not_retried";

describe("a call that is repeated later", () => {
  it("is pending until its client had its time", () => {
    const { see, verdict, finding, wait } = world();
    see(FAILED);
    wait(10_000);
    expect(finding(RULE)).toMatchObject({ verdict: "pending", pendingMs: 20_000 });
    wait(20_000);
    expect(verdict(RULE)).toBe("fail");
    see({ keyUse: "repeated" });
    expect(verdict(RULE)).toBe("pass");
  });

  it("gives its client longer the next time", () => {
    const { see, verdict, wait } = world();
    see(FAILED);
    wait(60_000);
    see({ keyUse: "repeated" });
    see({ ...FAILED, key: "second" });
    wait(80_000);
    expect(verdict(RULE)).toBe("pending");
    wait(20_000);
    expect(verdict(RULE)).toBe("fail");
  });

  it("is decided at once when no call can follow", () => {
    const { reviewer, see } = world();
    see(FAILED);
    const { rules } = reviewer.review("shop", () => ({}) as never, { isOver: true });
    expect(rules.find(({ id }) => id === RULE)?.verdict).toBe("fail");
  });

  it.each(["shop", null])(
    "ends without a verdict at a reset of %s, unless it was decided",
    (of) => {
      const { see, verdict, wait, reviewer } = world();
      see(FAILED);
      reviewer.see({ kind: "reset", integration: of });
      see({ keyUse: "new" });
      wait();
      expect(verdict(RULE)).toBe("not_seen");
      see({ ...FAILED, key: "second" });
      wait();
      reviewer.see({ kind: "reset", integration: of });
      expect(verdict(RULE)).toBe("fail");
    },
  );
});

describe("a charge that was given up", () => {
  it("is at most a warning, since no buyer has seen its code", () => {
    const { see, verdict, wait } = world();
    see({ ...FAILED, noun: "payin" });
    wait();
    expect(verdict(RULE)).toBe("warning");
    see({ ...FAILED, key: "payout" });
    wait();
    expect(verdict(RULE)).toBe("fail");
  });
});

describe("equal charges", () => {
  const twice = (...keys: [string, string]) => {
    const { create, verdict } = world();
    for (const [index, key] of keys.entries())
      create({ id: `${index}`, key, description: "Order 7" });
    return verdict("charge_created_twice");
  };
  const RANDOM = ["0b5f6a0e-4a53-4d0c-9a53-7d2f0d1b9c11", "5d1c8f5b-0a0d-4b65-8a3e-2f6f4a0f7e22"];

  it.each([undefined, "Ticket", "Rock in Rio 2026"])(
    "are wanted if their description names no order, but a product or nothing: %s",
    (description) => {
      const { create, verdict } = world();
      create({ id: "other", key: "other", description, buyer_cpf: "52998224725" });
      for (const key of RANDOM) create({ id: key, key, description });
      expect(verdict("charge_created_twice")).toBe("pass");
    },
  );

  it("were wanted if another buyer's charge has the description later", () => {
    const { create, verdict } = world();
    const description = "Route 66";
    for (const key of RANDOM) create({ id: key, key, description });
    expect(verdict("charge_created_twice")).toBe("warning");
    create({ id: "other", key: "other", description, buyer_cpf: "52998224725" });
    expect(verdict("charge_created_twice")).toBe("pass");
  });

  it.each([
    ["order-1001", "order-1002"],
    ["pedido_2026_11_23_000123", "pedido_2026_11_23_000124"],
    ["rock-in-rio-2026-ticket-17", "rock-in-rio-2026-ticket-18"],
    // Hashes of names: UUID version 5, SHA-1, SHA-256.
    ["74738ff5-5367-5958-9aee-98fffdcd1876", "74738ff5-5367-5958-8aee-98fffdcd1877"],
    ["a94a8fe5ccb19ba61c4c0873d391e987982fbbd3", "b94a8fe5ccb19ba61c4c0873d391e987982fbbd3"],
    ["9f86d081884c7d65".repeat(4), "1f86d081884c7d65".repeat(4)],
  ])("are wanted if their keys name an order each: %s", (...keys) => {
    expect(twice(...keys)).toBe("pass");
  });

  it.each([
    ["0b5f6a0e-4a53-4d0c-9a53-7d2f0d1b9c11", "5d1c8f5b-0a0d-4b65-8a3e-2f6f4a0f7e22"],
    ["V1StGXR8_Z5jdHi6B-myT", "Z5jdHi6B-myTV1StGXR8_"],
    ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAW"],
    ["charge-1763932345678", "charge-1763932345912"],
  ])("are one charge created twice if their keys are made for each call: %s", (...keys) => {
    expect(twice(...keys)).toBe("warning");
  });

  it("are one if the response to the first was lost, whatever the keys", () => {
    const { create, see, verdict } = world();
    create({ id: "1", key: "order-1 (1)" });
    see({ ...LOST, noun: "payin", key: "order-1 (1)", keyUse: "repeated" });
    create({ id: "2", key: "order-1 (2)" });
    expect(verdict("charge_created_twice")).toBe("warning");
  });
});

describe("a webhook", () => {
  const at = (...times: number[]) =>
    times.map((atMs) => ({ status: null, error: "ECONNREFUSED", atMs }));

  it("that a jump of the clock sends four times at once is no evidence", () => {
    const { deliver, verdict, says } = world();
    deliver({ status: "failed" }, ...at(0, 10, 30, 50));
    expect(verdict("webhook_never_received")).toBe("not_seen");
    expect(says("webhook_never_received")).toMatch(
      /^Nothing listened at \S+ \(4 attempts in 0\.05 s\)\.$/,
    );
    deliver({ id: "evt_2", status: "failed" }, ...at(0, 5000));
    expect(verdict("webhook_never_received")).toBe("fail");
  });

  it.each([503, 429])(
    "that is answered with %i and retry-after, when sent again, is only put off",
    (status) => {
      const { deliver, verdict } = world();
      const later = { status, retryAfterMs: 1000, isResend: true };
      deliver({ status: "delivered" }, { status: 200 }, later);
      expect(verdict("duplicate_refused")).toBe("not_seen");
    },
  );
});

describe("a canceled payout", () => {
  const canceled = (transactionId: string, description = "") => ({
    id: `evt_${transactionId}`,
    transactionId,
    type: "payout.canceled" as const,
    body: JSON.stringify({ data: { ...(JSON.parse(BODY) as object), description } }),
    status: "delivered" as const,
  });

  it("needs nothing if a rival with the same purpose pays its receiver", () => {
    const { payOut, deliver, verdict, says, wait } = world();
    payOut({ id: "first", key: "a", status: "waiting" });
    payOut({ id: "second", key: "b", status: "canceled" });
    deliver(canceled("second"), { durationMs: 0 });
    wait();
    expect(verdict("canceled_payout_ignored")).toBe("not_seen");
    expect(says("canceled_payout_ignored")).toMatch(
      /^Payout second was canceled; first pays the same/,
    );
  });

  it("may be a person's to decide about", () => {
    const { payOut, deliver, verdict, says, wait } = world();
    payOut({ id: "first", key: "a", status: "canceled" });
    deliver(canceled("first"), { durationMs: 0 });
    wait();
    expect(verdict("canceled_payout_ignored")).toBe("not_seen");
    expect(says("canceled_payout_ignored")).toMatch(/^Payout first was canceled\. If its receiver/);
  });

  it("is not requested again with its own key, unless a new one follows", () => {
    const { payOut, see, deliver, verdict, wait } = world();
    payOut({ id: "first", key: "a", status: "canceled" });
    deliver(canceled("first"), { durationMs: 0 });
    see({ key: "a", keyUse: "repeated" });
    expect(verdict("canceled_payout_ignored")).toBe("pending");
    wait();
    expect(verdict("canceled_payout_ignored")).toBe("warning");
    payOut({ id: "second", key: "b", status: "waiting" });
    expect(verdict("canceled_payout_ignored")).toBe("pass");
  });

  it("may be learned of by a late repeat of a call whose response was lost", () => {
    const { see, records, payOut, deliver, verdict, wait } = world();
    payOut({ id: "first", key: "a", status: "canceled" });
    see({ ...LOST, key: "b" });
    records.set("shop/b", { ...records.get("shop/a"), id: "second" } as never);
    deliver(canceled("second"), { durationMs: 0 });
    see({ key: "b", keyUse: "repeated" });
    wait();
    expect(verdict("canceled_payout_ignored")).not.toBe("warning");
  });

  it("may be requested again five times, but not for ever", () => {
    const { payOut, verdict } = world();
    const again = (from: number, to: number): void => {
      for (let index = from; index < to; index++)
        payOut({ id: `${index}`, key: `${index}`, status: "canceled" });
    };
    again(0, 6);
    expect(verdict("cancel_loop")).toBe("pass");
    again(6, 8);
    expect(verdict("cancel_loop")).toBe("fail");
  });

  it("is requested again once, though its webhook comes twice", () => {
    const { payOut, deliver, verdict, wait } = world();
    const body = { description: "Refund 17" };
    payOut({ id: "first", key: "a", status: "canceled", body });
    deliver(canceled("first", "Refund 17"), { durationMs: 0 });
    wait(10);
    payOut({ id: "second", key: "b", status: "waiting", body });
    wait(10);
    deliver(canceled("first", "Refund 17"), { durationMs: 0 }, { durationMs: 0, isResend: true });
    wait(10);
    expect(verdict("cancel_loop")).toBe("pass");
    payOut({ id: "third", key: "c", status: "waiting", body });
    expect(verdict("cancel_loop")).toBe("fail");
  });
});

describe("a payout under a new key", () => {
  it.each([
    ["Refund 17", "Refund 17 (2)", "fail"],
    ["Refund 17", "Refund 17-2", "fail"],
    ["Estorno 17 tentativa 1", "Estorno 17 tentativa 2", "fail"],
    ["Refund 17", "Retry 2: Refund 17", "fail"],
    ["Retry 2 Refund 17", "Retry 2 Refund 18", "not_seen"],
    ["Reenvio 1042: estorno", "Reenvio 1043: estorno", "not_seen"],
    ["Reenvio 17 - 2", "Reenvio 18 - 2", "not_seen"],
    ["Tentativa 1", "Tentativa 2", "fail"],
    ["Refund 17", "Refund 18", "not_seen"],
    ["Refund 1", "Refund 17", "not_seen"],
    ["", "Refund 17", "not_seen"],
  ] as const)("after a lost one, %j and %j: %s", (one, other, expected) => {
    const { see, verdict } = world();
    const body = (description: string) =>
      JSON.stringify({ ...(JSON.parse(BODY) as object), description });
    see({ ...LOST, body: body(one) });
    see({ key: "second", body: body(other) });
    expect(verdict("payout_new_key_after_failure")).toBe(expected);
  });

  it("follows the client's own time-out, though the first call ends later", () => {
    const { see, verdict, time } = world();
    see({ key: "second", startedAtMs: time.realMs + 20 });
    see({ ...LOST, hasLeft: true, startedAtMs: time.realMs - 10, endedAtMs: time.realMs + 50 });
    expect(verdict("payout_new_key_after_failure")).toBe("fail");
  });

  it.each([
    ["completed", "Refund 17", "warning"],
    ["canceled", "Refund 17", "pass"],
    ["waiting", "Refund 17", "pass"],
    ["completed", "Withdrawal", "not_seen"],
    ["completed", "Weekly payout 2026", "not_seen"],
    ["completed", "Payout 2026/17", "warning"],
    ["completed", "Refund 12026", "warning"],
  ] as const)(
    "after one that is %s, with the description %j: %s",
    (status, description, expected) => {
      const { payOut, verdict } = world();
      payOut({ id: "1", key: "a", status, body: { description } });
      payOut({ id: "2", key: "b", body: { description } });
      expect(verdict("payout_created_twice")).toBe(expected);
    },
  );
});

describe("two payouts of one purpose, both in progress", () => {
  const bothEnd = (second: "completed" | "canceled", description = "refund of order 17") => {
    const { payOut, deliver, records, verdict } = world();
    const body = { description };
    payOut({ id: "1", key: "a", body });
    payOut({ id: "2", key: "b", body });
    for (const [id, key, status] of [
      ["2", "b", second],
      ["1", "a", "completed"],
    ] as const) {
      const before = records.get(`shop/${key}`) as TransactionOf<"payout">;
      records.set(`shop/${key}`, { ...before, record: { ...before.record, status } });
      const data = { ...(JSON.parse(before.request) as object), id };
      const type = `payout.${status}` as const;
      deliver(
        { id, transactionId: id, type, body: JSON.stringify({ type, data }) },
        { status: 200 },
      );
    }
    return verdict("payout_created_twice");
  };

  it("send the money twice if both are completed, and say so", () => {
    expect(bothEnd("completed")).toBe("warning");
    expect(bothEnd("canceled")).toBe("pass");
    expect(bothEnd("completed", "salary")).toBe("not_seen");
  });
});

describe("a repeat", () => {
  const repeats = (count: number, pauseMs: number, retryAfterMs?: number, tookMs = 1) => {
    const { see, verdict, time } = world();
    for (let index = 0; index <= count; index++) {
      const startedAtMs = time.realMs + pauseMs;
      time.realMs = startedAtMs + tookMs;
      const times = { startedAtMs, endedAtMs: time.realMs };
      see({ ...FAILED, ...times, retryAfterMs, keyUse: index === 0 ? "new" : "repeated" });
    }
    return verdict("retry_storm");
  };

  it("may come at once twice, but not more often", () => {
    expect([repeats(2, 0), repeats(3, 0), repeats(9, 200)]).toEqual([
      "not_seen",
      "warning",
      "pass",
    ]);
  });

  it("pauses for longer than the call took, or for a fifth of a second", () => {
    const after = (pauseMs: number, tookMs: number) => repeats(3, pauseMs, undefined, tookMs);
    expect([after(150, 60), after(150, 180), after(210, 5000)]).toEqual([
      "pass",
      "warning",
      "pass",
    ]);
  });

  it("waits for the time in retry-after", () => {
    expect([repeats(3, 200, 1000), repeats(3, 1100, 1000)]).toEqual(["warning", "pass"]);
  });
});
