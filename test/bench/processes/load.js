/**
 * Sends charges to one server over plain sockets, because an HTTP client costs about as much as the server
 * that it measures. It is a process of its own, so that it runs on another core than the server. Each
 * connection sends its next request after the response to the last one. It ends at the first response that
 * is not 2xx. Only the loopback address is used.
 *
 *     node test/bench/processes/load.js '{"port":7490,"connections":32}'
 *
 * Over IPC it is sent a number of requests, and replies with a result.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { chargeBody, HEADERS, HOST, mainThreadCpuMs } from "../servers.js";

/**
 * @typedef {object} LoadOptions
 * @property {number} port
 * @property {number} pid the server's, for its CPU time
 * @property {number} [connections]
 * @property {boolean} [ownWebhookUrls] each charge has its own address below `webhookUrl`
 * @property {string} [path]
 * @property {string} [webhookUrl]
 * @property {number} [expiration]
 */
/**
 * `busy` is the share of the time in which this process worked: near 1, it limits the rate.
 * `cpuMs` is the CPU time of the server's main thread for each request. `bytes` is a response's size.
 * @typedef {{ requests: number, perSecond: number, busy: number, cpuMs?: number, bytes: number }} LoadResult
 */

const LIMIT_MS = 120_000;
const HEAD_END = Buffer.from("\r\n\r\n");
const CHUNKS_END = Buffer.from("\r\n0\r\n\r\n");
const STATUS_AT = "HTTP/1.1 ".length;
const DIGIT_2 = 0x32;
const KEY_DIGITS = 12; // the last group of a UUID, which numbers the requests

/** @type {LoadOptions} */
const options = JSON.parse(process.argv[2]);
const { port, pid, connections = 32 } = options;
const run = randomUUID().slice(0, -KEY_DIGITS); // differs from the keys of other runs
const template = buildRequest();
const numberedAt = placesOf(run).map((place) => place + run.length);

let sent = 0;
let left = 0;
let waiting = 0;
let startedAt = 0;
let startCpuMs = mainThreadCpuMs(pid);
let utilization = performance.eventLoopUtilization();
let received = 0;
let responseBytes = 0;

/** @type {import("node:net").Socket[]} */
let sockets = [];

setInterval(() => {
  if (waiting > 0 && performance.now() - startedAt > LIMIT_MS)
    fail(`${received} responses came in ${LIMIT_MS / 1_000} s.`);
}, 1_000).unref();
process.on("disconnect", () => process.exit());
process.on("message", (requests) => void begin(Number(requests)));

/** Opens connections for this run: a server may close those that were idle since the last. @param {number} requests */
async function begin(requests) {
  const opened = Array.from({ length: connections }, openConnection);
  sockets = opened.map(({ socket }) => socket);
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  left = requests;
  received = 0;
  startCpuMs = mainThreadCpuMs(pid);
  utilization = performance.eventLoopUtilization();
  startedAt = performance.now();
  for (const { send } of opened) send();
}

function openConnection() {
  const request = Buffer.from(template);
  /** The beginning of a response that is not complete. */
  let rest = Buffer.alloc(0);

  const send = () => {
    if (left === 0) return;
    left--;
    waiting++;
    const number = String(++sent).padStart(KEY_DIGITS, "0");
    for (const place of numberedAt) request.write(number, place, "latin1");
    socket.write(request);
  };
  const receive = (/** @type {number} */ length, /** @type {Buffer} */ buffer) => {
    // Most responses are as long as the first, and come whole: only their status is read.
    const isUsual = length === responseBytes && rest.length === 0 && buffer[STATUS_AT] === DIGIT_2;
    if (!isUsual) {
      rest = Buffer.concat([rest, buffer.subarray(0, length)]);
      if (!isComplete(rest)) return true;
      responseBytes = rest.length;
      rest = Buffer.alloc(0);
    }
    received++;
    waiting--;
    if (left > 0) send();
    else if (waiting === 0) finish();
    return true;
  };

  const onread = { buffer: Buffer.allocUnsafe(65_536), callback: receive };
  const socket = connect({ host: HOST, port, noDelay: true, onread });
  socket.on("error", ({ message }) => fail(`A connection failed: ${message}.`));
  socket.on("end", () => fail("The server closed a connection."));
  return { socket, send };
}

/** @param {Buffer} bytes everything since the request */
function isComplete(bytes) {
  const headLength = bytes.indexOf(HEAD_END);
  if (headLength < 0) return false;
  const head = bytes.toString("latin1", 0, headLength);
  if (head[STATUS_AT] !== "2") fail(`A response was not 2xx:\n${bytes.toString()}`);
  if (/\r\ntransfer-encoding: *chunked/i.test(head))
    return bytes.subarray(-CHUNKS_END.length).equals(CHUNKS_END);
  const bodyLength = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
  return bytes.length >= headLength + HEAD_END.length + bodyLength;
}

function finish() {
  const elapsedMs = performance.now() - startedAt;
  const cpuMs = mainThreadCpuMs(pid);
  for (const socket of sockets) socket.destroy();
  const { utilization: busy } = performance.eventLoopUtilization(utilization);
  /** @type {LoadResult} */
  const result = {
    requests: received,
    perSecond: (received * 1_000) / elapsedMs,
    busy,
    ...(cpuMs !== undefined && { cpuMs: (cpuMs - startCpuMs) / received }),
    bytes: responseBytes,
  };
  process.send(result);
}

/** All places of a text in a request. @param {string} text */
function placesOf(text) {
  const places = [];
  for (let at = template.indexOf(text); at >= 0; at = template.indexOf(text, at + 1))
    places.push(at);
  return places;
}

function buildRequest() {
  const { path = "/v1/payins", webhookUrl, ownWebhookUrls } = options;
  const key = `${run}${"0".repeat(KEY_DIGITS)}`; // its end is overwritten by a number
  const body = chargeBody({
    ...options,
    ...(ownWebhookUrls && { webhookUrl: `${webhookUrl}/${key}` }),
  });
  const headers = {
    host: `${HOST}:${port}`,
    ...HEADERS,
    "content-length": Buffer.byteLength(body),
    "x-idempotency-key": key,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${[`POST ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n${body}`);
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
