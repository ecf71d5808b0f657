import { TestEnvironment } from "jest-environment-node";

/** As jsdom's, which has no fetch, nor what belongs to it, and timers that are numbers. */
export default class BareEnvironment extends TestEnvironment {
  constructor(...args) {
    super(...args);
    const { global } = this;
    for (const name of MISSING) delete global[name];
    const { setTimeout } = global;
    global.setTimeout = (...of) => Number(setTimeout(...of));
  }
}

const MISSING = [
  "fetch",
  "Headers",
  "Request",
  "Response",
  "ReadableStream",
  "TextDecoder",
  "TextEncoder",
  "setImmediate",
  "clearImmediate",
  "structuredClone",
];
