import { toUrl } from "../../wire/url.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import { interruptedError, usageError } from "../terminal/errors.ts";
import { EffectError, type EffectRecord, memberOf } from "./effect-record.ts";
import type { ShellIo } from "./shell-command.ts";
import { type Message, say } from "../../text/message.ts";

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

  /** @throws CliError if it is not an address, or has a placeholder elsewhere than in its path and query. */
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
   * @throws EffectError if a value would lead to another path; CliError if the record lacks a member.
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
  return usageError(
    say`Invalid address of an effect: ${shown}.`,
    say`Use an address such as http://localhost:3000/orders/{description}: placeholders are allowed in its path and query, and it has no user and no fragment.`,
  );
}

/** The largest body that is read, after decompression. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Reads the body at an address. A redirect is not followed.
 * @returns it without the white space at its end.
 * @throws EffectError if there is none to compare; CliError if the command is interrupted.
 */
export async function readAddress(url: string, io: ShellIo, limitMs: number): Promise<string> {
  const failure = (text: Message): EffectError =>
    new EffectError(say`The effect's address ${text}: ${toSafeLine(url)}`);
  const stop = new AbortController();
  const seconds = limitMs / 1000;
  const timer = setTimeout(() => stop.abort(failure(say`took more than ${seconds} s`)), limitMs);
  const stopListening = io.onSignal?.(() =>
    stop.abort(interruptedError(say`The command was interrupted.`)),
  );
  try {
    const { status, body } = await fetch(url, {
      redirect: "manual",
      signal: stop.signal,
      // An idle connection can be closed by the merchant just when the next read begins.
      headers: { connection: "close" },
    });
    // A merchant that has no order yet says so with 404. Other errors say nothing about what it did.
    if ((status < 200 || status > 299) && status !== 404)
      throw failure(say`responded with the status ${status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) throw failure(say`sent more than 1 MiB`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8").trimEnd();
  } catch (error) {
    if (error instanceof EffectError) throw error;
    if (stop.signal.aborted) throw stop.signal.reason;
    const { message, cause } = error as Error & { cause?: { code?: string } };
    const reason = toSafeLine(cause?.code ?? message);
    throw failure(say`cannot be read (${reason})`);
  } finally {
    clearTimeout(timer);
    stopListening?.();
    // Ends a response that was not read to its end.
    stop.abort();
  }
}
