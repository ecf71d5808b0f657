/** The processes that are measured, the request that they get, and their CPU time. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const HOST = "127.0.0.1";

/** Nothing listens on the discard port. No webhook is sent to it unless a payin is paid. */
const WEBHOOK_URL = `http://${HOST}:9/webhooks/pix`;

/** All headers but the idempotency key. */
export const HEADERS = {
  "content-type": "application/json",
  "x-api-token": "bench",
  "x-provider-id": "4182",
  "x-provider": "Loja Exemplo",
  "x-country-code": "BR",
};

/**
 * The body of `POST /v1/payins`.
 * @param {{ webhookUrl?: string, expiration?: number }} [options] `expiration` in seconds
 */
export function chargeBody({ webhookUrl = WEBHOOK_URL, expiration = 86_400 } = {}) {
  return JSON.stringify({
    value: 129.9,
    description: "Pedido 48213, duas camisetas",
    buyer_cpf: "52998224725",
    buyer_name: "Maria Aparecida da Silva",
    buyer_email: "maria.silva@example.com",
    webhook_url: webhookUrl,
    generate_qrcode: false,
    expiration,
  });
}

/** @typedef {import("node:child_process").ChildProcess} ChildProcess */
/** @typedef {{ port: number, child: ChildProcess, stop: () => Promise<void> }} RunningServer */

const LIMIT_MS = 60_000;
const IDLE_MS = 1_500; // a compaction starts after a second without changes
const REST_MS = 1_000; // for the disk
const POLL_MS = 5;
const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Starts a sandbox on a free port.
 * @param {string[]} serveOptions
 * @param {{ checkout?: string }} [options] `checkout`: the folder of another build
 */
export function startSandbox(serveOptions, { checkout = CHECKOUT } = {}) {
  const program = path.resolve(checkout, "bin/pix-sandbox.js");
  return startServer([program, "serve", ...serveOptions, "--port", "0", "--json", "--quiet"]);
}

/**
 * Starts a sandbox with a state file.
 * @param {string} stateFile
 * @param {string[]} [serveOptions]
 * @param {Parameters<typeof startSandbox>[1]} [options]
 */
export function startDurable(stateFile, serveOptions = [], options = {}) {
  return startSandbox(["--state", stateFile, ...serveOptions], options);
}

export function startBareServer() {
  return startServer([processFile("bare.js"), "server"]);
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
 */
export function startWorker(name, args = []) {
  return startProcess([processFile(name), ...args], true);
}

/**
 * @param {string[]} args of node
 * @param {boolean} hasChannel
 */
function startProcess(args, hasChannel) {
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
function readLine(child) {
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

/**
 * Waits until the state file is compacted and the disk has had time to rest. A compaction writes a temporary file, and at
 * its end a second journal exists.
 * @param {string} stateFile
 */
export async function untilAtRest(stateFile) {
  await delay(IDLE_MS);
  const limit = performance.now() + LIMIT_MS;
  const isCompacting = async () => {
    const names = await readdir(path.dirname(stateFile));
    const journals = names.filter((name) => name.endsWith(".journal"));
    return journals.length > 1 || names.some((name) => name.endsWith(".tmp"));
  };
  while (await isCompacting()) {
    if (performance.now() > limit) throw new Error("The state file was still being compacted.");
    await delay(POLL_MS);
  }
  await delay(REST_MS);
}

/** @param {ChildProcess} child */
function commandOf(child) {
  return child.spawnargs.slice(1).join(" ");
}

/** The CPU time of a process's main thread. @param {number} pid */
export function mainThreadCpuMs(pid) {
  const schedule = read(`/proc/${pid}/task/${pid}/schedstat`);
  return schedule && Number(schedule.split(" ")[0]) / 1e6;
}

/** @param {string} file of /proc, which only Linux has */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

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
