/** What is stopped and removed when the benchmark ends, also on an error and on Ctrl-C. */
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** @type {(() => void)[]} */
const actions = [];
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
process.once("exit", () => {
  for (const act of actions.toReversed()) act();
});

/** Runs `act` at the end, after those that were registered later. @param {() => void} act */
export function atExit(act) {
  actions.push(act);
}

/** Creates an empty temporary folder and returns its path. */
export async function createFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-bench-"));
  // A process that was killed a moment ago may still write to it.
  atExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
