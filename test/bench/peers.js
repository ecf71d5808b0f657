/**
 * The sandbox and other mock servers, in one run: creating a payin under load, the first response after the start,
 * and the installed size.
 */
import { setTimeout as delay } from "node:timers/promises";
import { compareRates, compareTimes } from "./compare.js";
import { mainThreadCpuMs } from "./cpu.js";
import { startGenerator } from "./generator.js";
import { freePort, installAll } from "./peer-programs.js";
import { measureInTurns } from "./rounds.js";
import { kill, startProcess } from "./servers.js";
import { createPayin } from "./start.js";

/** @typedef {import("./figures.js").Figure} Figure */
/** @typedef {import("./peer-programs.js").Program} Program */

const POLL_MS = 5;
const LIMIT_MS = 60_000;

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<Figure[]>}
 */
export async function measurePeers({ short }) {
  const [ours, ...others] = await installAll();
  const starts = await measureInTurns(
    short ? 2 : 7,
    Object.fromEntries([ours, ...others].map((one) => [one.name, () => measureStart(one)])),
  );
  const rates = await measureRates([ours, ...others], short ? 1_000 : 2_000, short ? 2 : 7);
  return [
    ...others.map(({ name }) => compareCreation(name, rates[ours.name], rates[name])),
    ...others.map(({ name }) => ({
      name: `first response after start, a payin / ${name}`,
      ...compareTimes(starts[ours.name], starts[name]),
    })),
    ...others.filter(({ size }) => size).map((other) => compareSizes(ours, other)),
  ];
}

/** @param {Program} program @returns {Promise<import("./compare.js").Time>} */
async function measureStart(program) {
  const port = await freePort();
  const args = await program.command(port);
  const startedAt = performance.now();
  const child = startProcess(args, false);
  await untilResponse(port, program.path);
  const elapsedMs = performance.now() - startedAt;
  const cpuMs = mainThreadCpuMs(child.pid);
  await kill(child);
  return { elapsedMs, cpuMs };
}

/**
 * All programs run all the time and are measured in turns, each for the same time.
 * @param {Program[]} programs
 * @param {number} turnMs
 * @param {number} rounds
 */
async function measureRates(programs, turnMs, rounds) {
  const running = [];
  for (const program of programs) {
    const port = await freePort();
    const child = startProcess(await program.command(port), false);
    await untilResponse(port, program.path);
    const generator = startGenerator({ port, child }, { path: program.path });
    running.push({ name: program.name, child, generator });
  }
  const measure = async (/** @type {ReturnType<typeof startGenerator>} */ generator) => {
    generator.begin();
    await delay(turnMs);
    return generator.end();
  };
  const rates = await measureInTurns(
    rounds,
    Object.fromEntries(running.map(({ name, generator }) => [name, () => measure(generator)])),
  );
  for (const { child, generator } of running) {
    await generator.stop();
    await kill(child);
  }
  return rates;
}

/** Sends a charge until the response is 2xx. @param {number} port @param {string} [route] */
async function untilResponse(port, route) {
  const limit = performance.now() + LIMIT_MS;
  for (;;) {
    try {
      return await createPayin(port, route);
    } catch (error) {
      if (performance.now() > limit) throw error;
      await delay(POLL_MS);
    }
  }
}

/**
 * @param {string} name
 * @param {import("./processes/load.js").LoadResult[]} ours
 * @param {import("./processes/load.js").LoadResult[]} others
 * @returns {Figure}
 */
function compareCreation(name, ours, others) {
  const comparison = compareRates(ours, others);
  const sizes = `responses of ${ours[0].bytes} / ${others[0].bytes} bytes`;
  return {
    ...comparison,
    name: `create a payin, in memory / ${name}`,
    absolute: `${comparison.absolute}, ${sizes}`,
  };
}

/** @param {Program} ours @param {Program} other @returns {Figure} */
function compareSizes(ours, other) {
  const describe = (/** @type {Program} */ { size: { bytes, packages } }) =>
    `${(bytes / 1e6).toFixed(1)} MB in ${packages} ${packages === 1 ? "package" : "packages"}`;
  return {
    name: `installed size / ${other.name}`,
    ratios: [ours.size.bytes / other.size.bytes],
    absolute: `${describe(ours)} / ${describe(other)}`,
  };
}
