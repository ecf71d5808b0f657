import { Command, type ErrorOptions } from "commander";
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

  /** Commander's errors: their codes say what is wrong, and the first quotes of their messages with what. */
  override error(message: string, { code = "" }: ErrorOptions = {}): never {
    const [, subject = ""] = /'(.*?)'/s.exec(message) ?? [];
    switch (code) {
      case "commander.unknownOption":
        return this.#unknownOption(subject.replace(/=.*/s, ""));
      case "commander.unknownCommand":
        return this.#unknownCommand(subject);
      case "commander.missingArgument":
        return this.#refuse(say`Missing argument <${subject}>.`, undefined, this.#exampleHint);
      case "commander.missingMandatoryOptionValue": {
        const choices = this.options.find(({ flags }) => flags === subject)?.argChoices;
        const text = say`Missing option ${subject}.`;
        const whole = choices ? say`${text} Use one of ${choices.join(", ")}.` : text;
        return this.#refuse(whole, undefined, this.#exampleHint);
      }
      case "commander.optionMissingArgument":
        return this.#refuse(say`Missing value for ${subject}.`, undefined, this.#helpHint);
      case "commander.excessArguments": {
        const [limit, count] = [this.registeredArguments.length, this.args.length];
        const text = say`Too many arguments for "${this.name()}": expected ${limit}, got ${count}.`;
        return this.#refuse(text, undefined, this.#helpHint);
      }
      default:
        throw usageError(message);
    }
  }

  #unknownOption(flag: string): never {
    const help = this.createHelp();
    const options = [...help.visibleOptions(this), ...help.visibleGlobalOptions(this)];
    const names = options.flatMap(({ long }) => long?.slice(2) ?? []);
    const suggestion = flag.startsWith("--") ? closest(flag.slice(2), names) : undefined;
    const text = say`Unknown option ${JSON.stringify(flag)}.`;
    const left = this.#program.hintForLeft(this.#path, flag);
    if (left) return this.#refuse(text, undefined, left);
    const isAddress = /^--(?:port|host)$/.test(flag) && names.includes("url");
    const hint = isAddress ? URL_HINT : this.#helpHint;
    return this.#refuse(text, suggestion && `--${suggestion}`, hint);
  }

  #unknownCommand(word: string): never {
    const names = this.commands.map((command) => command.name());
    if (!this.parent && NOT_SPECIFIED.test(word))
      return this.#refuse(NO_SUCH_OPERATION, undefined, this.#helpHint);
    const text = say`Unknown command ${JSON.stringify(word)}.`;
    const left = this.#program.hintForLeft(this.#path, word);
    if (left) return this.#refuse(text, undefined, left);
    const all = this.parent
      ? say`${text} Use one of ${names.join(", ")}.`
      : say`${text} See them all: ${PROGRAM} --help`;
    const suggestion = closest(word, names);
    return this.#refuse(suggestion === undefined ? all : text, suggestion);
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
