import { type Command, Option } from "commander";
import {
  COMMAND_ROWS,
  type CommandOptions,
  flagOf,
  GROUPS,
  memberOf,
  type Option as Row,
  OPTIONS,
  type OptionName,
  REPEATABLE,
  variableOf,
} from "../../server/options/options.ts";
import { CliCommand } from "../definition/command.ts";
import { usageError } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import {
  languageOf,
  loadLanguage,
  localize,
  setLanguage,
  type Words,
} from "../terminal/language.ts";
import { type Config, configFileOf, readConfigFile } from "./config-file.ts";
import { ofVariable, readChoices, readValue } from "./value.ts";
import { joined, say } from "../../text/message.ts";

type Taker = "serve" | "exec";

/** Creates a command with the options that the table gives to `serve` or `exec`. */
export function servingCommand(taker: Taker): Command {
  const command = new CliCommand(taker);
  for (const [group, title] of Object.entries(GROUPS))
    for (const [name, row] of COMMAND_ROWS)
      // The program has those of all commands.
      if (row.group === group && row.takenBy.includes(taker) && name !== "lang" && name !== "json")
        command.addOption(toOption(name, row, taker).helpGroup(`${localize(title)}:`));
  const variable = variableOf("port");
  return command.addHelpText(
    "after",
    () => `\n${localize(say`Each option has a variable too, such as ${variable}.`)}`,
  );
}

/** Commander only collects the texts: {@link readOptions} reads them. */
function toOption(name: OptionName, row: Row, taker: Taker): Option {
  const { check, short, argument, help, unset } = row;
  const start = short === undefined ? "" : `-${short}, `;
  const end = argument === undefined ? "" : ` <${argument}>`;
  const isList = check.kind === "list";
  const text = localize(isList ? joined([help, REPEATABLE], "") : help);
  const option = new Option(`${start}--${flagOf(name)}${end}`, text);
  if (check.choices) option.argChoices = [...check.choices];
  if (isList)
    return option.argParser((one: string, before?: readonly string[]) => [...(before ?? []), one]);
  return unset ? option.default(undefined, localize(unset)) : option.default(defaultOf(row, taker));
}

function defaultOf({ defaultOf: own, inCode, default: standard }: Row, taker: Taker): unknown {
  return own?.[taker] ?? (inCode ? undefined : standard);
}

/** What can set an option: each overrides those before it. */
const SOURCES = ["default", "config", "variable", "flag"] as const;

/** An option's value, and what set it: a flag, a variable, or a member of the config file. */
interface Found {
  readonly source: (typeof SOURCES)[number];
  readonly name: Words;
  readonly value: unknown;
}

export interface Given {
  /** Without a state file if the records are in memory. */
  readonly options: CommandOptions;
  readonly config: Config | undefined;
  readonly find: (option: OptionName) => Found;
}

/**
 * Reads the options of `serve` or `exec`, each by the check of its row: a flag, else its variable, else the config file,
 * else the default. The config file can set the language of the rest of the command.
 * @param own values that override all of these
 * @throws CliError for a value or a config file that is invalid; it names the flag, the variable or the member.
 */
export async function readOptions(
  command: Command,
  io: Io,
  own: Partial<CommandOptions> = {},
): Promise<Given> {
  const flags = command.optsWithGlobals<Readonly<Record<string, unknown>>>();
  let config: Config | undefined;
  const find = (option: OptionName): Found => {
    const row: Row = OPTIONS[option];
    const [name, variable] = [`--${flagOf(option)}`, variableOf(option)];
    const attribute = new Option(name).attributeName();
    const read = (source: Found["source"], by: string, given: unknown): Found => {
      return { source, name: by, value: readValue(row.check, given, by) };
    };
    if (option in own) return { source: "flag", name, value: own[option as keyof CommandOptions] };
    if (command.getOptionValueSourceWithGlobals(attribute) === "cli")
      return read("flag", name, flags[attribute]);
    const text = row.hasVariable === false ? undefined : io.env[variable];
    if (text !== undefined) return read("variable", variable, ofVariable(row.check, text));
    const member = config && readMember(config, option);
    return member ?? { source: "default", name, value: defaultOf(row, command.name() as Taker) };
  };
  const file = configFileOf({ config: find("config").value as string | undefined }, io);
  if (file !== undefined) config = await readConfigFile(file, io);
  const { source, value: lang } = find("lang");
  // JSON is English in every language.
  if (source === "config" && find("json").source !== "flag") {
    const language = languageOf(["--lang", String(lang)], {});
    await loadLanguage(language);
    setLanguage(language);
  }
  // A member is checked even if something overrides it.
  if (config) for (const [option] of COMMAND_ROWS) readMember(config, option);
  const values = COMMAND_ROWS.map(([option]) => [option, find(option).value] as const);
  const options = Object.fromEntries(values) as unknown as CommandOptions;
  const [memory, state] = [find("memory"), find("stateFile")];
  if (memory.source === "flag" && state.source === "flag")
    throw usageError(
      say`--memory and --state contradict each other.`,
      say`Use --state to store the records in a file, or --memory to store nothing.`,
    );
  const isStored = SOURCES.indexOf(state.source) > SOURCES.indexOf(memory.source);
  const stateFile = options.memory && !isStored ? undefined : options.stateFile;
  return { options: { ...options, stateFile }, config, find };
}

/** An option's value in a config file; undefined if the file does not set it. @throws CliError for an invalid one. */
export function readMember({ file, members }: Config, option: OptionName): Found | undefined {
  const member = memberOf(option);
  const { check, isMember = true }: Row = OPTIONS[option];
  if (!isMember || members[member] === undefined) return undefined;
  const name = say`${member} in ${file}`;
  return { source: "config", name, value: readValue(check, members[member], name) };
}

/** Reads pairs `NAME=CHOICE`. @param name of what has them, in messages. @throws CliError */
export function readAssumptions(pairs: readonly string[], name: Words = "--assume") {
  const split = (pair: string) => [pair.replace(/=.*/s, ""), /=(.*)/s.exec(pair)?.[1]] as const;
  return readChoices(pairs.map(split), name);
}
