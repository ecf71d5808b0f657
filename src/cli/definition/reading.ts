// How the values of arguments, options and variables are read.
import { type Argument, type Command, InvalidArgumentError, Option } from "commander";
import { closest } from "../../text/suggestion.ts";
import { usageError } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { say } from "../../text/message.ts";

type Read = (text: string, before?: never) => unknown;
const readers = new WeakMap<Argument | Option, Read>();
const variables = new WeakMap<Option, string>();

/** Lets `read` read the values. An InvalidArgumentError of it becomes an error that names the argument or option. */
export function readWith<Target extends Argument | Option>(target: Target, read: Read): Target {
  readers.set(target, read);
  const name = target instanceof Option ? target.flags : `<${target.name()}>`;
  target.argParser((text: string, before: unknown) => readValue(target, name, text, before));
  return target;
}

/** Lets the value be one of `choices`. */
export function withChoices<Target extends Argument | Option>(
  target: Target,
  choices: readonly string[],
): Target {
  target.argChoices = [...choices];
  return readWith(target, (text) => {
    if (choices.includes(text)) return text;
    throw new InvalidArgumentError(localize(say`Use one of ${choices.join(", ")}.`));
  });
}

/** Lets a variable set an option, see {@link applyVariables}. */
export function fromVariable(option: Option, variable: string): Option {
  variables.set(option, variable);
  return option;
}

export function variableOf(option: Option): string | undefined {
  return variables.get(option);
}

/** Sets the options of a command that have a variable and no flag. The environment need not be the process's. */
export function applyVariables(
  command: Command,
  env: Readonly<Record<string, string | undefined>>,
): void {
  for (const option of command.options) {
    const [variable = "", name] = [variables.get(option), option.attributeName()];
    const text = env[variable];
    if (text === undefined || command.getOptionValueSource(name) === "cli") continue;
    command.setOptionValueWithSource(name, readValue(option, variable, text), "env");
  }
}

/** @param name of what has the value: of the argument, the option or its variable */
function readValue(
  target: Argument | Option,
  name: string,
  text: string,
  before?: unknown,
): unknown {
  const read = readers.get(target) ?? target.parseArg;
  try {
    return read ? read(text, before as never) : text;
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const meant = closest(text, target.argChoices ?? []);
    const rule = say`Invalid value ${JSON.stringify(text)} for ${name}. ${error.message}`;
    throw usageError(
      meant === undefined ? rule : say`${rule} Did you mean ${JSON.stringify(meant)}?`,
    );
  }
}
