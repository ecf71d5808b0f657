import { toSafeLine } from "../../text/plain/safe-text.ts";
import { interruptedError, usageError } from "../terminal/errors.ts";
import { word } from "../definition/parameters.ts";
import { AddressTemplate, readAddress } from "../../play/effect-address.ts";
import { EffectError, type EffectRecord, membersOf } from "../../play/effect-record.ts";
import { runShell, ShellFailure } from "./shop-commands.ts";
import type { CommandIo } from "../run-command.ts";
import { say } from "../../text/message.ts";

export const EFFECT = word(
  "command|url",
  say`where to read what the merchant did: an address with {id} or {description}, or a shell command that reads "$PIX_ID" or "$PIX_DESCRIPTION"`,
);

const LIMIT_MS = 10_000;

/**
 * Reads what a merchant did about a record: the body at an address, or the output of a shell command. A record's
 * members come from outside, so they never become a part of the command: it gets them as environment variables.
 */
export class EffectProbe {
  readonly #text: string;
  readonly #address: AddressTemplate | undefined;
  readonly #io: CommandIo;
  readonly #limitMs: number;

  /** @throws PlayError if `text` is an invalid address. */
  constructor(text: string, io: CommandIo, limitMs = LIMIT_MS) {
    this.#text = text.trim();
    this.#address = AddressTemplate.isAddress(this.#text)
      ? new AddressTemplate(this.#text)
      : undefined;
    this.#io = io;
    this.#limitMs = limitMs;
  }

  /**
   * Reads the effect of a record.
   * @returns the text without the white space at its end.
   * @throws EffectError if it cannot be read, is too large or takes too long; PlayError if the record lacks a member,
   * CliError if the command expects one in braces or is interrupted.
   */
  async read(record: EffectRecord): Promise<string> {
    if (this.#address) return this.#readAddress(this.#address.fill(record));
    refusePlaceholder(this.#text, record);
    const io = { ...this.#io, env: { ...this.#io.env, ...variablesOf(record) } };
    try {
      return await runShell(this.#text, io, this.#limitMs);
    } catch (error) {
      if (!(error instanceof ShellFailure)) throw error;
      const command = toSafeLine(this.#text);
      throw new EffectError(say`The effect's command ${error.text}: ${command}`);
    }
  }

  async #readAddress(url: string): Promise<string> {
    const stop = new AbortController();
    const stopListening = this.#io.onSignal(() =>
      stop.abort(interruptedError(say`The command was interrupted.`)),
    );
    const { signal } = stop;
    return readAddress(url, { limitMs: this.#limitMs, signal }).finally(stopListening);
  }
}

function variablesOf(record: EffectRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(membersOf(record).map(([name, value]) => [variable(name), value]));
}

function variable(member: string): string {
  return `PIX_${member.toUpperCase()}`;
}

/**
 * A command with a placeholder would print the same for each record, and the rules would pass. One that reads a
 * variable may have braces of another meaning.
 */
function refusePlaceholder(command: string, record: EffectRecord): void {
  const names = [...command.matchAll(/(?<!\$)\{(\w+)\}/g)].map(([, name = ""]) => name);
  const name = names.find((each) => Object.hasOwn(record, each));
  if (name === undefined || command.includes("PIX_")) return;
  throw usageError(
    say`{${name}} has no meaning in the effect's command: only an address has placeholders.`,
    say`Read the variable "$${variable(name)}" in the command, or use an address such as http://localhost:3000/orders/{${name}}.`,
  );
}
