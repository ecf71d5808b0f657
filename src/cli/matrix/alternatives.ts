import {
  type AssumptionName,
  ASSUMPTION_NAMES,
  type AssumptionRow,
  isAssumptionName,
  readChoice,
  triedChoices,
  unknownAssumption,
} from "../../core/assumptions/table.ts";
import { usageError } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { say } from "../../text/message.ts";

export interface Alternative {
  readonly name: AssumptionName;
  readonly choice: string | number;
}

/** What `--assume` selects: all other choices of an assumption, or the given one. */
export type Selection = readonly {
  readonly name: AssumptionName;
  readonly choice: string | number | undefined;
}[];

/** Reads the values of `--assume`. @throws CliError for an unknown name or choice. */
export function readSelection(texts: readonly string[]): Selection {
  return texts.map((text) => {
    const [, name = text, choice] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    if (!isAssumptionName(name)) throw refusal(text, localize(unknownAssumption(name)));
    if (choice === undefined) return { name, choice };
    const read = readChoice(name, choice);
    if ("refusal" in read) throw refusal(text, localize(read.refusal));
    return { name, choice: read.choice };
  });
}

/**
 * The alternatives to a sandbox's choices, in the order of the table.
 * @param selection empty for every assumption
 * @throws CliError if a selected assumption has none.
 */
export function alternativesTo(
  choices: readonly Pick<AssumptionRow, "name" | "choice">[],
  selection: Selection,
): Alternative[] {
  const baseline = new Map(choices.map(({ name, choice }) => [name, choice]));
  const othersOf = (name: AssumptionName) =>
    triedChoices(name).filter((choice) => choice !== baseline.get(name));
  for (const { name, choice } of selection) {
    if (choice !== undefined && choice === baseline.get(name))
      throw refusal(`${name}=${choice}`, localize(say`This is the baseline's choice.`));
    if (choice === undefined && othersOf(name).length === 0)
      throw refusal(name, localize(say`This assumption has no other choice.`));
  }
  return ASSUMPTION_NAMES.flatMap((name) => {
    const selected = selection.filter((one) => one.name === name);
    if (selection.length > 0 && selected.length === 0) return [];
    const given = selected.flatMap(({ choice }) => choice ?? []);
    const takesAll = given.length === 0 || given.length < selected.length;
    return [...new Set([...(takesAll ? othersOf(name) : []), ...given])].map((choice) => ({
      name,
      choice,
    }));
  });
}

function refusal(text: string, reason: string): Error {
  return usageError(`--assume ${text}: ${reason}`);
}
