// Runs test files on request in one warm vitest, in the scratch copy that is the working folder.
import { createVitest } from "vitest/node";

/** @typedef {{ changed: readonly string[], files: readonly string[], stopsAtFailure: boolean }} Request */
/** @typedef {{ failed: string[], durations: Record<string, number> }} Result */

/** @type {Result} */
let result = { failed: [], durations: {} };
let stopsAtFailure = false;
/** @type {readonly string[]} */
let changed = [];

const vitest = await createVitest("test", {
  config: "test/mutants/vitest.config.js",
  watch: false,
  maxWorkers: 1,
  // A test that hangs is late as a part of its run, see index.js: on a busy machine a slow one is no failure.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  reporters: [
    {
      onTestCaseResult: (test) => {
        if (test.result().state === "failed") fail(test.module.moduleId);
      },
      onTestModuleEnd: (module) => {
        const { duration, collectDuration } = module.diagnostic();
        result.durations[module.moduleId] = duration + collectDuration;
        if (module.state() === "failed" || module.errors().length > 0) fail(module.moduleId);
      },
      onTestRunEnd: (_modules, unhandledErrors) => {
        for (const { message } of unhandledErrors) result.failed.push(`Unhandled: ${message}`);
      },
    },
  ],
});
const specifications = await vitest.globTestSpecifications();
process.send?.({ files: specifications.map(({ moduleId }) => moduleId) });

process.on("message", async (/** @type {Request} */ request) => {
  for (const file of [...changed, ...request.changed]) vitest.invalidateFile(file);
  // By the next request they have their own text again.
  changed = request.changed;
  result = { failed: [], durations: {} };
  stopsAtFailure = request.stopsAtFailure;
  const listed = request.files.flatMap((file) =>
    specifications.filter(({ moduleId }) => moduleId === file),
  );
  if (listed.length > 0) await vitest.runTestSpecifications(listed);
  process.send?.(result);
});
process.on("disconnect", () => process.exit());

/** @param {string} file */
function fail(file) {
  result.failed.push(file);
  if (stopsAtFailure) void vitest.cancelCurrentRun("test-failure");
}
