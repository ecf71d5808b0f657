import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Ids } from "../../../src/core/records/ids.ts";
import { partOf } from "../../../src/core/state/table.ts";

const COUNT = 20_000;
const ids = new Ids((text) => createHash("sha512").update(text).digest("hex"), "42");

describe("the parts of a large map", () => {
  it.each<[string, (index: number) => string]>([
    ["ids and keys that are UUIDs", (index) => ids.key("shop", index)],
    ["Pix ids", (index) => ids.payin("shop", index).pixId],
    ["ids of events", (index) => ids.event("shop", index, "payin.paid")],
    ["keys with a counter", (index) => `order-${index}`],
  ])("are equally large: %s", (_what, keyOf) => {
    const sizes: number[] = [];
    for (let index = 0; index < COUNT; index++) {
      const part = partOf(keyOf(index));
      sizes[part] = (sizes[part] ?? 0) + 1;
    }
    const mean = COUNT / sizes.length;
    expect(Math.max(...sizes) / mean).toBeLessThan(1.3);
    expect(Math.min(...sizes) / mean).toBeGreaterThan(0.7);
  });
});
