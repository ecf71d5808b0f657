/**
 * `npm run test:mutants`: changes the source in small ways, one at a time, and expects a test to fail.
 *
 *     npm run test:mutants                              40 mutants of each room, others in each run
 *     npm run test:mutants -- --seed 7 --count 20       those of a seed that a run has printed, and fewer
 *     npm run test:mutants -- --rooms core,http         these rooms only, see rooms.js
 *     npm run test:mutants -- --file src/core/records/errors.ts all mutants of one file
 *     npm run test:mutants -- --json report.json        the outcome of each mutant
 *     npm run test:mutants -- --part 1/2                half of them, for two processes at once
 *
 * Each mutant is applied to a scratch copy. The tests that run the changed function run first, the nearest ones
 * at the front, until one fails. A test that starts a process is skipped as soon as it does: the process would run
 * the program without the mutant, as those do that hooks start. A survivor that does not compile is counted apart;
 * equivalents.json lists those that change nothing, each with a reason. Ends with 1 if in a room fewer of the others
 * are killed than rooms.js demands.
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ROOMS, sourcesOfRoom } from "./rooms.js";
import { drawMutants, markFunctions, markOf, sourcesOf, withoutProcesses } from "./sample.js";
import { Tests } from "./tests.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The tests that run before the compiler, which takes some ten seconds. */
const QUICK_MS = 5_000;
/** The time for all tests without a mutant. */
const COVERING_MS = 3_600_000;
/** Beyond the time that the tests take without a mutant. */
const PATIENCE_MS = 15_000;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(randomInt(1_000_000)) },
    count: { type: "string", default: "40" },
    rooms: { type: "string", default: Object.keys(ROOMS).join(",") },
    file: { type: "string" },
    json: { type: "string" },
    part: { type: "string", default: "1/1" },
  },
});

/** @typedef {"killed" | "timed out" | "equivalent" | "does not compile" | "survived"} Outcome */
/** @type {readonly { file: string, operator: string, from: string, to: string, reason: string }[]} */
const EQUIVALENTS = JSON.parse(readFileSync(new URL("equivalents.json", import.meta.url), "utf8"));

const scratch = createScratch();
const tests = new Tests(scratch);
/** The test files that pass without a mutant, and their milliseconds. */
let sound = /** @type {ReadonlyMap<string, number>} */ (new Map());
try {
  const rooms = values.file ? [values.file] : values.rooms.split(",");
  const [part = 1, parts = 1] = values.part.split("/").map(Number);
  const mutants = rooms.flatMap((room) =>
    drawMutants(
      ROOT,
      values.file ? [values.file] : sourcesOfRoom(ROOT, room),
      values.file ? Infinity : Number(values.count),
      `${values.seed} ${room}`,
    )
      .filter((_mutant, index) => index % parts === part - 1)
      .map((mutant) => ({ ...mutant, room })),
  );
  print(`Seed ${values.seed}: ${mutants.length} mutants.`);
  const covering = await readCovering();
  /** @type {{ room: string, outcome: Outcome, title: string, by?: string | undefined, seconds: number }[]} */
  const results = [];
  for (const mutant of mutants) {
    const startedAtMs = Date.now();
    const { outcome, by } = await tryMutant(mutant, covering);
    const title = titleOf(mutant);
    const seconds = (Date.now() - startedAtMs) / 1000;
    results.push({ room: mutant.room, outcome, title, by, seconds });
    const place = by ? `: ${path.relative(scratch, by)}` : "";
    print(
      `${String(results.length).padStart(4)}/${mutants.length} ${seconds.toFixed(1).padStart(5)} s  ${outcome}${place}`,
    );
    print(outcome === "survived" ? `${title}\n` : `          ${title.split("\n")[0]}`);
  }
  if (values.json) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
  process.exitCode = report(rooms, results) ? 0 : 1;
} finally {
  tests.close();
  rmSync(scratch, { recursive: true, force: true });
}

/** Copies the repository, with the build for processes that hooks start; packages are linked. */
function createScratch() {
  const folder = mkdtempSync(path.join(tmpdir(), "pix-mutants-"));
  const isLeftOut = (/** @type {string} */ file) =>
    ["node_modules", ".git"].includes(path.basename(file));
  cpSync(ROOT, folder, { recursive: true, filter: (file) => !isLeftOut(file) });
  symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"), "junction");
  const starting = path.join(folder, "test/support/process.ts");
  writeFileSync(starting, withoutProcesses(readFileSync(starting, "utf8")));
  return folder;
}

/**
 * Runs all tests once with marked functions.
 * @returns {Promise<Map<string, Map<string, number>>>} of each mark, the test files that run it and their milliseconds
 */
async function readCovering() {
  const files = sourcesOf(ROOT, "src");
  for (const file of files) write(file, markFunctions(file, read(file)));
  // Starts the runner, which lists the test files.
  await tests.run({ changed: [], files: [], stopsAtFailure: false }, 60_000);
  print(`Running ${tests.files.length} test files without a mutant.`);
  const { failed, durations } = (await tests.run(
    { changed: [], files: tests.files, stopsAtFailure: false },
    COVERING_MS,
  )) ?? { failed: ["time is up"], durations: {} };
  for (const file of files) write(file, read(file));
  const broken = new Set(failed);
  const passed = tests.files.filter((file) => !broken.has(file));
  sound = new Map(passed.map((file) => [file, durations[file] ?? 0]));
  for (const file of broken) print(`Left out, since it fails without a mutant: ${file}`);
  /** @type {Map<string, Map<string, number>>} */
  const covering = new Map();
  for (const { testPath, covered } of tests
    .readCovered()
    .filter((one) => !broken.has(one.testPath)))
    for (const mark of covered)
      covering.set(mark, (covering.get(mark) ?? new Map()).set(testPath, durations[testPath] ?? 0));
  tests.close();
  return covering;
}

/**
 * @param {import("./sample.js").Mutant} mutant
 * @param {Map<string, Map<string, number>>} covering
 * @returns {Promise<{ outcome: Outcome, by?: string | undefined }>}
 */
async function tryMutant(mutant, covering) {
  const { file, inside } = mutant;
  if (isEquivalent(mutant)) return { outcome: "equivalent" };
  const ofFile = [...covering.keys()].filter((mark) => mark.startsWith(`${file}:`));
  const ofFunction = inside === undefined ? ofFile : [markOf(file, inside)];
  /** @type {(marks: readonly string[]) => Map<string, number>} */
  const covered = (marks) => new Map(marks.flatMap((mark) => [...(covering.get(mark) ?? [])]));
  const near = covered(ofFunction);
  // No test runs the function. Whether the mutant compiles is all that is left to know.
  if (inside !== undefined && near.size === 0) return await tryAgainst(mutant, [], []);
  // A function that runs when its module is loaded counts for one test of the module only, but all may notice.
  const far = near.size > 1 ? new Map() : covered(ofFile);
  if (far.size === 0 && near.size === 0) for (const [one, ms] of sound) far.set(one, ms);
  for (const one of near.keys()) far.delete(one);
  const files = [...byDistance(file, near), ...byDistance(file, far)];
  let usualMs = 0;
  const quick = files.filter(([, ms]) => (usualMs += ms) <= QUICK_MS);
  return await tryAgainst(mutant, quick, files.slice(quick.length));
}

/** @typedef {readonly (readonly [file: string, usualMs: number])[]} Listed test files, in the order in which they run */

/**
 * @param {import("./sample.js").Mutant} mutant
 * @param {Listed} quick the tests that run before the compiler
 * @param {Listed} slow
 * @returns {Promise<{ outcome: Outcome, by?: string | undefined }>}
 */
async function tryAgainst({ file, start, end, text }, quick, slow) {
  const source = read(file);
  write(file, source.slice(0, start) + text + source.slice(end));
  try {
    return (
      (await runAgainst(file, quick)) ??
      (compiles() ? await runAgainst(file, slow) : { outcome: "does not compile" }) ?? {
        outcome: "survived",
      }
    );
  } finally {
    write(file, source);
  }
}

/**
 * Sorts test files, the nearest first and of those the quickest.
 * @param {string} file
 * @param {Map<string, number>} durations of each test file, in milliseconds
 */
function byDistance(file, durations) {
  return [...durations].toSorted(
    ([one, oneMs], [other, otherMs]) =>
      distance(file, one) - distance(file, other) || oneMs - otherMs,
  );
}

/**
 * Runs tests on a changed file until one fails.
 * @param {string} file
 * @param {Listed} files
 * @returns {Promise<{ outcome: Outcome, by?: string | undefined } | undefined>} undefined if all pass
 */
async function runAgainst(file, files) {
  if (files.length === 0) return undefined;
  const usualMs = files.reduce((sum, [, ms]) => sum + ms, 0);
  const names = files.map(([name]) => name);
  const request = { changed: [path.join(scratch, file)], files: names, stopsAtFailure: true };
  const limitMs = 3 * usualMs + PATIENCE_MS;
  // A busy machine is slow for a while: only a mutant that hangs is late twice.
  const result = (await tests.run(request, limitMs)) ?? (await tests.run(request, 3 * limitMs));
  tests.readCovered();
  if (!result) return { outcome: "timed out" };
  return result.failed.length > 0 ? { outcome: "killed", by: result.failed[0] } : undefined;
}

/**
 * How far a test file stands from a source file: its own test first, then its folder, then its room.
 * @param {string} file
 * @param {string} testFile
 */
function distance(file, testFile) {
  const name = path
    .relative(path.join(scratch, "test"), testFile)
    .replaceAll("\\", "/")
    .replace(/^(?:isolated|process)\//, "");
  const source = file.replace(/^src\//, "").replace(/\.ts$/, "");
  if (name === `${source}.test.ts`) return 0;
  if (path.posix.dirname(name) === path.posix.dirname(source)) return 1;
  if (name.startsWith("simulation/")) return 4;
  return name.split("/")[0] === source.split("/")[0] ? 2 : 3;
}

function compiles() {
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [tsc, "--noEmit", "-p", "src"], { cwd: scratch }).status === 0;
}

/** @param {import("./sample.js").Mutant} mutant */
function isEquivalent(mutant) {
  const { from, to } = linesOf(mutant);
  return EQUIVALENTS.some(
    (one) =>
      one.file === mutant.file &&
      one.operator === mutant.operator &&
      one.from === from &&
      one.to === to,
  );
}

/**
 * The lines that a mutant changes, before and after, without indentation.
 * @param {import("./sample.js").Mutant} mutant
 */
function linesOf({ file, start, end, text }) {
  const source = read(file);
  const first = source.lastIndexOf("\n", start - 1) + 1;
  const last = source.indexOf("\n", end);
  const tidy = (/** @type {string} */ part) =>
    part
      .split("\n")
      .map((line) => line.trim())
      .join("\n");
  return {
    line: source.slice(0, first).split("\n").length,
    from: tidy(source.slice(first, last)),
    to: tidy(source.slice(first, start) + text + source.slice(end, last)),
  };
}

/** @param {import("./sample.js").Mutant} mutant */
function titleOf(mutant) {
  const { line, from, to } = linesOf(mutant);
  const marked = (/** @type {string} */ sign, /** @type {string} */ part) =>
    part.split("\n").map((one) => `          ${sign} ${one}`);
  return [
    `${mutant.file}:${line} ${mutant.operator}`,
    ...marked("-", from),
    ...marked("+", to),
  ].join("\n");
}

/**
 * @param {readonly string[]} rooms
 * @param {readonly { room: string, outcome: Outcome, title: string }[]} results
 */
function report(rooms, results) {
  /** @type {readonly Outcome[]} */
  const outcomes = ["killed", "timed out", "survived", "equivalent", "does not compile"];
  const survivors = results.filter(({ outcome }) => outcome === "survived");
  if (survivors.length > 0)
    print(`\nSurvivors:\n${survivors.map(({ title }) => title).join("\n")}\n`);
  let isEnough = true;
  for (const room of rooms) {
    const own = results.filter((result) => result.room === room);
    const count = (/** @type {Outcome} */ outcome) =>
      own.filter((result) => result.outcome === outcome).length;
    const killed = count("killed") + count("timed out");
    const share = killed / (killed + count("survived") || 1);
    const target = ROOMS[room]?.target ?? 0;
    isEnough &&= share >= target || own.length === 0;
    print(
      `${room}: ${outcomes.map((outcome) => `${count(outcome)} ${outcome}`).join(", ")}; ${(share * 100).toFixed(1)} % killed, at least ${target * 100} %`,
    );
  }
  print(`Seed ${values.seed}.`);
  return isEnough;
}

/** @param {string} file */
function read(file) {
  return readFileSync(path.join(ROOT, file), "utf8");
}

/**
 * @param {string} file
 * @param {string} source
 */
function write(file, source) {
  writeFileSync(path.join(scratch, file), source);
}

/** @param {string} text */
function print(text) {
  process.stdout.write(`${text}\n`);
}
