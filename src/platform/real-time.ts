// The machine's real time and timers. Test frameworks replace the globals with fakes that stand still, which would
// hang a sandbox in the same process. All of src imports real time from here, and every entry that can start a sandbox
// loads this module first: later it might find fakes.
import { performance } from "node:perf_hooks";
// Node's module keeps the real timers even if the globals were replaced before this import.
import timers from "node:timers";

export const {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
} = timers;

/** The machine's clock, in epoch milliseconds. It can be set back. */
export const wallNowMs: () => number = realDate().now;

/** Milliseconds from an arbitrary start. Never goes back; may stand still while the machine is suspended. */
export const monotonicNowMs: () => number = performance.now.bind(performance);

/** A fake date extends the real one. */
function realDate(): DateConstructor {
  const parent = Object.getPrototypeOf(Date) as DateConstructor;
  return parent === Function.prototype ? Date : parent;
}
