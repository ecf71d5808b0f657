/**
 * What a sandbox costs each test that starts one: `startSandbox()` and `close()` in a process that has started
 * one before, against `listen` and `close` of a bare `node:http` server in the same process.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { startSandbox } from "../../dist/index.js";
import { compareTimes } from "./compare.js";
import { measureInTurns } from "./rounds.js";

const WARM_UPS = 10;

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureDouble({ short }) {
  const sides = {
    sandbox: () => measure(startSandbox, (sandbox) => sandbox.close()),
    bare: () => measure(listen, close),
  };
  await measureInTurns(WARM_UPS, sides);
  const { sandbox, bare } = await measureInTurns(short ? 10 : 50, sides);
  return [
    {
      name: "startSandbox() / listen() of a bare server",
      ...compareTimes(...[sandbox, bare].map((all) => all.map((one) => one.start))),
    },
    {
      name: "close() / close() of a bare server",
      ...compareTimes(...[sandbox, bare].map((all) => all.map((one) => one.close))),
    },
  ];
}

async function listen() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** @param {import("node:http").Server} server */
async function close(server) {
  const closed = once(server, "close");
  server.close();
  await closed;
}

/**
 * @template Started
 * @param {() => Promise<Started>} start
 * @param {(started: Started) => Promise<void>} end
 */
async function measure(start, end) {
  const startedAt = performance.now();
  const started = await start();
  const runsAt = performance.now();
  await end(started);
  return {
    start: { elapsedMs: runsAt - startedAt },
    close: { elapsedMs: performance.now() - runsAt },
  };
}
