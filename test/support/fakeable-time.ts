// Stands in for src/platform/real-time.ts in a test that moves the sandbox's real time with vitest's fake timers:
//   vi.mock("../../src/platform/real-time.ts", () => import("./fakeable-time.ts"));

export const setTimeout = (act: () => void, ms?: number) => globalThis.setTimeout(act, ms);
export const setInterval = (act: () => void, ms?: number) => globalThis.setInterval(act, ms);
export const setImmediate = (act: () => void) => globalThis.setImmediate(act);
export const clearTimeout = (timer?: NodeJS.Timeout) => globalThis.clearTimeout(timer);
export const clearInterval = (timer?: NodeJS.Timeout) => globalThis.clearInterval(timer);
export const clearImmediate = (timer?: NodeJS.Immediate) => globalThis.clearImmediate(timer);
export const wallNowMs = () => Date.now();
export const monotonicNowMs = () => performance.now();
