/** Opening a large state, against `JSON.parse` of its lines. Each is measured in a process of its own. */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { compareTimes } from "./compare.js";
import { formatCount } from "./figures.js";
import { measureInTurns } from "./rounds.js";
import { ask, kill, processFile, startDurable, startWorker } from "./servers.js";
import { copyState, manyPayins, storeBundle } from "./states.js";

/** @typedef {import("./figures.js").Figure} Figure */
/** @typedef {import("./index.js").Options} Options */

const JOURNAL_SHARE = 0.1;
const GIGABYTE = 2 ** 30;

/** @param {Options} options */
export async function measureOpening(options) {
  const { stateFile, payins } = await manyPayins(options);
  const name = `opening ${formatCount(payins)} payins / JSON.parse of the lines`;
  return [await compareOpening(options, name, stateFile)];
}

/** The same with a tenth of the lines in the journal, and the memory of a server with that state. @param {Options} options */
export async function measureOpeningJournal(options) {
  const many = await manyPayins(options);
  const stateFile = await copyState(many);
  const writer = startWorker("store-changes.js", [await storeBundle()]);
  await ask(writer, ["open", stateFile]);
  await ask(writer, ["add", Math.round(many.payins * (JOURNAL_SHARE / (1 - JOURNAL_SHARE)))]);
  await kill(writer); // closing would merge the journal into the file
  const name = "the same with 10 % of the lines in the journal";
  const opening = await compareOpening(options, name, stateFile);
  return [opening, ...(await measureMemory(stateFile))];
}

/**
 * @param {Options} options
 * @param {string} name
 * @param {string} stateFile
 * @returns {Promise<Figure>}
 */
async function compareOpening({ short }, name, stateFile) {
  const folder = path.dirname(stateFile);
  const journals = (await readdir(folder)).filter((file) => file.endsWith(".journal"));
  const files = [stateFile, ...journals.map((file) => path.join(folder, file))];
  const { opening, parsing } = await measureInTurns(short ? 1 : 5, {
    opening: () => measureApart("open", stateFile),
    parsing: () => measureApart("parse", ...files),
  });
  return { name, target: { atMost: 2.5 }, ...compareTimes(opening, parsing) };
}

/**
 * @param {...string} args of store-open.js
 * @returns {Promise<import("./compare.js").Time>}
 */
async function measureApart(...args) {
  const all = [processFile("store-open.js"), await storeBundle(), ...args];
  const { stdout } = await promisify(execFile)(process.execPath, all);
  return JSON.parse(stdout);
}

/**
 * @param {string} stateFile
 * @returns {Promise<Figure[]>} none where the system does not report it
 */
async function measureMemory(stateFile) {
  const server = await startDurable(stateFile);
  const status = await readFile(`/proc/${server.child.pid}/status`, "utf8").catch(() => "");
  await kill(server.child);
  const gigabytes = (/** @type {string} */ name) =>
    (Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(status)?.[1]) * 1024) / GIGABYTE;
  if (status === "") return [];
  return [
    {
      name: "GB of memory with that state, after the start",
      target: { atMost: 2 },
      ratios: [gigabytes("VmRSS")],
      absolute: `peak ${gigabytes("VmHWM").toFixed(2)} GB`,
    },
  ];
}
