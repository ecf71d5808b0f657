/**
 * How much of a bare server's speed is left when it is a payment gateway: the same charge is sent
 * to both, and the sandbox validates it, remembers it and draws up its code. Both servers are up
 * all the time and take turns, so that whatever else the machine does falls on both.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { formatCount, median } from "./figures.js";

/** @typedef {import("./servers.js").RunningServer} RunningServer */
/** @typedef {import("./load.js").LoadResult} LoadResult */

const LOAD = fileURLToPath(new URL("load.js", import.meta.url));
const ROUNDS = 7;
const REQUESTS_A_ROUND = 20_000;

/**
 * @param {() => Promise<RunningServer>} startSandbox
 * @param {() => Promise<RunningServer>} startBareServer
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measurePayins(startSandbox, startBareServer) {
  const [sandbox, bare] = await Promise.all([startSandbox(), startBareServer()]);
  /** @type {LoadResult[]} */
  const sandboxRounds = [];
  /** @type {LoadResult[]} */
  const bareRounds = [];
  await load(sandbox.port, REQUESTS_A_ROUND);
  await load(bare.port, REQUESTS_A_ROUND);
  for (let round = 0; round < ROUNDS; round++) {
    sandboxRounds.push(await load(sandbox.port, REQUESTS_A_ROUND));
    bareRounds.push(await load(bare.port, REQUESTS_A_ROUND));
  }
  await Promise.all([sandbox.stop(), bare.stop()]);

  return [
    {
      name: "creating a payin / a bare server's answer",
      ratios: sandboxRounds.map(
        ({ per_second }, round) => per_second / bareRounds[round].per_second,
      ),
      target: { atLeast: 0.8 },
      absolute: `${describe(sandboxRounds)} / ${describe(bareRounds)}`,
    },
  ];
}

/**
 * @param {number} port
 * @param {number} requests
 * @param {...string} more further options of the generator
 * @returns {Promise<LoadResult>}
 */
export async function load(port, requests, ...more) {
  const args = [LOAD, "--port", `${port}`, "--requests", `${requests}`, ...more];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

/** @param {LoadResult[]} rounds */
function describe(rounds) {
  const middle = (/** @type {keyof LoadResult} */ key) => median(rounds.map((round) => round[key]));
  const latency = `p50 ${middle("p50_ms").toFixed(2)} ms, p99 ${middle("p99_ms").toFixed(2)} ms`;
  const busy = `generator ${Math.round(middle("busy") * 100)} % busy`;
  return `${formatCount(middle("per_second"))}/s (${latency}, ${busy})`;
}
