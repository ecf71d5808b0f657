/**
 * Simulates the payment of one charge after another and receives the webhooks. Both ends are in one process,
 * so that one clock measures the time from the simulation's response to the webhook. Between them it
 * calls a bare server.
 *
 *     node test/bench/processes/webhook-latency.js   over IPC: an order; it replies with the medians
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import { HEADERS, HOST, chargeBody } from "../charge.js";
import { median } from "../figures.js";

/** @typedef {{ sandboxPort: number, barePort: number, count: number }} Order */
/**
 * In milliseconds: from the simulation's response to the webhook, the simulation itself, and a request to the
 * bare server.
 * @typedef {{ webhook: number, simulation: number, bare: number }} Latencies
 */

const agent = new Agent({ keepAlive: true });
/** Called when a webhook has arrived. @type {(atMs: number) => void} */
let onWebhook;
const receiver = createServer((webhook, response) => {
  onWebhook(performance.now());
  webhook.resume();
  webhook.on("end", () => response.writeHead(200, { "content-length": 0 }).end());
});
receiver.listen(0, HOST);
await once(receiver, "listening");
const address = /** @type {import("node:net").AddressInfo} */ (receiver.address());
const webhookUrl = `http://${HOST}:${address.port}/webhooks/pix`;

process.on("message", async (order) => process.send(await measure(/** @type {Order} */ (order))));
process.on("disconnect", () => process.exit());

/**
 * @param {Order} order
 * @returns {Promise<Latencies>}
 */
async function measure({ sandboxPort, barePort, count }) {
  /** @type {Latencies[]} */
  const latencies = [];
  for (let done = 0; done < count; done++) {
    const payin = await post(sandboxPort, "/v1/payins", chargeBody({ webhookUrl }));
    const { id } = JSON.parse(payin.text);
    /** @type {Promise<number>} */
    const webhook = new Promise((resolve) => (onWebhook = resolve));
    const simulation = JSON.stringify({ transaction_id: id, status: "completed" });
    const simulated = await post(sandboxPort, "/v1/payins/simulations", simulation);
    const webhookMs = (await webhook) - simulated.endedAtMs;
    const bare = await post(barePort, "/", simulation);
    latencies.push({ webhook: webhookMs, simulation: simulated.tookMs, bare: bare.tookMs });
  }
  const middle = (/** @type {keyof Latencies} */ key) => median(latencies.map((one) => one[key]));
  return { webhook: middle("webhook"), simulation: middle("simulation"), bare: middle("bare") };
}

/**
 * @param {number} port
 * @param {string} path
 * @param {string} body
 * @returns {Promise<{ text: string, tookMs: number, endedAtMs: number }>}
 */
function post(port, path, body) {
  const sentAtMs = performance.now();
  const headers = {
    ...HEADERS,
    "content-length": Buffer.byteLength(body),
    "x-idempotency-key": randomUUID(),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ host: HOST, port, path, method: "POST", headers, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => (text += part));
      response.on("end", () => {
        const endedAtMs = performance.now();
        if (response.statusCode === 200) resolve({ text, tookMs: endedAtMs - sentAtMs, endedAtMs });
        else reject(new Error(`${path}: ${response.statusCode} ${text}`));
      });
    });
    sent.on("error", reject).end(body);
  });
}
