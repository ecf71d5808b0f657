import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ProgressOptions, withProgress } from "../../../src/cli/client/progress.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("progress", () => {
  it("is shown after a second, with the seconds, and removed at the end", async () => {
    const { shown, finish, done } = start({ label: "Opening state.json" });
    await vi.advanceTimersByTimeAsync(999);
    expect(shown).toEqual([]);
    await vi.advanceTimersByTimeAsync(2100);
    expect(new Set(shown)).toEqual(
      new Set(["Opening state.json… 1 s", "Opening state.json… 2 s", "Opening state.json… 3 s"]),
    );
    finish();
    await done;
    expect(shown.at(-1)).toBe("");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is not shown with --json, nor without a terminal", async () => {
    for (const options of [{ isSilent: true }, { isTerminal: false }]) {
      const { shown, finish, done } = start({ label: "Waiting", ...options });
      await vi.advanceTimersByTimeAsync(5000);
      finish();
      await done;
      expect(shown).toEqual([]);
    }
  });

  it("is removed where the work fails", async () => {
    const { shown, fail, done } = start({ label: "Waiting" });
    await vi.advanceTimersByTimeAsync(1000);
    fail(new Error("too late"));
    await expect(done).rejects.toThrow("too late");
    expect(shown).toEqual(["Waiting… 1 s", ""]);
  });
});

function start({ isTerminal = true, ...options }: ProgressOptions & { isTerminal?: boolean }) {
  const shown: string[] = [];
  let finish!: () => void;
  let fail!: (error: Error) => void;
  const promise = new Promise<void>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  const io = { isTerminal, showStatus: (text: string) => void shown.push(text) };
  const done = withProgress(io, options, () => promise);
  done.catch(() => undefined);
  return { shown, done, finish, fail };
}
