import { type Argument, type Command, Help, type HelpConfiguration, Option } from "commander";
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
  formatHelp(command, helper) {
    if (!isFull(command)) shorten(command, helper);
    return Help.prototype.formatHelp.call(helper, command, helper);
  },
  formatItemList(heading, items, helper) {
    if (heading !== COMMON) return new Help().formatItemList(heading, items, helper);
    const flags = items.map((item) => /--[a-z-]+/.exec(item)?.[0] ?? "");
    return [helper.boxWrap(`${helper.styleTitle(COMMON)} ${flags.join(" ")}`, MAX_WIDTH), ""];
  },
};

/** The options that only `--help-all` shows. */
const rare = new WeakSet<Option>();
/** The options of many commands, for the program that describes them with `--help-all`. */
const shared = new WeakMap<Command, readonly Option[]>();

/** Leaves an option out of the help, but for `--help-all`. */
export function markAsRare(option: Option): void {
  rare.add(option);
}

/**
 * Adds `--help-all` to a command whose usual help is shorter.
 * @param common of the program: the options that many commands have
 */
export function addFullHelp(command: Command, common?: readonly Option[]): void {
  const option = new Option("--help-all", localize(say`print help with all options`));
  command.addOption(option.helpGroup("Options:"));
  if (!common) return;
  shared.set(command, common);
  command.addHelpText("after", () =>
    isFull(command) ? renderCommon(common, command.createHelp()) : "",
  );
}

/** Whether the command line asks for `--help-all`: the program reads it, wherever it stands. */
function isFull(command: Command): boolean {
  return command.parent ? isFull(command.parent) : command.getOptionValue("helpAll") === true;
}

/** One integration needs no provider's id, and a sandbox that only this machine reaches no control token. */
const SELDOM = ["--provider-id", "--control-token"];

/** Shows what is used every day, without environment variables. The program only names its options. */
function shorten(command: Command, helper: Help): void {
  if (!command.options.some(({ long }) => long === "--help-all")) return;
  const common = shared.get(command)?.filter(({ long = "" }) => !SELDOM.includes(long));
  const all = helper.visibleOptions.bind(helper);
  helper.visibleOptions = (one) => [
    ...all(one).filter((option) => !rare.has(option)),
    ...(common ?? []),
  ];
  helper.optionDescription = (option) => describe(option, false);
  if (common) helper.padWidth = (one) => helper.longestSubcommandTermLength(one, helper);
  const headingOf = ({ helpGroupHeading }: Option): string =>
    common || helpGroupHeading === COMMON ? COMMON : "Options:";
  const group = helper.groupItems.bind(helper);
  helper.groupItems = (unsorted, visible, groupOf) =>
    group(unsorted, visible, (item) => (item instanceof Option ? headingOf(item) : groupOf(item)));
}

/** The group of the options that many commands have. Only the program's help describes them. */
export const COMMON = "Common options:";

function renderCommon(options: readonly Option[], helper: Help): string {
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
function describe(target: Argument | Option, hasVariable = true): string {
  const { description, argChoices, defaultValue, defaultValueDescription } = target;
  const isSwitch = target instanceof Option && !target.required && !target.optional;
  const variable = target instanceof Option && hasVariable ? target.envVar : undefined;
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
