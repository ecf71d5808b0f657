/**
 * Whether a change costs as much with a million payins as with a thousand: payins that are created and paid,
 * 64 at once, in a store of its own in each of two processes.
 */
import { compareTimes } from "./compare.js";
import { formatCount } from "./figures.js";
import { measureInTurns } from "./rounds.js";
import { ask, kill, startWorker } from "./servers.js";
import { copyState, fewPayins, manyPayins, storeBundle } from "./states.js";

/** @typedef {import("./processes/store-changes.js").Kind} Kind */
/** @typedef {import("./compare.js").Time} Time */

const AT_ONCE = 64;
/** Changes in a round. @type {Record<Kind, number>} */
const CHANGES = { create: 1_984, pay: 768 };

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureSize(options) {
  const [many, few, bundle] = [await manyPayins(options), await fewPayins(), await storeBundle()];
  const [large, small] = [1, 2].map(() => startWorker("store-changes.js", [bundle]));
  await ask(large, ["open", await copyState(many)]);
  const smallFile = await copyState(few);
  const results = await measureInTurns(options.short ? 3 : 25, {
    large: () => measureChanges(large),
    small: async () => {
      // A new copy for each round: the changes would add to a thousand payins.
      await copyState(few, smallFile);
      await ask(small, ["open", smallFile]);
      const times = await measureChanges(small);
      await ask(small, ["close"]);
      return times;
    },
  });
  await Promise.all([kill(large), kill(small)]);

  const sizes = `${formatCount(many.payins)} / ${formatCount(few.payins)}`;
  return ["create", "pay"].map((kind) => {
    const [ours, others] = [results.large, results.small].map((all) => all.map((one) => one[kind]));
    return {
      name: `${kind} a payin, ${AT_ONCE} at once: ${sizes}`,
      target: { atMost: 1.2 },
      ...compareTimes(ours, others),
    };
  });
}

/**
 * @param {import("node:child_process").ChildProcess} worker
 * @returns {Promise<Record<Kind, Time>>}
 */
async function measureChanges(worker) {
  return {
    create: await ask(worker, ["measure", "create", CHANGES.create, AT_ONCE]),
    pay: await ask(worker, ["measure", "pay", CHANGES.pay, AT_ONCE]),
  };
}
