/**
 * Receives webhooks and ignores them: the least that `node:http` needs to read one and respond. It measures
 * when they arrive, because it sees the webhooks of every sender.
 *
 *     node test/bench/processes/webhook-receiver.js   over IPC: the number to expect, then "report"
 */
import { createServer } from "node:http";

/**
 * A webhook, without the headers that belong to its connection.
 * @typedef {{ headers: Record<string, string>, body: string }} Sample
 */
/**
 * When the first and the last webhook arrived, and the first of them.
 * @typedef {{ firstAtMs: number, lastAtMs: number, sample: Sample }} Reception
 */

const CONNECTION_HEADERS = new Set(["host", "connection", "content-length"]);

let expected = 0;
let arrived = 0;
let responded = 0;
let isReportDue = false;
let firstAtMs = 0;
let lastAtMs = 0;
/** @type {Sample} */
let sample;

const server = createServer((request, response) => {
  lastAtMs = performance.now();
  const isFirst = arrived++ === 0;
  if (isFirst) firstAtMs = lastAtMs;
  /** @type {Buffer[]} */
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    response.writeHead(200, { "content-length": 0 }).end();
    if (isFirst) sample = toSample(request.headers, Buffer.concat(chunks).toString());
    responded++;
    reportWhenComplete();
  });
});

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

server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify(server.address())}\n`); // an object with its port
});

function reportWhenComplete() {
  if (!isReportDue || responded !== expected) return;
  isReportDue = false;
  process.send({ firstAtMs, lastAtMs, sample });
}

/**
 * @param {import("node:http").IncomingHttpHeaders} headers
 * @param {string} body
 * @returns {Sample}
 */
function toSample(headers, body) {
  const own = Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.has(name));
  return { headers: /** @type {Record<string, string>} */ (Object.fromEntries(own)), body };
}
