/**
 * A merchant's program in a process of its own, which takes no webhook at its word: it verifies each
 * with the package that merchants use. It tells where it listens, a line of JSON, and what came to
 * whoever asks for its report.
 *
 *     node test/process/e2e/verifying-merchant.js --secret whsec_…
 *     node test/process/e2e/verifying-merchant.js --secret whsec_… --ports 1000 --silent 50
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { Webhook } from "standardwebhooks";

/**
 * @typedef {object} Report
 * @property {number} verified how many webhooks were verified and answered
 * @property {string[]} refused why others were not
 * @property {number} held how many were verified and are never answered
 * @property {Record<string, string[]>} arrived the ids of all that were verified, by address, in order
 */

const { values: options } = parseArgs({
  options: {
    secret: { type: "string", default: "" },
    ports: { type: "string", default: "1" },
    silent: { type: "string", default: "0" }, // on the first so many ports nothing is ever answered
  },
});
const webhook = new Webhook(options.secret);
/** Below those that a system gives away: none is taken that somebody else has just been promised. */
const FIRST_PORT = 20_000;

/** @type {Report} */
const report = { verified: 0, refused: [], held: 0, arrived: {} };
/** @type {{ count: number, response: import("node:http").ServerResponse }[]} */
let waiting = [];

const ports = await listen(Number(options.ports));
const silentPorts = new Set(ports.slice(0, Number(options.silent)));
process.stdout.write(`${JSON.stringify({ ports })}\n`);

/** @param {number} count */
async function listen(count) {
  const taken = [];
  for (let port = FIRST_PORT; taken.length < count; port++) {
    const server = createServer(hear);
    try {
      await once(server.listen(port, "127.0.0.1"), "listening");
      taken.push(port);
    } catch (error) {
      if (error.code !== "EADDRINUSE") throw error;
    }
  }
  return taken;
}

/** @type {import("node:http").RequestListener} */
async function hear(request, response) {
  const address = new URL(request.url, `http://${request.headers.host}`);
  if (address.pathname === "/report") {
    waiting.push({ count: Number(address.searchParams.get("count")), response });
    tell();
    return;
  }
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  if (!isGenuine(body, request.headers)) {
    response.writeHead(401).end();
  } else {
    (report.arrived[address.href] ??= []).push(request.headers["webhook-id"]);
    if (silentPorts.has(request.socket.localPort)) {
      report.held++;
    } else {
      report.verified++;
      response.writeHead(204).end();
    }
  }
  tell();
}

/**
 * @param {string} body
 * @param {import("node:http").IncomingHttpHeaders} headers
 */
function isGenuine(body, headers) {
  try {
    webhook.verify(body, headers);
    return true;
  } catch (error) {
    report.refused.push(error.message);
    return false;
  }
}

/** Answers those who wait for so many webhooks; one that is refused is worth telling at once. */
function tell() {
  const isDue = ({ count }) => report.verified >= count || report.refused.length > 0;
  for (const { response } of waiting.filter(isDue)) response.end(JSON.stringify(report));
  waiting = waiting.filter((one) => !isDue(one));
}
