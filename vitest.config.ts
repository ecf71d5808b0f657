import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { pluginOf, postgresWrites } from "./patches.js";

/** A test that takes longer fails, instead of hanging. */
const PATIENCE_MS = 60_000;
const LONG = /^test\/long\//;
/** Helpers and modules by which a test starts a process. */
const STARTS_PROCESSES =
  /\b(?:start(?:Browser|Cli|OnTerminal|Postgres|Program|Process|Serve|Shop|Under)|run(?:Cli|Export|Json)|serveUnder|node:child_process)\b/;
/** Calls that replace modules, timers or the environment for everything in the same process. */
const REPLACES_GLOBALS =
  /\bvi\.(?:mock|stubEnv|stubGlobal|useFakeTimers)\(|\buseFakeTimers\(|\bsandboxSetup\(/;

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((name) => `test/${name.replaceAll("\\", "/")}`)
  .filter((name) => name.endsWith(".test.ts") && !name.includes("/node_modules/"));
const filesOf = (project: Project): string[] => files.filter((file) => projectOf(file) === project);

export default defineConfig({
  plugins: [pluginOf(postgresWrites)],
  test: {
    server: { deps: { inline: ["postgres"] } },
    // A busy machine makes tests slow, but fails none.
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS / 2 } },
    // More files than processors: those that start processes wait for them about half of their time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      // Files that share a process load the source once.
      { extends: true, test: { name: "fast", include: filesOf("fast"), isolate: false } },
      { extends: true, test: { name: "isolated", include: filesOf("isolated") } },
      { extends: true, test: { name: "process", include: filesOf("process"), isolate: false } },
      { extends: true, test: { name: "long", include: filesOf("long") } },
    ],
  },
});

type Project = "fast" | "isolated" | "long" | "process";

function projectOf(file: string): Project {
  if (LONG.test(file)) return "long";
  const source = readFileSync(file, "utf8");
  if (REPLACES_GLOBALS.test(source)) return "isolated";
  return STARTS_PROCESSES.test(source) ? "process" : "fast";
}
