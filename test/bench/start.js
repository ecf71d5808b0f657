/**
 * How long a developer, or a test suite, waits for a sandbox: from starting the process to its
 * first answer, against a process that only opens a server, and against one that does it with h3.
 * The client is the same for all.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { bundleServer } from "./bundle.js";
import { median } from "./figures.js";

/** @typedef {import("./servers.js").RunningServer} RunningServer */

const ROUNDS = 15;

/**
 * @param {() => Promise<RunningServer>} startSandbox
 * @param {() => Promise<RunningServer>} startBareServer
 * @param {(bundle: string) => Promise<RunningServer>} startH3Server
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureStart(startSandbox, startBareServer, startH3Server) {
  const folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-bench-"));
  const bundle = await bundleServer(path.join(folder, "h3-server.mjs"), "h3-server.js");
  const starts = [startSandbox, startBareServer, () => startH3Server(bundle)];
  /** @type {number[][]} */
  const rounds = starts.map(() => []);
  for (let round = 0; round <= ROUNDS; round++)
    for (const [index, start] of starts.entries()) rounds[index].push(await timeFirstAnswer(start));
  for (const one of rounds) one.shift(); // the warm-up
  await rm(folder, { recursive: true });

  const [sandbox, bare, h3] = rounds;
  return [
    {
      name: "first answer after the start / a bare server's",
      ...compare(sandbox, bare),
      target: { atMost: 1.4 },
    },
    { name: "the same / a bare h3 server's", ...compare(sandbox, h3) },
    { name: "a bare h3 server's / a bare server's", ...compare(h3, bare) },
  ];
}

/**
 * @param {number[]} rounds
 * @param {number[]} others
 */
function compare(rounds, others) {
  return {
    ratios: rounds.map((milliseconds, round) => milliseconds / others[round]),
    absolute: `${describe(rounds)} / ${describe(others)}`,
  };
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
