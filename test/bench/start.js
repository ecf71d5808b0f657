/**
 * How long a developer, or a test suite, waits for a sandbox: from starting the process to its
 * first answer, against a process that only opens a server. The client is the same for both.
 */
import { once } from "node:events";
import { get } from "node:http";
import { median } from "./figures.js";

/** @typedef {import("./servers.js").RunningServer} RunningServer */

const ROUNDS = 15;

/**
 * @param {() => Promise<RunningServer>} startSandbox
 * @param {() => Promise<RunningServer>} startBareServer
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureStart(startSandbox, startBareServer) {
  /** @type {number[]} */
  const sandboxRounds = [];
  /** @type {number[]} */
  const bareRounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    sandboxRounds.push(await timeFirstAnswer(startSandbox));
    bareRounds.push(await timeFirstAnswer(startBareServer));
  }
  for (const rounds of [sandboxRounds, bareRounds]) rounds.shift(); // the warm-up

  return [
    {
      name: "first answer after the start / a bare server's",
      ratios: sandboxRounds.map((milliseconds, round) => milliseconds / bareRounds[round]),
      target: { atMost: 2 },
      absolute: `${describe(sandboxRounds)} / ${describe(bareRounds)}`,
    },
  ];
}

/** @param {() => Promise<RunningServer>} start */
async function timeFirstAnswer(start) {
  const startedAt = performance.now();
  const server = await start();
  const request = get({
    host: "127.0.0.1",
    port: server.port,
    path: "/_sandbox/health",
    agent: false,
  });
  const [answer] = await once(request, "response");
  answer.resume();
  await once(answer, "end");
  const elapsedMs = performance.now() - startedAt;

  await server.stop();
  if (answer.statusCode !== 200)
    throw new Error(`The first answer was ${answer.statusCode}, not 200.`);
  return elapsedMs;
}

/** @param {number[]} rounds */
function describe(rounds) {
  return `${Math.round(median(rounds))} ms`;
}
