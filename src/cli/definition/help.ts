import { type Argument, Help, type HelpConfiguration, Option } from "commander";
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
  formatItemList(heading, items, helper) {
    if (heading !== COMMON) return new Help().formatItemList(heading, items, helper);
    const flags = items.map((item) => item.trim().split(" ", 1)[0]);
    return [`${helper.styleTitle(COMMON)} ${flags.join(" ")}`, ""];
  },
};

/** The group of the options that many commands have. Only the program's help describes them. */
export const COMMON = "Common options:";

/** Renders the descriptions of the common options. */
export function renderCommon(options: readonly Option[], helper: Help): string {
  const width = Math.max(...options.map((option) => helper.optionTerm(option).length));
  const items = options.map((option) =>
    helper.formatItem(helper.optionTerm(option), width, describe(option), helper),
  );
  return [`\n${helper.styleTitle(COMMON)}`, ...items].join("\n");
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
  "Common options:": say`Common options:`,
};

/** Renders a description with the choices, the default and the environment variable in parentheses. */
function describe(target: Argument | Option): string {
  const { description, argChoices, defaultValue, defaultValueDescription } = target;
  const isSwitch = target instanceof Option && !target.required && !target.optional;
  const variable = target instanceof Option ? target.envVar : undefined;
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
