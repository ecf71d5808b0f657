/**
 * What the sandbox is compared with: the least that `node:http` needs for the same work.
 *
 *     node test/bench/processes/bare.js server     responds to charges
 *     node test/bench/processes/bare.js receiver   receives webhooks
 *     node test/bench/processes/bare.js client     sends webhooks
 */
import { createHmac } from "node:crypto";
import { createServer, request } from "node:http";

/**
 * A webhook, without the headers that belong to its connection.
 * @typedef {{ headers: Record<string, string>, body: string }} Sample
 */
/**
 * When the first and the last webhook arrived, and the first of them.
 * @typedef {{ firstAtMs: number, lastAtMs: number, sample: Sample }} Reception
 */
/** @typedef {{ port: number, count: number, concurrency: number, secret: string, sample: Sample }} Order */

const HOST = "127.0.0.1";
const CONNECTION_HEADERS = new Set(["host", "connection", "content-length"]);

const ROLES = { server: respond, receiver: receive, client: send };
ROLES[process.argv[2]]();

/**
 * Reads a charge, parses it and sends a response with as many bytes as the sandbox's. It validates nothing and
 * stores nothing.
 */
function respond() {
  const body = JSON.stringify({
    id: "0b9d3f5e-6f0a-4c0e-9b1f-2d6f3a7c8e41",
    pix_id: "7d9f0c2b4a6e48f1b3c5d7e9f0a1b2c3",
    acquirer_id: "f3a1c5d7-8b2e-4d60-a9c4-1e7f5b3d9a20",
    qr_code:
      "00020101021226800014br.gov.bcb.pix2558pix-sandbox.example/qr/v2/7d9f0c2b4a6e48f1b3c5d7e9f0a1b2c3" +
      "5204000053039865802BR5912Loja Exemplo6009SAO PAULO62070503***6304DE3B",
  });
  const headers = {
    "content-type": "application/json",
    "x-content-type-options": "nosniff",
    "content-length": body.length,
  };
  listen((call, response) => {
    readBody(call, (bytes) => {
      if (bytes.length > 0) JSON.parse(bytes.toString());
      response.writeHead(200, headers).end(body);
    });
  });
}

/**
 * Receives webhooks and ignores them. It measures when they arrive, because it sees the webhooks of every sender. Over
 * IPC it gets the number to expect, then "report".
 */
function receive() {
  let expected = 0;
  let arrived = 0;
  let responded = 0;
  let isReportDue = false;
  let firstAtMs = 0;
  let lastAtMs = 0;
  /** @type {Sample} */
  let sample;

  const reportWhenComplete = () => {
    if (!isReportDue || responded !== expected) return;
    isReportDue = false;
    process.send({ firstAtMs, lastAtMs, sample });
  };
  process.on("message", (message) => {
    if (message === "report") {
      isReportDue = true;
      reportWhenComplete();
      return;
    }
    expected = Number(message);
    arrived = responded = 0;
    process.send("ready");
  });
  listen((webhook, response) => {
    lastAtMs = performance.now();
    const isFirst = arrived++ === 0;
    if (isFirst) firstAtMs = lastAtMs;
    readBody(webhook, (bytes) => {
      response.writeHead(200, { "content-length": 0 }).end();
      if (isFirst) {
        const own = Object.entries(webhook.headers).filter(
          ([name]) => !CONNECTION_HEADERS.has(name),
        );
        sample = { headers: Object.fromEntries(own), body: bytes.toString() };
      }
      responded++;
      reportWhenComplete();
    });
  });
}

/**
 * Sends one webhook of the sandbox again and again, each signed anew and over a connection of its own. Over IPC it gets
 * an order, and replies when all have responses.
 */
function send() {
  process.on("message", async (order) => {
    const { port, count, concurrency, secret, sample } = /** @type {Order} */ (order);
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    let left = count;
    const postOneByOne = async () => {
      while (left-- > 0) await post(port, key, sample);
    };
    await Promise.all(Array.from({ length: concurrency }, postOneByOne));
    process.send("done");
  });
  process.on("disconnect", () => process.exit());
}

/**
 * @param {number} port
 * @param {Buffer} key
 * @param {Sample} sample
 * @returns {Promise<void>}
 */
function post(port, key, { headers, body }) {
  const timestamp = Math.floor(Date.now() / 1_000);
  const signed = `${headers["webhook-id"]}.${timestamp}.${body}`;
  const signature = createHmac("sha256", key).update(signed).digest("base64");
  return new Promise((resolve, reject) => {
    const posting = request({
      host: HOST,
      port,
      path: "/webhooks/pix",
      method: "POST",
      agent: false,
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

/**
 * @param {import("node:http").IncomingMessage} message
 * @param {(bytes: Buffer) => void} onEnd
 */
function readBody(message, onEnd) {
  /** @type {Buffer[]} */
  const chunks = [];
  message.on("data", (chunk) => chunks.push(chunk));
  message.on("end", () => onEnd(Buffer.concat(chunks)));
}

/** Prints an object with the port. @param {import("node:http").RequestListener} handle */
function listen(handle) {
  const server = createServer({ keepAliveTimeout: 60_000 }, handle);
  server.listen(0, HOST, () => process.stdout.write(`${JSON.stringify(server.address())}\n`));
}
