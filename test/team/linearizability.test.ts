import { describe, expect, it } from "vitest";
import { randomFrom } from "../support/core.ts";
import { isLinearizable, type Operation } from "./linearizability.ts";
import { KEY, RECORD, type RecordInput, type RecordState } from "./registers.ts";

const NEVER = Number.POSITIVE_INFINITY;

function one(
  startMs: number,
  endMs: number,
  input: RecordInput,
  output?: RecordState,
): Operation<RecordInput, RecordState> {
  return { startMs, endMs, input, output };
}

function ofKey(startMs: number, endMs: number, output?: string): Operation<"create", string> {
  return { startMs, endMs, input: "create", output };
}

describe("the checker accepts", () => {
  it.each([
    ["one call after another", [one(0, 1, "create", "waiting"), one(2, 3, "read", "waiting")]],
    [
      "either order of calls that overlap",
      [
        one(0, 1, "create", "waiting"),
        one(2, 9, "complete", "completed"),
        one(3, 4, "read", "waiting"),
        one(5, 6, "read", "completed"),
      ],
    ],
    [
      "an unknown outcome that shows late",
      [
        one(0, 1, "create", "waiting"),
        one(2, NEVER, "complete"),
        one(3, 4, "read", "waiting"),
        one(5, 6, "read", "completed"),
      ],
    ],
    [
      "an unknown outcome that never shows",
      [one(0, 1, "create", "waiting"), one(2, NEVER, "complete"), one(9, 10, "read", "waiting")],
    ],
  ])("%s", (_, history) => {
    expect(isLinearizable(history, RECORD)).toBe(true);
  });

  it("a key that is used again", () => {
    expect(isLinearizable([ofKey(0, 1, "a"), ofKey(2, 3, "a")], KEY)).toBe(true);
    expect(isLinearizable([ofKey(0, NEVER), ofKey(2, 3, "a"), ofKey(4, 5, "a")], KEY)).toBe(true);
  });
});

describe("the checker finds", () => {
  it.each([
    [
      "a read that is older than one before it",
      [
        one(0, 1, "create", "waiting"),
        one(2, 9, "complete", "completed"),
        one(3, 4, "read", "completed"),
        one(5, 6, "read", "waiting"),
      ],
    ],
    [
      "a read that lacks a confirmed change",
      [
        one(0, 1, "create", "waiting"),
        one(2, 3, "complete", "completed"),
        one(4, 5, "read", "waiting"),
      ],
    ],
    ["a lost record", [one(0, 1, "create", "waiting"), one(2, 3, "read", "absent")]],
    [
      "an unknown outcome that shows, and then does not",
      [
        one(0, 1, "create", "waiting"),
        one(2, NEVER, "complete"),
        one(3, 4, "read", "completed"),
        one(5, 6, "read", "waiting"),
      ],
    ],
    [
      "a record that is completed twice",
      [
        one(0, 1, "create", "waiting"),
        one(2, 3, "complete", "completed"),
        one(4, 5, "complete", "completed"),
      ],
    ],
  ])("%s", (_, history) => {
    expect(isLinearizable(history, RECORD)).toBe(false);
  });

  it("a key with two records", () => {
    expect(isLinearizable([ofKey(0, 1, "a"), ofKey(2, 3, "b")], KEY)).toBe(false);
    expect(isLinearizable([ofKey(0, 9, "a"), ofKey(2, 3, "b")], KEY)).toBe(false);
  });
});

it("finds a lost record among many unknown outcomes that change nothing", () => {
  const unknown = Array.from({ length: 40 }, (_, at) => one(2 + at / 100, NEVER, "create"));
  const history = [one(0, 1, "create", "waiting"), ...unknown, one(9, 10, "read", "absent")];
  expect(isLinearizable(history, RECORD)).toBe(false);
});

it("accepts every history of a real register, and finds one response that it cannot have given", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = randomFrom(seed);
    let state: RecordState = "absent";
    const history: Operation<RecordInput, RecordState>[] = [];
    for (let at = 0; at < 12; at++) {
      const input = (["create", "complete", "read"] as const)[Math.floor(random() * 3)] ?? "read";
      if (input === "complete" && state !== "waiting") continue;
      if (input === "create" && state === "absent") state = "waiting";
      if (input === "complete") state = "completed";
      // It takes effect at `at`, somewhere between its start and its end.
      history.push(one(at - random() * 3, at + random() * 3, input, state));
    }
    expect(isLinearizable(history, RECORD), `seed ${seed}`).toBe(true);
    const sooner = one(100, 101, "create", "waiting");
    const impossible = [sooner, one(102, 103, "read", "waiting"), one(104, 105, "read", "absent")];
    expect(isLinearizable([...history, ...impossible], RECORD), `seed ${seed}`).toBe(false);
  }
});
