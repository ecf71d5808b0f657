import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Payin, Transaction } from "../../src/core/records/transaction.ts";
import { world } from "./world.ts";

const RULE = "key_reused_for_new_payin";
const CPF = "12345678909";

/** A shop that creates a charge and repeats the call after the charge has ended. */
function shop({ key = "order-1", ...request }: { key?: string } & Record<string, unknown> = {}) {
  const all = world();
  const { create, see, records, reviewer } = all;
  const body = JSON.stringify({ buyer_cpf: CPF, value: 30, ...request });
  const description = request["description"] as string | undefined;
  const members = {
    key: key,
    request: body,
    buyer_cpf: CPF,
    value: 30,
    description,
  };
  create({ id: "old", ...members });
  const end = (status: Payin["status"]): void => {
    const before = records.get(`shop/${key}`);
    const ended = { ...before, record: { ...before?.record, status } } as Transaction;
    records.set(`shop/${key}`, ended);
    reviewer.see({ kind: "payin", integration: "shop", record: ended.record as Payin });
  };
  const call = { noun: "payin", key, body, path: "/v1/payins" } as const;
  const repeat = (): void => see({ ...call, keyUse: "repeated" });
  const renew = (id: string): void => create({ ...members, id, key: id });
  return { ...all, call, end, repeat, renew };
}

describe("a good merchant", () => {
  it("repeats a call, while its charge waits and after it was paid", () => {
    const { repeat, end, verdict, wait } = shop();
    repeat();
    end("paid");
    repeat();
    wait();
    expect(verdict(RULE)).toBe("not_seen");
  });

  it("repeats a call whose response was lost, even after the charge has expired", () => {
    const { see, call, end, repeat, verdict, wait } = shop();
    see({ ...call, outcome: "lost", keyUse: "repeated" });
    end("expired");
    repeat();
    wait();
    expect(verdict(RULE)).toBe("not_seen");
  });

  it("orders an expired charge again under a new key", () => {
    const { end, renew, repeat, verdict, wait } = shop();
    end("expired");
    renew("order-1-2");
    expect(verdict(RULE)).toBe("pass");
    repeat();
    wait();
    expect(verdict(RULE)).toBe("pass");
  });

  it("may find out by the old response, and has its time until the new key", () => {
    const { end, renew, repeat, verdict, wait } = shop();
    end("expired");
    repeat();
    wait(20_000);
    expect(verdict(RULE)).toBe("pending");
    renew("order-1-2");
    wait();
    expect(verdict(RULE)).toBe("pass");
  });

  it("ends what is pending with a reset", () => {
    const { end, repeat, verdict, wait, reviewer } = shop();
    end("expired");
    repeat();
    reviewer.see({ kind: "reset", integration: "shop" });
    wait();
    expect(verdict(RULE)).toBe("not_seen");
  });

  it.each([
    ["a random key", { key: "0b5f6a0e-4a53-4d0c-9a53-7d2f0d1b9c11" }],
    ["a key of the buyer and the order", { key: `${CPF}-1001` }],
    ["a key of words", { key: `${CPF}-order-abc` }],
    ["a description with a number", { key: `${CPF}-30`, description: "Order 17" }],
    ["an address with a number", { key: `${CPF}-30`, webhook_url: "http://shop:80/hook/17" }],
    ["a number elsewhere", { key: `${CPF}-30`, metadata: { order: 17 } }],
  ])("repeats a call of a paid charge with %s", (_what, options) => {
    const { end, repeat, verdict } = shop(options);
    end("paid");
    repeat();
    expect(verdict(RULE)).toBe("not_seen");
  });
});

describe("a merchant that uses the key of an ended charge", () => {
  it("gets a warning if the charge has expired and no new key follows", () => {
    const { end, repeat, verdict, wait, renew } = shop();
    end("expired");
    repeat();
    wait();
    expect(verdict(RULE)).toBe("warning");
    renew("order-1-2");
    expect(verdict(RULE)).toBe("pass");
  });

  const text = JSON.stringify({ buyer_cpf: CPF, value: 30, description: "Ticket" });
  const hash = createHash("sha256").update(text).digest("hex");
  it.each([
    `${CPF}-30`,
    `${CPF}:30.00`,
    `cart-${CPF}-3000`,
    CPF,
    hash,
    hash.slice(0, 32).replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
  ])("fails if the charge is paid and the key is made of the body alone: %s", (key) => {
    const { end, repeat, verdict, says } = shop({ key, description: "Ticket" });
    end("paid");
    repeat();
    expect(verdict(RULE)).toBe("fail");
    expect(says(RULE)).toContain("`idempotency.repeat`");
  });

  it("fails, while the charge waits, only if nothing could name the order", () => {
    const unnamed = shop({ key: `${CPF}-30` });
    unnamed.repeat();
    expect(unnamed.verdict(RULE)).toBe("fail");
    const named = shop({ key: `${CPF}-30`, description: "Ticket" });
    named.repeat();
    expect(named.verdict(RULE)).toBe("not_seen");
  });
});
