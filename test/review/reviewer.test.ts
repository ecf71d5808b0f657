import { describe, expect, it } from "vitest";
import { STANDARD_ASSUMPTIONS } from "../../src/core/assumptions/table.ts";
import { attempt, delivery, payin, payout } from "../support/core.ts";
import { english } from "../../src/text/languages.ts";
import { BODY, world } from "./world.ts";

const RANDOM = [
  "0b5f6a0e-4a53-4d0c-9a53-7d2f0d1b9c11",
  "5d1c8f5b-0a0d-4b65-8a3e-2f6f4a0f7e22",
] as const;
const LOST = { outcome: "lost" } as const;
const FAILED = { outcome: "failed", status: 502 } as const;

describe("an unknown outcome", () => {
  it("stays unknown if its repeat is lost too, until a response arrives", () => {
    const { see, verdict, says, wait } = world();
    see(LOST);
    see({ ...LOST, keyUse: "repeated" });
    wait();
    expect(verdict("unknown_outcome_not_retried")).toBe("not_seen");
    expect(says("unknown_outcome_not_retried")).toMatch(/ was sent 2 times with its key; none got/);
    see({ key: "other" });
    expect(verdict("payout_new_key_after_failure")).toBe("fail");
    see({ keyUse: "repeated" });
    expect(verdict("unknown_outcome_not_retried")).toBe("pass");
    expect(verdict("payout_new_key_after_failure")).toBe("pass");
  });

  it("is known if another call with the key was answered before the first one ended", () => {
    const { see, verdict, records } = world();
    see({ keyUse: "repeated" });
    see(LOST);
    expect(verdict("unknown_outcome_not_retried")).toBe("not_seen");
    records.set("shop/second", payout());
    see({ ...LOST, key: "second", status: 408 });
    see({ ...LOST, key: "third", keyUse: "repeated" });
    see({ ...LOST, key: "third", keyUse: "refused", status: 409 });
    expect(verdict("unknown_outcome_not_retried")).toBe("not_seen");
  });

  it("does not make a payout a repeat that was sent before, has another body, or is a retry", () => {
    const { see, verdict, time } = world();
    see(FAILED);
    see({ key: "before", startedAtMs: time.realMs - 5 });
    see({ key: "else", body: '{"value":26}' });
    see({ key: "retry", keyUse: "repeated" });
    see({ key: "long", body: `${BODY.slice(0, 10)}…` });
    see({ key: "payin", noun: "payin" });
    see({ key: "theirs", integration: "other" });
    expect(verdict("payout_new_key_after_failure", null)).toBe("not_seen");
    see({ key: "second", body: '{ "value": 25, "receiver_cpf": "52998224725" }' });
    expect(verdict("payout_new_key_after_failure")).toBe("fail");
  });

  it("is not mixed up with that of another token or key with odd characters", () => {
    const { see, verdict, wait } = world();
    see({ ...FAILED, integration: "a b", key: "c" });
    wait();
    see({ integration: "a", key: "b c" });
    see({ integration: "a b payout", key: "c" });
    expect(verdict("unknown_outcome_not_retried", "a b")).toBe("fail");
  });

  it("no longer counts if there are too many to watch", () => {
    const { see, verdict, reviewer, wait } = world();
    for (let index = 0; index < 1001; index++) see({ ...FAILED, integration: `shop ${index}` });
    wait();
    expect(verdict("unknown_outcome_not_retried", "shop 0")).toBe("not_seen");
    expect(verdict("unknown_outcome_not_retried", "shop 1")).toBe("fail");
    reviewer.clear(null);
    expect(verdict("unknown_outcome_not_retried", null)).toBe("not_seen");
  });
});

describe("a key", () => {
  it("is not judged if its record is gone, or its body is not known", () => {
    const { see, verdict, records } = world();
    see({ keyUse: "refused", status: 409 });
    records.set("shop/first", payout({ request: BODY }));
    see({ keyUse: "repeated", body: `${BODY}…` });
    see({ keyUse: "repeated", body: undefined });
    expect(verdict("key_reused_with_other_body")).toBe("not_seen");
    see({ keyUse: "repeated", body: '{"value":25,"receiver_cpf":"52998224725"}' });
    expect(verdict("key_reused_with_other_body")).toBe("pass");
    see({ keyUse: "refused", status: 409, noun: "payin" });
    expect(verdict("key_reused_with_other_body")).toBe("fail");
  });
});

describe("evidence", () => {
  it("has the beginning of a long key", () => {
    const { reviewer, see, wait } = world();
    see({ key: "K".repeat(16_000), outcome: "lost" });
    see({ key: "L".repeat(16_000) });
    wait();
    const { rules } = reviewer.review("shop", () => STANDARD_ASSUMPTIONS);
    const texts = rules.flatMap(({ evidence }) => evidence.map(({ text }) => english(text)));
    expect(texts).toEqual([
      expect.stringMatching(/under the new key L{120}…\.$/),
      expect.stringMatching(/not repeated with its key K{120}…\.$/),
    ]);
  });
});

describe("a charge", () => {
  it("is created twice within 30 s, with another key", () => {
    const { time, create, verdict } = world();
    create({ id: "1", key: "one" });
    create({ id: "2", key: "one" });
    create({ id: "3", integration: "other", key: "two" });
    time.realMs = 30_010;
    create({ id: "4", key: "three" });
    const order = { description: "Order 7", request: '{"expiration":60}' };
    create({ id: "5", key: RANDOM[0], ...order });
    expect(verdict("charge_created_twice", "other")).toBe("not_seen");
    expect(verdict("charge_created_twice", null)).toBe("pass");
    create({ id: "6", key: RANDOM[1], ...order });
    expect(verdict("charge_created_twice")).toBe("warning");
  });

  it("of a fixture is not the merchant's", () => {
    const { reviewer, verdict } = world();
    const webhook_url = "http://a.example/a@b.example";
    for (const id of ["1", "2"])
      reviewer.see({
        kind: "payin",
        integration: "shop",
        record: payin({ id, key: id, fixture: id, webhook_url }).record,
      });
    expect(verdict("charge_created_twice")).toBe("not_seen");
    expect(verdict("personal_data_in_address")).toBe("not_seen");
  });
});

describe("a webhook", () => {
  it.each([
    [{ status: 410 }, "fail"],
    [
      {
        status: null,
        error: "not sent: the fault drop_attempts=4 drops this attempt",
        signature: null,
      },
      "not_seen",
    ],
  ] as const)("that fails after %o: %s", (made, expected) => {
    const { deliver, verdict } = world();
    deliver({ status: "failed" }, made);
    expect(verdict("webhook_never_received")).toBe(expected);
  });

  it("that was sent but not accepted is not called unsent", () => {
    const { deliver, says } = world();
    const tried = { integration: "shop", url: "http://127.0.0.1:9/hook" };
    deliver({ ...tried, id: "evt_1" }, { status: null, error: "ECONNREFUSED" });
    expect(says("webhook_answer_redirects")).toMatch(/^The merchant responded to no webhook\./);
    expect(says("webhook_never_received")).toMatch(/^No webhook was accepted, and none has failed/);
    deliver({ ...tried, id: "evt_2" }, { status: 302 });
    expect(says("webhook_answer_not_200")).toMatch(/^No webhook got 200\./);
    expect(says("valid_signature_refused")).toMatch(/^The merchant accepted no webhook\./);
  });

  it("without a signature shows nothing about signatures", () => {
    const { deliver, verdict } = world();
    deliver({ fault: "bad_signature" }, { signature: null, status: 200 });
    deliver({ id: "evt_2" }, { signature: null, status: 401 });
    expect([verdict("bad_signature_accepted"), verdict("valid_signature_refused")]).toEqual([
      "not_seen",
      "not_seen",
    ]);
  });

  it("with a wrong signature may be refused in any way", () => {
    const { deliver, verdict } = world();
    deliver(
      { status: "failed", fault: "bad_signature" },
      { status: 500 },
      { status: 302, durationMs: 9000 },
    );
    for (const rule of [
      "webhook_never_received",
      "valid_signature_refused",
      "webhook_answer_redirects",
      "webhook_answer_slow",
      "bad_signature_accepted",
    ] as const)
      expect(verdict(rule)).toBe("not_seen");
  });

  it("that is resent is judged by what the merchant answers", () => {
    const { deliver, verdict } = world();
    deliver(
      { status: "delivered", fault: "duplicate_at_once" },
      { status: 200 },
      { status: 500, isResend: true },
    );
    expect(verdict("duplicate_refused")).toBe("not_seen");
    deliver(
      { status: "delivered" },
      { status: 200 },
      { status: null, error: "timeout", isResend: true },
    );
    expect(verdict("duplicate_refused")).toBe("not_seen");
    deliver({ status: "delivered" }, { status: 200 }, { status: 503, isResend: true });
    expect(verdict("duplicate_refused")).toBe("fail");
    expect(verdict("webhook_never_received")).toBe("pass");
  });

  it("that the merchant wants later is not refused", () => {
    const { deliver, verdict } = world();
    const later = { status: 503, retryAfterMs: 1000, isResend: true };
    deliver({ status: "delivered" }, { status: 200 }, later);
    expect(verdict("duplicate_refused")).toBe("not_seen");
  });

  it("of a previous process counts with its earlier attempts", () => {
    const { reviewer, verdict } = world();
    const attempts = [attempt({ status: 200 }), attempt({ status: 500, isResend: true })];
    const before = delivery({ status: "delivered", attempts });
    reviewer.see({ kind: "attempt", integration: "shop", delivery: before });
    expect(verdict("duplicate_refused")).toBe("fail");
  });

  it("about a canceled payout is not judged if its body is not the sandbox's", () => {
    const { deliver, verdict } = world();
    deliver({ type: "payout.canceled", status: "delivered" }, { status: 200 });
    expect(verdict("canceled_payout_ignored")).toBe("not_seen");
  });
});

describe("what a webhook depends on", () => {
  it("counts if the sandbox's own receiver gets it too", () => {
    const { deliver, reviewer } = world();
    deliver({ url: "http://127.0.0.1:7490/_sandbox/sink/sample" }, { status: 200 });
    const { assumptions } = reviewer.review("shop", () => STANDARD_ASSUMPTIONS);
    expect(assumptions.map((one) => one.name)).toContain("webhook.signature");
  });

  it.each([
    ["payin.expired", "payin.expiry_event"],
    ["payment.failed", "webhook.configuration"],
  ] as const)("%s: %s", (type, name) => {
    const { deliver, reviewer } = world();
    deliver({ type }, { status: 200 });
    const { assumptions } = reviewer.review("shop", () => STANDARD_ASSUMPTIONS);
    expect(assumptions.map((one) => one.name)).toContain(name);
    expect(reviewer.review("other", () => STANDARD_ASSUMPTIONS).assumptions).toEqual([]);
  });
});
