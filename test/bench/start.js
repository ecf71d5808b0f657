/** The time from starting the process to its first response, of the health route and of a payin, against a bare server. */
import { Agent, request } from "node:http";
import { compareTimes, measureInTurns } from "./figures.js";
import {
  chargeBody,
  HEADERS,
  HOST,
  mainThreadCpuMs,
  startBareServer,
  startSandbox,
} from "./servers.js";

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
