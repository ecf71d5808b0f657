import { Argument, Option } from "commander";
import { readDurationMs } from "../terminal/duration.ts";
import { localize } from "../terminal/language.ts";
import { collect, someText, wholeNumber } from "./options.ts";
import { fromVariable, readWith, withChoices } from "./reading.ts";
import { type IdKind, idHelp } from "./resolve-id.ts";
import type { Message } from "../../text/message.ts";

/** What a person can pass to a command: an argument, or an option. */
export interface Parameter<out Value = unknown> {
  readonly help: Message | (() => string);
  /** The name of its value in the help; a switch has none. */
  readonly value?: string;
  /** The name of its option. Default: the parameter's own, with dashes. */
  readonly flag?: string;
  readonly short?: string;
  readonly choices?: readonly string[];
  readonly default?: Value;
  readonly env?: string;
  /** Throws commander's InvalidArgumentError, or a CliError. */
  readonly parse?: (given: string, before?: never) => Value;
  /** The kind of record that it names; its value becomes the whole id. */
  readonly names?: IdKind;
  /** Whether an argument can be left out, or an option cannot. */
  readonly isOptional?: boolean;
  readonly isMandatory?: boolean;
  /** Whether an argument takes all words that follow. */
  readonly isVariadic?: boolean;
  /** Whether an option can be given several times. */
  readonly isRepeatable?: boolean;
}

export type Parameters = Readonly<Record<string, Parameter>>;

/** The values of a command's arguments and options. */
export type Given<Arguments, Flags> = {
  readonly [Key in keyof Arguments]: Arguments[Key] extends { readonly isOptional: true }
    ? ValueOf<Arguments[Key]> | undefined
    : ValueOf<Arguments[Key]>;
} & {
  readonly [Key in keyof Flags]: Flags[Key] extends
    | { readonly default: unknown }
    | { readonly isMandatory: true }
    ? ValueOf<Flags[Key]>
    : ValueOf<Flags[Key]> | undefined;
};

type ValueOf<One> = One extends Parameter<infer Value> ? Value : never;
type Extra<Value> = Partial<Omit<Parameter<Value>, "help" | "value">>;
type Help = Parameter["help"];

/** An option without a value. */
export function flag<const More extends Extra<boolean>>(
  help: Help,
  more?: More,
): Parameter<boolean> & More {
  return { help, ...more } as Parameter<boolean> & More;
}

/** A text as it is given. */
export function freeText<const More extends Extra<string>>(
  value: string,
  help: Help,
  more?: More,
): Parameter<string> & More {
  return { help, value, ...more } as Parameter<string> & More;
}

/** A text that is not empty, such as from an unset shell variable. */
export function word<const More extends Extra<string>>(
  value: string,
  help: Help,
  more?: More,
): Parameter<string> & More {
  return freeText(value, help, { parse: someText, ...more } as More);
}

export function parsed<Value, const More extends Extra<Value>>(
  value: string,
  parse: (given: string, before?: never) => Value,
  help: Help,
  more?: More,
): Parameter<Value> & More {
  return { help, value, parse, ...more } as unknown as Parameter<Value> & More;
}

export function oneOf<Choice extends string, const More extends Extra<Choice>>(
  choices: readonly Choice[],
  value: string,
  help: Help,
  more?: More,
): Parameter<Choice> & More {
  return { help, value, choices, ...more } as Parameter<Choice> & More;
}

export function integer<const More extends Extra<number>>(
  [min, max]: readonly [min: number, max: number],
  value: string,
  help: Help,
  more?: More,
): Parameter<number> & More {
  return parsed(value, wholeNumber(min, max), help, more);
}

/** A duration such as `500ms`. @returns a parameter whose value is a number of seconds */
export function seconds(help: Help): Parameter<number> {
  return parsed("duration", (given) => readDurationMs(given) / 1000, help);
}

export function repeatable<const More extends Extra<readonly string[]>>(
  value: string,
  help: Help,
  more?: More,
): Parameter<readonly string[]> & More {
  return parsed(value, collect, help, { isRepeatable: true, ...more } as unknown as More);
}

export function idOf<const More extends Extra<string>>(
  kind: IdKind,
  help: Help = () => idHelp(kind),
  more?: More,
): Parameter<string> & More {
  return word("id", help, { names: kind, ...more } as unknown as More);
}

export function toArgument(parameter: Parameter): Argument {
  const { value = "text", isOptional, isVariadic } = parameter;
  const name = value + (isVariadic ? "..." : "");
  return complete(
    new Argument(isOptional ? `[${name}]` : `<${name}>`, helpOf(parameter)),
    parameter,
  );
}

export function toOption(name: string, parameter: Parameter): Option {
  const { value, short, env, isMandatory, isRepeatable: isList } = parameter;
  const long = `--${flagOf(name, parameter)}${value === undefined ? "" : ` <${value}>`}`;
  const option = new Option(short === undefined ? long : `-${short}, ${long}`, helpOf(parameter));
  complete(option, parameter);
  if (env !== undefined) fromVariable(option, env);
  if (isList) repeatables.add(option);
  return option.makeOptionMandatory(isMandatory ?? false);
}

const repeatables = new WeakSet<Argument | Option>();

/** Whether it is an option that can be given several times: commander knows only those that take several words. */
export function isRepeatable(one: Argument | Option): boolean {
  return repeatables.has(one);
}

/** The option's name, without dashes. */
export function flagOf(name: string, { flag: own }: Parameter): string {
  return own ?? toFlag(name);
}

/** The name of an option for a wire name. */
export function toFlag(name: string): string {
  return name.replaceAll("_", "-");
}

function helpOf({ help }: Parameter): string {
  return typeof help === "function" ? help() : localize(help);
}

function complete<Target extends Argument | Option>(
  target: Target,
  { choices, parse, default: standard }: Parameter,
): Target {
  if (choices) withChoices(target, choices);
  if (parse) readWith(target, parse);
  if (standard !== undefined) target.default(standard);
  return target;
}
