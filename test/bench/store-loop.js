/**
 * Preloaded into a server, tells for how long at most its event loop was held: for how long, that is,
 * nobody was answered. A shared machine holds it as well, so that the same is told without the time
 * for which it had work and no processor (Linux alone knows), and so is the longest collection of garbage.
 *
 *     node --import ./test/bench/store-loop.js …   asked over IPC: "begin", then "end"
 */
import { openSync, readSync } from "node:fs";
import { PerformanceObserver } from "node:perf_hooks";

/** @typedef {{ heldMs: number, heldByItselfMs: number, collectedMs: number }} LoopResult */

const TICK_MS = 1;
const WORTH_TELLING_MS = 2;

const schedule = openSchedule();
const scheduleText = Buffer.alloc(64);
let last = { atMs: performance.now(), waitedMs: readWaitedMs() };
/** @type {LoopResult} */
let result;
reset();

const observer = new PerformanceObserver((list) => note(list.getEntries()));
observer.observe({ entryTypes: ["gc"] });
setInterval(() => {
  const now = { atMs: performance.now(), waitedMs: readWaitedMs() };
  const heldMs = now.atMs - last.atMs - TICK_MS;
  result.heldMs = Math.max(result.heldMs, heldMs);
  result.heldByItselfMs = Math.max(result.heldByItselfMs, heldMs - now.waitedMs + last.waitedMs);
  last = now;
}, TICK_MS).unref();

process.on("message", (order) => {
  note(observer.takeRecords());
  if (order === "end") process.send(result);
  reset();
});
process.channel.unref(); // being asked does not keep the server up

function reset() {
  result = { heldMs: WORTH_TELLING_MS, heldByItselfMs: 0, collectedMs: 0 };
}

/** @param {import("node:perf_hooks").PerformanceEntry[]} collections */
function note(collections) {
  for (const { duration } of collections)
    result.collectedMs = Math.max(result.collectedMs, duration);
}

/** Of the main thread, whose number is the process's. */
function openSchedule() {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  } catch {
    return undefined;
  }
}

/** For how long it has waited for a processor, of all its time. */
function readWaitedMs() {
  if (schedule === undefined) return 0;
  const length = readSync(schedule, scheduleText, 0, scheduleText.length, 0);
  return Number(scheduleText.toString("latin1", 0, length).split(" ")[1]) / 1e6;
}
