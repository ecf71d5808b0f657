/** Requests under load: payins in memory, durable payins, and a repeated key, against a bare server. */
import path from "node:path";
import { createFolder } from "./cleanup.js";
import { untilAtRest } from "./compaction.js";
import { compareUnderLoad } from "./generator.js";
import { startBareServer, startDurable, startSandbox } from "./servers.js";

/** @typedef {import("./index.js").Options} Options */
/** @typedef {import("./figures.js").Figure} Figure */
/** @typedef {import("./generator.js").Side} Side */

/** @param {Options} options */
export function measurePayins(options) {
  return measure(options, {
    name: "create a payin, in memory",
    target: { atLeast: 0.85 },
    start: async (checkout) => ({ server: await startSandbox(["--memory"], { checkout }) }),
    startBare: async () => ({ server: await startBareServer() }),
  });
}

/** @param {Options} options */
export function measureDurable(options) {
  return measure(options, {
    name: "create a payin, durable",
    target: { atLeast: 0.65 },
    start: startDurableSide,
    startBare: async () => ({ server: await startBareServer() }),
  });
}

/** @param {Options} options */
export async function measureRepeat(options) {
  const load = { repeat: true };
  const startBare = async () => ({ server: await startBareServer(["--repeat"]), load });
  const inMemory = await measure(options, {
    name: "a repeated key, in memory",
    target: { atLeast: 1.1 },
    start: async (checkout) => ({ server: await startSandbox(["--memory"], { checkout }), load }),
    startBare,
  });
  const withStateFile = await measure(options, {
    name: "a repeated key, with a state file",
    target: { atLeast: 0.95 },
    start: async (checkout) => ({ ...(await startDurableSide(checkout)), load }),
    startBare,
  });
  return [...inMemory, ...withStateFile];
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
 * @param {Pick<Figure, "name" | "target"> & { start: (checkout?: string) => Promise<Side>, startBare: () => Promise<Side> }} row
 * @returns {Promise<Figure[]>}
 */
async function measure({ against, short }, { name, target, start, startBare }) {
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
