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

const projects = /** @type {{ test: { name: string } }[]} */ (config.test?.projects ?? []);

export default defineConfig({
  test: {
    sequence: { sequencer: /** @type {any} */ (Listed) },
    projects: projects
      .filter(({ test }) => ["fast", "isolated"].includes(test.name))
      .map(({ test }) => ({ test: { ...test, setupFiles: ["test/mutants/covered.js"] } })),
  },
});
