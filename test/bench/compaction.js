/**
 * What a compaction of a large state does to other calls: their latency, and for how long the event loop is
 * held. Each compaction is compared with a quiet time before it.
 */
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { divide, median } from "./figures.js";
import { startGenerator } from "./generator.js";
import { ask, call, kill, processFile, startDurable } from "./servers.js";
import { copyState, mediumPayins } from "./states.js";

/** @typedef {import("./servers.js").RunningServer} RunningServer */
/** @typedef {import("./processes/load.js").LoadResult} LoadResult */
/** @typedef {import("./processes/event-loop.js").LoopResult} LoopResult */
/** @typedef {{ load: LoadResult, loop: LoopResult }} Window */
/** @typedef {{ quiet: Window, compacting: Window }} Round */

const WARM_UP_MS = 2_000;
const QUIET_MS = 4_000;
const IDLE_MS = 1_500; // a compaction starts after a second without changes
const REST_MS = 1_000; // for the disk
const POLL_MS = 5;
const LIMIT_MS = 120_000;
/** A large state is compacted when its journal has more than a tenth of its size. */
const JOURNAL_SHARE = 0.12;
const LINE_BYTES = 200_000;

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureCompaction(options) {
  const stateFile = await copyState(await mediumPayins(options));
  const nodeOptions = ["--import", pathToFileURL(processFile("event-loop.js")).href];
  const server = await startDurable(stateFile, [], { nodeOptions, hasChannel: true });
  const count = options.short ? 1 : 3;
  // Full load first: it warms the server up.
  const fullRounds = await measureRounds(server, stateFile, count, {});
  const lightRounds = await measureRounds(server, stateFile, count, { perSecond: 1_000 });
  await kill(server.child); // stopping would compact once more
  return [
    latencyFigure("1,000/s", lightRounds, { atMost: 3 }),
    latencyFigure("full load", fullRounds),
    loopFigure("1,000/s", lightRounds),
    loopFigure("full load", fullRounds, { atMost: 20 }),
  ];
}

/**
 * Waits until the state file is compacted and the disk has had time to rest.
 * @param {string} stateFile
 */
export async function untilAtRest(stateFile) {
  await delay(IDLE_MS);
  await untilCompacting(stateFile, false);
  await delay(REST_MS);
}

/**
 * @param {RunningServer} server with event-loop.js
 * @param {string} stateFile
 * @param {number} count
 * @param {import("./generator.js").Load} load
 */
async function measureRounds(server, stateFile, count, load) {
  const generator = startGenerator(server, load);
  generator.begin();
  await delay(WARM_UP_MS);
  await generator.end();

  /** @type {Round[]} */
  const rounds = [];
  for (let round = 0; round < count; round++) {
    await untilAtRest(stateFile);
    const quiet = await measureWindow(server, generator, () => delay(QUIET_MS));
    await fillJournal(server.port, (await stat(stateFile)).size * JOURNAL_SHARE);
    await untilCompacting(stateFile, true);
    const compacting = await measureWindow(server, generator, () =>
      untilCompacting(stateFile, false),
    );
    rounds.push({ quiet, compacting });
  }
  await generator.stop();
  return rounds;
}

/**
 * @param {RunningServer} server
 * @param {ReturnType<typeof startGenerator>} generator
 * @param {() => Promise<void>} until
 * @returns {Promise<Window>}
 */
async function measureWindow({ child }, generator, until) {
  child.send("begin");
  generator.begin();
  await until();
  const load = await generator.end();
  return { load, loop: await ask(child, "end") };
}

/**
 * Makes changes that only add to the journal: configures one webhook again and again, with a long URL.
 * @param {number} port
 * @param {number} bytes
 */
async function fillJournal(port, bytes) {
  const body = {
    webhook_url: `http://127.0.0.1:9/${"x".repeat(LINE_BYTES)}`,
    events: ["payment.received"],
  };
  const options = { method: "PUT", headers: { "x-api-token": "filler" } };
  for (let written = 0; written < bytes; written += LINE_BYTES)
    await call(port, "/v1/webhooks", body, options);
}

/**
 * Resolves when a compaction runs, or when none does.
 * @param {string} stateFile
 * @param {boolean} wanted
 */
async function untilCompacting(stateFile, wanted) {
  const limit = performance.now() + LIMIT_MS;
  while ((await isCompacting(stateFile)) !== wanted) {
    if (performance.now() > limit)
      throw new Error(`The state file was ${wanted ? "not" : "still being"} compacted.`);
    await delay(POLL_MS);
  }
}

/**
 * A compaction writes a temporary file, and at its end a second journal exists.
 * @param {string} stateFile
 */
async function isCompacting(stateFile) {
  const names = await readdir(path.dirname(stateFile));
  const countOf = (/** @type {string} */ ending) =>
    names.filter((name) => name.endsWith(ending)).length;
  return countOf(".tmp") > 0 || countOf(".journal") > 1;
}

/**
 * @param {string} which
 * @param {Round[]} rounds
 * @param {import("./figures.js").Figure["target"]} [target]
 */
function latencyFigure(which, rounds, target) {
  const [compacting, quiet] = [
    rounds.map((round) => round.compacting.load),
    rounds.map((round) => round.quiet.load),
  ];
  const describe = (/** @type {LoadResult[]} */ all) => {
    const middle = (/** @type {"p50Ms" | "p99Ms" | "maxMs"} */ key) =>
      median(all.map((one) => one[key])).toFixed(1);
    return `${middle("p99Ms")} ms (p50 ${middle("p50Ms")}, longest ${middle("maxMs")})`;
  };
  const p99s = (/** @type {LoadResult[]} */ all) => all.map((one) => one.p99Ms);
  return {
    name: `p99 during a compaction / otherwise, ${which}`,
    ...(target && { target }),
    ratios: divide(p99s(compacting), p99s(quiet)),
    absolute: `${describe(compacting)} / ${describe(quiet)}`,
  };
}

/**
 * @param {string} which
 * @param {Round[]} rounds
 * @param {import("./figures.js").Figure["target"]} [target]
 */
function loopFigure(which, rounds, target) {
  const middle = (/** @type {(round: Round) => number} */ of) => median(rounds.map(of)).toFixed(1);
  return {
    name: `event loop held during a compaction, ms, ${which}`,
    ...(target && { target }),
    ratios: rounds.map(({ compacting }) => compacting.loop.heldMs),
    absolute: [
      `${middle(({ compacting }) => compacting.loop.runningMs)} ms of them on a processor`,
      `longest garbage collection ${middle(({ compacting }) => compacting.loop.collectedMs)} ms`,
      `otherwise held ${middle(({ quiet }) => quiet.loop.heldMs)} ms`,
    ].join(", "),
  };
}
