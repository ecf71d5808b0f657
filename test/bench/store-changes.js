/**
 * A process with one store in it, which is told to open a state, to change it and to say how long a
 * change took. What is committed was decided before the clock starts, by a gateway of its own.
 *
 *     node test/bench/store-changes.js BUNDLE
 */
import { hash, randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";

/** @typedef {"create" | "settle"} Kind */
/** @typedef {{ durable: number, committed: number }} ChangeTimes */

const PREPARED_AT_ONCE = 1_000;
const PRIME = 611_953; // steps of it reach every record once, in an order that no cache foresees

const parts = await import(pathToFileURL(process.argv[2]).href);
/** @type {any} */
let store;
let steps = 0;

const ORDERS = { open, measure, add, close };
process.on("message", async ([name, ...details]) => {
  process.send((await ORDERS[name](...details)) ?? null);
});

/** @param {string} file */
async function open(file) {
  store = await parts.openStateFile(file);
  return store.records.payins.size;
}

/** Brings the state file up to date. */
async function close() {
  await store.close();
}

/**
 * Microseconds a change: until it is durable, and until it is committed, the part that could grow with
 * what is there already and that no disk disturbs.
 * @param {Kind} kind
 * @param {number} count
 * @param {number} together so many are committed at once, as when so many calls come in one turn
 */
async function measure(kind, count, together) {
  const changes = await prepare(kind, count);
  let committingMs = 0;
  const startedAt = performance.now();
  for (let next = 0; next < count; next += together) {
    const beganAt = performance.now();
    for (const change of changes.slice(next, next + together)) store.commit(change);
    committingMs += performance.now() - beganAt;
    await store.durable();
  }
  const toMicros = (/** @type {number} */ milliseconds) => (milliseconds * 1_000) / count;
  return { durable: toMicros(performance.now() - startedAt), committed: toMicros(committingMs) };
}

/** @param {number} count how many payins the journal takes in */
async function add(count) {
  for (let added = 0; added < count; added += PREPARED_AT_ONCE)
    await measure("create", Math.min(PREPARED_AT_ONCE, count - added), PREPARED_AT_ONCE);
}

/**
 * What the store's own gateway would commit.
 * @param {Kind} kind
 * @param {number} count
 */
async function prepare(kind, count) {
  const sample = store.records.payins.at(0);
  const { integration, request } = sample;
  const chosen = kind === "settle" ? Array.from({ length: count }, nextWaiting) : [];
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
 * @param {unknown[]} changes takes in what it commits
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
