/**
 * The client that delivery is compared with: the least that `node:http` needs to send signed webhooks over
 * connections that stay open. It sends one webhook of the sandbox again and again, each signed anew.
 *
 *     node test/bench/processes/webhook-client.js   over IPC: an order; it replies when all have responses
 */
import { createHmac } from "node:crypto";
import { Agent, request } from "node:http";

/** @typedef {{ port: number, count: number, concurrency: number, secret: string, sample: import("./webhook-receiver.js").Sample }} Order */

process.on("message", async (order) => {
  await post(/** @type {Order} */ (order));
  process.send("done");
});
process.on("disconnect", () => process.exit());

/** @type {Agent | undefined} */
let agent;
let maxSockets = 0;

/** @param {Order} order */
async function post({ port, count, concurrency, secret, sample }) {
  if (concurrency !== maxSockets) {
    agent?.destroy();
    agent = new Agent({ keepAlive: true, maxSockets: concurrency });
    maxSockets = concurrency;
  }
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  let left = count;
  const postOneByOne = async () => {
    while (left-- > 0) await postOnce(port, key, sample);
  };
  await Promise.all(Array.from({ length: concurrency }, postOneByOne));
}

/**
 * @param {number} port
 * @param {Buffer} key
 * @param {import("./webhook-receiver.js").Sample} sample
 * @returns {Promise<void>}
 */
function postOnce(port, key, { headers, body }) {
  const timestamp = Math.floor(Date.now() / 1_000);
  const signed = `${headers["webhook-id"]}.${timestamp}.${body}`;
  const signature = createHmac("sha256", key).update(signed).digest("base64");
  return new Promise((resolve, reject) => {
    const posting = request({
      host: "127.0.0.1",
      port,
      path: "/webhooks/pix",
      method: "POST",
      agent,
      headers: {
        ...headers,
        "content-length": Buffer.byteLength(body),
        "webhook-timestamp": `${timestamp}`,
        "webhook-signature": `v1,${signature}`,
      },
    });
    posting.on("error", reject);
    posting.on("response", (response) => {
      response.resume();
      response.on("end", resolve);
    });
    posting.end(body);
  });
}
