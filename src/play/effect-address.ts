import type { IncomingMessage } from "node:http";
import { toUrl } from "../wire/names.ts";
import { toSafeLine } from "../text/plain/safe-text.ts";
import { PlayError } from "./play-error.ts";
import { EffectError, type EffectRecord, memberOf } from "./effect-record.ts";
import { type Message, say } from "../text/message.ts";

const PLACEHOLDER = /\{([a-z][a-z0-9_]*)\}/g;
/** The origin, the path and the query of an address. */
const PARTS = /^(https?:\/\/[^/?#\\\s{}]+)(|\/[^?#\\\s]*)(|\?[^#\s]*)$/i;
/** A part of a path that a server, or a program on the way to it, can read as another path. */
const NO_NAME = /^(?:\.|%2e){0,2}$/i;

/** An address with members of a record in its path and query, such as `http://localhost:3000/orders/{id}`. */
export class AddressTemplate {
  readonly #origin: string;
  readonly #path: string;
  readonly #query: string;

  static isAddress(text: string): boolean {
    return /^https?:\/\//i.test(text);
  }

  /** @throws PlayError if it is not an address, or has a placeholder elsewhere than in its path and query. */
  constructor(text: string) {
    const [, origin = "", path = "", query = ""] = PARTS.exec(text) ?? [];
    const example = text.replaceAll(PLACEHOLDER, "x");
    const url = toUrl(example);
    if (origin === "" || /[{}]/.test(example) || !url || url.username || url.password)
      throw invalidTemplate(text);
    this.#origin = origin;
    this.#path = path;
    this.#query = query;
  }

  /**
   * The address of a record's effect.
   * @throws EffectError if a value would lead to another path; PlayError if the record lacks a member.
   */
  fill(record: EffectRecord): string {
    const insert = (part: string): string =>
      part.replaceAll(PLACEHOLDER, (_placeholder, name: string) =>
        // A lone half of a surrogate pair has no percent-encoding.
        encodeURIComponent(Buffer.from(memberOf(record, name)).toString()),
      );
    const path = this.#path.split("/").map((part) => {
      const filled = insert(part);
      if (filled !== part && NO_NAME.test(filled)) throw noName(part, filled);
      return filled;
    });
    return new URL(this.#origin + path.join("/") + insert(this.#query)).href;
  }
}

function noName(part: string, filled: string): EffectError {
  return new EffectError(
    say`The effect cannot be read: "${filled}" in place of ${part} would be another path of the address.`,
  );
}

function invalidTemplate(text: string): Error {
  const shown = toSafeLine(JSON.stringify(text));
  return new PlayError(
    "USAGE",
    say`Invalid address of an effect: ${shown}.`,
    say`Use an address such as http://localhost:3000/orders/{description}: placeholders are allowed in its path and query, and it has no user and no fragment.`,
  );
}

/** The largest body that is read. */
const MAX_BODY_BYTES = 1024 * 1024;

export interface Reading {
  readonly limitMs: number;
  /** Ends the reading with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * Reads the body at an address. A redirect is not followed.
 * @returns it without the white space at its end, after `404 ` if that is the status.
 * @throws EffectError if there is none to compare; the signal's reason.
 */
export async function readAddress(url: string, { limitMs, signal }: Reading): Promise<string> {
  const failure = (text: Message): EffectError =>
    new EffectError(say`The effect's address ${text}: ${toSafeLine(url)}`);
  const timeUp = AbortSignal.timeout(limitMs);
  const isSecure = url.startsWith("https:");
  const { get } = isSecure ? await import("node:https") : await import("node:http");
  let close = (): void => undefined;
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = get(url, {
        // An idle connection can be closed by the merchant just when the next read begins.
        agent: false,
        headers: { "accept-encoding": "identity" },
        signal: signal ? AbortSignal.any([signal, timeUp]) : timeUp,
      });
      request.on("response", resolve).on("error", reject);
      close = () => void request.destroy();
    });
    const { statusCode: status = 0 } = response;
    // A merchant that has no order yet says so with 404. Other errors say nothing about what it did.
    if ((status < 200 || status > 299) && status !== 404)
      throw failure(say`responded with the status ${status}`);
    const coding = response.headers["content-encoding"] ?? "identity";
    if (coding !== "identity") throw failure(say`sent a compressed body, which was not asked for`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) throw failure(say`sent more than 1 MiB`);
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString("utf8").trimEnd();
    return status === 404 ? `404 ${text}` : text;
  } catch (error) {
    if (error instanceof EffectError) throw error;
    signal?.throwIfAborted();
    if (timeUp.aborted) throw failure(say`took more than ${limitMs / 1000} s`);
    const { message, code } = error as NodeJS.ErrnoException;
    const reason = toSafeLine(code ?? message);
    throw failure(say`cannot be read (${reason})`);
  } finally {
    // Ends a response that was not read to its end.
    close();
  }
}
