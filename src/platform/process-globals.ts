import { Blob } from "node:buffer";
import { performance } from "node:perf_hooks";
import { URL, URLSearchParams } from "node:url";
import util from "node:util";
import { runInThisContext } from "node:vm";

// build/index.js replaces the globals with the same names by these in everything that it bundles. Tests may run in a context
// of their own, as jest's do, or an environment such as happy-dom replaces the globals of the main context: by fake
// timers, or by classes that Node's own functions refuse.

/** The main context's globals, as they are now. */
export const mainGlobals = runInThisContext("globalThis") as typeof globalThis;

/** Node's web APIs: from its modules, or else the main context's. */
export const processGlobals = Object.create(mainGlobals) as typeof globalThis;

// Each is read at its first use, since Node loads some of them then, and stays the same.
for (const [name, read] of Object.entries<() => unknown>({
  AbortController: () => abortController()?.constructor ?? mainGlobals.AbortController,
  AbortSignal: () => abortController()?.signal.constructor ?? mainGlobals.AbortSignal,
  // In jsdom a buffer is no instance of the global one.
  ArrayBuffer: () => Buffer.alloc(0).buffer.constructor,
  Blob: () => Blob,
  Headers: () => mainGlobals.Headers,
  ReadableStream: () => streams().ReadableStream,
  // h3 has its own, which only extend these. Node has no module that exports them.
  Request: () => class Request extends Object {},
  Response: () => class Response extends Object {},
  TextDecoder: () => util.TextDecoder,
  TextEncoder: () => util.TextEncoder,
  TransformStream: () => streams().TransformStream,
  URL: () => URL,
  URLSearchParams: () => URLSearchParams,
  Uint8Array: () => Object.getPrototypeOf(Buffer) as unknown,
  WritableStream: () => streams().WritableStream,
  crypto: () => process.getBuiltinModule("node:crypto").webcrypto,
})) {
  const get = (): unknown => {
    const value = read();
    Object.defineProperty(processGlobals, name, { value });
    return value;
  };
  Object.defineProperty(processGlobals, name, { configurable: true, get });
}

/** Undefined in Bun. */
function abortController(): AbortController | undefined {
  return (util as Partial<typeof util>).transferableAbortController?.();
}

function streams() {
  return process.getBuiltinModule("node:stream/web");
}

// Read once: fake timers may replace them in the main context later.
export const { queueMicrotask } = mainGlobals;
export { performance };
export {
  clearImmediate,
  clearInterval,
  clearTimeout,
  setImmediate,
  setInterval,
  setTimeout,
} from "./real-time.ts";
