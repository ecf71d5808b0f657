/**
 * A merchant that hears webhooks and does nothing with them: the least that `node:http` needs to read
 * one and answer it. It notes when they come, since it alone sees that of every sender.
 *
 *     node test/bench/webhook-receiver.js   told over IPC how many to expect, then asked for them: "tell"
 */
import { createServer } from "node:http";

/**
 * A webhook, without the headers that belong to its connection.
 * @typedef {{ headers: Record<string, string>, body: string }} Sample
 */
/**
 * When the first and the last came, on the clock that all processes of a machine share, over how many
 * connections (as many were under way at once), and the first of them.
 * @typedef {{ firstAtMs: number, lastAtMs: number, connections: number, sample: Sample }} Reception
 */

const OF_THE_CONNECTION = new Set(["host", "connection", "content-length"]);

let expected = 0;
let arrived = 0;
let answered = 0;
let isAsked = false;
let firstAtMs = 0;
let lastAtMs = 0;
/** @type {Sample} */
let sample;
/** @type {Set<import("node:net").Socket>} */
const connections = new Set();

const server = createServer((request, response) => {
  lastAtMs = performance.timeOrigin + performance.now();
  const isFirst = arrived++ === 0;
  if (isFirst) firstAtMs = lastAtMs;
  connections.add(request.socket);
  /** @type {Buffer[]} */
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    response.writeHead(200, { "content-length": 0 }).end();
    if (isFirst) sample = toSample(request.headers, Buffer.concat(chunks).toString());
    answered++;
    tell();
  });
});

process.on("message", (order) => {
  if (order === "tell") {
    isAsked = true;
    tell();
    return;
  }
  expected = Number(order);
  arrived = answered = 0;
  isAsked = false;
  connections.clear();
  process.send("ready");
});

server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify(server.address())}\n`); // its port among the rest
});

function tell() {
  if (!isAsked || answered !== expected) return;
  isAsked = false;
  process.send({ firstAtMs, lastAtMs, connections: connections.size, sample });
}

/**
 * @param {import("node:http").IncomingHttpHeaders} headers
 * @param {string} body
 * @returns {Sample}
 */
function toSample(headers, body) {
  const own = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.has(name));
  return { headers: /** @type {Record<string, string>} */ (Object.fromEntries(own)), body };
}
