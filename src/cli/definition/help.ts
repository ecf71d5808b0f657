import { type Argument, type Command, Help, type HelpConfiguration, Option } from "commander";
import { variableOf } from "./reading.ts";
import { localize } from "../terminal/language.ts";
import { PROGRAM } from "../../platform/program.ts";
import { type Message, say, verbatim } from "../../text/message.ts";

/** A command line without `pix-sandbox`, optionally with a comment. */
export type Example = string | readonly [line: string, comment: Message];

/** Commander's help in the current language. Descriptions are localized where a command is built. */
export const HELP: HelpConfiguration = {
  styleTitle: (title) => localize(TITLES[title] ?? verbatim(title)),
  subcommandTerm: (command) =>
    [command.name(), ...command.registeredArguments.map(termOf)].join(" "),
  argumentDescription: (argument) => describe(argument),
  optionDescription: (option) => describe(option),
  showGlobalOptions: true,
  visibleGlobalOptions: (command) => commonOf(command),
  formatHelp(command, helper) {
    if (!command.parent) {
      helper.formatItemList = asLineOfOptions;
      helper.padWidth = (one) => helper.longestSubcommandTermLength(one, helper);
    }
    return Help.prototype.formatHelp.call(helper, command, helper);
  },
};

/** The program's help has many commands: it only names the options. */
function asLineOfOptions(heading: string, items: string[], helper: Help): string[] {
  if (heading !== "Options:")
    return Help.prototype.formatItemList.call(helper, heading, items, helper);
  const flags = items.map((item) => /--[a-z-]+/.exec(item)?.[0] ?? "");
  return [helper.boxWrap(`${helper.styleTitle(heading)} ${flags.join(" ")}`, MAX_WIDTH), ""];
}

function termOf(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? "..." : "");
  return argument.required ? `<${name}>` : `[${name}]`;
}

const TITLES: Readonly<Record<string, Message>> = {
  "Usage:": say`Usage:`,
  "Arguments:": say`Arguments:`,
  "Options:": say`Options:`,
  "Commands:": say`Commands:`,
  "Global Options:": say`Common options:`,
};

/** Renders a description with the choices, the default and the environment variable in parentheses. */
function describe(target: Argument | Option): string {
  const { description, argChoices, defaultValue, defaultValueDescription } = target;
  const isSwitch = target instanceof Option && !target.required && !target.optional;
  const variable = target instanceof Option && !isOfTable(target) ? variableOf(target) : undefined;
  const details: string[] = [];
  if (argChoices) {
    const list = argChoices.map((choice) => JSON.stringify(choice)).join(", ");
    details.push(localize(say`choices: ${list}`));
  }
  if ((defaultValue ?? defaultValueDescription) !== undefined && !isSwitch) {
    const text = defaultValueDescription ?? JSON.stringify(defaultValue);
    details.push(localize(say`default: ${text}`));
  }
  if (variable !== undefined) details.push(localize(say`env: ${variable}`));
  return details.length === 0 ? description : `${description} (${details.join(", ")})`.trim();
}

/** The program's options that a command has too. A group of commands does not show them. */
function commonOf(command: Command): Option[] {
  if (command.commands.length > 0) return [];
  let program = command;
  while (program.parent) program = program.parent;
  return program.options.filter(({ long }) => long !== "--version");
}

/** Whether an option is of the table of `serve`: all of them have a variable, which its help says once. */
function isOfTable({ helpGroupHeading }: Option): boolean {
  return helpGroupHeading !== undefined;
}

/** The usual width of a terminal. */
const MAX_WIDTH = 80;

/** Renders the examples at the top of a command's help. Comments that do not fit beside them go below. */
export function renderExamples(examples: readonly Example[]): string {
  const width = Math.max(
    ...examples.map((example) => (typeof example === "string" ? 0 : example[0].length)),
  );
  const render = (example: Example, gap: (line: string) => string): string =>
    typeof example === "string"
      ? `  $ ${PROGRAM} ${example}`
      : `  $ ${PROGRAM} ${example[0]}${gap(example[0])}${localize(example[1])}`;
  const beside = examples.map((one) => render(one, ({ length }) => " ".repeat(width + 2 - length)));
  const lines = beside.every(({ length }) => length <= MAX_WIDTH)
    ? beside
    : examples.map((one) => render(one, () => "\n      "));
  return `${localize(say`Examples:`)}\n${lines.join("\n")}\n`;
}
