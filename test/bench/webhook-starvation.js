/**
 * What receivers that never answer cost the others: how long it takes until 950 have their webhooks
 * beside fifty silent ones, against how long it takes where nothing goes to those. All webhooks fall
 * due in one moment, the silent receivers' first, which is the worst that can come. Each time is taken
 * with a sandbox and receivers of its own, so that all begin cold, and they take turns.
 */
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { median } from "./figures.js";
import { kill, startAskable, startSandbox } from "./servers.js";

const RECEIVERS = 1_000;
const SILENT = 50;
const ANSWERING = RECEIVERS - SILENT;
const ROUNDS = 5;
const AT_ONCE = 32;
const RECEIVER = fileURLToPath(new URL("../e2e/verifying-merchant.js", import.meta.url));
const HEADERS = {
  "content-type": "application/json",
  "x-api-token": "bench",
  "x-provider-id": "4182",
  "x-provider": "Loja Exemplo",
  "x-country-code": "BR",
};

/** @returns {Promise<import("./figures.js").Figure[]>} */
export async function measureStarvation() {
  /** @type {number[]} */
  const alone = [];
  /** @type {number[]} */
  const besideOne = [];
  /** @type {number[]} */
  const besideMany = [];
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await timeArrivals(0));
    besideOne.push(await timeArrivals(1));
    besideMany.push(await timeArrivals(20));
  }
  return [
    toFigure("950 webhooks beside 50 never answered / alone", besideOne, alone),
    toFigure("950 webhooks beside 1,000 never answered / alone", besideMany, alone),
  ];
}

/**
 * Milliseconds until those who answer have a webhook each.
 * @param {number} toEachSilent how many go to each of the others
 */
async function timeArrivals(toEachSilent) {
  const sandbox = await startSandbox();
  const url = `http://127.0.0.1:${sandbox.port}`;
  const { secret } = await get(`${url}/_sandbox/secret`);
  const receivers = await startReceivers(secret);
  await send(`${url}/_sandbox/clock/freeze`, {});
  await send(
    `${url}/_sandbox/assumptions`,
    { "payin.expiry_event": "webhook", "webhook.timeout_seconds": 3_600 },
    { method: "PATCH" },
  );
  const addresses = [
    ...Array.from({ length: SILENT * toEachSilent }, (_, index) =>
      receivers.at(index % SILENT, `/orders/${index}`),
    ),
    ...Array.from({ length: ANSWERING }, (_, index) => receivers.at(SILENT + index, "/hook")),
  ];
  await many(addresses.length, (index) => createPayin(url, addresses[index]));

  const leaving = new AbortController();
  const startedAt = performance.now();
  const moved = send(
    `${url}/_sandbox/clock/advance`,
    { seconds: 3_600 },
    { signal: leaving.signal },
  );
  moved.catch(() => undefined); // It waits for all, also for the silent ones.
  const { refused } = await get(receivers.at(SILENT, `/report?count=${ANSWERING}`));
  const elapsedMs = performance.now() - startedAt;

  leaving.abort();
  await kill(receivers.child);
  await sandbox.stop();
  if (refused.length > 0) throw new Error(`A webhook was refused: ${refused[0]}`);
  return elapsedMs;
}

/** @param {string} secret */
async function startReceivers(secret) {
  const child = startAskable([
    RECEIVER,
    `--secret=${secret}`,
    `--ports=${RECEIVERS}`,
    `--silent=${SILENT}`,
  ]);
  /** @type {{ ports: number[] }} */
  const { ports } = await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The receivers ended with code ${code}.`)));
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line)));
  });
  /**
   * @param {number} place the silent ones come first
   * @param {string} path
   */
  const at = (place, path) => `http://127.0.0.1:${ports[place]}${path}`;
  return { child, at };
}

/**
 * @param {string} url
 * @param {string} webhookUrl
 */
async function createPayin(url, webhookUrl) {
  await send(`${url}/v1/payins`, {
    value: 129.9,
    buyer_cpf: "52998224725",
    buyer_name: "Maria Aparecida da Silva",
    buyer_email: "maria.silva@example.com",
    webhook_url: webhookUrl,
  });
}

/** @param {string} url */
function get(url) {
  return answerOf(fetch(url));
}

/**
 * @param {string} url
 * @param {object} body
 * @param {RequestInit} [options]
 */
function send(url, body, options) {
  const headers = { ...HEADERS, "x-idempotency-key": randomUUID() };
  return answerOf(fetch(url, { method: "POST", headers, body: JSON.stringify(body), ...options }));
}

/** @param {Promise<Response>} answering */
async function answerOf(answering) {
  const answer = await answering;
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/**
 * Does something so many times, in order, some dozens at once.
 * @param {number} count
 * @param {(index: number) => Promise<void>} act
 */
async function many(count, act) {
  let next = 0;
  const workers = Array.from({ length: AT_ONCE }, async () => {
    while (next < count) await act(next++);
  });
  await Promise.all(workers);
}

/**
 * @param {string} name
 * @param {number[]} beside
 * @param {number[]} alone
 * @returns {import("./figures.js").Figure}
 */
function toFigure(name, beside, alone) {
  return {
    name,
    ratios: beside.map((milliseconds, round) => milliseconds / alone[round]),
    target: { atMost: 2 },
    absolute: `${Math.round(median(beside))} ms / ${Math.round(median(alone))} ms`,
  };
}
