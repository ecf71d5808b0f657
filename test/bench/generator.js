/** The load generator, and the comparison of two servers under load. */
import { compareRates } from "./compare.js";
import { median } from "./figures.js";
import { measureInTurns } from "./rounds.js";
import { ask, kill, startWorker } from "./servers.js";

/** @typedef {import("./servers.js").RunningServer} RunningServer */
/** @typedef {import("./processes/load.js").LoadOptions} LoadOptions */
/** @typedef {import("./processes/load.js").LoadResult} LoadResult */
/** @typedef {Partial<Omit<LoadOptions, "port" | "pid">>} Load */
/** @typedef {{ server: RunningServer, load?: Load, rest?: () => Promise<void> }} Side */

/** Above this share of the time the generator limits the rate. */
const BUSY = 0.9;
/** Responses of the two sides may differ by this share of their bytes. */
const BYTES_TOLERANCE = 0.05;

/**
 * Starts a generator with its own connections.
 * @param {RunningServer} server
 * @param {Load} [options]
 */
export function startGenerator({ port, child: { pid } }, options = {}) {
  const child = startWorker("load.js", [JSON.stringify({ port, pid, ...options })]);
  return {
    begin: () => child.send("begin"),
    /** @returns {Promise<LoadResult>} since `begin` */
    end: () => ask(child, "end"),
    /** @returns {Promise<LoadResult>} */
    send: (/** @type {number} */ requests) => ask(child, requests),
    stop: () => kill(child),
  };
}

/**
 * Sends requests with a generator of their own.
 * @param {RunningServer} server
 * @param {number} requests
 * @param {Load} [options]
 */
export async function sendRequests(server, requests, options = {}) {
  const generator = startGenerator(server, options);
  const result = await generator.send(requests);
  await generator.stop();
  return result;
}

/**
 * Compares two servers under load: requests a second, and the CPU time of their main threads.
 * @param {{ ours: Side, other: Side, rounds: number, requests: number }} options `rest` is awaited after
 *   each turn of a side
 * @returns {Promise<Omit<import("./figures.js").Figure, "name">>}
 */
export async function compareUnderLoad({ ours, other, rounds, requests }) {
  const generators = [ours, other].map(({ server, load }) => startGenerator(server, load));
  const [measureOurs, measureOther] = [ours, other].map(({ rest }, side) => async () => {
    const result = await generators[side].send(requests);
    await rest?.();
    return result;
  });
  const results = await measureInTurns(rounds, { ours: measureOurs, other: measureOther });
  await Promise.all(generators.map((generator) => generator.stop()));
  return compareResults(results.ours, results.other);
}

/**
 * @param {LoadResult[]} ours one for each round
 * @param {LoadResult[]} others
 */
function compareResults(ours, others) {
  const [[{ bytes }], [{ bytes: otherBytes }]] = [ours, others];
  if (Math.abs(bytes - otherBytes) > BYTES_TOLERANCE * bytes)
    throw new Error(
      `The responses have ${bytes} and ${otherBytes} bytes, so the comparison is void.`,
    );
  const comparison = compareRates(ours, others);
  const busy = [ours, others].map((results) => median(results.map((result) => result.busy)));
  const percents = busy.map((share) => `${Math.round(share * 100)} %`);
  return {
    ...comparison,
    absolute: `${comparison.absolute} (generator busy ${percents.join(" / ")})`,
    isGeneratorBusy: busy.some((share) => share > BUSY),
  };
}
