import { Command, type ErrorOptions, type Option } from "commander";
import { closest } from "../../text/suggestion.ts";
import { usageError } from "../terminal/errors.ts";
import { PROGRAM } from "../../platform/program.ts";
import { type Message, say } from "../../text/message.ts";

/** Commander's command, with its errors in the current language and as CliErrors. */
export class CliCommand extends Command {
  /** Whether it calls a running sandbox. */
  needsSandbox = false;
  /** A hint for a word that is unknown after `path`, set on the program. */
  hintForLeft: (path: string, word: string) => Message | undefined = () => undefined;
  /** A command line without the program's name that shows how to use the command. */
  example: string | undefined;
  /** What a subcommand is called in errors. */
  subcommandNoun: Message = say.for("unknown")`command`;

  unknownOption(given: string): void {
    const flag = given.replace(/=.*/s, "");
    const names = this.createHelp()
      .visibleOptions(this)
      .concat(this.createHelp().visibleGlobalOptions(this))
      .flatMap(({ long }) => long?.slice(2) ?? []);
    const suggestion = flag.startsWith("--") ? closest(flag.slice(2), names) : undefined;
    const name = JSON.stringify(flag);
    const left = this.#program.hintForLeft(this.#path, flag);
    if (left) this.#refuse(say`Unknown option ${name}.`, undefined, left);
    this.#refuse(
      say`Unknown option ${name}.`,
      suggestion && `--${suggestion}`,
      /^--(?:port|host)$/.test(flag) && names.includes("url") ? URL_HINT : this.#helpHint,
    );
  }

  unknownCommand(): void {
    const [word = ""] = this.args;
    const name = JSON.stringify(word);
    const names = this.commands.map((command) => command.name());
    if (!this.parent && NOT_SPECIFIED.test(word))
      this.#refuse(NO_SUCH_OPERATION, undefined, this.#helpHint);
    const suggestion = closest(word, names);
    const noun = this.subcommandNoun;
    const text = say`Unknown ${noun} ${name}.`;
    const left = this.#program.hintForLeft(this.#path, word);
    if (left) this.#refuse(text, undefined, left);
    if (suggestion !== undefined) this.#refuse(text, suggestion);
    this.#refuse(
      this.parent
        ? say`${text} Use one of ${names.join(", ")}.`
        : say`${text} See them all: ${PROGRAM} --help`,
    );
  }

  missingArgument(name: string): never {
    const text = say`Missing argument <${name}>.`;
    return this.#refuse(text, undefined, this.#exampleHint);
  }

  missingMandatoryOptionValue({ flags, argChoices }: Option): never {
    const text = argChoices
      ? say`Missing option ${flags}. Use one of ${argChoices.join(", ")}.`
      : say`Missing option ${flags}.`;
    return this.#refuse(text, undefined, this.#exampleHint);
  }

  optionMissingArgument({ flags }: Option): void {
    const text = say`Missing value for ${flags}.`;
    this.#refuse(text, undefined, this.#helpHint);
  }

  /** Commander's other errors. */
  override error(message: string, options?: ErrorOptions): never {
    if (options?.code !== "commander.excessArguments") throw usageError(message);
    const [limit, count] = [this.registeredArguments.length, this.args.length];
    this.#refuse(
      say`Too many arguments for "${this.name()}": expected ${limit}, got ${count}.`,
      undefined,
      this.#helpHint,
    );
  }

  get #program(): CliCommand {
    return this.parent ? (this.parent as CliCommand).#program : this;
  }

  /** The words after the program's name that run the command. */
  get #path(): string {
    return this.parent ? `${(this.parent as CliCommand).#path} ${this.name()}`.trim() : "";
  }

  get #helpHint(): Message {
    // What follows may be an option of the command that it runs.
    if (this.registeredArguments.at(-1)?.variadic) return say`Pass the command after --.`;
    const command = [PROGRAM, this.#path, "--help"].filter(Boolean).join(" ");
    return say`See its help: ${command}`;
  }

  get #exampleHint(): Message {
    if (this.example === undefined) return this.#helpHint;
    const command = `${PROGRAM} ${this.example}`;
    return say`For example: ${command}`;
  }

  /** @param hint the next step, unless there is a suggestion */
  #refuse(text: Message, suggestion?: string, hint?: Message): never {
    const meant = JSON.stringify(suggestion);
    throw suggestion === undefined
      ? usageError(text, hint)
      : usageError(say`${text} Did you mean ${meant}?`);
  }
}

const URL_HINT = say`Name the sandbox with --url, such as --url http://127.0.0.1:7490`;

/** What a person may look for, and the specification has no operation for. */
const NOT_SPECIFIED =
  /^(?:refunds?|balances?|estornos?|devolu[cç](?:[aã]o|[oõ]es)|reembolsos?|saldos?)$/i;
const NO_SUCH_OPERATION = say`The gateway's specification shows neither refunds nor balances. pix-sandbox has no command for them.`;
