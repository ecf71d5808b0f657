/**
 * Creates payins, pays them and receives their webhooks, at an even rate, as one process of its own. Each payin
 * is five events of the stream: it was created, the request was answered, it was paid, a webhook will be sent,
 * and its attempt has ended. It prints how many events the sandbox has numbered and logged meanwhile.
 *
 *     node test/bench/processes/inspector-load.js --port 7490 --events-per-second 1000 --seconds 10
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import { parseArgs } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { HEADERS, HOST, chargeBody } from "../charge.js";

/** @typedef {{ events: number, seconds: number, per_second: number }} InspectorLoadResult */

const EVENTS_PER_PAYIN = 5;
const TICK_MS = 20;
const MAX_AT_ONCE = 500;

const { values: options } = parseArgs({
  options: {
    port: { type: "string", default: "7490" },
    "events-per-second": { type: "string", default: "1000" },
    seconds: { type: "string", default: "10" },
  },
});
const port = Number(options.port);
const payinsPerSecond = Number(options["events-per-second"]) / EVENTS_PER_PAYIN;
const seconds = Number(options.seconds);

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const merchant = createServer((webhook, response) => {
  webhook.resume();
  webhook.on("end", () => response.end());
}).listen(0, HOST);
await once(merchant, "listening");
const { port: merchantPort } = /** @type {import("node:net").AddressInfo} */ (merchant.address());
const PAYIN = chargeBody({ webhookUrl: `http://${HOST}:${merchantPort}/webhooks/pix` });

const before = await countEvents();
const startedAt = performance.now();
/** @type {Set<Promise<void>>} */
const underWay = new Set();
let started = 0;
for (;;) {
  const elapsedSeconds = (performance.now() - startedAt) / 1_000;
  if (elapsedSeconds >= seconds) break;
  while (started < elapsedSeconds * payinsPerSecond && underWay.size < MAX_AT_ONCE) {
    started++;
    const payment = createAndPay();
    underWay.add(payment);
    void payment.finally(() => underWay.delete(payment));
  }
  await sleep(TICK_MS);
}
const elapsedSeconds = (performance.now() - startedAt) / 1_000;
const events = (await countEvents()) - before;
await Promise.all(underWay);
/** @type {InspectorLoadResult} */
const result = { events, seconds: elapsedSeconds, per_second: events / elapsedSeconds };
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));

async function createAndPay() {
  const { id } = await call("POST", "/v1/payins", PAYIN);
  await call("POST", `/_sandbox/payins/${id}/pay`);
}

/** The events so far: those with a number, and the requests, which have numbers of their own. */
async function countEvents() {
  const { data } = await call("GET", "/_sandbox/requests?order=desc&limit=1");
  const requests = data.length === 0 ? 0 : Number(data[0].id.replace("req_", ""));
  return requests + (await lastEventNumber());
}

/** The number that a new reader of the stream starts after. */
function lastEventNumber() {
  return new Promise((resolve, reject) => {
    const sent = request({ host: HOST, port, path: "/_sandbox/events" }, (response) => {
      response.setEncoding("utf8").once("data", (text) => {
        sent.destroy();
        resolve(Number(/^id: (\d+)$/m.exec(text)?.[1]));
      });
    });
    sent.on("error", reject).end();
  });
}

/**
 * @param {string} method
 * @param {string} path
 * @param {string} [body] JSON
 * @returns {Promise<any>}
 */
function call(method, path, body) {
  const { "content-type": type, ...identity } = HEADERS;
  const headers = {
    ...identity,
    "x-idempotency-key": randomUUID(),
    ...(body !== undefined && { "content-type": type }),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ host: HOST, port, method, path, headers, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => (text += part));
      response.on("end", () => {
        if (response.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
      });
    });
    sent.on("error", reject).end(body);
  });
}
