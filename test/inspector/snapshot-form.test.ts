import { describe, expect, it } from "vitest";
import { suggestName, wrongName } from "../../src/inspector/state/snapshot-form.ts";

const named = (...names: readonly string[]) =>
  names.map((name) => ({
    name,
    integration: null,
    taken_at: "2026-11-21T12:00:00.000Z",
    payins: 0,
    payouts: 0,
    deliveries: 0,
  }));

describe("the name of a snapshot", () => {
  it("is suggested unused and valid", () => {
    expect(suggestName([])).toBe("snapshot-1");
    expect(suggestName(named("snapshot-1", "paid", "snapshot-2"))).toBe("snapshot-3");
    expect(wrongName(suggestName([]))).toBeUndefined();
  });

  it.each(["", "A", "-a", "a b", "a/b", "a".repeat(65)])("is refused: %j", (name) =>
    expect(wrongName(name)).toBeDefined(),
  );
});
