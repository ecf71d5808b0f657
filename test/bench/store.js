/** The store: the cost of a change by the size of the state, opening a state, and what a compaction costs. */
import { execFile } from "node:child_process";
import { copyFile, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, stop } from "esbuild";
import { compareTimes, divide, formatCount, measureInTurns, median } from "./figures.js";
import { sendRequests, startGenerator } from "./requests.js";
import {
  ask,
  call,
  createFolder,
  kill,
  processFile,
  startDurable,
  startSandbox,
  startWorker,
  untilAtRest,
  untilCompacting,
} from "./servers.js";

/** @typedef {import("./index.js").Options} Options */
/** @typedef {import("./figures.js").Figure} Figure */
/** @typedef {import("./processes/store.js").Opened} Opened */
/** @typedef {import("./processes/load.js").LoadResult} LoadResult */
/** @typedef {{ quiet: LoadResult, compacting: LoadResult }} Round */
/** @typedef {{ stateFile: string, payins: number }} State */

const AT_ONCE = 64;
/** A round is one continuous load. Its first changes are cold after a pause, whatever the size, and are dropped. */
const CHANGES = { count: 20_000, dropped: 4_000 };
const FEW_CHANGES = { count: 2_000, dropped: 400 };

const WARM_UP_MS = 2_000;
const QUIET_MS = 4_000;
/** A large state is compacted when its journal has more than a tenth of its size. */
const JOURNAL_SHARE = 0.12;
const LINE_BYTES = 200_000;

const MANY = 1_000_000;
/** At full load a compaction of a million would take minutes, and the state would grow meanwhile. */
const MEDIUM = 200_000;
const SHORT = 50_000;
const FEW = 1_000;
const REQUESTS_AT_ONCE = 100_000;

/** By the number of payins. @type {Map<number, Promise<State>>} */
const states = new Map();
/** @type {Promise<string> | undefined} */
let store;
const SOURCE = fileURLToPath(new URL("../../src/", import.meta.url));

/**
 * Whether creating a payin costs as much with a million payins as with a thousand: 64 at once, in a store of its
 * own in each of two processes.
 * @param {Options} options
 * @returns {Promise<Figure[]>}
 */
export async function measureSize(options) {
  const many = await stateOf(options.short ? SHORT : MANY);
  const few = await stateOf(FEW);
  const bundle = await storeBundle();
  const [large, small] = [1, 2].map(() => startWorker("store.js", [bundle, "change"]));
  await ask(large, ["open", await copyState(many)]);
  const smallFile = await copyState(few);
  const { count, dropped } = options.short ? FEW_CHANGES : CHANGES;
  const create = (/** @type {import("node:child_process").ChildProcess} */ worker) =>
    ask(worker, ["measure", count, dropped, AT_ONCE]);
  const results = await measureInTurns(options.short ? 3 : 7, {
    large: () => create(large),
    small: async () => {
      // A new copy for each round: the changes would add to a thousand payins.
      await copyState(few, smallFile);
      await ask(small, ["open", smallFile]);
      const time = await create(small);
      await ask(small, ["close"]);
      return time;
    },
  });
  await Promise.all([kill(large), kill(small)]);

  const sizes = `${formatCount(many.payins)} / ${formatCount(few.payins)}`;
  return [
    {
      name: `create a payin, ${AT_ONCE} at once: ${sizes}`,
      target: { atMost: 1.1 },
      ...compareTimes(results.large, results.small),
    },
  ];
}

/**
 * Opening a large state, and the heap that it then takes, against `JSON.parse` that keeps its rows. Each is
 * measured in a process of its own.
 * @param {Options} options
 * @returns {Promise<Figure[]>}
 */
export async function measureOpening(options) {
  const { stateFile, payins } = await stateOf(options.short ? SHORT : MANY);
  const { opening, parsing } = await measureInTurns(options.short ? 1 : 5, {
    opening: () => measureApart("open", stateFile),
    parsing: () => measureApart("parse", stateFile),
  });
  return [
    {
      name: `opening ${formatCount(payins)} payins / JSON.parse that keeps its rows`,
      target: { atMost: 1.9 },
      ...compareTimes(opening, parsing),
    },
    {
      name: "heap of an opened payin / of a parsed row",
      ratios: divide(opening.map(heapOf), parsing.map(heapOf)),
      absolute: [opening, parsing]
        .map((all) => `${formatCount(median(all.map(heapOf)) / payins)} bytes`)
        .join(" / "),
    },
  ];
}

/** @param {Opened} opened */
function heapOf({ heapBytes }) {
  return heapBytes;
}

/**
 * @param {...string} args of processes/store.js
 * @returns {Promise<Opened>}
 */
async function measureApart(...args) {
  const all = ["--expose-gc", processFile("store.js"), await storeBundle(), ...args];
  const { stdout } = await promisify(execFile)(process.execPath, all);
  return JSON.parse(stdout);
}

/**
 * What a compaction of a large state does to the latency of other calls. Each compaction is compared with a quiet
 * time before it.
 * @param {Options} options
 * @returns {Promise<Figure[]>}
 */
export async function measureCompaction(options) {
  const stateFile = await copyState(await stateOf(options.short ? SHORT : MEDIUM));
  const server = await startDurable(stateFile);
  const count = options.short ? 1 : 3;
  // Full load first: it warms the server up.
  const fullRounds = await measureRounds(server, stateFile, count, {});
  const lightRounds = await measureRounds(server, stateFile, count, { perSecond: 1_000 });
  await kill(server.child); // stopping would compact once more
  return [
    latencyFigure("1,000/s", lightRounds, { atMost: 3 }),
    latencyFigure("full load", fullRounds),
  ];
}

/**
 * @param {import("./servers.js").RunningServer} server
 * @param {string} stateFile
 * @param {number} count
 * @param {import("./requests.js").Load} load
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
    const quiet = await loadUntil(generator, () => delay(QUIET_MS));
    await fillJournal(server.port, (await stat(stateFile)).size * JOURNAL_SHARE);
    await untilCompacting(stateFile, true);
    const compacting = await loadUntil(generator, () => untilCompacting(stateFile, false));
    rounds.push({ quiet, compacting });
  }
  await generator.stop();
  return rounds;
}

/**
 * @param {ReturnType<typeof startGenerator>} generator
 * @param {() => Promise<void>} until
 * @returns {Promise<LoadResult>}
 */
async function loadUntil(generator, until) {
  generator.begin();
  await until();
  return generator.end();
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
 * @param {string} which
 * @param {Round[]} rounds
 * @param {Figure["target"]} [target]
 */
function latencyFigure(which, rounds, target) {
  const [compacting, quiet] = [
    rounds.map((round) => round.compacting),
    rounds.map((round) => round.quiet),
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
 * A state file with so many payins, created over HTTP when it is first needed. It must not be changed: see `copyState`.
 * @param {number} payins
 * @returns {Promise<State>}
 */
function stateOf(payins) {
  const state = states.get(payins) ?? createState(payins);
  states.set(payins, state);
  return state;
}

/**
 * Copies a state into a folder of its own.
 * @param {State} state
 * @param {string} [copy] default: a new folder
 * @returns {Promise<string>} the path of the copy
 */
async function copyState({ stateFile }, copy) {
  const to = copy ?? path.join(await createFolder(), "state.json");
  await copyFile(stateFile, to);
  return to;
}

/** The store and what changes are made of, as one file that Node.js can import. */
function storeBundle() {
  return (store ??= createFolder().then((folder) =>
    bundleSource(path.join(folder, "store.mjs"), {
      openStateFile: "store/file/state-file.ts",
      DueQueue: "core/time/scheduler.ts",
      Clock: "core/time/clock.ts",
      Gateway: "core/operations/gateway.ts",
      Ids: "core/records/ids.ts",
      Records: "core/state/records.ts",
      STANDARD_ASSUMPTIONS: "core/assumptions/table.ts",
    }),
  ));
}

/**
 * @param {number} payins
 * @returns {Promise<State>}
 */
async function createState(payins) {
  process.stderr.write(`creating ${formatCount(payins)} payins\n`);
  const stateFile = path.join(await createFolder(), "state.json");
  const sandbox = await startSandbox(["--state", stateFile, "--durability", "none"]);
  for (let left = payins; left > 0; left -= REQUESTS_AT_ONCE)
    await sendRequests(sandbox, Math.min(left, REQUESTS_AT_ONCE));
  await sandbox.stop();
  return { stateFile, payins };
}

/**
 * Bundles files of the source for a process that measures them: Node.js cannot import them as they are.
 * @param {string} outfile
 * @param {Record<string, string>} exports the file below `src` of each exported name
 */
async function bundleSource(outfile, exports) {
  const contents = Object.entries(exports)
    .map(([name, file]) => `export { ${name} } from "./${file}";`)
    .join("\n");
  const stdin = { contents, resolveDir: SOURCE };
  await build({ stdin, outfile, bundle: true, platform: "node", format: "esm" });
  await stop(); // its process would run on during the measurement
  return outfile;
}
