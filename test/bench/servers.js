/**
 * Starts the servers that are compared, each a process of its own and all in the same way, so that a
 * figure differs by the server alone. Whatever still runs when the benchmark ends is killed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** @typedef {import("node:child_process").ChildProcess} ChildProcess */
/** @typedef {{ port: number, child: ChildProcess, stop: () => Promise<void> }} RunningServer */

const LIMITS = { readyMs: 20_000, stopMs: 5_000 };
const LARGE_STATE_LIMITS = { readyMs: 180_000, stopMs: 180_000 };
const BARE_SERVER = fileURLToPath(new URL("bare-server.js", import.meta.url));
const RECEIVER = fileURLToPath(new URL("webhook-receiver.js", import.meta.url));
const SANDBOX = fileURLToPath(new URL("../../bin/pix-sandbox.js", import.meta.url));

/** @type {Set<ChildProcess>} */
const running = new Set();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export function startBareServer() {
  return startServer([BARE_SERVER]);
}

/** @param {string} bundle h3-server.js with all that it needs */
export function startH3Server(bundle) {
  return startServer([bundle]);
}

export function startSandbox() {
  return startServing("--memory");
}

/** Starts the sandbox of another checkout, which must be built. @param {string} folder */
export function startOtherBuild(folder) {
  const bin = path.resolve(folder, "bin/pix-sandbox.js");
  return startServer([bin, "serve", "--memory", "--port", "0", "--json", "--quiet"]);
}

/**
 * Starts a sandbox in a way of its own.
 * @param {...string} serveOptions
 */
export function startServing(...serveOptions) {
  return startServer([SANDBOX, "serve", ...serveOptions, "--port", "0", "--json", "--quiet"]);
}

/** Starts a merchant that only hears webhooks, and can be asked when they came. */
export function startReceiver() {
  return untilReady(startAskable([RECEIVER]), LIMITS);
}

/**
 * Starts one that keeps its state in a file.
 * @param {string} stateFile
 * @param {...string} nodeOptions
 */
export function startStateSandbox(stateFile, ...nodeOptions) {
  const serve = [SANDBOX, "serve", "--state", stateFile, "--durability", "always"];
  const args = [...nodeOptions, ...serve, "--port", "0", "--json", "--quiet"];
  return untilReady(startAskable(args), LARGE_STATE_LIMITS);
}

/**
 * Starts a process that can be asked things.
 * @param {string[]} args
 */
export function startAskable(args) {
  return startProcess(args, ["ignore", "pipe", "inherit", "ipc"]);
}

/**
 * Sends an order to a process, and resolves with its answer.
 * @param {ChildProcess} child
 * @param {unknown} order
 * @returns {Promise<any>}
 */
export function ask(child, order) {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`"${commandOf(child)}" ended and did not answer.`));
    child.once("exit", ended);
    child.once("message", (answer) => {
      child.off("exit", ended);
      resolve(answer);
    });
    child.send(/** @type {import("node:child_process").Serializable} */ (order));
  });
}

/** @param {ChildProcess} child */
export async function kill(child) {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** @param {string[]} args */
function startServer(args) {
  return untilReady(startProcess(args, ["ignore", "pipe", "inherit"]), LIMITS);
}

/**
 * @param {string[]} args
 * @param {import("node:child_process").StdioOptions} stdio
 */
function startProcess(args, stdio) {
  const child = spawn(process.execPath, args, { stdio });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/**
 * Resolves once the server has printed its first line, a JSON object with its port.
 * @param {ChildProcess} child
 * @param {typeof LIMITS} limits
 * @returns {Promise<RunningServer>}
 */
async function untilReady(child, { readyMs, stopMs }) {
  const ended = once(child, "exit");
  const stop = async () => {
    const limit = setTimeout(() => child.kill("SIGKILL"), stopMs);
    child.kill("SIGTERM");
    await ended;
    clearTimeout(limit);
  };
  return { port: await readPort(child, readyMs), child, stop };
}

/**
 * @param {ChildProcess} child
 * @param {number} readyMs
 * @returns {Promise<number>}
 */
function readPort(child, readyMs) {
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      reject(new Error(`"${commandOf(child)}" was not ready in ${readyMs / 1_000} s.`));
    }, readyMs);
    child.once("exit", (code) => {
      clearTimeout(limit);
      const reason = `ended with code ${code}. Has it been built, with npm run build?`;
      reject(new Error(`"${commandOf(child)}" ${reason}`));
    });
    lines.once("line", (line) => {
      clearTimeout(limit);
      resolve(JSON.parse(line).port);
    });
  });
}

/** @param {ChildProcess} child */
function commandOf(child) {
  return child.spawnargs.slice(1).join(" ");
}
