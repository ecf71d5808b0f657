/** Requests under load: payins in memory and durable payins, against a bare server. */
import path from "node:path";
import { compareRates, measureInTurns, median } from "./figures.js";
import {
  ask,
  createFolder,
  kill,
  startBareServer,
  startDurable,
  startSandbox,
  startWorker,
  untilAtRest,
} from "./servers.js";

/** @typedef {import("./index.js").Options} Options */
/** @typedef {import("./figures.js").Figure} Figure */
/** @typedef {import("./servers.js").RunningServer} RunningServer */
/** @typedef {import("./processes/load.js").LoadOptions} LoadOptions */
/** @typedef {import("./processes/load.js").LoadResult} LoadResult */
/** @typedef {Partial<Omit<LoadOptions, "port" | "pid">>} Load */
/** @typedef {{ server: RunningServer, rest?: () => Promise<void> }} Side */

/** Above this share of the time the generator limits the rate. */
const BUSY = 0.9;
/** Responses of the two sides may differ by this share of their bytes: other builds have a header more or less. */
const BYTES_TOLERANCE = 0.1;

/** @param {Options} options */
export function measurePayins(options) {
  return measure(options, {
    name: "create a payin, in memory",
    target: { atLeast: 0.8 },
    start: async (checkout) => ({ server: await startSandbox(["--memory"], { checkout }) }),
  });
}

/** @param {Options} options */
export function measureDurable(options) {
  return measure(options, {
    name: "create a payin, durable",
    target: { atLeast: 0.58 },
    start: startDurableSide,
  });
}

/** @param {string} [checkout] */
async function startDurableSide(checkout) {
  const stateFile = path.join(await createFolder(), "state.json");
  const server = await startDurable(stateFile, [], { checkout });
  // An idle sandbox compacts its state file. That must not run while the other side is measured.
  return { server, rest: () => untilAtRest(stateFile) };
}

/**
 * @param {Options} options
 * @param {Pick<Figure, "name" | "target"> & { start: (checkout?: string) => Promise<Side> }} row
 * @returns {Promise<Figure[]>}
 */
async function measure({ against, short }, { name, target, start }) {
  /** @returns {Promise<Side>} */
  const startBare = async () => ({ server: await startBareServer() });
  const [ours, other] = await Promise.all([start(), against ? start(against) : startBare()]);
  const [rounds, requests] = short ? [3, 5_000] : [7, 20_000];
  const comparison = await compareUnderLoad({ ours, other, rounds, requests });
  await Promise.all([ours.server.stop(), other.server.stop()]);
  return [
    against
      ? { name: `${name} / the other build`, target: { atLeast: 1 }, ...comparison }
      : { name: `${name} / bare`, target, ...comparison },
  ];
}

/**
 * Starts a generator with its own connections.
 * @param {RunningServer} server
 * @param {Load} [options]
 */
function startGenerator({ port, child: { pid } }, options = {}) {
  const child = startWorker("load.js", [JSON.stringify({ port, pid, ...options })]);
  return {
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
async function compareUnderLoad({ ours, other, rounds, requests }) {
  const generators = [ours, other].map(({ server }) => startGenerator(server));
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
