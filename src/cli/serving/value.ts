import { type AssumptionChanges, readChoice } from "../../core/assumptions/table.ts";
import type { Check } from "../../server/options/option-checks.ts";
import { say } from "../../text/message.ts";
import { closest } from "../../text/suggestion.ts";
import { usageError } from "../terminal/errors.ts";
import type { Words } from "../terminal/language.ts";

/**
 * Reads a value by its row's check, as a flag, a variable or a config file has it.
 * @param name of the flag, the variable or the member, in messages
 * @throws CliError for a value that the check does not accept.
 */
export function readValue<Value>(check: Check<Value>, given: unknown, name: Words): Value {
  const { item, rule, choices = [], isSecret = false } = check;
  if (item && Array.isArray(given))
    return given.map((one: unknown) => readValue(item, one, name)) as Value;
  const value = converted(check, given);
  if (check.accepts(value)) return value;
  const meant = closest(String(given), choices);
  const hint = meant === undefined ? say`Use ${rule}.` : say`Did you mean "${meant}"?`;
  const isShown = !isSecret && ["string", "number", "boolean"].includes(typeof given);
  const shown = isShown ? JSON.stringify(given) : "…";
  throw usageError(say`Invalid value ${shown} for ${name}.`, hint);
}

/** A number may stand for a text, and a text for a number. */
function converted({ kind }: Pick<Check, "kind">, given: unknown): unknown {
  if (kind === "number") return /^\d+$/.test(String(given)) ? Number(given) : given;
  return kind === "text" && typeof given === "number" ? String(given) : given;
}

/** What the text of a variable stands for: commas separate the values of a list. */
export function ofVariable({ kind }: Check, text: string): unknown {
  if (kind === "switch") return !OFF.test(text);
  if (kind !== "list") return text;
  const parts = text.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "");
}

/** How a variable turns a switch off, also one that the config file turns on. */
const OFF = /^(?:0|false|no|off)$/i;

/** Reads choices by assumption name. @param name of what has them, in messages. @throws CliError */
export function readChoices(
  given: readonly (readonly [assumption: string, choice?: unknown])[],
  name: Words,
): AssumptionChanges {
  const choices = given.map(([assumption, choice]) => {
    const read = readChoice(assumption, choice);
    if ("refusal" in read) throw usageError(say`${name}: ${read.refusal}`);
    return [assumption, read.choice];
  });
  return Object.fromEntries(choices) as AssumptionChanges;
}
