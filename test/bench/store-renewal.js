/**
 * What a renewal of a large state file does to those who call meanwhile: their latency, and for how
 * long the server's event loop was held. Each renewal is compared with a quiet time before it; the
 * time right behind it is neither, since the disk still puts away what was replaced.
 */
import { readdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ask, kill, startAskable } from "./servers.js";

/** @typedef {import("./servers.js").RunningServer} RunningServer */
/** @typedef {import("./store-load.js").WindowResult} WindowResult */
/** @typedef {import("./store-loop.js").LoopResult} LoopResult */
/** @typedef {{ load: WindowResult, loop: LoopResult, seconds: number }} Window */
/** @typedef {{ quiet: Window, renewing: Window, after: Window }} Round */

const LOAD = fileURLToPath(new URL("store-load.js", import.meta.url));
const WARM_UP_MS = 2_000;
const QUIET_MS = 4_000;
const AFTER_MS = 2_000;
const NEXT_RENEWAL_MS = 1_500; // when nothing changes, the file is renewed after a second
const REST_MS = 2_000;
const LOOK_EVERY_MS = 5;
const LIMIT_MS = 120_000;
const WORTH_RENEWING = 0.12; // the share of the file that the journal has to reach, and a little more
const LINE_BYTES = 200_000;

/**
 * @param {RunningServer} server one that store-loop.js was preloaded into
 * @param {string} stateFile
 * @param {number} count
 * @param {string[]} loadOptions
 * @returns {Promise<Round[]>}
 */
export async function measureRenewals(server, stateFile, count, ...loadOptions) {
  const generator = startAskable([LOAD, "--port", `${server.port}`, ...loadOptions]);
  generator.send("begin");
  await delay(WARM_UP_MS);
  await ask(generator, "end");

  /** @type {Round[]} */
  const rounds = [];
  for (let round = 0; round < count; round++) {
    await untilAtRest(stateFile);
    const quiet = await measureWindow(server, generator, { to: () => delay(QUIET_MS) });
    const { size } = await stat(stateFile);
    await fillJournal(server.port, size * WORTH_RENEWING);
    const renewing = await measureWindow(server, generator, {
      from: () => untilRenewing(stateFile, true),
      to: () => untilRenewing(stateFile, false),
    });
    const after = await measureWindow(server, generator, { to: () => delay(AFTER_MS) });
    rounds.push({ quiet, renewing, after });
  }
  await kill(generator);
  return rounds;
}

/**
 * No renewal runs, none follows, and the disk has had time to come to rest.
 * @param {string} stateFile
 */
export async function untilAtRest(stateFile) {
  await delay(NEXT_RENEWAL_MS);
  await untilRenewing(stateFile, false);
  await delay(REST_MS);
}

/**
 * The event loop is watched from the first, the load runs from `from` on.
 * @param {RunningServer} server
 * @param {import("node:child_process").ChildProcess} generator
 * @param {{ from?: () => Promise<void>, to: () => Promise<void> }} limits
 * @returns {Promise<Window>}
 */
async function measureWindow({ child }, generator, { from, to }) {
  child.send("begin");
  await from?.();
  const startedAt = performance.now();
  generator.send("begin");
  await to();
  const seconds = (performance.now() - startedAt) / 1_000;
  const load = await ask(generator, "end");
  return { load, loop: await ask(child, "end"), seconds };
}

/**
 * Changes that add to the journal alone: a webhook is configured over and over, at a long address.
 * @param {number} port
 * @param {number} bytes
 */
async function fillJournal(port, bytes) {
  const body = JSON.stringify({
    webhook_url: `http://127.0.0.1:9/${"x".repeat(LINE_BYTES)}`,
    events: ["payment.received"],
  });
  const headers = {
    "content-type": "application/json",
    "x-api-token": "filler",
    "x-provider-id": "1",
    "x-provider": "Filler",
    "x-country-code": "BR",
  };
  for (let written = 0; written < bytes; written += LINE_BYTES) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/webhooks`, {
      method: "PUT",
      headers,
      body,
    });
    if (!answer.ok) throw new Error(`The journal could not be filled: ${await answer.text()}`);
    await answer.text();
  }
}

/**
 * Resolves when a renewal runs, or when none does. While one does, there is a file that is being
 * written, and at its end more than one of the journal.
 * @param {string} stateFile
 * @param {boolean} wanted
 */
async function untilRenewing(stateFile, wanted) {
  const limit = performance.now() + LIMIT_MS;
  while ((await isRenewing(stateFile)) !== wanted) {
    if (performance.now() > limit)
      throw new Error(`The state file was ${wanted ? "not" : "still"} being renewed.`);
    await delay(LOOK_EVERY_MS);
  }
}

/** @param {string} stateFile */
async function isRenewing(stateFile) {
  const names = await readdir(dirname(stateFile));
  return (
    names.some((name) => name.endsWith(".tmp")) ||
    names.filter((name) => name.endsWith(".journal")).length > 1
  );
}
