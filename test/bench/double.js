/**
 * What a sandbox costs each test that starts one of its own: `startSandbox()` and `close()` inside a
 * process that has started one before, against `listen` and `close` of a bare `node:http` server in the
 * same process, in turn.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { startSandbox } from "../../dist/index.js";
import { median } from "./figures.js";

const ROUNDS = 50;
const WARM_UP = 10;

/** @typedef {{ start: number, close: number }} Times in milliseconds */

/** @returns {Promise<import("./figures.js").Figure[]>} */
export async function measureDouble() {
  /** @type {Times[]} */
  const sandboxes = [];
  /** @type {Times[]} */
  const bare = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    sandboxes.push(await time(startSandbox, (sandbox) => sandbox.close()));
    bare.push(await time(listen, close));
  }
  return [
    compare("startSandbox() / a bare server's listen", sandboxes, bare, "start"),
    compare("close() / a bare server's close", sandboxes, bare, "close"),
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
 * @returns {Promise<Times>}
 */
async function time(start, end) {
  const startedAt = performance.now();
  const started = await start();
  const runsAt = performance.now();
  await end(started);
  return { start: runsAt - startedAt, close: performance.now() - runsAt };
}

/**
 * @param {string} name
 * @param {Times[]} sandboxes
 * @param {Times[]} bare
 * @param {keyof Times} what
 * @returns {import("./figures.js").Figure}
 */
function compare(name, sandboxes, bare, what) {
  const [ours, theirs] = [sandboxes, bare].map((all) => all.slice(WARM_UP).map((one) => one[what]));
  const most = Math.max(...ours).toFixed(1);
  return {
    name,
    ratios: ours.map((milliseconds, round) => milliseconds / theirs[round]),
    absolute: `${median(ours).toFixed(2)} ms (at most ${most}; wanted: 10) / ${median(theirs).toFixed(2)} ms`,
  };
}
