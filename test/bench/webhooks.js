/**
 * How much of a bare client's speed is left when webhooks leave in order and are remembered: deliveries
 * a second, and how soon after a simulation its webhook comes. The sandbox keeps its state in a file, as
 * durably as it can. Sandbox and bare client post to one receiver and take turns, so that whatever else
 * the machine does falls on both.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatCount, median } from "./figures.js";
import { load } from "./payins.js";
import { ask, startAskable, startBareServer, startReceiver, startServing } from "./servers.js";
import { untilAtRest } from "./store-renewal.js";

/** @typedef {import("./figures.js").Figure} Figure */
/** @typedef {import("./servers.js").RunningServer} RunningServer */
/** @typedef {import("./webhook-receiver.js").Reception} Reception */
/** @typedef {import("./webhook-merchant.js").WebhookTimes} WebhookTimes */
/**
 * Webhooks a second: from the first to the last that came, and until all that came of them was recorded.
 * @typedef {{ arrived: number, recorded: number, reception: Reception }} Delivered
 */
/** @typedef {{ many: Delivered, one: Delivered, bare: number, bareAlike: number, bareAlone: number }} Round */

const CLIENT = fileURLToPath(new URL("webhook-client.js", import.meta.url));
const MERCHANT = fileURLToPath(new URL("webhook-merchant.js", import.meta.url));
const ROUNDS = 7;
const WEBHOOKS_A_ROUND = 4_000;
const SIMULATIONS_A_ROUND = 300;
const MOST_TO_AN_ORIGIN = 64; // at once; see src/delivery/limiter.ts
const EXPIRATION_SECONDS = 3_600;

/** @returns {Promise<Figure[]>} */
export async function measureWebhooks() {
  const folder = await mkdtemp(join(tmpdir(), "pix-sandbox-bench-"));
  try {
    const throughput = await measureThroughput(join(folder, "throughput", "state.json"));
    const latency = await measureLatency(join(folder, "latency", "state.json"));
    return [...throughput, ...latency];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} stateFile */
async function measureThroughput(stateFile) {
  const [sandbox, receiver] = await Promise.all([
    startDurable(stateFile, "--clock", "frozen", "--assume", "payin.expiry_event=webhook"),
    startReceiver(),
  ]);
  const client = startAskable([CLIENT]);
  const { secret } = await askSandbox(sandbox, "secret");
  const postBare = async (
    /** @type {Reception["sample"]} */ sample,
    /** @type {number} */ concurrency,
  ) => {
    const order = { port: receiver.port, count: WEBHOOKS_A_ROUND, concurrency, secret, sample };
    const reception = await receive(receiver, () => ask(client, order));
    return perSecond(reception.firstAtMs, reception.lastAtMs);
  };

  /** @type {Round[]} */
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const many = await deliver(sandbox, receiver, "--own-webhook-urls");
    const one = await deliver(sandbox, receiver);
    await untilAtRest(stateFile);
    const { sample, connections } = one.reception;
    await postBare(sample, MOST_TO_AN_ORIGIN); // after the rest, the first of all is slower
    rounds.push({
      many,
      one,
      bare: await postBare(sample, MOST_TO_AN_ORIGIN),
      bareAlike: await postBare(sample, connections),
      bareAlone: await postBare(sample, 1),
    });
  }
  client.disconnect();
  await Promise.all([sandbox.stop(), receiver.stop()]);
  rounds.shift(); // the warm-up
  return describe(rounds);
}

/**
 * Lets as many charges as make a round expire at once, so that their webhooks leave with nothing else going on.
 * @param {RunningServer} sandbox whose clock stands still
 * @param {RunningServer} receiver
 * @param {...string} loadOptions
 * @returns {Promise<Delivered>}
 */
async function deliver(sandbox, receiver, ...loadOptions) {
  const url = `http://127.0.0.1:${receiver.port}/webhooks/pix`;
  const expiring = ["--webhook-url", url, "--expiration", `${EXPIRATION_SECONDS}`, ...loadOptions];
  await load(sandbox.port, WEBHOOKS_A_ROUND - 1, "--warm-up", "1", ...expiring);
  let recordedAtMs = 0;
  const reception = await receive(receiver, async () => {
    await askSandbox(sandbox, "clock/advance", { seconds: EXPIRATION_SECONDS });
    recordedAtMs = performance.timeOrigin + performance.now();
  });
  return {
    arrived: perSecond(reception.firstAtMs, reception.lastAtMs),
    recorded: perSecond(reception.firstAtMs, recordedAtMs),
    reception,
  };
}

/**
 * @param {RunningServer} receiver
 * @param {() => Promise<unknown>} send
 * @returns {Promise<Reception>}
 */
async function receive({ child }, send) {
  await ask(child, WEBHOOKS_A_ROUND);
  await send();
  return ask(child, "tell");
}

/**
 * @param {number} fromMs
 * @param {number} toMs
 */
function perSecond(fromMs, toMs) {
  return (WEBHOOKS_A_ROUND / (toMs - fromMs)) * 1_000;
}

/**
 * @param {Round[]} rounds
 * @returns {Figure[]}
 */
function describe(rounds) {
  const compare = (
    /** @type {string} */ name,
    /** @type {(round: Round) => [number, number]} */ toRates,
  ) => {
    const rates = rounds.map(toRates);
    const own = formatCount(median(rates.map(([rate]) => rate)));
    const bare = formatCount(median(rates.map(([, rate]) => rate)));
    return {
      name,
      ratios: rates.map(([rate, other]) => rate / other),
      absolute: `${own}/s / ${bare}/s`,
    };
  };
  const target = { atLeast: 0.6 };
  const connections = median(rounds.map(({ one }) => one.reception.connections));
  return [
    {
      ...compare(
        `webhooks to many addresses / a bare client's, ${MOST_TO_AN_ORIGIN}`,
        ({ many, bare }) => [many.arrived, bare],
      ),
      target,
    },
    compare("the same until all are recorded", ({ many, bare }) => [many.recorded, bare]),
    {
      ...compare(
        `webhooks to one address / a bare client's, ${connections} at once`,
        ({ one, bareAlike }) => [one.arrived, bareAlike],
      ),
      target,
    },
    compare("the same until all are recorded", ({ one, bareAlike }) => [one.recorded, bareAlike]),
    compare(`the same / a bare client's, ${MOST_TO_AN_ORIGIN} at once`, ({ one, bare }) => [
      one.arrived,
      bare,
    ]),
    compare("the same / a bare client's, 1 at once", ({ one, bareAlone }) => [
      one.arrived,
      bareAlone,
    ]),
  ];
}

/** @param {string} stateFile */
async function measureLatency(stateFile) {
  const [sandbox, bare] = await Promise.all([startDurable(stateFile), startBareServer()]);
  const merchant = startAskable([MERCHANT]);
  const order = { sandboxPort: sandbox.port, barePort: bare.port, count: SIMULATIONS_A_ROUND };
  /** @type {WebhookTimes[]} */
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) rounds.push(await ask(merchant, order));
  merchant.disconnect();
  await Promise.all([sandbox.stop(), bare.stop()]);
  rounds.shift(); // the warm-up

  const middle = (/** @type {keyof WebhookTimes} */ key) =>
    `${median(rounds.map((round) => round[key])).toFixed(2)} ms`;
  return [
    {
      name: "a simulation's answer to its webhook / a bare request",
      ratios: rounds.map(({ webhookMs, bareMs }) => webhookMs / bareMs),
      target: { atMost: 3 },
      absolute: `${middle("webhookMs")} / ${middle("bareMs")} (the simulation itself ${middle("simulationMs")})`,
    },
  ];
}

/**
 * @param {string} stateFile
 * @param {...string} serveOptions
 */
function startDurable(stateFile, ...serveOptions) {
  return startServing("--state", stateFile, "--durability", "always", ...serveOptions);
}

/**
 * As an integration that has no records, so that the answer tells of none.
 * @param {RunningServer} sandbox
 * @param {string} route
 * @param {object} [order]
 */
async function askSandbox({ port }, route, order) {
  const answer = await fetch(`http://127.0.0.1:${port}/_sandbox/${route}`, {
    method: order === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json", "x-api-token": "bystander" },
    body: JSON.stringify(order),
  });
  if (!answer.ok) throw new Error(`${route} was answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}
