// Reports, for each test file, which marked functions of the source it runs; see sample.js for the marks.
import { appendFileSync } from "node:fs";
import { afterAll, expect } from "vitest";

/** @type {Set<string>} */
const covered = new Set();
Reflect.set(globalThis, "markRun", (/** @type {string} */ mark) => void covered.add(mark));

afterAll(() => {
  const report = process.env["PIX_MUTANTS_REPORT"];
  const { testPath } = expect.getState();
  if (report) appendFileSync(report, `${JSON.stringify({ testPath, covered: [...covered] })}\n`);
});
