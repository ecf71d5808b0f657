/**
 * A process with the store, which measures it:
 *
 *     node test/bench/processes/store.js BUNDLE open FILE       opens a state once, and prints the time
 *     node test/bench/processes/store.js BUNDLE parse FILE...   parses the lines of its files, and prints the time
 *     node test/bench/processes/store.js BUNDLE change          over IPC: opens and changes a state
 *
 * The changes are decided before the clock starts, by a gateway with records of its own.
 */
import { hash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { pathToFileURL } from "node:url";
import { mainThreadCpuMs } from "../servers.js";

/** @typedef {import("../figures.js").Time & { heapBytes: number }} Opened `heapBytes`: what is kept, after a collection */

const PIECE_BYTES = 16 << 20;
const LINE_FEED = 0x0a;
const HEADER = '{"format":';

const [bundle, work, ...files] = process.argv.slice(2);
const parts = await import(pathToFileURL(bundle).href);
/** @type {any} */
let store;

const ACTIONS = { open, measure, close };
if (work === "change") {
  process.on("message", async ([name, ...details]) => {
    process.send((await ACTIONS[name](...details)) ?? null);
  });
} else {
  const times = work === "open" ? await measureOpening(files[0]) : await measureParsing();
  // Not closed: that would merge the journal into the file, and the next process opens the same state.
  process.stdout.write(`${JSON.stringify(times)}\n`, () => process.exit());
}

/** @param {string} file */
async function open(file) {
  store = await parts.openStateFile(file);
  return store.records.payins.size;
}

/** Merges the journal into the state file. */
async function close() {
  await store.close();
}

/**
 * The time of one payin, until it is durable.
 * @param {number} count
 * @param {number} dropped so many of them are not measured, the first
 * @param {number} atOnce so many are committed in one turn of the event loop
 * @returns {Promise<import("../figures.js").Time>}
 */
async function measure(count, dropped, atOnce) {
  const changes = await prepare(count);
  const commit = async (/** @type {number} */ from, /** @type {number} */ to) => {
    for (let next = from; next < to; next += atOnce) {
      for (const change of changes.slice(next, Math.min(to, next + atOnce))) store.commit(change);
      await store.durable();
    }
  };
  await commit(0, dropped);
  const startCpuMs = mainThreadCpuMs(process.pid);
  const startedAt = performance.now();
  await commit(dropped, count);
  const measured = count - dropped;
  const elapsedMs = (performance.now() - startedAt) / measured;
  const cpuMs = mainThreadCpuMs(process.pid);
  return { elapsedMs, ...(cpuMs !== undefined && { cpuMs: (cpuMs - startCpuMs) / measured }) };
}

/**
 * The changes that a gateway on this store would commit.
 * @param {number} count
 */
async function prepare(count) {
  const sample = store.records.payins.at(0);
  const { integration, request } = sample;
  const records = new parts.Records();
  records.integration(integration).lastOrdinal = store.records.integration(integration).lastOrdinal;
  records.continueAfter(store.records.lastEventNumber);
  /** @type {unknown[]} */
  const changes = [];
  const gateway = createGateway(records, changes);
  for (let created = 0; created < count; created++)
    await gateway.createPayin({
      integration,
      provider: "Loja Exemplo",
      key: randomUUID(),
      request,
      draft: sample,
    });
  return changes;
}

/**
 * @param {any} records
 * @param {unknown[]} changes receives what it commits
 */
function createGateway(records, changes) {
  return new parts.Gateway({
    store: {
      records,
      commit(/** @type {unknown} */ change) {
        records.apply(change);
        changes.push(change);
      },
      durable: async () => {},
    },
    clock: new parts.Clock(Date.now, { mode: "real", offsetMs: 0 }),
    dueQueue: new parts.DueQueue(),
    ids: new parts.Ids((/** @type {string} */ text) => hash("sha512", text, "hex"), randomUUID()),
    assumptions: parts.STANDARD_ASSUMPTIONS,
    brCode: { locationBase: "pix-sandbox.example", city: "" },
    deliveries: { start: () => {}, drop: () => {} },
  });
}

/** @param {string} file */
async function measureOpening(file) {
  const before = heapBytes();
  const end = beginMeasuring();
  const opened = await parts.openStateFile(file);
  const times = end();
  return { ...times, heapBytes: heapBytes() - before, payins: opened.records.payins.size };
}

/** What is kept, after a collection. */
function heapBytes() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** Splits the lines before the clock starts, one piece of the file at a time: not all fit in memory. */
async function measureParsing() {
  const sum = { elapsedMs: 0, cpuMs: 0 };
  /** Kept, as an opened state keeps its records: what is dropped costs the collector nothing. */
  const rows = [];
  const before = heapBytes();
  for (const file of files) {
    let rest = Buffer.alloc(0);
    for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES })) {
      const bytes = Buffer.concat([rest, piece]);
      const end = bytes.lastIndexOf(LINE_FEED) + 1;
      rest = bytes.subarray(end);
      const lines = recordsAmong(bytes.subarray(0, end));
      const endMeasuring = beginMeasuring();
      for (const line of lines) rows.push(JSON.parse(line));
      const { elapsedMs, cpuMs } = endMeasuring();
      sum.elapsedMs += elapsedMs;
      sum.cpuMs += cpuMs;
    }
  }
  return { ...sum, heapBytes: heapBytes() - before, rows: rows.length };
}

/** The CPU time is that of all threads. @returns {() => { elapsedMs: number, cpuMs: number }} */
function beginMeasuring() {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { elapsedMs: performance.now() - startedAt, cpuMs: (user + system) / 1_000 };
  };
}

/**
 * The JSON of each line that is a record or an entry of the journal. A state file has few other lines.
 * @param {Buffer} bytes
 */
function recordsAmong(bytes) {
  const lines = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, start);
    const line = bytes.toString("utf8", start, end);
    start = end + 1;
    if (line.startsWith(HEADER)) continue; // its list follows it, so it is not JSON by itself
    if (line.endsWith("},")) lines.push(line.slice(0, -1));
    else if (line.startsWith("{") && line.endsWith("}")) lines.push(line);
  }
  return lines;
}
