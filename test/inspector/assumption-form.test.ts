import { describe, expect, it } from "vitest";
import {
  describeAssumptions,
  STANDARD_ASSUMPTIONS,
  withChanges,
} from "../../src/core/assumptions/table.ts";
import {
  isChanged,
  isDecision,
  readChoiceForm,
  splitOption,
  toChoiceForm,
  toDefaults,
} from "../../src/inspector/state/assumption-form.ts";

const rows = describeAssumptions(STANDARD_ASSUMPTIONS);
const changed = describeAssumptions(
  withChanges(STANDARD_ASSUMPTIONS, {
    "payout.auto": "complete_after:30",
    "rate_limit.per_minute": 5,
  }),
);
const rowOf = (name: string) => changed.find((row) => row.name === name) ?? changed[0]!;

describe("the form of a choice", () => {
  it.each([...rows, ...changed.filter(isChanged)])("reads $name = $choice back", (row) =>
    expect(readChoiceForm(row, toChoiceForm(row))).toEqual({ choice: row.choice }),
  );

  it("separates the number from the option", () => {
    expect(toChoiceForm(rowOf("payout.auto"))).toEqual({
      option: "complete_after:<seconds>",
      number: "30",
    });
    expect(toChoiceForm(rowOf("rate_limit.per_minute"))).toEqual({
      option: "<requests>",
      number: "5",
    });
    expect(splitOption("complete_after:<seconds>")).toEqual({
      before: "complete_after:",
      unit: "seconds",
    });
    expect(splitOption("never")).toBeUndefined();
  });

  it.each(["", "0", "1.5", "x", "-1"])("refuses the number %j", (number) => {
    expect(
      readChoiceForm(rowOf("payout.auto"), { option: "complete_after:<seconds>", number }),
    ).toHaveProperty("refusal");
  });
});

describe("the table", () => {
  it("knows which rows are changed, and their defaults", () => {
    expect(changed.filter(isChanged).map(({ name }) => name)).toEqual([
      "payout.auto",
      "rate_limit.per_minute",
    ]);
    expect(toDefaults(changed)).toEqual({ "payout.auto": "never", "rate_limit.per_minute": 0 });
  });

  it("knows which rows only document a decision", () => {
    expect(isDecision(rowOf("payin.v2"))).toBe(true);
    expect(isDecision(rowOf("payout.auto"))).toBe(false);
    expect(isDecision(rowOf("webhook.timeout_seconds"))).toBe(false);
  });
});
