/**
 * Loads one server with charges for as long as it is told to, and says how fast it answered: load.js
 * for a time that is not known beforehand. It is asked over IPC, "begin" and then "end", as often as
 * one likes; connections stay open in between. Only the loopback address is ever loaded.
 *
 *     node test/bench/store-load.js --port 7490 --connections 32
 *     node test/bench/store-load.js --port 7490 --connections 4 --per-second 1000
 */
import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { parseArgs } from "node:util";

/** @typedef {{ requests: number, per_second: number, p50_ms: number, p99_ms: number, max_ms: number }} WindowResult */

const HOST = "127.0.0.1";
const HEAD_END = Buffer.from("\r\n\r\n");
const KEY_DIGITS = 12;

const { values: options } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    connections: { type: "string", default: "32" },
    "per-second": { type: "string", default: "0" }, // 0: each answer is followed by the next request
  },
});
const connections = Number(options.connections);
const perSecond = Number(options["per-second"]);
const pauseMs = perSecond > 0 ? (connections * 1_000) / perSecond : 0;

const run = randomUUID().slice(0, -KEY_DIGITS);
const template = buildRequest();
const numberAt = template.indexOf(run) + run.length;

let sent = 0;
let waiting = 0;
let isRunning = false;
let startedAt = 0;
/** @type {number[]} */
let latenciesMs = [];

const sockets = Array.from({ length: connections }, openConnection);
process.on("message", (order) => {
  if (order === "begin") return begin();
  isRunning = false;
  if (waiting === 0) finish();
});
process.on("disconnect", () => process.exit());

function begin() {
  isRunning = true;
  latenciesMs = [];
  startedAt = performance.now();
  for (const [index, start] of sockets.entries()) start((pauseMs * index) / connections);
}

/** @returns what begins to send over it, after a delay. */
function openConnection() {
  const request = Buffer.from(template);
  const socket = connect({ host: HOST, port: Number(options.port), noDelay: true });
  let received = Buffer.alloc(0);
  let dueAt = 0;
  let sentAt = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let timeout;

  const send = () => {
    request.write(String(++sent).padStart(KEY_DIGITS, "0"), numberAt, "latin1");
    waiting++;
    socket.write(request);
  };
  /** Who has to wait for an answer beyond the time of the next request waits for that one longer. */
  const sendWhenDue = () => {
    const now = performance.now();
    dueAt += pauseMs;
    sentAt = pauseMs > 0 && dueAt < now ? dueAt : now;
    if (dueAt <= now) return send();
    timeout = setTimeout(() => {
      if (!isRunning) return;
      sentAt = performance.now();
      send();
    }, dueAt - now);
  };

  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    if (!isWholeAnswer(received)) return;
    received = Buffer.alloc(0);
    latenciesMs.push(performance.now() - sentAt);
    waiting--;
    if (isRunning) sendWhenDue();
    else if (waiting === 0) finish();
  });
  socket.on("error", ({ message }) => fail(`A connection broke: ${message}.`));
  socket.on("end", () => fail("The server closed a connection."));
  return (/** @type {number} */ delayMs) => {
    clearTimeout(timeout); // of the time before
    dueAt = performance.now() + delayMs - pauseMs;
    sendWhenDue();
  };
}

/** @param {Buffer} bytes all that came since the request was sent */
function isWholeAnswer(bytes) {
  const headLength = bytes.indexOf(HEAD_END);
  if (headLength < 0) return false;
  const head = bytes.toString("latin1", 0, headLength);
  const bodyLength = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
  if (bytes.length < headLength + HEAD_END.length + bodyLength) return false;
  if (!head.startsWith("HTTP/1.1 200 ")) fail(`An answer was not 200:\n${bytes.toString()}`);
  return true;
}

function finish() {
  const seconds = (performance.now() - startedAt) / 1_000;
  const sorted = Float64Array.from(latenciesMs).toSorted();
  /** @type {WindowResult} */
  const result = {
    requests: sorted.length,
    per_second: sorted.length / seconds,
    p50_ms: sorted[Math.floor(sorted.length * 0.5)],
    p99_ms: sorted[Math.floor(sorted.length * 0.99)],
    max_ms: sorted[sorted.length - 1],
  };
  process.send(result);
}

function buildRequest() {
  const body = JSON.stringify({
    value: 129.9,
    description: "Pedido 48213, duas camisetas",
    buyer_cpf: "52998224725",
    buyer_name: "Maria Aparecida da Silva",
    buyer_email: "maria.silva@example.com",
    webhook_url: "http://127.0.0.1:9/webhooks/pix",
    generate_qrcode: false,
    expiration: 86_400, // none expires while it is measured
  });
  const lines = [
    "POST /v1/payins HTTP/1.1",
    `host: ${HOST}:${options.port}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "x-api-token: bench",
    "x-provider-id: 4182",
    "x-provider: Loja Exemplo",
    "x-country-code: BR",
    `x-idempotency-key: ${run}${"0".repeat(KEY_DIGITS)}`,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

/**
 * @param {string} sentence
 * @returns {never}
 */
function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
