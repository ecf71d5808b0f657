/**
 * What a million waiting payins cost: how fast time passes over all of them on one core, and the memory of the
 * due queue.
 */
import path from "node:path";
import { bundleSource } from "./bundle.js";
import { createFolder } from "./cleanup.js";
import { formatCount, median } from "./figures.js";
import { ask, kill, startWorker } from "./servers.js";

/** @typedef {import("./processes/expirations.js").Expired} Expired */

const PENDING = 1_000_000;
const PENDING_IF_SHORT = 50_000;
const ROUNDS = 3;
const PER_SECOND = 100_000;
const BYTES = 100;

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureExpirations({ short }) {
  const count = short ? PENDING_IF_SHORT : PENDING;
  const bundle = await bundleSource(path.join(await createFolder(), "gateway.mjs"), {
    MemoryStore: "store/memory.ts",
    DueQueue: "core/time/due-queue.ts",
    Clock: "core/time/clock.ts",
    Gateway: "core/gateway.ts",
    Ids: "core/payments/ids.ts",
    Records: "core/state/records.ts",
    ClockDriver: "core/time/clock-driver.ts",
    RealTimer: "sandbox/timer.ts",
    STANDARD_ASSUMPTIONS: "core/assumptions/table.ts",
  });
  /** @type {Expired[]} */
  const apart = [];
  /** @type {Expired[]} */
  const together = [];
  for (let round = 0; round < ROUNDS; round++) {
    apart.push(await measure(bundle, count, "apart"));
    together.push(await measure(bundle, count, "together"));
  }
  const bytes = apart.map(({ queueBytes }) => queueBytes / count);
  return [
    toRate(`${formatCount(count)} payins expire at different times`, count, apart),
    toRate(`${formatCount(count)} payins expire at one time`, count, together),
    {
      name: `due queue, bytes for each payin / ${BYTES}`,
      target: { atMost: 1 },
      ratios: bytes.map((each) => each / BYTES),
      absolute: `${median(bytes).toFixed(1)} bytes`,
    },
    {
      name: "timers for all waiting payins",
      target: { atMost: 1 },
      ratios: apart.map(({ timers }) => timers),
      absolute: "",
    },
  ];
}

/**
 * @param {string} bundle
 * @param {number} count
 * @param {"apart" | "together"} when
 * @returns {Promise<Expired>}
 */
async function measure(bundle, count, when) {
  const nodeOptions = ["--expose-gc", "--max-old-space-size=6000"];
  const worker = startWorker("expirations.js", [bundle], nodeOptions);
  const expired = await ask(worker, [count, when]);
  await kill(worker);
  return expired;
}

/**
 * @param {string} name
 * @param {number} count
 * @param {Expired[]} rounds
 * @returns {import("./figures.js").Figure}
 */
function toRate(name, count, rounds) {
  const rates = rounds.map(({ seconds }) => count / seconds);
  return {
    name: `${name}, a second / ${formatCount(PER_SECOND)}`,
    target: { atLeast: 1 },
    ratios: rates.map((rate) => rate / PER_SECOND),
    absolute: `${formatCount(median(rates))}/s`,
  };
}
