/**
 * What a million payins that wait for their expiration cost: how fast time passes over all of them, on
 * one core, and what the due queue needs beyond the records.
 */
import { rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleSource } from "./bundle.js";
import { formatCount, median } from "./figures.js";
import { ask, kill, startAskable } from "./servers.js";

/** @typedef {import("./figures.js").Figure} Figure */
/** @typedef {import("./expirations-process.js").Passed} Passed */

const PROCESS = fileURLToPath(new URL("expirations-process.js", import.meta.url));
const PENDING = 1_000_000;
const ROUNDS = 3;
const PER_SECOND = 100_000;
const BYTES_EACH = 100;

/** @returns {Promise<Figure[]>} */
export async function measureExpirations() {
  const folder = await mkdtemp(join(tmpdir(), "pix-sandbox-bench-"));
  try {
    const bundle = await bundleSource(join(folder, "gateway.mjs"), {
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
    /** @type {Passed[]} */
    const apart = [];
    /** @type {Passed[]} */
    const together = [];
    for (let round = 0; round < ROUNDS; round++) {
      apart.push(await pass(bundle, "apart"));
      together.push(await pass(bundle, "together"));
    }
    return [
      toRate("a million expire at times apart", apart),
      toRate("a million expire at one time", together),
      {
        name: "a million on the due queue, bytes each / 100",
        ratios: apart.map(({ agendaBytes }) => agendaBytes / PENDING / BYTES_EACH),
        target: { atMost: 1 },
        absolute: `${median(apart.map(({ agendaBytes }) => agendaBytes / PENDING)).toFixed(1)} bytes`,
      },
      {
        name: "timers for a million that wait",
        ratios: apart.map(({ timers }) => timers),
        target: { atMost: 1 },
        absolute: `${median(apart.map(({ timers }) => timers))}`,
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} bundle
 * @param {"apart" | "together"} when
 * @returns {Promise<Passed>}
 */
async function pass(bundle, when) {
  const child = startAskable(["--expose-gc", "--max-old-space-size=6000", PROCESS, bundle]);
  try {
    return await ask(child, [PENDING, when]);
  } finally {
    await kill(child);
  }
}

/**
 * @param {string} name
 * @param {Passed[]} rounds
 * @returns {Figure}
 */
function toRate(name, rounds) {
  const perSecond = rounds.map(({ seconds }) => PENDING / seconds);
  return {
    name: `${name}, a second / 100,000`,
    ratios: perSecond.map((rate) => rate / PER_SECOND),
    target: { atLeast: 1 },
    absolute: `${formatCount(median(perSecond))}/s`,
  };
}
