/**
 * Loads one server with charges and says how fast it answered. It is a process of its own, so that
 * it runs on another core than the server, and it speaks over plain sockets, because an HTTP client
 * costs about as much as the server it measures. Each connection sends one request after the answer
 * to the last. Only the loopback address is ever loaded; it stops after a fixed count of requests,
 * at the first answer other than 200, or when a minute has passed.
 *
 *     node test/bench/load.js --port 7490 --requests 20000
 */
import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { parseArgs } from "node:util";

/**
 * What is printed, as one line of JSON. `busy` is the share of the time this process was at work:
 * near 1, it is the generator that was measured and not the server.
 * @typedef {{ requests: number, seconds: number, per_second: number, p50_ms: number, p99_ms: number, busy: number }} LoadResult
 */

const HOST = "127.0.0.1";
const LIMIT_MS = 60_000;
const HEAD_END = Buffer.from("\r\n\r\n");
const KEY_DIGITS = 12; // the last group of a UUID, which numbers the requests

const { values: options } = parseArgs({
  options: {
    port: { type: "string" },
    requests: { type: "string", default: "20000" },
    "warm-up": { type: "string", default: "2000" }, // sent first and not measured
    connections: { type: "string", default: "32" },
    qr: { type: "boolean", default: false }, // asks for the QR image of each charge
    expiration: { type: "string", default: "86400" }, // none expires while it is measured
    "webhook-url": { type: "string", default: "http://127.0.0.1:9/webhooks/pix" },
    "own-webhook-urls": { type: "boolean", default: false }, // below that one, each charge has its own
  },
});
const port = toCount("port", options.port, 65_535);
const requests = toCount("requests", options.requests, 1_000_000);
const warmUp = toCount("warm-up", options["warm-up"], 1_000_000);
const connections = toCount("connections", options.connections, 1_000);
const expiration = toCount("expiration", options.expiration, 31_536_000);

const run = randomUUID().slice(0, -KEY_DIGITS); // no key of an earlier run is sent again
const template = buildRequest();
const numberedAt = placesOf(run).map((place) => place + run.length);
const latenciesMs = new Float64Array(requests);

let sent = 0;
let answered = 0;
let startedAt = 0;
let utilization = performance.eventLoopUtilization();

setTimeout(() => fail(`Only ${answered} answers came in ${LIMIT_MS / 1_000} s.`), LIMIT_MS);
for (let opened = 0; opened < connections; opened++) openConnection();

function openConnection() {
  const request = Buffer.from(template);
  const socket = connect({ host: HOST, port, noDelay: true });
  let received = Buffer.alloc(0);
  let sentAt = 0;

  const sendNext = () => {
    if (sent === warmUp + requests) return;
    const number = String(++sent).padStart(KEY_DIGITS, "0");
    for (const place of numberedAt) request.write(number, place, "latin1");
    sentAt = performance.now();
    socket.write(request);
  };

  socket.on("connect", sendNext);
  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    if (!isWholeAnswer(received)) return;
    received = Buffer.alloc(0);
    countAnswer(sentAt);
    sendNext();
  });
  socket.on("error", ({ message }) =>
    fail(`A connection broke after ${answered} answers: ${message}.`),
  );
  socket.on("end", () => fail(`The server closed a connection after ${answered} answers.`));
}

/** @param {Buffer} bytes all that came since the request was sent */
function isWholeAnswer(bytes) {
  const headLength = bytes.indexOf(HEAD_END);
  if (headLength < 0) return false;
  const head = bytes.toString("latin1", 0, headLength);
  const bodyLength = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (bodyLength === undefined) fail(`An answer does not say its length:\n${bytes.toString()}`);
  const length = headLength + HEAD_END.length + Number(bodyLength);
  if (bytes.length < length) return false;
  if (bytes.length > length) fail(`More came than one answer to one request:\n${bytes.toString()}`);
  if (!head.startsWith("HTTP/1.1 200 "))
    fail(`After ${answered} answers of 200 came this:\n${bytes.toString()}`);
  return true;
}

/** @param {number} sentAt */
function countAnswer(sentAt) {
  const now = performance.now();
  if (answered >= warmUp) latenciesMs[answered - warmUp] = now - sentAt;
  answered++;
  if (answered === warmUp) {
    startedAt = now;
    utilization = performance.eventLoopUtilization();
  }
  if (answered === warmUp + requests) finish((now - startedAt) / 1_000);
}

/** @param {number} seconds */
function finish(seconds) {
  latenciesMs.sort();
  /** @type {LoadResult} */
  const result = {
    requests,
    seconds,
    per_second: requests / seconds,
    p50_ms: latenciesMs[Math.floor(requests * 0.5)],
    p99_ms: latenciesMs[Math.floor(requests * 0.99)],
    busy: performance.eventLoopUtilization(utilization).utilization,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}

/** Where it stands in a request. @param {string} text */
function placesOf(text) {
  const places = [];
  for (let at = template.indexOf(text); at >= 0; at = template.indexOf(text, at + 1))
    places.push(at);
  return places;
}

function buildRequest() {
  const place = `${run}${"0".repeat(KEY_DIGITS)}`; // a number is written over the end of it
  const webhookUrl = options["webhook-url"];
  const body = JSON.stringify({
    value: 129.9,
    description: "Pedido 48213, duas camisetas",
    buyer_cpf: "52998224725",
    buyer_name: "Maria Aparecida da Silva",
    buyer_email: "maria.silva@example.com",
    webhook_url: options["own-webhook-urls"] ? `${webhookUrl}/${place}` : webhookUrl,
    generate_qrcode: options.qr,
    expiration,
  });
  const lines = [
    "POST /v1/payins HTTP/1.1",
    `host: ${HOST}:${port}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "x-api-token: bench",
    "x-provider-id: 4182",
    "x-provider: Loja Exemplo",
    "x-country-code: BR",
    `x-idempotency-key: ${place}`,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

/**
 * @param {string} name
 * @param {string | undefined} text
 * @param {number} most
 */
function toCount(name, text, most) {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > most) {
    fail(`--${name} must be a whole number from 1 to ${most}.`);
  }
  return count;
}

/**
 * @param {string} sentence
 * @returns {never}
 */
function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
