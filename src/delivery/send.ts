import { lookup as lookUp, type LookupAddress } from "node:dns";
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { performance } from "node:perf_hooks";
import { isLinkLocal } from "../core/webhook-url.ts";

/** One POST to a merchant. */
export interface Posting {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** How a POST ended: the merchant's answer, or why there was none. */
export interface PostOutcome {
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the answer's body. */
  readonly response: string | null;
}

/** A longer timer would ring at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** How much of a merchant's answer is kept. */
const MAX_RESPONSE_BYTES = 16 * 1024;

/** Sends POSTs over connections that are kept open between them. */
export class Sender {
  readonly #agents = {
    "http:": new http.Agent({ keepAlive: true, scheduling: "lifo" }),
    "https:": new https.Agent({ keepAlive: true, scheduling: "lifo" }),
  };

  /** Always resolves: "nobody answers there" is one of the answers, to be recorded like any other. */
  async post(posting: Posting): Promise<PostOutcome> {
    const startedAt = performance.now();
    const end = (outcome: Omit<PostOutcome, "durationMs">): PostOutcome => ({
      ...outcome,
      durationMs: Math.round(performance.now() - startedAt),
    });
    try {
      return end(await this.#exchange(posting));
    } catch (error) {
      return end({ status: null, error: reasonOf(error), response: null });
    }
  }

  /** Closes the connections that are kept open. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #exchange(posting: Posting): Promise<Omit<PostOutcome, "durationMs">> {
    const url = new URL(posting.url);
    const agent = url.protocol === "https:" ? this.#agents["https:"] : this.#agents["http:"];
    if (isLinkLocal(url.hostname.replace(/^\[|\]$/g, ""))) throw linkLocal(url.hostname);
    try {
      return await exchange(url, posting, agent);
    } catch (error) {
      // The merchant closed an idle connection just as it was taken up again, and perhaps the other idle
      // ones too. The POST goes out once more over a new one: at least once is what is promised.
      if (error instanceof StaleConnection) return exchange(url, posting, false);
      throw error;
    }
  }
}

class StaleConnection extends Error {}

function exchange(
  url: URL,
  posting: Posting,
  agent: http.Agent | false,
): Promise<Omit<PostOutcome, "durationMs">> {
  const { body, headers, timeoutMs, signal } = posting;
  const { request } = url.protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const post = request(url, {
      method: "POST",
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      agent,
      lookup: lookupAllowed,
      ...(signal && { signal }),
    });
    const timer = setTimeout(
      () => fail(new Error(`no answer within ${timeoutMs / 1000} s`)),
      Math.min(timeoutMs, MAX_TIMEOUT_MS),
    );
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
      post.destroy();
    };
    post.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = post.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
      fail(isStale ? new StaleConnection() : error);
    });
    post.once("upgrade", (answer) =>
      fail(new Error(`the answer ${answer.statusCode} changes the protocol`)),
    );
    post.once("response", (answer) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const finish = (): void => {
        clearTimeout(timer);
        const response = Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString();
        resolve({ status: answer.statusCode ?? null, error: null, response });
      };
      answer.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size <= MAX_RESPONSE_BYTES) return;
        finish();
        post.destroy();
      });
      answer.once("end", finish);
      // Whatever cuts an answer short after its status leaves it unread, and so not an answer.
      answer.on("error", fail);
    });
    post.end(body);
  });
}

/** Resolves a name and leaves out what no webhook may reach: the address that is checked is the one connected to. */
export const lookupAllowed: LookupFunction = (hostname, options, callback) => {
  lookUp(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const allowed = error ? [] : addresses.filter(({ address }) => !isLinkLocal(address));
    const [first] = allowed;
    if (!first) {
      callback(error ?? linkLocal(hostname), "", 0);
    } else if (options.all) callback(null, allowed);
    else callback(null, first.address, first.family);
  });
};

function linkLocal(host: string): Error {
  return new Error(`${host} is a link-local address, where no webhook may go`);
}

/** One line for people: what went wrong, and every address that was tried. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join(", ");
  if (!(error instanceof Error)) return String(error);
  const { code, address, port } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  if (code === "ABORT_ERR") return "the sandbox stopped";
  if (code !== undefined && address !== undefined)
    return `${code} ${address.includes(":") ? `[${address}]` : address}:${port}`;
  return code !== undefined && !error.message.includes(code)
    ? `${code} ${error.message}`
    : error.message;
}
