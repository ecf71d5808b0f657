import type { EventEmitter } from "node:events";
import { Argument, Command, type Option } from "commander";
import type { LocalizedText } from "../core/localized-text.ts";
import { closest } from "../core/suggestion.ts";
import { usageError } from "./errors.ts";
import { localize } from "./language.ts";
import { optionalArg } from "./placeholders.ts";
import { PROGRAM } from "../platform/program.ts";

/**
 * Commander's command, with its errors in the current language and as CliErrors. The methods that start with
 * an underscore are commander's hooks for parsing and have no types.
 */
export class CliCommand extends Command {
  /** The environment variables of options, set on the program. */
  environment: Readonly<Record<string, string | undefined>> = {};
  #allowsExcess = false;
  /** The variable that is being read. */
  #variable: string | undefined;

  override usage(text: string): this;
  override usage(): string;
  override usage(text?: string): this | string {
    if (text !== undefined) return super.usage(text);
    const custom = super.usage();
    return custom
      .replace("[options]", optionalArg("options"))
      .replace("[command]", optionalArg("command"));
  }

  override allowExcessArguments(isAllowed = true): this {
    this.#allowsExcess = isAllowed;
    return super.allowExcessArguments(isAllowed);
  }

  unknownOption(given: string): void {
    const flag = given.replace(/=.*/s, "");
    const names = this.createHelp()
      .visibleOptions(this)
      .flatMap(({ long }) => long?.slice(2) ?? []);
    const suggestion = flag.startsWith("--") ? closest(flag.slice(2), names) : undefined;
    const name = JSON.stringify(flag);
    this.#refuse(
      { en: `Unknown option ${name}.`, pt: `Opção desconhecida: ${name}.` },
      suggestion && `--${suggestion}`,
    );
  }

  unknownCommand(): void {
    const [word = ""] = this.args;
    const name = JSON.stringify(word);
    const names = this.commands.map((command) => command.name());
    const suggestion = closest(word, names);
    const text = { en: `Unknown command ${name}.`, pt: `Comando desconhecido: ${name}.` };
    if (suggestion !== undefined) this.#refuse(text, suggestion);
    this.#refuse(
      this.parent
        ? {
            en: `${text.en} Use one of ${names.join(", ")}.`,
            pt: `${text.pt} Use um destes: ${names.join(", ")}.`,
          }
        : {
            en: `${text.en} See them all: ${PROGRAM} --help`,
            pt: `${text.pt} Veja todos: ${PROGRAM} --help`,
          },
    );
  }

  missingArgument(name: string): never {
    return this.#refuse({ en: `Missing argument <${name}>.`, pt: `Falta o argumento <${name}>.` });
  }

  optionMissingArgument({ flags }: Option): void {
    this.#refuse({ en: `Missing value for ${flags}.`, pt: `Falta o valor de ${flags}.` });
  }

  _excessArguments(given: readonly string[]): void {
    if (this.#allowsExcess) return;
    const [limit, count] = [this.registeredArguments.length, given.length];
    this.#refuse({
      en: `Too many arguments for "${this.name()}": expected ${limit}, got ${count}.`,
      pt: `Argumentos demais para "${this.name()}": esperados ${limit}, recebidos ${count}.`,
    });
  }

  _callParseArg(target: Argument | Option, text: string, previous: unknown): unknown {
    try {
      return target.parseArg?.(text, previous as never);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code !== "commander.invalidArgument") throw error;
      const name =
        this.#variable ?? (target instanceof Argument ? `<${target.name()}>` : target.flags);
      const value = JSON.stringify(text);
      const choices = target.argChoices?.join(", ");
      const rule =
        choices === undefined
          ? message
          : localize({ en: `Use one of ${choices}.`, pt: `Use um destes: ${choices}.` });
      return this.#refuse(
        {
          en: `Invalid value ${value} for ${name}. ${rule}`,
          pt: `Valor inválido para ${name}: ${value}. ${rule}`,
        },
        closest(text, target.argChoices ?? []),
      );
    }
  }

  /** Reads {@link environment} instead of the process's. */
  _parseOptionsEnv(): void {
    const environment = this.#program.environment;
    for (const option of this.options) {
      const text = option.envVar === undefined ? undefined : environment[option.envVar];
      const source = this.getOptionValueSource(option.attributeName());
      if (text === undefined || source === "cli") continue;
      this.#variable = option.envVar;
      (this as unknown as EventEmitter).emit(
        `optionEnv:${option.name()}`,
        ...(option.required ? [text] : []),
      );
      this.#variable = undefined;
    }
  }

  get #program(): CliCommand {
    return this.parent ? (this.parent as CliCommand).#program : this;
  }

  #refuse({ en, pt }: LocalizedText, suggestion?: string): never {
    const hint = JSON.stringify(suggestion);
    throw usageError(
      suggestion === undefined
        ? localize({ en, pt })
        : localize({ en: `${en} Did you mean ${hint}?`, pt: `${pt} Você quis dizer ${hint}?` }),
    );
  }
}
