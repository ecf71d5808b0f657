/**
 * What keeping a state costs, and whether it costs the same at a million payins as at a thousand:
 * changes, creating payins over HTTP, the renewal of the file, opening it, and memory.
 *
 * One state of a million payins, created over HTTP, is begun with again and again: a hard link to its
 * file is a copy, because a renewal puts a new file in its place and never writes into it.
 */
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { copyFile, link, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { bundleSource } from "./bundle.js";
import { formatCount, median } from "./figures.js";
import { load } from "./payins.js";
import { ask, kill, startAskable, startSandbox, startStateSandbox } from "./servers.js";
import { measureRenewals, untilAtRest } from "./store-renewal.js";

/** @typedef {import("./figures.js").Figure} Figure */
/** @typedef {import("./store-changes.js").ChangeTimes} ChangeTimes */
/** @typedef {import("./store-changes.js").Kind} Kind */
/** @typedef {import("./store-renewal.js").Round} Round */

const CHANGES = fileURLToPath(new URL("store-changes.js", import.meta.url));
const OPEN = fileURLToPath(new URL("store-open.js", import.meta.url));
const LOOP = new URL("store-loop.js", import.meta.url).href;

const MANY = 1_000_000;
const FEW = 1_000;
const LOADS = 10;
const GIGABYTE = 2 ** 30;

/** Kind, how many a round, and how many at once. @type {readonly [Kind, number, number][]} */
const CHANGE_KINDS = [
  ["create", 300, 1],
  ["create", 1_984, 64],
  ["settle", 200, 1],
  ["settle", 768, 64],
];
const CHANGE_ROUNDS = 25;
const CHANGE_WARM_UPS = 3;
const CHANGES_MADE =
  (CHANGE_WARM_UPS + CHANGE_ROUNDS) * CHANGE_KINDS.reduce((sum, [, count]) => sum + count, 0);
const HTTP_ROUNDS = 7;
const HTTP_REQUESTS_A_ROUND = 20_000;
const HTTP_SIZE_ROUNDS = 4;
const HTTP_SIZE_REQUESTS_A_ROUND = 4_000;
const OPEN_ROUNDS = 3;
const RENEWALS = 3;
const IN_JOURNAL = 0.1;

/** @returns {Promise<Figure[]>} */
export async function measureStore() {
  const folder = await mkdtemp(join(tmpdir(), "pix-sandbox-bench-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  process.once("SIGINT", () => process.exit(130));
  process.once("SIGTERM", () => process.exit(143));
  try {
    return await measureIn(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    process.off("exit", remove);
  }
}

/** @param {string} folder */
async function measureIn(folder) {
  const bundle = await bundleStore(folder);
  const durable = await measureDurable(folder);
  say(`creating ${formatCount(MANY)} payins`);
  const { many, few, created } = await createStates(folder);
  const opening = await measureOpening(folder, bundle, many);
  const changes = await measureChanges(folder, bundle, many, few);
  const running = await measureRunning(folder, bundle, many, few);
  return [
    ...changes.time,
    ...running.size,
    ...durable,
    ...running.renewal,
    ...opening,
    ...changes.opening,
    ...created,
    ...running.memory,
  ];
}

/** Minutes are long: what is measured now. @param {string} what */
function say(what) {
  process.stderr.write(`store: ${what}\n`);
}

/**
 * The store and what its changes are made of.
 * @param {string} folder
 */
function bundleStore(folder) {
  return bundleSource(join(folder, "store.mjs"), {
    openStateFile: "store/state-file.ts",
    lock: "store/lock.ts",
    DueQueue: "core/time/due-queue.ts",
    Clock: "core/time/clock.ts",
    Gateway: "core/gateway.ts",
    Ids: "core/payments/ids.ts",
    Records: "core/state/records.ts",
    STANDARD_ASSUMPTIONS: "core/assumptions/table.ts",
  });
}

/** @param {string} folder */
async function measureDurable(folder) {
  say("durable and in memory");
  const stateFile = await newState(folder, "durable");
  const [durable, memory] = await Promise.all([startStateSandbox(stateFile), startSandbox()]);
  /** @type {number[]} */
  const durableRounds = [];
  /** @type {number[]} */
  const memoryRounds = [];
  for (let round = 0; round <= HTTP_ROUNDS; round++) {
    memoryRounds.push((await load(memory.port, HTTP_REQUESTS_A_ROUND)).per_second);
    durableRounds.push((await load(durable.port, HTTP_REQUESTS_A_ROUND)).per_second);
    // A renewal because nothing changes any more is no part of a round, one for the journal's size is.
    await untilAtRest(stateFile);
  }
  await Promise.all([durable.stop(), memory.stop()]);
  await removeState(stateFile);
  for (const rounds of [durableRounds, memoryRounds]) rounds.shift(); // the warm-up
  return [
    {
      name: "creating a payin, durable / in memory",
      ratios: durableRounds.map((rate, round) => rate / memoryRounds[round]),
      target: { atLeast: 0.8 },
      absolute: `${formatCount(median(durableRounds))}/s / ${formatCount(median(memoryRounds))}/s`,
    },
  ];
}

/**
 * @param {string} folder
 * @returns {Promise<{ many: string, few: string, created: Figure[] }>}
 */
async function createStates(folder) {
  const few = await newState(folder, "few");
  const small = await startStateSandbox(few);
  await createPayins(small.port, FEW);
  await small.stop();

  const many = await newState(folder, "many");
  const large = await startStateSandbox(many);
  for (let made = 0; made < LOADS; made++) await createPayins(large.port, MANY / LOADS);
  const created = await describeMemory("as created", large);
  await large.stop();
  return { many, few, created };
}

/**
 * @param {number} port
 * @param {number} count
 */
async function createPayins(port, count) {
  await load(port, count - 1, "--warm-up", "1");
}

/**
 * @param {string} folder
 * @param {string} bundle
 * @param {string} many
 * @param {string} few
 * @returns {Promise<{ time: Figure[], opening: Figure[] }>}
 */
async function measureChanges(folder, bundle, many, few) {
  say("changes of the store");
  const [large, small] = [startAskable([CHANGES, bundle]), startAskable([CHANGES, bundle])];
  const largeFile = await linkState(folder, "changes-many", many);
  await ask(large, ["open", largeFile]);
  const smallFile = await newState(folder, "changes-few");

  const largeRounds = CHANGE_KINDS.map(() => /** @type {ChangeTimes[]} */ ([]));
  const smallRounds = CHANGE_KINDS.map(() => /** @type {ChangeTimes[]} */ ([]));
  for (let round = 0; round < CHANGE_WARM_UPS + CHANGE_ROUNDS; round++) {
    // Anew each time: changes add to a thousand what they do not add to a million.
    await copyFile(few, smallFile);
    await ask(small, ["open", smallFile]);
    for (const [index, kind] of CHANGE_KINDS.entries()) {
      largeRounds[index].push(await ask(large, ["measure", ...kind]));
      smallRounds[index].push(await ask(small, ["measure", ...kind]));
    }
    await ask(small, ["close"]);
  }
  await kill(small);
  const opening = await measureOpeningJournal(large, bundle, largeFile);
  await letGo(bundle, largeFile);
  for (const rounds of [...largeRounds, ...smallRounds]) rounds.splice(0, CHANGE_WARM_UPS);

  const time = CHANGE_KINDS.map(([kind, , together], index) => ({
    name: `a payin ${NAMES[kind]} at 1,000,000 / at 1,000, ${together} at once`,
    ratios: largeRounds[index].map(
      ({ durable }, round) => durable / smallRounds[index][round].durable,
    ),
    target: { atMost: 1.2 },
    absolute: `${inMicros(largeRounds[index])} / ${inMicros(smallRounds[index])}`,
  }));
  return { time, opening };
}

const NAMES = { create: "created", settle: "paid" };

/** @param {ChangeTimes[]} rounds */
function inMicros(rounds) {
  const middle = (/** @type {keyof ChangeTimes} */ key) =>
    median(rounds.map((times) => times[key])).toFixed(1);
  return `${middle("durable")} µs (committing it ${middle("committed")} µs)`;
}

/**
 * @param {string} folder
 * @param {string} bundle
 * @param {string} many
 */
async function measureOpening(folder, bundle, many) {
  say("opening");
  const stateFile = await linkState(folder, "opening", many);
  const figure = await compareOpening(
    "opening 1,000,000 payins / JSON.parse of its lines",
    bundle,
    stateFile,
    [stateFile],
  );
  await letGo(bundle, stateFile);
  return [figure];
}

/**
 * Opens what `writer` has opened and changed, with more in its journal.
 * @param {import("node:child_process").ChildProcess} writer
 * @param {string} bundle
 * @param {string} stateFile
 */
async function measureOpeningJournal(writer, bundle, stateFile) {
  say("opening, with a part of it in the journal");
  const lines = MANY * (IN_JOURNAL / (1 - IN_JOURNAL));
  await ask(writer, ["add", Math.round(lines) - CHANGES_MADE]);
  await kill(writer); // closing would take the journal into the file
  const journals = await filesBeside(stateFile, ".journal");
  const name = "the same with 10 % of the lines in the journal";
  return [await compareOpening(name, bundle, stateFile, [stateFile, ...journals])];
}

/**
 * @param {string} name
 * @param {string} bundle
 * @param {string} stateFile
 * @param {string[]} files all that it consists of
 * @returns {Promise<Figure>}
 */
async function compareOpening(name, bundle, stateFile, files) {
  /** @type {number[]} */
  const openings = [];
  /** @type {number[]} */
  const parsings = [];
  for (let round = 0; round < OPEN_ROUNDS; round++) {
    openings.push(await timeApart(bundle, "open", stateFile));
    parsings.push(await timeApart(bundle, "parse", ...files));
  }
  const inSeconds = (/** @type {number[]} */ times) => `${(median(times) / 1_000).toFixed(1)} s`;
  return {
    name,
    ratios: openings.map((time, round) => time / parsings[round]),
    target: { atMost: 3 },
    absolute: `${inSeconds(openings)} / ${inSeconds(parsings)}`,
  };
}

/** @param {...string} args */
async function timeApart(...args) {
  return Number((await promisify(execFile)(process.execPath, [OPEN, ...args])).stdout);
}

/**
 * @param {string} folder
 * @param {string} bundle
 * @param {string} many
 * @param {string} few
 */
async function measureRunning(folder, bundle, many, few) {
  say("a server with all of them");
  const stateFile = await linkState(folder, "running", many);
  await removeState(many); // the last that needs it has its link
  const server = await startStateSandbox(stateFile, "--import", LOOP);
  const memory = await describeMemory("after a restart", server);
  const size = await measureSize(server, few);

  say("renewals under light load");
  const light = ["--connections", "4", "--per-second", "1000"];
  const lightRounds = await measureRenewals(server, stateFile, RENEWALS, ...light);
  say("renewals under full load");
  const fullRounds = await measureRenewals(server, stateFile, RENEWALS);
  await kill(server.child); // stopping would renew the file once more
  await letGo(bundle, stateFile);
  const renewal = [
    ...describeRenewals("1,000 payins/s", lightRounds),
    ...describeRenewals("32 connections", fullRounds),
  ];
  return { memory, size, renewal };
}

/**
 * The same over HTTP. The small state grows meanwhile, by what is sent.
 * @param {import("./servers.js").RunningServer} large
 * @param {string} few
 */
async function measureSize(large, few) {
  const small = await startStateSandbox(few);
  /** @type {number[]} */
  const largeRounds = [];
  /** @type {number[]} */
  const smallRounds = [];
  for (let round = 0; round <= HTTP_SIZE_ROUNDS; round++) {
    largeRounds.push((await load(large.port, HTTP_SIZE_REQUESTS_A_ROUND)).per_second);
    smallRounds.push((await load(small.port, HTTP_SIZE_REQUESTS_A_ROUND)).per_second);
    await untilAtRest(few);
  }
  await small.stop();
  for (const rounds of [largeRounds, smallRounds]) rounds.shift(); // the warm-up
  return [
    {
      name: "the same over HTTP, from 32 connections: payins/s",
      ratios: largeRounds.map((rate, round) => rate / smallRounds[round]),
      absolute: `${formatCount(median(largeRounds))}/s / ${formatCount(median(smallRounds))}/s`,
    },
  ];
}

/**
 * @param {string} which
 * @param {Round[]} rounds
 * @returns {Figure[]}
 */
function describeRenewals(which, rounds) {
  const middle = (/** @type {(round: Round) => number} */ of) => median(rounds.map(of)).toFixed(1);
  const loads = (/** @type {"p50_ms" | "p99_ms" | "max_ms"} */ key) =>
    `${middle(({ renewing }) => renewing.load[key])} ms / ${middle(({ quiet }) => quiet.load[key])} ms`;
  const seconds = middle((round) => round.renewing.seconds);
  return [
    {
      name: `p99 while the file is renewed / else, ${which}`,
      ratios: rounds.map(({ renewing, quiet }) => renewing.load.p99_ms / quiet.load.p99_ms),
      target: { atMost: 3 },
      absolute: `${loads("p99_ms")} (p50 ${loads("p50_ms")}, longest ${loads("max_ms")}; ${seconds} s)`,
    },
    {
      name: `p99 just after that / else, ${which}`,
      ratios: rounds.map(({ after, quiet }) => after.load.p99_ms / quiet.load.p99_ms),
      absolute: `${middle(({ after }) => after.load.p99_ms)} ms`,
    },
    {
      name: `event loop held in a renewal, ms, ${which}`,
      ratios: rounds.map(({ renewing }) => renewing.loop.heldMs),
      target: { atMost: 20 },
      absolute: [
        `${middle(({ renewing }) => renewing.loop.heldByItselfMs)} ms without waiting for a processor`,
        `longest collection of garbage ${middle(({ renewing }) => renewing.loop.collectedMs)} ms`,
        `else held for ${middle(({ quiet }) => quiet.loop.heldMs)} ms`,
      ].join(", "),
    },
  ];
}

/**
 * @param {string} when
 * @param {import("./servers.js").RunningServer} server
 * @returns {Promise<Figure[]>} none where the system does not tell
 */
async function describeMemory(when, { child }) {
  const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
  const gigabytesOf = (/** @type {string} */ name) => {
    const kilobytes = new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(status)?.[1];
    return (Number(kilobytes) * 1024) / GIGABYTE;
  };
  if (status === "") return [];
  return [
    {
      name: `GB of memory at 1,000,000 payins, ${when}`,
      ratios: [gigabytesOf("VmRSS")],
      target: { atMost: 2 },
      absolute: `at most, so far: ${gigabytesOf("VmHWM").toFixed(2)} GB`,
    },
  ];
}

/**
 * @param {string} folder
 * @param {string} name
 */
async function newState(folder, name) {
  await mkdir(join(folder, name));
  return join(folder, name, "state.json");
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {string} stateFile
 */
async function linkState(folder, name, stateFile) {
  const copy = await newState(folder, name);
  await link(stateFile, copy);
  return copy;
}

/**
 * @param {string} stateFile
 * @param {string} ending
 */
async function filesBeside(stateFile, ending) {
  const folder = join(stateFile, "..");
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
}

/** @param {string} stateFile */
async function removeState(stateFile) {
  await rm(join(stateFile, ".."), { recursive: true });
}

/**
 * Processes that were killed have left their locks, which are no files of the folder.
 * @param {string} bundle
 * @param {string} stateFile
 */
async function letGo(bundle, stateFile) {
  const { lock } = await import(pathToFileURL(bundle).href);
  const unlock = await lock(stateFile);
  await unlock();
  await removeState(stateFile);
}
