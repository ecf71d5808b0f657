/**
 * Webhooks a second of a sandbox with a state file, against a bare client. Both open a connection for each webhook, and
 * send to one receiver.
 */
import path from "node:path";
import { compareRates, measureInTurns } from "./figures.js";
import { sendRequests } from "./requests.js";
import {
  ask,
  call,
  createFolder,
  mainThreadCpuMs,
  processFile,
  startDurable,
  startServer,
  startWorker,
  untilAtRest,
} from "./servers.js";

/** @typedef {import("./servers.js").RunningServer} RunningServer */
/** @typedef {import("./figures.js").Rate} Rate */
/** @typedef {import("./processes/bare.js").Reception} Reception */
/** Sends webhooks to many addresses, or to one. @typedef {(isToMany: boolean) => Promise<Rate>} Send */

/** Concurrent attempts of the bare client. */
const AT_ONCE = { many: 64, one: 16 };
const EXPIRATION_SECONDS = 3_600;

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureDelivery({ against, short }) {
  const webhooks = short ? 1_000 : 4_000;
  const receiver = await startServer([processFile("bare.js"), "receiver"], true);
  const ours = await startSender(receiver, webhooks);
  const other = against
    ? await startSender(receiver, webhooks, against)
    : await startClient(receiver, webhooks, ours);
  const results = await measureInTurns(short ? 2 : 7, {
    many: () => ours.send(true),
    otherMany: () => other.send(true),
    one: () => ours.send(false),
    otherOne: () => other.send(false),
  });
  await Promise.all([ours.stop(), other.stop()]);
  await receiver.stop();
  const name = against ? "the other build" : "bare client";
  return [
    {
      name: `webhooks to many addresses / ${name}`,
      target: { atLeast: against ? 1 : 0.6 },
      ...compareRates(results.many, results.otherMany),
    },
    {
      name: `webhooks to one address / ${name}`,
      ...compareRates(results.one, results.otherOne),
    },
  ];
}

/**
 * A sandbox in which payins expire, so that webhooks leave with nothing else going on.
 * @param {RunningServer} receiver
 * @param {number} webhooks
 * @param {string} [checkout]
 */
async function startSender(receiver, webhooks, checkout) {
  const stateFile = path.join(await createFolder(), "state.json");
  const serve = ["--clock", "frozen", "--assume", "payin.expiry_event=webhook"];
  const sandbox = await startDurable(stateFile, serve, { checkout });
  const webhookUrl = `http://127.0.0.1:${receiver.port}/webhooks/pix`;
  /** As an integration without records: the response lists none of the expired payins. */
  const options = { headers: { "x-api-token": "bystander" } };
  const advance = () =>
    call(sandbox.port, "/_sandbox/clock/advance", { seconds: EXPIRATION_SECONDS }, options);

  const deliver = async (/** @type {boolean} */ isToMany) => {
    const load = { webhookUrl, ownWebhookUrls: isToMany, expiration: EXPIRATION_SECONDS };
    await sendRequests(sandbox, webhooks, load);
    return receive(receiver, sandbox.child.pid, webhooks, advance);
  };
  /** @type {Send} */
  const send = async (isToMany) => {
    const { rate } = await deliver(isToMany);
    // An idle sandbox compacts its state file. That must not run while the other side is measured.
    await untilAtRest(stateFile);
    return rate;
  };
  const readSample = async () => {
    const { secret } = await call(sandbox.port, "/_sandbox/secret");
    const { reception } = await deliver(false);
    return { secret, sample: reception.sample };
  };
  return { send, readSample, stop: sandbox.stop };
}

/**
 * The bare client, which sends a webhook of the sandbox again and again, each signed anew.
 * @param {RunningServer} receiver
 * @param {number} webhooks
 * @param {Awaited<ReturnType<typeof startSender>>} sender
 */
async function startClient(receiver, webhooks, sender) {
  const signed = await sender.readSample();
  const client = startWorker("bare.js", ["client"]);
  /** @type {Send} */
  const send = async (isToMany) => {
    const concurrency = isToMany ? AT_ONCE.many : AT_ONCE.one;
    const order = { port: receiver.port, count: webhooks, concurrency, ...signed };
    const { rate } = await receive(receiver, client.pid, webhooks, () => ask(client, order));
    return rate;
  };
  return { send, stop: async () => client.disconnect() };
}

/**
 * @param {RunningServer} receiver
 * @param {number} pid the sender's
 * @param {number} webhooks
 * @param {() => Promise<unknown>} send
 * @returns {Promise<{ rate: Rate, reception: Reception }>}
 */
async function receive(receiver, pid, webhooks, send) {
  await ask(receiver.child, webhooks);
  const startCpuMs = mainThreadCpuMs(pid);
  await send();
  const cpuMs = mainThreadCpuMs(pid);
  /** @type {Reception} */
  const reception = await ask(receiver.child, "report");
  const rate = {
    perSecond: (webhooks * 1_000) / (reception.lastAtMs - reception.firstAtMs),
    ...(cpuMs !== undefined && { cpuMs: (cpuMs - startCpuMs) / webhooks }),
  };
  return { rate, reception };
}
