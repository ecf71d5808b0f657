import { performance } from "node:perf_hooks";
import { runInThisContext } from "node:vm";

// build.js replaces the globals with the same names by these in everything that it bundles. A test framework may run
// tests in a context of its own, as jest does. The globals there may be fake timers, or jsdom's, which has no `fetch`
// and no `Response`; those of the main context are always Node's.

/** The main context's globals. Node loads `fetch` and its classes when they are first read. */
export const processGlobals = runInThisContext("globalThis") as typeof globalThis;

// Read once: fake timers may replace them in the main context later.
export const { queueMicrotask } = processGlobals;
export { performance };
export {
  clearImmediate,
  clearInterval,
  clearTimeout,
  setImmediate,
  setInterval,
  setTimeout,
} from "./real-time.ts";
