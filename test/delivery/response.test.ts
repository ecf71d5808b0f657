import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Sender } from "../../src/delivery/sender.ts";

const OK = "HTTP/1.1 200 OK\r\n";

/** What servers send, and what is nearly that. */
const TEXTS = [
  `${OK}content-length: 2\r\n\r\nok`,
  `${OK}Content-Length:2\r\nX-A: \t b \t\r\n\r\nok`,
  `${OK}content-length: 2 \r\n\r\nok`,
  `${OK}content-length: 0\r\nlocation: one\r\nlocation: two\r\n\r\n`,
  "HTTP/1.1 200\r\n\r\n",
  "HTTP/1.1 204 None\r\n\r\n",
  "HTTP/1.1 204 None\r\ntransfer-encoding: chunked\r\n\r\n",
  "HTTP/1.1 304 Same\r\ncontent-length: 5\r\n\r\n",
  "HTTP/1.1 204 None\r\ncontent-length: 5\r\n\r\n",
  "HTTP/1.1 999 High\r\ncontent-length: 0\r\n\r\n",
  "HTTP/1.1 099 Low\r\n\r\n",
  "HTTP/1.0 200 OK\r\n\r\nto the end",
  "HTTP/1.0 200 OK\r\ncontent-length: 3\r\n\r\nabc",
  "HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 3\r\n\r\nabc",
  `${OK}connection: close\r\n\r\nto the end`,
  `${OK}connection: x, Close\r\ncontent-length: 2\r\n\r\nok`,
  `${OK}transfer-encoding: chunked\r\n\r\n3\r\none\r\nA\r\n1234567890\r\n0\r\n\r\n`,
  `${OK}transfer-encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0\r\nx: y\r\n\r\n`,
  `${OK}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${OK}transfer-encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`,
  `${OK}transfer-encoding: gzip\r\n\r\nto the end`,
  `${OK}transfer-encoding: chunked, gzip\r\n\r\nto the end`,
  `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nlink: a\r\n\r\n${OK}content-length: 2\r\n\r\nok`,
  `HTTP/1.1 103 Hints\r\nlink: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 2\r\n\r\nok`,
  `\r\nHTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 2\r\n\r\nok`,
  `HTTP/1.1 100 Continue\r\nx: y\r\n\r\nHTTP/1.0 100\r\n\r\n\r\n${OK}content-length: 2\r\n\r\nok`,
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching\r\n\r\n",
  "HTTP/1.1 101 Switching\r\n\r\n",
  `${OK}upgrade: h2c\r\nconnection: upgrade\r\ncontent-length: 2\r\n\r\nok`,
  `\r\n\r\n${OK}content-length: 2\r\n\r\nok\r\n`,
  // Cut short.
  "HTTP/1.1 200 OK\r\ncontent",
  "HTTP/1.1 100 Cont",
  "HTTP/1.1 100 Continue\r\n\r\n",
  `${OK}content-length: 20\r\n\r\nok`,
  `${OK}transfer-encoding: chunked\r\n\r\n2\r\nok\r\n`,
  `${OK}transfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n`,
  // Not HTTP.
  "Good morning\r\n\r\n",
  "HTTP/1.1 100 Continue\r\nbad header: 2\r\n\r\n",
  `HTTP/1.1 100 Continue\n\n${OK}content-length: 2\r\n\r\nok`,
  `HTTP/1.1 100 Continue\r\n\r\nGood morning\r\n\r\n`,
  "SSH-2.0-OpenSSH_9.2\r\n",
  "http/1.1 200 OK\r\n\r\n",
  "HTTP/3.1 200 OK\r\n\r\n",
  "HTTP/1.1 abc OK\r\n\r\n",
  "HTTP/1.1 20 OK\r\n\r\n",
  "HTTP/1.1  200 OK\r\n\r\n",
  "HTTP/1.1 200 OK\ncontent-length: 2\n\nok",
  `${OK}bad header: 2\r\n\r\n`,
  `${OK}bad\r\n\r\n`,
  `${OK}bad : 2\r\n\r\n`,
  `${OK}: 2\r\n\r\n`,
  `${OK}bad: \u0001\r\n\r\n`,
  `${OK}content-length: x\r\n\r\nok`,
  `${OK}content-length: +2\r\n\r\nok`,
  `${OK}content-length: \r\n\r\nok`,
  `${OK}transfer-encoding: chunked\r\n\r\nzz\r\nok\r\n`,
  `${OK}transfer-encoding: chunked\r\n\r\n2 \r\nok\r\n0\r\n\r\n`,
  `${OK}transfer-encoding: chunked\r\n\r\n2\r\nokX\r\n0\r\n\r\n`,
  `${OK}x: ${"a".repeat(17_000)}\r\n\r\n`,
];

/** What only Node's client refuses: it reads beyond the end of a response. */
const FOLLOWED = [
  `${OK}content-length: 2\r\n\r\nok and more`,
  `${OK}connection: close\r\ncontent-length: 2\r\n\r\nok and more`,
  "HTTP/1.1 204 None\r\n\r\nbody",
];

/** What both refuse; only Node's client gives the reason. */
const REFUSED = [
  `${OK}content-length: 2\n\r\nok`,
  `${OK}content-length: 1\r\ncontent-length: 1\r\n\r\na`,
  `${OK}content-length: 2, 2\r\n\r\nok`,
  `${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\nok`,
];

let sender: Sender;
let text = "";
let isInPieces = false;
let port = 0;
const server = net.createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => undefined);
  socket.once("data", () => void answer(socket));
});

async function answer(socket: net.Socket): Promise<void> {
  const bytes = Buffer.from(text, "latin1");
  const pieces = isInPieces ? Array.from(bytes, (byte) => Buffer.of(byte)) : [bytes];
  for (const piece of pieces) {
    if (!socket.writable) break;
    await new Promise((resolve) => socket.write(piece, resolve));
    // Otherwise the sender, in this process too, would read several pieces at once.
    await new Promise(setImmediate);
  }
  socket.end();
}

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  ({ port } = server.address() as AddressInfo);
});

beforeEach(() => {
  sender = new Sender();
});

afterEach(() => sender.close());

afterAll(() => new Promise((resolve) => server.close(resolve)));

describe("a response", () => {
  it.each(TEXTS)("is read as Node's client reads it: %j", async (sent) => {
    text = sent;
    isInPieces = false;
    expect(await readBySender()).toEqual(await readByNode());
  });

  it.each(TEXTS.filter((sent) => sent.length < 1000))(
    "is read in pieces as at once: %j",
    async (sent) => {
      text = sent;
      isInPieces = true;
      expect(await readBySender()).toEqual(await readByNode());
    },
  );

  it.each(FOLLOWED)("is read although more follows, which is read by none: %j", async (sent) => {
    text = sent;
    // After pieces, the rest may arrive when the next request has been sent: it would be its response.
    for (const pieces of [false, false, true]) {
      isInPieces = pieces;
      const body = sent.includes("204") ? "" : "ok";
      expect(await readBySender()).toMatchObject({ status: body ? 200 : 204, body });
    }
  });

  it.each(REFUSED)("is refused as Node's client refuses it: %j", async (sent) => {
    text = sent;
    isInPieces = false;
    expect(await readByNode()).toMatch(/^Parse Error: /);
    expect(await readBySender()).toBe("Parse Error: Invalid header");
  });
});

/** The status and what is read of the rest, or the error. */
type Outcome =
  | string
  | { status: number | null; body: string | null; location: string | undefined };

async function readBySender(): Promise<Outcome> {
  const url = `http://127.0.0.1:${port}/`;
  const outcome = await sender.post({ url, body: "{}", headers: {}, timeoutMs: 5000 });
  const { status, error, response, location } = outcome;
  return error ?? { status, body: response, location };
}

function readByNode(): Promise<Outcome> {
  const agent = new http.Agent({ keepAlive: true });
  return new Promise<Outcome>((resolve) => {
    const fail = ({ code, message }: NodeJS.ErrnoException): void =>
      resolve(code?.startsWith("HPE_") ? message : `${code} ${message}`);
    const request = http.request({ host: "127.0.0.1", port, method: "POST", agent });
    request.on("error", fail);
    request.on("response", (response) => {
      let body = "";
      response.on("data", (chunk) => (body += String(chunk)));
      response.on("error", fail);
      response.on("end", () => {
        const { statusCode: status = 0, headers } = response;
        const isRedirect = status >= 300 && status < 400;
        resolve({ status, body, location: isRedirect ? headers.location : undefined });
      });
    });
    request.end("{}");
  }).finally(() => agent.destroy());
}
