import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import config from "../../vitest.config.ts";

/** Test files run in the order in which the runner lists them. */
class Listed {
  /** @param {unknown[]} files */
  sort(files) {
    return files;
  }
  /** @param {unknown[]} files */
  shard(files) {
    return files;
  }
}

/** Of the files with processes, those of a room's own folder, and none that runs the page in a browser. */
const isInProcess = (/** @type {string} */ file) =>
  /^test\/(?:api|cli|core|sandbox|store)\//.test(file) &&
  !readFileSync(file, "utf8").includes('support/browser.ts"');

const projects = /** @type {{ test: { name: string, include: string[] } }[]} */ (
  config.test?.projects ?? []
);

export default defineConfig({
  test: {
    sequence: { sequencer: /** @type {any} */ (Listed) },
    projects: projects
      .filter(({ test }) => ["fast", "isolated", "process"].includes(test.name))
      .map(({ test }) => ({
        test: {
          ...test,
          include: test.include.filter((file) => test.name !== "process" || isInProcess(file)),
          exclude: ["test/package.test.ts"],
          setupFiles: ["test/mutants/covered.js"],
        },
      })),
  },
});
