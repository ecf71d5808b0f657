import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createFolder } from "../support/folder.ts";
import { startProgram } from "../support/process.ts";

const PRISM = fileURLToPath(new URL("prism.js", import.meta.url));

/** What the proxy finds wrong with a request or with its answer. */
export interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

/** A status, headers and a body. */
export interface Sent {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** A request that a client made, its answer, and what the proxy said of the two. */
export interface Exchange extends Sent {
  readonly method: string;
  readonly path: string;
  readonly request: { readonly headers: http.OutgoingHttpHeaders; readonly body: Buffer };
  readonly violations: readonly Violation[];
}

/** Stands between clients and a sandbox, and holds what passes against an OpenAPI document. */
export interface ValidatingProxy extends AsyncDisposable {
  /** Where clients call it. */
  readonly url: string;
  /** All that has passed, in the order of the answers. */
  readonly exchanges: readonly Exchange[];
  /** Whom it passes on to from now on. */
  passTo(url: string): void;
  /** Resolves when the sandbox has taken up `count` calls of clients that asked to hear of it (`expect: 100-continue`). */
  untilTaken(count: number): Promise<void>;
  /** Answers all requests so, and passes none on, until it is told undefined. */
  answerWith(answer: Sent | undefined): void;
}

/**
 * Starts Prism as a process of its own, between two servers that pass everything on: the one before it
 * writes down what it says, and the one behind it gives the sandbox the `Host` that the client sent,
 * which Prism keeps to itself, or answers in the sandbox's place.
 */
export async function startValidatingProxy(
  document: object,
  sandboxUrl: string,
): Promise<ValidatingProxy> {
  const exchanges: Exchange[] = [];
  let target = sandboxUrl;
  let instead: Sent | undefined;
  let taken = 0;
  let onTaken = (): void => undefined;
  const behind = await startRelay({
    target: () => target,
    instead: () => instead,
    headersOf: ({ [HOST]: host, ...headers }) => ({ ...headers, host: String(host) }),
    onTaken: () => {
      taken++;
      onTaken();
    },
  });
  const folder = await createFolder();
  const file = folder.at("openapi.json");
  await writeFile(file, JSON.stringify(document));
  const prism = startProgram(PRISM, [file, behind.url]);
  const [prismUrl = ""] = await prism.lines("stdout", 1);
  const before = await startRelay({
    target: () => prismUrl,
    headersOf: (headers) => ({ ...headers, [HOST]: headers.host ?? "" }),
    onExchange: (exchange) => exchanges.push(exchange),
  });
  return {
    url: before.url,
    exchanges,
    passTo: (url) => {
      target = url;
    },
    untilTaken: (count) =>
      new Promise((resolve) => {
        onTaken = () => {
          if (taken >= count) resolve();
        };
        onTaken();
      }),
    answerWith: (answer) => {
      instead = answer;
    },
    async [Symbol.asyncDispose]() {
      await before[Symbol.asyncDispose]();
      await prism[Symbol.asyncDispose]();
      await behind[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Sends a request as it is, any Host included, and reads the answer to its end. */
export async function send(
  url: string,
  method: string,
  path: string,
  { headers, body }: Exchange["request"],
): Promise<Exchange> {
  const outgoing = http.request(url, { method, path, headers, agent });
  outgoing.end(body);
  const [answer] = (await once(outgoing, "response")) as [http.IncomingMessage];
  const parts = (await answer.toArray()) as Buffer[];
  return toExchange(method, path, { headers, body }, answer, Buffer.concat(parts));
}

interface RelayOptions {
  target(): string;
  /** What is answered in the target's place; undefined where it is to answer. */
  readonly instead?: () => Sent | undefined;
  headersOf(headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders;
  readonly onTaken?: () => void;
  readonly onExchange?: (exchange: Exchange) => void;
}

/** A server that passes on what it is sent, and the answer as it comes. A connection that breaks breaks on both sides. */
async function startRelay({
  target,
  instead = () => undefined,
  headersOf,
  onTaken,
  onExchange,
}: RelayOptions): Promise<AsyncDisposable & { readonly url: string }> {
  const server = http.createServer(async (incoming, outgoing) => {
    const body = Buffer.concat((await incoming.toArray()) as Buffer[]);
    const answer = instead();
    if (answer) {
      outgoing.writeHead(answer.status, { ...answer.headers, via: VIA }).end(answer.body);
      return;
    }
    const { method = "", url: path = "" } = incoming;
    const headers = headersOf(incoming.headers);
    const passing = http.request(target(), { method, path, headers, agent });
    // One that is refused unread may be let go of while it is still being sent.
    passing.on("error", () => {
      if (!outgoing.headersSent) outgoing.destroy();
    });
    passing.on("continue", () => onTaken?.());
    outgoing.once("close", () => passing.destroy());
    passing.once("response", (passed) => {
      // What Prism says for itself is that the connection behind it has broken.
      if (onExchange && passed.headers.via !== VIA) {
        outgoing.destroy();
        return;
      }
      const parts: Buffer[] = [];
      passed.on("data", (part: Buffer) => parts.push(part));
      passed.once("error", () => outgoing.destroy());
      // Whoever asked sees the answer's end only once it is written down.
      passed.once("end", () =>
        onExchange?.(
          toExchange(
            method,
            path,
            { headers: incoming.headers, body },
            passed,
            Buffer.concat(parts),
          ),
        ),
      );
      outgoing.writeHead(passed.statusCode ?? 0, { ...passed.headers, via: VIA });
      passed.pipe(outgoing);
    });
    passing.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function toExchange(
  method: string,
  path: string,
  request: Exchange["request"],
  answer: http.IncomingMessage,
  body: Buffer,
): Exchange {
  const { statusCode: status = 0, headers: all } = answer;
  const { "sl-violations": violations = "[]", via: _via, ...headers } = all;
  return {
    method,
    path,
    request,
    status,
    headers,
    body: body.toString(),
    violations: JSON.parse(String(violations)) as Violation[],
  };
}

/** No connection is kept: one that a server lets go of as it is used again is a failure of nobody. */
const agent = new http.Agent({ keepAlive: false });
const HOST = "x-forwarded-host";
/** What the server behind Prism says of whom an answer is from. */
const VIA = "1.1 sandbox";
