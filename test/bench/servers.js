/**
 * Starts the two servers that are compared, each a process of its own and both in the same way, so
 * that a figure differs by the server alone. Whatever still runs when the benchmark ends is killed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** @typedef {{ port: number, stop: () => Promise<void> }} RunningServer */

const READY_LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 5_000;
const BARE_SERVER = fileURLToPath(new URL("bare-server.js", import.meta.url));
const SANDBOX = fileURLToPath(new URL("../../bin/pix-sandbox.js", import.meta.url));

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export function startBareServer() {
  return startServer([BARE_SERVER]);
}

export function startSandbox() {
  return startServer([SANDBOX, "serve", "--memory", "--port", "0", "--json", "--quiet"]);
}

/**
 * Resolves once the server has printed its first line, a JSON object with its port.
 * @param {string[]} args
 * @returns {Promise<RunningServer>}
 */
async function startServer(args) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  const ended = once(child, "exit").finally(() => running.delete(child));

  const stop = async () => {
    const limit = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
    child.kill("SIGTERM");
    await ended;
    clearTimeout(limit);
  };
  return { port: await readPort(child), stop };
}

/**
 * @param {import("node:child_process").ChildProcessByStdio<null, import("node:stream").Readable, null>} child
 * @returns {Promise<number>}
 */
function readPort(child) {
  const command = child.spawnargs.slice(1).join(" ");
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      reject(new Error(`"${command}" was not ready in ${READY_LIMIT_MS / 1_000} s.`));
    }, READY_LIMIT_MS);
    child.once("exit", (code) => {
      clearTimeout(limit);
      reject(
        new Error(`"${command}" ended with code ${code}. Has it been built, with npm run build?`),
      );
    });
    lines.once("line", (line) => {
      clearTimeout(limit);
      resolve(JSON.parse(line).port);
    });
  });
}
