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
import { localize } from "../terminal/language.ts";
import { collect, controlTokenOption, someText, wholeNumber } from "../definition/options.ts";
import { fromVariable, readWith, withChoices } from "../definition/reading.ts";
import { joined, say } from "../../text/message.ts";

/** Creates a command with the options that the table gives to `serve` or `exec`. */
export function servingCommand(taker: "serve" | "exec"): Command {
  const command = new CliCommand(taker);
  for (const [group, title] of Object.entries(GROUPS))
    for (const [key, row] of OPTION_ROWS)
      // The program has those of all commands.
      if (row.group === group && row.takenBy.includes(taker) && key !== "lang" && key !== "json")
        command.addOption(toOption(key, row, taker).helpGroup(`${localize(title)}:`));
  const variable = variableOf("port");
  return command.addHelpText(
    "after",
    () => `\n${localize(say`Each option has a variable too, such as ${variable}.`)}`,
  );
}

function toOption(name: OptionName, row: Row, taker: "serve" | "exec"): Option {
  const { check, short, argument, defaultOf, unset, hasVariable = true } = row;
  if (name === "controlToken") return controlTokenOption(row.help);
  const help = check.kind === "list" ? joined([row.help, REPEATABLE], "") : row.help;
  const start = short === undefined ? "" : `-${short}, `;
  const end = argument === undefined ? "" : ` <${argument}>`;
  const option = new Option(`${start}--${flagOf(name)}${end}`, localize(help));
  if (hasVariable) fromVariable(option, variableOf(name));
  if (unset) option.default(undefined, localize(unset));
  else if (check.kind !== "list") option.default(defaultOf?.[taker] ?? row.default);
  return withParser(option, check);
}

/** What commander itself checks. The other checks need to know whether the config file sets the value. */
function withParser(option: Option, check: Check): Option {
  if (check.choices) return withChoices(option, check.choices);
  if (check.max !== undefined) return readWith(option, wholeNumber(0, check.max));
  if (check.kind === "list") return readWith(option, collect);
  return check === filledText ? readWith(option, someText) : option;
}
