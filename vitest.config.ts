import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { pluginOf, postgresWrites } from "./build/patches.js";

/** A test that takes longer fails, instead of hanging. */
const PATIENCE_MS = 60_000;
const ELSEWHERE = ["isolated", "process", "long"].map((folder) => `test/${folder}/**`);

export default defineConfig({
  plugins: [pluginOf(postgresWrites)],
  test: {
    server: { deps: { inline: ["postgres"] } },
    setupFiles: ["test/support/languages.ts"],
    // People's times are in the zone of the machine.
    env: { TZ: "UTC" },
    // A busy machine makes tests slow, but fails none.
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS / 2 } },
    // More files than processors: those that start processes wait for them about half of their time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      // Files that share a process load the source once.
      project("fast", "test/**", { isolate: false, exclude: ELSEWHERE }),
      // They replace modules, timers or the environment.
      project("isolated", "test/isolated/**", { isolate: true }),
      project("process", "test/process/**", { isolate: false }),
      project("long", "test/long/**", { isolate: true }),
    ],
  },
});

function project(
  name: string,
  folder: string,
  { isolate, exclude = [] }: { isolate: boolean; exclude?: string[] },
) {
  return {
    extends: true as const,
    test: {
      name,
      include: [`${folder}/*.test.ts`],
      exclude: [...configDefaults.exclude, ...exclude],
      isolate,
    },
  };
}
