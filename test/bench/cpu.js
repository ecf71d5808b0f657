/** CPU time of other processes, in milliseconds, from Linux's /proc; `undefined` on other systems. */
import { readFileSync } from "node:fs";

const TICK_MS = 10; // USER_HZ is 100 on every Linux

/** The CPU time of a process's main thread. @param {number} pid */
export function mainThreadCpuMs(pid) {
  const schedule = read(`/proc/${pid}/task/${pid}/schedstat`);
  return schedule && Number(schedule.split(" ")[0]) / 1e6;
}

/** The CPU time of all child processes of this process that have ended, all threads, in steps of 10 ms. */
export function endedChildrenCpuMs() {
  const [, fields] = read("/proc/self/stat")?.split(") ") ?? [];
  if (fields === undefined) return undefined;
  const [userTicks, systemTicks] = fields.split(" ").slice(13, 15).map(Number); // cutime, cstime
  return (userTicks + systemTicks) * TICK_MS;
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
