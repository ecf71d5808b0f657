/**
 * Preloaded into a server, reports the longest time for which its event loop was held. Other processes delay it
 * too, so the part of that time that the thread spent on a processor is reported as well (on Linux), and
 * the longest garbage collection.
 *
 *     node --import ./test/bench/processes/event-loop.js …   over IPC: "begin", then "end"
 */
import { openSync, readSync } from "node:fs";
import { PerformanceObserver } from "node:perf_hooks";

/** @typedef {{ heldMs: number, runningMs: number, collectedMs: number }} LoopResult */

const TICK_MS = 1;

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
  result.runningMs = Math.max(result.runningMs, heldMs - now.waitedMs + last.waitedMs);
  last = now;
}, TICK_MS).unref();

process.on("message", (message) => {
  note(observer.takeRecords());
  if (message === "end") process.send(result);
  reset();
});
process.channel.unref(); // the channel does not keep the server alive

function reset() {
  result = { heldMs: 0, runningMs: 0, collectedMs: 0 };
}

/** @param {import("node:perf_hooks").PerformanceEntry[]} collections */
function note(collections) {
  for (const { duration } of collections)
    result.collectedMs = Math.max(result.collectedMs, duration);
}

/** The schedule of the main thread, whose number is the process's. */
function openSchedule() {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  } catch {
    return undefined;
  }
}

/** The time that the thread has waited for a processor. */
function readWaitedMs() {
  if (schedule === undefined) return 0;
  const length = readSync(schedule, scheduleText, 0, scheduleText.length, 0);
  return Number(scheduleText.toString("latin1", 0, length).split(" ")[1]) / 1e6;
}
