import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../src/core/records/delivery.ts";
import { addressOf, WebhookReorder } from "../../../src/core/state/reorder.ts";
import { attempt, delivery } from "../../support/core.ts";

const REORDER = "reorder" as const;
const held = delivery({ id: "evt_held", fault: REORDER });
const next = delivery({ id: "evt_next" });

describe("a reordered webhook", () => {
  it("leaves directly after the next one to its address, once", () => {
    const reorder = noted(held, next);
    expect(reorder.takeBehind("evt_next")).toBe("evt_held");
    expect(reorder.takeBehind("evt_next")).toBeUndefined();
  });

  it("is awaited at its address until the next one comes", () => {
    const reorder = noted(held);
    expect(reorder.isAwaited(next)).toBe(true);
    reorder.note(next);
    expect(reorder.isAwaited(next)).toBe(false);
  });

  it.each([
    ["of another integration", { integration: "other" }],
    ["to another URL", { url: "http://127.0.0.1:9999/other" }],
  ])("does not leave after one %s", (_title, members) => {
    const other = delivery({ id: "evt_other", ...members });
    const reorder = noted(held, other);
    expect(reorder.isAwaited(other)).toBe(false);
    expect(reorder.takeBehind("evt_other")).toBeUndefined();
    expect(reorder.isAwaited(held)).toBe(true);
  });

  it.each<[string, Partial<Delivery>]>([
    ["it was attempted by itself", { attempts: [attempt()] }],
    ["it failed", { status: "failed" }],
    ["it was delivered", { status: "delivered" }],
  ])("is not awaited any more when %s", (_title, members) => {
    const reorder = noted(held, { ...held, ...members }, next);
    expect(reorder.isAwaited(held)).toBe(false);
    expect(reorder.takeBehind("evt_next")).toBeUndefined();
  });

  it("is still awaited when an earlier webhook to its address was attempted", () => {
    const earlier = delivery({ id: "evt_earlier" });
    const reorder = noted(earlier, held, { ...earlier, attempts: [attempt()] });
    expect(reorder.isAwaited(held)).toBe(true);
  });

  it("leaves after a webhook with another fault, but pairs with no second reordered one", () => {
    const late = delivery({ id: "evt_late", fault: "delay_ms=5" });
    expect(noted(held, late).takeBehind("evt_late")).toBe("evt_held");
    const second = delivery({ id: "evt_second", fault: REORDER });
    const reorder = noted(held, second, next);
    expect(reorder.takeBehind("evt_second")).toBeUndefined();
    expect(reorder.takeBehind("evt_next")).toBe("evt_second");
  });

  it("and its pair are forgotten by a clear", () => {
    const reorder = noted(held, next, { ...held, id: "evt_again" });
    reorder.clear();
    expect(reorder.isAwaited(held)).toBe(false);
    expect(reorder.takeBehind("evt_next")).toBeUndefined();
  });
});

describe("an address", () => {
  it("is an integration's URL", () => {
    const one = { integration: "a", url: "http://b/" };
    expect(addressOf(one)).toBe(addressOf({ ...one }));
    expect(addressOf(one)).not.toBe(addressOf({ ...one, integration: "b" }));
    expect(addressOf(one)).not.toBe(addressOf({ ...one, url: "http://c/" }));
  });
});

function noted(...deliveries: readonly Delivery[]): WebhookReorder {
  const reorder = new WebhookReorder();
  for (const one of deliveries) reorder.note(one);
  return reorder;
}
