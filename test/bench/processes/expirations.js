/**
 * A process with one gateway and nothing else, so that it uses one core. It creates payins, moves the clock past
 * all their expirations and reports how long that took.
 *
 *     node --expose-gc test/bench/processes/expirations.js BUNDLE
 */
import { hash } from "node:crypto";
import { pathToFileURL } from "node:url";

/** @typedef {{ seconds: number, queueBytes: number, timers: number }} Expired */

const START_MS = Date.parse("2026-11-21T12:00:00Z");
const PRIME = 611_953; // steps of it have no order that helps a heap
const SHORTEST_SECONDS = 60;
const LONGEST_SECONDS = 172_800;

const parts = await import(pathToFileURL(process.argv[2]).href);

process.on("message", async ([count, when]) => {
  process.send(await measure(count, when));
});

/**
 * @param {number} count
 * @param {"apart" | "together"} when
 * @returns {Promise<Expired>}
 */
async function measure(count, when) {
  const { clock, dueQueue, gateway, clockDriver } = createGateway();
  await createPayins(gateway, clock, count, when);
  if (dueQueue.size !== count) throw new Error(`Only ${dueQueue.size} of ${count} payins wait.`);
  const timers = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

  globalThis.gc?.();
  const startedAt = performance.now();
  const events = await clockDriver.advanceBy(2 * LONGEST_SECONDS * 1000);
  const seconds = (performance.now() - startedAt) / 1000;
  if (events.length !== count) throw new Error(`Only ${events.length} of ${count} expired.`);
  return { seconds, queueBytes: measureQueue(count), timers };
}

function createGateway() {
  const store = new parts.MemoryStore(new parts.Records());
  const clock = new parts.Clock(Date.now, { mode: "real", offsetMs: 0 });
  const dueQueue = new parts.DueQueue();
  const gateway = new parts.Gateway({
    store,
    clock,
    dueQueue,
    ids: new parts.Ids((/** @type {string} */ text) => hash("sha512", text, "hex"), "seed"),
    assumptions: parts.STANDARD_ASSUMPTIONS,
    brCode: { locationBase: "pix-sandbox.example", city: "" },
    deliveries: { start: unexpected, drop: unexpected },
  });
  const sender = { underWay: async () => undefined, drop: unexpected };
  const clockDriver = new parts.ClockDriver({
    clock,
    dueQueue,
    gateway,
    sender,
    timer: new parts.RealTimer(),
  });
  clockDriver.start();
  return { clock, dueQueue, gateway, clockDriver };
}

/** By default an expiry sends no webhook. */
function unexpected() {
  throw new Error("A webhook is to be sent.");
}

/**
 * @param {any} gateway
 * @param {any} clock
 * @param {number} count
 * @param {"apart" | "together"} when
 */
async function createPayins(gateway, clock, count, when) {
  const range = LONGEST_SECONDS - SHORTEST_SECONDS;
  for (let created = 0; created < count; created++) {
    const apart = SHORTEST_SECONDS + ((created * PRIME) % range);
    await gateway.createPayin({
      integration: "shop",
      provider: "Loja Exemplo",
      key: `key-${created}`,
      request: "{}",
      draft: {
        valueCents: 1050,
        buyerCpf: "52998224725",
        buyerName: "Maria da Silva",
        buyerEmail: "maria@example.com",
        webhookUrl: "http://127.0.0.1:9/webhook",
        generateQrcode: false,
        expirationSeconds: when === "apart" ? apart : LONGEST_SECONDS,
      },
    });
    // A hundred payins in a millisecond: within a second no two have the same expiration.
    if (when === "apart" && created % 100 === 0) clock.moveTo(clock.nowMs() + 1);
  }
}

/** The bytes of a due queue, without the ids, which the records hold anyway. @param {number} count */
function measureQueue(count) {
  const ids = Array.from({ length: count }, (_, place) => `00000000-0000-4000-8000-${place}`);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const dueQueue = new parts.DueQueue();
  for (const [place, id] of ids.entries())
    dueQueue.add(START_MS + ((place * PRIME) % LONGEST_SECONDS) * 1000, id);
  globalThis.gc?.();
  const bytes = process.memoryUsage().heapUsed - before;
  if (dueQueue.size !== ids.length) throw new Error("The due queue lost ids.");
  return bytes;
}
