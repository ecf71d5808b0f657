/**
 * A merchant who simulates the payment of one charge after the other, and hears of each by webhook.
 * Both ends are one process, so that one clock tells how long after the simulation's answer the webhook
 * came. In between it asks a bare server, which has nothing to do meanwhile either.
 *
 *     node test/bench/webhook-merchant.js   given an order over IPC, it answers the medians
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import { median } from "./figures.js";

/** @typedef {{ sandboxPort: number, barePort: number, count: number }} Order */
/**
 * @typedef {object} WebhookTimes
 * @property {number} webhookMs from the simulation's answer to the webhook
 * @property {number} simulationMs from the simulation's request to its answer
 * @property {number} bareMs a bare server's answer
 */

const HEADERS = {
  "content-type": "application/json",
  "x-api-token": "bench",
  "x-provider-id": "4182",
  "x-provider": "Loja Exemplo",
  "x-country-code": "BR",
};

const agent = new Agent({ keepAlive: true });
/** Called when a webhook has come. @type {(atMs: number) => void} */
let onWebhook;
const merchant = createServer((webhook, response) => {
  onWebhook(performance.now());
  webhook.resume();
  webhook.on("end", () => response.writeHead(200, { "content-length": 0 }).end());
});
merchant.listen(0, "127.0.0.1");
await once(merchant, "listening");
const address = /** @type {import("node:net").AddressInfo} */ (merchant.address());
const webhookUrl = `http://127.0.0.1:${address.port}/webhooks/pix`;

process.on("message", async (order) => process.send(await measure(/** @type {Order} */ (order))));
process.on("disconnect", () => process.exit());

/**
 * @param {Order} order
 * @returns {Promise<WebhookTimes>}
 */
async function measure({ sandboxPort, barePort, count }) {
  /** @type {WebhookTimes[]} */
  const times = [];
  for (let done = 0; done < count; done++) {
    const payin = await create(sandboxPort);
    /** @type {Promise<number>} */
    const webhook = new Promise((resolve) => (onWebhook = resolve));
    const simulation = JSON.stringify({ transaction_id: payin.id, status: "completed" });
    const simulated = await post(sandboxPort, "/v1/payins/simulations", simulation);
    const webhookMs = (await webhook) - simulated.answeredAtMs;
    const bare = await post(barePort, "/", simulation);
    times.push({ webhookMs, simulationMs: simulated.tookMs, bareMs: bare.tookMs });
  }
  const middle = (/** @type {keyof WebhookTimes} */ key) => median(times.map((one) => one[key]));
  return {
    webhookMs: middle("webhookMs"),
    simulationMs: middle("simulationMs"),
    bareMs: middle("bareMs"),
  };
}

/** @param {number} port */
async function create(port) {
  const charge = {
    value: 129.9,
    description: "Pedido 48213, duas camisetas",
    buyer_cpf: "52998224725",
    buyer_name: "Maria Aparecida da Silva",
    buyer_email: "maria.silva@example.com",
    webhook_url: webhookUrl,
    expiration: 86_400,
  };
  return JSON.parse((await post(port, "/v1/payins", JSON.stringify(charge))).text);
}

/**
 * @param {number} port
 * @param {string} path
 * @param {string} body
 * @returns {Promise<{ text: string, tookMs: number, answeredAtMs: number }>}
 */
function post(port, path, body) {
  const sentAtMs = performance.now();
  const headers = {
    ...HEADERS,
    "content-length": Buffer.byteLength(body),
    "x-idempotency-key": randomUUID(),
  };
  return new Promise((resolve, reject) => {
    const posting = request({ host: "127.0.0.1", port, path, method: "POST", headers, agent });
    posting.on("error", reject);
    posting.on("response", (answer) => {
      /** @type {Buffer[]} */
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("end", () => {
        const answeredAtMs = performance.now();
        const text = Buffer.concat(chunks).toString();
        if (answer.statusCode === 200)
          resolve({ text, tookMs: answeredAtMs - sentAtMs, answeredAtMs });
        else reject(new Error(`${path} was answered ${answer.statusCode}:\n${text}`));
      });
    });
    posting.end(body);
  });
}
