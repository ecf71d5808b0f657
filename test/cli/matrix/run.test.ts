import { expect, it } from "vitest";
import type { Alternative } from "../../../src/cli/matrix/alternatives.ts";
import { runAll } from "../../../src/cli/matrix/run.ts";
import { CliError } from "../../../src/cli/terminal/errors.ts";

const alternatives = ["a", "b", "c"].map((choice): Alternative => ({
  name: "webhook.retries",
  choice,
}));
const ended = { exitCode: 0, durationMs: 1, output: "", reached: [] };

it("begins no other run after one has failed for an unknown reason", async () => {
  const begun: unknown[] = [];
  const failing = runAll(alternatives, 2, async (alternative) => {
    begun.push(alternative);
    if (begun.length === 1) throw new Error("no space left");
    return ended;
  });
  await expect(failing).rejects.toThrow("no space left");
  expect(begun).toEqual(alternatives.slice(0, 2));
});

it("goes on after a run that could not be started", async () => {
  const refusal = new CliError(3, "NO_SANDBOX", "No sandbox.");
  const runs = await runAll(alternatives, 1, ({ choice }) =>
    choice === "a" ? Promise.reject(refusal) : Promise.resolve(ended),
  );
  expect(runs.map(({ refusal: reason, result }) => reason ?? result)).toEqual([
    refusal,
    ended,
    ended,
  ]);
});
