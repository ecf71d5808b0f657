import { once } from "node:events";
import { readFile } from "node:fs/promises";
import net, { type AddressInfo, type Socket } from "node:net";
import tls from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostOutcome, Sender } from "../../src/delivery/sender.ts";
import { createCertificate } from "../support/certificate.ts";
import { createFolder } from "../support/folder.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** What a receiver writes to a request: bytes, after which it closes, or what it does with its connection. */
type Behavior = string | ((socket: Socket, request: string) => void);

/** What becomes of a webhook: a response, or the error where there is none. */
type Outcome = string | RegExp | Omit<Partial<PostOutcome>, "error" | "durationMs">;

const OK = "HTTP/1.1 200 OK\r\n";
const TWO = "content-length: 2\r\n";
const NONE = "content-length: 0\r\n";
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const MOVED = `HTTP/1.1 308 Moved\r\n${NONE}`;
const BUSY = `HTTP/1.1 503 Busy\r\n${NONE}`;
const LONG = "x".repeat(17_000);

const SHORT_MS = 300;
const LATE = `no answer within ${SHORT_MS / 1000} s`;
const NO_HTTP = /^Parse Error: Expected HTTP\//;
const UPGRADED = "the answer 101 changes the protocol";
const LINK_LOCAL = "is a link-local or metadata address, where no webhook may go";

const says = (response: string, status = 200, more?: Outcome): Outcome =>
  Object.assign({ status, response }, more);

const RECEIVERS: readonly (readonly [string, Behavior, Outcome])[] = [
  // What they say.
  ["a length", `${OK}${TWO}\r\nok`, says("ok")],
  ["odd spaces", `${OK}Content-Length: \t 2 \r\n\r\nok`, says("ok")],
  ["all until it closes", `${OK}\r\nto the end`, says("to the end")],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nold", says("old")],
  ["chunks", `${CHUNKED}3\r\none\r\n2;a=b\r\n12\r\n0\r\nx: y\r\n\r\n`, says("one12")],
  ["gzip, as it is", `${OK}content-encoding: gzip\r\n${TWO}\r\n\u001f!`, says("\u001f!")],
  ["no reason phrase", `HTTP/1.1 200\r\n${NONE}\r\n`, says("")],
  ["204", "HTTP/1.1 204 None\r\n\r\n", says("", 204)],
  ["204 and a body", "HTTP/1.1 204 None\r\n\r\nbody", says("", 204)],
  ["204 and a length", `HTTP/1.1 204 None\r\n${TWO}\r\n`, says("", 204)],
  ["304 and a length", `HTTP/1.1 304 Same\r\n${TWO}\r\n`, says("", 304)],
  ["600", `HTTP/1.1 600 High\r\n${TWO}\r\nno`, says("no", 600)],
  ["100 first", `HTTP/1.1 100 Continue\r\n\r\n${OK}${TWO}\r\nok`, says("ok")],
  ["103 first", `HTTP/1.1 103 Hints\r\nlink: a\r\n\r\n${OK}${TWO}\r\nok`, says("ok")],
  ["101", "HTTP/1.1 101 So\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n", UPGRADED],
  ["101 and no protocol", "HTTP/1.1 101 So\r\n\r\n", says("", 101)],
  ["more than its length", `${OK}${TWO}\r\nok and more`, says("ok")],
  ["more than the last", `${OK}connection: close\r\n${TWO}\r\nok and more`, says("ok")],
  ["bytes without end", endless, says("b".repeat(16 * 1024))],
  ["its URL's credentials", echoCredentials, says(`Basic ${btoa("us er:p@ss")}`)],
  // What its headers say.
  ["a redirect", `${MOVED}location: /a?b#c\r\n\r\n`, says("", 308, { location: "/a?b#c" })],
  ["two locations", `${MOVED}location: a\r\nlocation: b\r\n\r\n`, says("", 308, { location: "a" })],
  [
    "a long one",
    `${MOVED}location: ${LONG.slice(0, 3000)}\r\n\r\n`,
    says("", 308, { location: LONG.slice(0, 2048) }),
  ],
  ["one without a redirect", `${OK}location: /a\r\n${NONE}\r\n`, says("")],
  ["seconds to wait", `${BUSY}retry-after: 120\r\n\r\n`, says("", 503, { retryAfterMs: 120_000 })],
  [
    "a date to wait for",
    `${BUSY}retry-after: Sat, 29 Feb 2020 12:00:00 GMT\r\n\r\n`,
    says("", 503, { retryAfterMs: 0 }),
  ],
  ["no such time", `${BUSY}retry-after: soon\r\n\r\n`, says("", 503)],
  [
    "its software",
    `${BUSY}server: a\r\nx-powered-by: PHP\r\n\r\n`,
    says("", 503, { software: "a PHP" }),
  ],
  // What is not HTTP, or ends too early.
  ["words", "Good morning\r\n\r\n", NO_HTTP],
  ["an SSH banner", "SSH-2.0-OpenSSH_9.2\r\n", NO_HTTP],
  [
    "a bare LF",
    `HTTP/1.1 200 OK\n${TWO}\nok`,
    "Parse Error: Missing expected CR after response line",
  ],
  ["a status in letters", "HTTP/1.1 abc OK\r\n\r\n", "Parse Error: Invalid status code"],
  ["two lengths", `${OK}${NONE}${TWO}\r\nok`, "Parse Error: Duplicate Content-Length"],
  [
    "a length and chunks",
    `${OK}${TWO}transfer-encoding: chunked\r\n\r\nok`,
    /^Parse Error: Transfer-Encoding can't/,
  ],
  [
    "a chunk of no length",
    `${CHUNKED}zz\r\nok\r\n`,
    "Parse Error: Invalid character in chunk size",
  ],
  ["no last chunk", `${CHUNKED}2\r\nok\r\n`, "ECONNRESET aborted"],
  ["less than its length", `${OK}content-length: 20\r\n\r\nok`, "ECONNRESET aborted"],
  ["half a head", "HTTP/1.1 200 OK\r\ncontent", "ECONNRESET socket hang up"],
  ["a huge header", `${OK}x: ${LONG}\r\n\r\n`, "Parse Error: Header overflow"],
  ["nothing, and closes", "", "ECONNRESET socket hang up"],
  ["nothing, and resets", (socket) => void socket.resetAndDestroy(), "read ECONNRESET"],
  ["half a body, and resets", resetInBody, /^(ECONNRESET aborted|read ECONNRESET)$/],
  // What takes too long.
  ["nothing", () => undefined, LATE],
  ["a header byte by byte", (socket) => drip(socket, `${OK}x-slow: `), LATE],
  ["a body byte by byte", (socket) => drip(socket, `${OK}content-length: 999\r\n\r\n`), LATE],
];

/** Without a receiver, or with one that does not speak as its URL says. */
const ADDRESSES: readonly (readonly [string, string, Outcome])[] = [
  ["nobody", "http://127.0.0.1:1/", "ECONNREFUSED 127.0.0.1:1"],
  ["an unknown name", "http://unknown.invalid/", /^getaddrinfo E\w+ unknown\.invalid$/],
  ["a link-local host", "http://169.254.0.7/", `not sent: 169.254.0.7 ${LINK_LOCAL}`],
  ["port 0", "http://127.0.0.1:0/", "not sent: port 0 cannot be called; use the receiver's port"],
  ["malformed credentials", "http://u%zz:p@127.0.0.1:PLAIN/", "URI malformed"],
  ["plain HTTP behind https", "https://127.0.0.1:PLAIN/", /^(?:EPROTO|ERR_SSL_\w+) [\w ]+$/],
  ["TLS behind http", "http://127.0.0.1:SECURE/", /^(Parse Error: .+|ECONNRESET socket hang up)$/],
  ["its own certificate", "https://127.0.0.1:SECURE/", /^DEPTH_ZERO_SELF_SIGNED_CERT self.signed/],
];

const sender = new Sender();
const servers: net.Server[] = [];
const sockets = new Set<Socket>();

afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

describe("a receiver", () => {
  let outcomes: readonly object[];

  beforeAll(async () => {
    outcomes = await Promise.all(
      RECEIVERS.map(([, behavior, outcome]) =>
        outcomeOf(behavior, outcome === LATE ? SHORT_MS : PATIENCE_MS),
      ),
    );
  });

  it.each(RECEIVERS.map(([title, , outcome], index) => [title, outcome, index] as const))(
    "that sends %s",
    (_title, outcome, index) => expect(outcomes[index]).toEqual(expected(outcome)),
  );

  it("that sends its bytes one by one is read as one that sends them at once", async () => {
    const rows = RECEIVERS.filter(([, bytes]) => typeof bytes === "string" && bytes.length < 1000);
    const each = rows.map(([, bytes]) =>
      outcomeOf((socket) => void writeOneByOne(socket, String(bytes))),
    );
    const same = rows.map(([title, , outcome]) => [title, expected(outcome)]);
    const read = await Promise.all(each);
    expect(rows.map(([title], index) => [title, read[index]])).toEqual(same);
  });
});

describe("an address", () => {
  const ports = { PLAIN: 0, SECURE: 0 };

  beforeAll(async () => {
    await using folder = await createFolder();
    createCertificate(folder.at("cert.pem"), folder.at("key.pem"));
    const [cert, key] = await Promise.all([
      readFile(folder.at("cert.pem")),
      readFile(folder.at("key.pem")),
    ]);
    ports.PLAIN = await listen(net.createServer(behaving(`${OK}${NONE}\r\n`)));
    ports.SECURE = await listen(tls.createServer({ cert, key }));
  });

  it.each(ADDRESSES)("with %s", async (_title, address, outcome) => {
    const url = address
      .replace("PLAIN", String(ports.PLAIN))
      .replace("SECURE", String(ports.SECURE));
    expect(await post(url)).toEqual(expected(outcome));
  });
});

async function outcomeOf(behavior: Behavior, timeoutMs = PATIENCE_MS): Promise<object> {
  const port = await listen(net.createServer(behaving(behavior)));
  return post(`http://us%20er:p%40ss@127.0.0.1:${port}/hook`, timeoutMs);
}

async function post(url: string, timeoutMs = PATIENCE_MS): Promise<object> {
  const { durationMs: _, ...outcome } = await sender.post({
    url,
    body: "{}",
    headers: {},
    timeoutMs,
  });
  return outcome;
}

function expected(outcome: Outcome): object {
  if (typeof outcome !== "string" && !(outcome instanceof RegExp))
    return { error: null, ...outcome };
  const error = typeof outcome === "string" ? outcome : expect.stringMatching(outcome);
  return { status: null, error, response: null };
}

/** Behaves so when a request has arrived. */
function behaving(behavior: Behavior): (socket: Socket) => void {
  return (socket) => {
    sockets.add(socket.on("error", () => undefined).setNoDelay());
    socket.once("data", (request) => {
      if (typeof behavior === "string") socket.end(behavior, "latin1");
      else behavior(socket, request.toString());
    });
  };
}

async function listen(server: net.Server): Promise<number> {
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

async function writeOneByOne(socket: Socket, text: string): Promise<void> {
  for (const byte of Buffer.from(text, "latin1")) {
    if (!socket.writable) return;
    await new Promise((resolve) => socket.write(Buffer.of(byte), resolve));
    // Otherwise the sender, in this process too, would read several at once.
    await new Promise(setImmediate);
  }
  socket.end();
}

function echoCredentials(socket: Socket, request: string): void {
  socket.end(`${OK}\r\n${/^authorization: (.*)$/im.exec(request)?.[1]?.trim()}`);
}

function resetInBody(socket: Socket): void {
  const reset = (): unknown => setImmediate(() => socket.resetAndDestroy());
  socket.write(`${OK}content-length: 20\r\n\r\nok`, reset);
}

/** Writes a byte every few milliseconds: never silent for long, never done. */
function drip(socket: Socket, start: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write("x"), 5);
  socket.once("close", () => clearInterval(timer));
}

function endless(socket: Socket): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write("b".repeat(65_536)));
  };
  socket.on("drain", write).write(`${OK}\r\n`);
  write();
}
