import { type Command, Option } from "commander";
import { type Check, filledText } from "../../server/options/option-checks.ts";
import {
  flagOf,
  GROUPS,
  type Option as Row,
  OPTION_ROWS,
  type OptionName,
  REPEATABLE,
  variableOf,
} from "../../server/options/options.ts";
import { CliCommand } from "../definition/command.ts";
import { addFullHelp, markAsRare } from "../definition/help.ts";
import { localize } from "../terminal/language.ts";
import { collect, controlTokenOption, someText, wholeNumber } from "../definition/options.ts";
import { arg } from "../definition/placeholders.ts";
import { joined } from "../../text/message.ts";

/**
 * Creates a command with the options that the table gives to `serve` or `exec`.
 * @param own options in the place of those of the table
 */
export function servingCommand(
  name: string,
  taker: "serve" | "exec",
  own: Partial<Record<OptionName, Option>> = {},
): Command {
  const command = new CliCommand(name);
  for (const [key, row] of OPTION_ROWS)
    // The program adds the language to all commands.
    if (row.takenBy.includes(taker) && key !== "lang") {
      const option = own[key] ?? toOption(key, row, taker);
      if (!DAILY[taker].has(key)) markAsRare(option);
      command.addOption(option.helpGroup(`${localize(GROUPS[row.group])}:`));
    }
  addFullHelp(command);
  return command;
}

const DAILY_IN_EXEC = ["stateFile", "seed", "clock", "assumptions", "config", "json"] as const;
/** What the usual help shows. */
const DAILY: Readonly<Record<"serve" | "exec", ReadonlySet<OptionName>>> = {
  exec: new Set(DAILY_IN_EXEC),
  serve: new Set([
    ...DAILY_IN_EXEC,
    "host",
    "port",
    "memory",
    "fixtures",
    "now",
    "magic",
    "controlToken",
    "log",
    "open",
  ]),
};

function toOption(name: OptionName, row: Row, taker: "serve" | "exec"): Option {
  const { check, short, argument, defaultOf, unset, hasVariable = true } = row;
  if (name === "controlToken") return controlTokenOption(row.help);
  const help = check.kind === "list" ? joined([row.help, REPEATABLE], "") : row.help;
  const start = short === undefined ? "" : `-${short}, `;
  const end = argument === undefined ? "" : ` ${arg(argument)}`;
  const option = new Option(`${start}--${flagOf(name)}${end}`, localize(help));
  if (hasVariable) option.env(variableOf(name));
  if (unset) option.default(undefined, localize(unset));
  else if (check.kind !== "list") option.default(defaultOf?.[taker] ?? row.default);
  return withParser(option, check);
}

/** What commander itself checks. The other checks need to know whether the config file sets the value. */
function withParser(option: Option, check: Check): Option {
  if (check.choices) return option.choices(check.choices);
  if (check.max !== undefined) return option.argParser(wholeNumber(0, check.max));
  if (check.kind === "list") return option.argParser(collect);
  return check === filledText ? option.argParser(someText) : option;
}
