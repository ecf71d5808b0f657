import http from "node:http";
import net from "node:net";
import { expect } from "vitest";
import type { Sandbox } from "../../src/server/start.ts";

/** A request to the sandbox; what is left out is as an ordinary client would have it. */
export interface Call {
  readonly method?: string;
  readonly path: string;
  /** The integration. Default `sandbox`. */
  readonly token?: string;
  /** Beside the standard headers, or in place of them; undefined leaves one out. Latin-1, as headers are. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Text and bytes go out as they are, anything else as JSON. */
  readonly body?: unknown;
  /** Sends the body in chunks, without saying how long it is. */
  readonly isChunked?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The JSON of the body; undefined where there is none. */
  readonly json: unknown;
}

/** A member of an answer's JSON. */
export type Json = Record<string, unknown>;

/**
 * Sends a request over a socket. `node:http` sends what `fetch` refuses to: any Host, any Origin, any method.
 * No answer at all may be an error of the sandbox itself, or show its insides.
 */
export async function call(sandbox: Sandbox, request: Call): Promise<Answer> {
  const answer = await send(sandbox, request);
  // What a test has sent is shown there as it was sent.
  if (!request.path.startsWith("/_sandbox/requests")) expectDiscreet(answer);
  return answer;
}

/** The same for an answer that a fault may ask for. */
export async function send(sandbox: Sandbox, request: Call): Promise<Answer> {
  const { method = "POST", path, token, headers = {}, body, isChunked = false } = request;
  const bytes = toBytes(body);
  const length = isChunked
    ? { "transfer-encoding": "chunked" }
    : { "content-length": bytes && String(bytes.length) };
  const sent = withoutAbsent({ ...sandbox.headers(token), ...length, ...headers });
  return new Promise<Answer>((resolve, reject) => {
    const outgoing = http.request(
      { port: sandbox.port, method, path, headers: sent },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.once("error", reject);
        incoming.once("end", () => {
          const text = Buffer.concat(chunks).toString();
          const status = incoming.statusCode ?? 0;
          const received = incoming.headers as Record<string, string | undefined>;
          resolve({ status, headers: received, text, json: readJson(text) });
        });
      },
    );
    outgoing.once("error", reject);
    for (const chunk of chunksOf(bytes)) outgoing.write(chunk);
    outgoing.end();
  });
}

/** Writes bytes to the sandbox's socket and reads until it is closed. */
export async function sendRaw(sandbox: Sandbox, text: string): Promise<Answer> {
  const received = await new Promise<string>((resolve, reject) => {
    const socket = net.connect(sandbox.port, "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.once("error", reject);
    socket.once("close", () => resolve(Buffer.concat(chunks).toString()));
    socket.write(Buffer.from(text, "latin1"));
  });
  const [head = "", ...rest] = received.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  const body = rest.join("\r\n\r\n");
  const answer: Answer = {
    status: Number(statusLine.split(" ")[1]),
    headers: Object.fromEntries(headers),
    text: body,
    json: readJson(body),
  };
  expectDiscreet(answer);
  return answer;
}

export async function control(
  sandbox: Sandbox,
  token: string | undefined,
  route: string,
  body?: unknown,
): Promise<Json> {
  const [method = "GET", path = ""] = route.split(" ");
  const answer = await call(sandbox, {
    method,
    path: `/_sandbox${path}`,
    headers: { "x-api-token": token },
    body,
  });
  expect({ route, ...answer }).toMatchObject({ status: 200 });
  return answer.json as Json;
}

export async function recordsOf(
  sandbox: Sandbox,
  token: string | undefined,
  noun: "payins" | "payouts",
): Promise<Json[]> {
  const { data } = await control(sandbox, token, `GET /${noun}?limit=1000`);
  return data as Json[];
}

const CHUNK_BYTES = 64 * 1024;

function chunksOf(bytes: Buffer = Buffer.alloc(0)): Buffer[] {
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  );
}

function withoutAbsent(
  headers: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) sent[name] = value;
  return sent;
}

function toBytes(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function expectDiscreet({ status, headers, text }: Answer): void {
  // A 501 says what the client asked for that no server has to know.
  expect({ text, isOurs: status >= 500 && status !== 501 }).toEqual({ text, isOurs: false });
  expect(text).not.toMatch(/\bat [^"]+:\d+:\d+|node_modules|\.[jt]s\b|\bError:/);
  expect(headers).not.toHaveProperty("access-control-allow-origin");
}
