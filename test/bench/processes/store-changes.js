/**
 * A process with one store, which opens a state, changes it and reports how long a change took. The changes are
 * decided before the clock starts, by a gateway with records of its own.
 *
 *     node test/bench/processes/store-changes.js BUNDLE
 */
import { hash, randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import { mainThreadCpuMs } from "../cpu.js";

/** @typedef {"create" | "pay"} Kind */

const PREPARED_AT_ONCE = 1_000;
const PRIME = 611_953; // steps of it reach every record once, in an order that no cache predicts

const parts = await import(pathToFileURL(process.argv[2]).href);
/** @type {any} */
let store;
let steps = 0;

const ACTIONS = { open, measure, add, close };
process.on("message", async ([name, ...details]) => {
  process.send((await ACTIONS[name](...details)) ?? null);
});

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
 * The time of one change, until it is durable.
 * @param {Kind} kind
 * @param {number} count
 * @param {number} atOnce so many are committed in one turn of the event loop
 * @returns {Promise<import("../compare.js").Time>}
 */
async function measure(kind, count, atOnce) {
  const changes = await prepare(kind, count);
  const startCpuMs = mainThreadCpuMs(process.pid);
  const startedAt = performance.now();
  for (let next = 0; next < count; next += atOnce) {
    for (const change of changes.slice(next, next + atOnce)) store.commit(change);
    await store.durable();
  }
  const elapsedMs = (performance.now() - startedAt) / count;
  const cpuMs = mainThreadCpuMs(process.pid);
  return { elapsedMs, ...(cpuMs !== undefined && { cpuMs: (cpuMs - startCpuMs) / count }) };
}

/** Adds payins, so that they are in the journal. @param {number} count */
async function add(count) {
  for (let added = 0; added < count; added += PREPARED_AT_ONCE)
    await measure("create", Math.min(PREPARED_AT_ONCE, count - added), PREPARED_AT_ONCE);
}

/**
 * The changes that a gateway on this store would commit.
 * @param {Kind} kind
 * @param {number} count
 */
async function prepare(kind, count) {
  const sample = store.records.payins.at(0);
  const { integration, request } = sample;
  const chosen = kind === "pay" ? Array.from({ length: count }, nextWaiting) : [];
  const records = new parts.Records();
  records.apply({ payins: chosen });
  records.integration(integration).lastOrdinal = store.records.integration(integration).lastOrdinal;
  records.continueAfter(store.records.lastEventNumber);
  /** @type {unknown[]} */
  const changes = [];
  const gateway = createGateway(records, changes);
  for (const { id } of chosen) await gateway.movePayin(null, id, "pay");
  for (let created = chosen.length; created < count; created++)
    await gateway.createPayin({
      integration,
      provider: "Loja Exemplo",
      key: randomUUID(),
      request,
      draft: sample,
    });
  return changes;
}

function nextWaiting() {
  const { payins } = store.records;
  for (;;) {
    const payin = payins.at((++steps * PRIME) % payins.size);
    if (payin.status === "waiting") return payin;
  }
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
