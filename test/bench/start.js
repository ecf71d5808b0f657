/**
 * The time from starting the process to its first response, against a bare server: of the health route, and
 * of a real call that is the first one. The time of a command that calls a running sandbox, against a Node.js
 * process that does nothing.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "node:http";
import { promisify } from "node:util";
import { compareTimes, divide, measureInTurns, median } from "./figures.js";
import {
  call,
  chargeBody,
  endedChildrenCpuMs,
  HEADERS,
  HOST,
  mainThreadCpuMs,
  programOf,
  startBareServer,
  startSandbox,
} from "./servers.js";

const PAYINS = 10;
/** What a start leaves to be done has ended by then. */
const IDLE_MS = 3_000;
/** Commands in each turn: CPU time is reported in steps of 10 ms. */
const RUNS = 5;

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureStart({ against, short }) {
  const ours = () => startSandbox(["--memory"]);
  const other = against
    ? () => startSandbox(["--memory"], { checkout: against })
    : () => startBareServer();
  const starts = await measureInTurns(short ? 5 : 15, {
    health: () => measureStartOf(ours, getHealth),
    otherHealth: () => measureStartOf(other, getHealth),
    payin: () => measureStartOf(ours, createPayin),
    otherPayin: () => measureStartOf(other, createPayin),
  });
  const name = against ? "the other build" : "bare";
  return [
    {
      name: `first response after start, health / ${name}`,
      target: { atMost: against ? 1 : 1.2 },
      ...compareTimes(starts.health, starts.otherHealth),
    },
    {
      name: `first response after start, a payin / ${name}`,
      target: { atMost: against ? 1 : 1.3 },
      ...compareTimes(starts.payin, starts.otherPayin),
    },
  ];
}

/**
 * @param {() => Promise<import("./servers.js").RunningServer>} start
 * @param {(port: number) => Promise<void>} send
 * @returns {Promise<import("./figures.js").Time>}
 */
async function measureStartOf(start, send) {
  const startedAt = performance.now();
  const server = await start();
  await send(server.port);
  const elapsedMs = performance.now() - startedAt;
  const cpuMs = mainThreadCpuMs(server.child.pid);
  await server.stop();
  return { elapsedMs, cpuMs };
}

/** @param {number} port */
function getHealth(port) {
  return sendFirst({ port, method: "GET", path: "/_sandbox/health" });
}

/** @param {number} port */
function createPayin(port) {
  const headers = { ...HEADERS, "x-idempotency-key": crypto.randomUUID() };
  return sendFirst({ port, method: "POST", path: "/v1/payins", headers }, chargeBody());
}

/**
 * Sends a request over a new connection, and resolves at the end of a 2xx response.
 * @param {import("node:http").RequestOptions} options
 * @param {string} [body]
 * @returns {Promise<void>}
 */
function sendFirst(options, body) {
  const agent = new Agent({ keepAlive: false });
  return new Promise((resolve, reject) => {
    const sent = request({ host: HOST, agent, ...options }, (response) => {
      response.resume();
      response.on("end", () => {
        if (response.statusCode < 300) resolve();
        else reject(new Error(`The first response was ${response.statusCode}.`));
      });
    });
    sent.on("error", reject).end(body);
  });
}

/**
 * The resident memory of a sandbox that is not used, against a bare server. It needs Linux.
 * @param {import("./index.js").Options} options
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureIdle({ against, short }) {
  const results = await measureInTurns(short ? 1 : 7, {
    ours: () => residentMb(startSandbox(["--memory"])),
    other: () =>
      residentMb(against ? startSandbox(["--memory"], { checkout: against }) : startBareServer()),
  });
  const mb = (/** @type {number[]} */ all) => `${median(all).toFixed(1)} MB`;
  return [
    {
      name: `resident memory when idle / ${against ? "the other build" : "bare"}`,
      target: { atMost: against ? 1 : 1.35 },
      ratios: divide(results.ours, results.other),
      absolute: `${mb(results.ours)} / ${mb(results.other)}`,
    },
  ];
}

/** @param {Promise<import("./servers.js").RunningServer>} starting */
async function residentMb(starting) {
  const { child, stop } = await starting;
  await delay(IDLE_MS);
  const status = await readFile(`/proc/${child.pid}/status`, "utf8");
  await stop();
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
}

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureCommand({ against, short }) {
  const sandbox = await startSandbox(["--memory"]);
  for (let made = 0; made < PAYINS; made++) await call(sandbox.port, "/v1/payins", chargeBody());
  const list = ["payin", "list", "--url", `http://${HOST}:${sandbox.port}`];
  const other = against ? [programOf(against), ...list] : ["-e", "0"];
  const results = await measureInTurns(short ? 3 : 11, {
    ours: () => measureRuns([programOf(), ...list]),
    other: () => measureRuns(other),
  });
  await sandbox.stop();
  return [
    {
      name: `payin list / ${against ? "the other build" : "node -e 0"}`,
      target: { atMost: against ? 1 : 1.4 },
      ...compareTimes(results.ours, results.other),
    },
  ];
}

/**
 * One run. The CPU time is that of all threads.
 * @param {string[]} args of node
 * @returns {Promise<import("./figures.js").Time>}
 */
async function measureRuns(args) {
  const startedAt = performance.now();
  const startCpuMs = endedChildrenCpuMs();
  for (let run = 0; run < RUNS; run++) await promisify(execFile)(process.execPath, args);
  const elapsedMs = (performance.now() - startedAt) / RUNS;
  const cpuMs = endedChildrenCpuMs();
  return { elapsedMs, ...(cpuMs !== undefined && { cpuMs: (cpuMs - startCpuMs) / RUNS }) };
}
