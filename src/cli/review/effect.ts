import { Option } from "commander";
import { LocalizedError } from "../../core/errors.ts";
import { toSafeLine } from "../../core/safe-text.ts";
import { localize } from "../language.ts";
import { someText } from "../options.ts";
import { arg } from "../placeholders.ts";
import { resolveTemplate } from "./effect-template.ts";
import { runShell, ShellFailure, type ShellIo } from "./shell-command.ts";

/** The effect of a record cannot be read: no rule can be judged by it. */
export class EffectError extends LocalizedError {
  override readonly name = "EffectError";
}

/** The option with the command that reads what the merchant did. */
export function effectOption(): Option {
  return new Option(
    `--effect ${arg("command")}`,
    localize({
      en: "a shell command that prints what the merchant did, with {id} or {description}",
      pt: "um comando de shell que imprime o que o lojista fez, com {id} ou {description}",
    }),
  ).argParser(someText);
}

/** How long one read of an effect may take. */
const LIMIT_MS = 10_000;

/**
 * Reads what a merchant did about a record with a shell command, such as
 * `curl -s localhost:3000/orders/{description}`. Its output is the effect.
 */
export class EffectProbe {
  readonly #template: string;
  readonly #io: ShellIo;
  readonly #limitMs: number;

  constructor(template: string, io: ShellIo, limitMs = LIMIT_MS) {
    this.#template = template;
    this.#io = io;
    this.#limitMs = limitMs;
  }

  /** The command line that reads the effect of a record, for a person to copy. */
  commandFor(record: Readonly<Record<string, unknown>>): string {
    return resolveTemplate(this.#template, record).shown;
  }

  /**
   * Runs the command for a record with its names of the wire.
   * @returns the output without the white space at its end.
   * @throws EffectError if the command fails, prints too much or takes too long; CliError if the record lacks a
   * placeholder's member.
   */
  async read(record: Readonly<Record<string, unknown>>): Promise<string> {
    const { text, variables, shown } = resolveTemplate(this.#template, record);
    const io = { ...this.#io, env: { ...this.#io.env, ...variables } };
    try {
      return await runShell(text, io, this.#limitMs);
    } catch (error) {
      if (!(error instanceof ShellFailure)) throw error;
      const command = toSafeLine(shown);
      throw new EffectError({
        en: `The effect's command ${error.text.en}: ${command}`,
        pt: `O comando do efeito ${error.text.pt}: ${command}`,
      });
    }
  }
}
