import type { Command } from "commander";
import {
  COMMAND_ROWS,
  type CommandOptions,
  flagOf,
  type OptionName,
} from "../../server/options/options.ts";

/** The values of a command's options, by the names of the table. */
export function readOptions(
  command: Command,
): CommandOptions & Readonly<Record<OptionName, unknown>> {
  const given = command.optsWithGlobals<Readonly<Record<string, unknown>>>();
  const values = COMMAND_ROWS.map(([name, row]) => {
    const value = given[attributeOf(name)] ?? (row.inCode ? undefined : row.default);
    const isSplit = row.check.kind === "list" && sourceOf(command, name) === "env";
    return [name, isSplit ? (value as string[]).flatMap(splitVariable) : value];
  });
  return Object.fromEntries(values) as ReturnType<typeof readOptions>;
}

/** Commander's own name of an option. */
export function attributeOf(name: OptionName): string {
  return flagOf(name).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** What sets an option: a flag (`cli`), a variable (`env`), the config file (`config`), or its default. */
export function sourceOf(command: Command, name: OptionName): string | undefined {
  return command.getOptionValueSourceWithGlobals(attributeOf(name));
}

/** The state to open; undefined for memory. A given state file overrides `memory` if that is only the default. */
export function stateOf(
  command: Command,
  { memory, stateFile }: Pick<CommandOptions, "memory" | "stateFile">,
): string | undefined {
  const isStandard = (option: OptionName) => sourceOf(command, option) === "default";
  return memory && (isStandard("stateFile") || !isStandard("memory")) ? undefined : stateFile;
}

/** The values in the variable of a repeatable option. */
export function splitVariable(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
