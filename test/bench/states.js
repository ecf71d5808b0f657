/** The state files with many and with few payins. They are created over HTTP when first needed. */
import { copyFile } from "node:fs/promises";
import path from "node:path";
import { bundleSource } from "./bundle.js";
import { createFolder } from "./cleanup.js";
import { formatCount } from "./figures.js";
import { sendRequests } from "./generator.js";
import { startSandbox } from "./servers.js";

const MANY = 1_000_000;
/** At full load a compaction of a million would take minutes, and the state would grow meanwhile. */
const MEDIUM = 200_000;
const SHORT = 50_000;
const FEW = 1_000;
const REQUESTS_AT_ONCE = 100_000;

/** @typedef {{ stateFile: string, payins: number }} State */

/** @type {Promise<State> | undefined} */
let many;
/** @type {Promise<State> | undefined} */
let medium;
/** @type {Promise<State> | undefined} */
let few;
/** @type {Promise<string> | undefined} */
let store;

/** The large state. It must not be changed: see `copyState`. @param {{ short: boolean }} options */
export function manyPayins({ short }) {
  return (many ??= createState(short ? SHORT : MANY));
}

/** The state to compact. It must not be changed: see `copyState`. @param {{ short: boolean }} options */
export function mediumPayins({ short }) {
  return (medium ??= createState(short ? SHORT : MEDIUM));
}

/** The small state. It must not be changed: see `copyState`. */
export function fewPayins() {
  return (few ??= createState(FEW));
}

/**
 * Copies a state into a folder of its own.
 * @param {State} state
 * @param {string} [copy] default: a new folder
 * @returns {Promise<string>} the path of the copy
 */
export async function copyState({ stateFile }, copy) {
  const to = copy ?? path.join(await createFolder(), "state.json");
  await copyFile(stateFile, to);
  return to;
}

/** The store and what changes are made of, as one file that Node.js can import. */
export function storeBundle() {
  return (store ??= createFolder().then((folder) =>
    bundleSource(path.join(folder, "store.mjs"), {
      openStateFile: "store/state-file.ts",
      DueQueue: "core/time/due-queue.ts",
      Clock: "core/time/clock.ts",
      Gateway: "core/gateway.ts",
      Ids: "core/payments/ids.ts",
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
