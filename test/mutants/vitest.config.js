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

/** Of the files with processes, those of a room's own folder. */
const IN_PROCESS = "test/process/{cli,client,core,server,store}/**/*.test.ts";

const projects = /** @type {{ test: { name: string, include: string[] } }[]} */ (
  config.test?.projects ?? []
);

export default defineConfig({
  test: {
    sequence: { sequencer: /** @type {any} */ (Listed) },
    projects: projects
      .filter(({ test }) => test.name !== "long")
      .map(({ test }) => ({
        test: {
          ...test,
          include: test.name === "process" ? [IN_PROCESS] : test.include,
          setupFiles: ["test/mutants/covered.js"],
        },
      })),
  },
});
