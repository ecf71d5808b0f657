/**
 * Creates the same payin on two servers: the sandbox, and a bare server or another build. Both run all the
 * time and take turns, so that other load on the machine affects both.
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
 * @param {Pick<import("./figures.js").Figure, "name" | "target">} figure
 * @param {() => Promise<RunningServer>} startSandbox
 * @param {() => Promise<RunningServer>} startOther
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measurePayins(figure, startSandbox, startOther) {
  const [sandbox, other] = await Promise.all([startSandbox(), startOther()]);
  /** @type {LoadResult[]} */
  const sandboxRounds = [];
  /** @type {LoadResult[]} */
  const otherRounds = [];
  const turns = [
    async () => sandboxRounds.push(await load(sandbox.port, REQUESTS_A_ROUND)),
    async () => otherRounds.push(await load(other.port, REQUESTS_A_ROUND)),
  ];
  // The first round warms both up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const turn of turns) await turn();
    turns.reverse();
  }
  await Promise.all([sandbox.stop(), other.stop()]);
  sandboxRounds.shift();
  otherRounds.shift();

  return [
    {
      ...figure,
      ratios: sandboxRounds.map(
        ({ per_second }, round) => per_second / otherRounds[round].per_second,
      ),
      absolute: `${describe(sandboxRounds)} / ${describe(otherRounds)}`,
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
