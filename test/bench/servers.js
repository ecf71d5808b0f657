/** Starts the processes that are measured, and talks to them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { HEADERS, HOST } from "./charge.js";
import { atExit } from "./cleanup.js";

/** @typedef {import("node:child_process").ChildProcess} ChildProcess */
/** @typedef {{ port: number, child: ChildProcess, stop: () => Promise<void> }} RunningServer */

const LIMIT_MS = 180_000; // for a million payins
const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Starts a sandbox on a free port.
 * @param {string[]} serveOptions
 * @param {{ checkout?: string, nodeOptions?: string[], hasChannel?: boolean }} [options] `checkout`: the
 *   folder of another build; `hasChannel`: it can be asked over IPC
 */
export function startSandbox(serveOptions, { checkout, nodeOptions = [], hasChannel } = {}) {
  const serve = ["serve", ...serveOptions, "--port", "0", "--json", "--quiet"];
  return startServer([...nodeOptions, programOf(checkout), ...serve], hasChannel);
}

/**
 * Starts a sandbox with a state file.
 * @param {string} stateFile
 * @param {string[]} [serveOptions]
 * @param {Parameters<typeof startSandbox>[1]} [options]
 */
export function startDurable(stateFile, serveOptions = [], options = {}) {
  return startSandbox(["--state", stateFile, "--durability", "always", ...serveOptions], options);
}

/** @param {string[]} [options] of processes/bare-server.js */
export function startBareServer(options = []) {
  return startServer([processFile("bare-server.js"), ...options]);
}

/** The file to start of a build. @param {string} [checkout] its folder; default: this build */
export function programOf(checkout = CHECKOUT) {
  return path.resolve(checkout, "bin/pix-sandbox.js");
}

/** @param {string} name of a file in `processes` */
export function processFile(name) {
  return fileURLToPath(new URL(`processes/${name}`, import.meta.url));
}

/**
 * Starts a server that prints one line of JSON with its port.
 * @param {string[]} args of node
 * @param {boolean} [hasChannel]
 * @returns {Promise<RunningServer>}
 */
export async function startServer(args, hasChannel = false) {
  const child = startProcess(args, hasChannel);
  const ended = once(child, "exit");
  const stop = async () => {
    const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
    child.kill("SIGTERM");
    await ended;
    clearTimeout(limit);
  };
  const { port } = JSON.parse(await readLine(child));
  return { port, child, stop };
}

/**
 * Starts a process of `processes` that can be asked over IPC.
 * @param {string} name of its file
 * @param {string[]} [args]
 * @param {string[]} [nodeOptions]
 */
export function startWorker(name, args = [], nodeOptions = []) {
  return startProcess([...nodeOptions, processFile(name), ...args], true);
}

/**
 * @param {string[]} args of node
 * @param {boolean} hasChannel
 */
export function startProcess(args, hasChannel) {
  const stdio = hasChannel ? ["ignore", "pipe", "inherit", "ipc"] : ["ignore", "pipe", "inherit"];
  const child = spawn(process.execPath, args, { stdio });
  child.stdout.resume(); // a full pipe would block the process
  atExit(() => child.kill("SIGKILL"));
  return child;
}

/**
 * Resolves with the first line that a process prints.
 * @param {ChildProcess} child
 * @returns {Promise<string>}
 */
export function readLine(child) {
  return new Promise((resolve, reject) => {
    const fail = (/** @type {string} */ what) => {
      reject(new Error(`"${commandOf(child)}" ${what}.`));
    };
    const limit = setTimeout(() => fail(`was not ready in ${LIMIT_MS / 1_000} s`), LIMIT_MS);
    child.once("exit", (code) => {
      clearTimeout(limit);
      fail(`ended with code ${code}. Run npm run build first`);
    });
    createInterface({ input: child.stdout }).once("line", (line) => {
      clearTimeout(limit);
      resolve(line);
    });
  });
}

/**
 * Sends a message to a process, and resolves with its reply.
 * @param {ChildProcess} child
 * @param {unknown} message
 * @returns {Promise<any>}
 */
export function ask(child, message) {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`"${commandOf(child)}" ended without a reply.`));
    child.once("exit", ended);
    child.once("message", (reply) => {
      child.off("exit", ended);
      resolve(reply);
    });
    child.send(/** @type {import("node:child_process").Serializable} */ (message));
  });
}

/** @param {ChildProcess} child */
export async function kill(child) {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/**
 * Calls a route of a sandbox, with a new idempotency key unless `headers` has another.
 * @param {number} port
 * @param {string} route
 * @param {unknown} [body] a GET without it; a string is sent as it is
 * @param {{ method?: string, headers?: Record<string, string>, signal?: AbortSignal }} [options]
 * @returns {Promise<any>} the response's JSON
 */
export async function call(port, route, body, { headers, ...options } = {}) {
  const response = await fetch(`http://${HOST}:${port}${route}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...HEADERS, "x-idempotency-key": crypto.randomUUID(), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...options,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${route}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** @param {ChildProcess} child */
function commandOf(child) {
  return child.spawnargs.slice(1).join(" ");
}
