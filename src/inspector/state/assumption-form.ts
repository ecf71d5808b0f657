import { isWrittenAs } from "../../wire/forms.ts";
import type { WireAssumption } from "./wire.ts";
import { type Message, say } from "../../text/message.ts";

/** A choice of an assumption, as the user has filled it in. */
export interface ChoiceForm {
  /** The choice's name in the table, such as `reject` or `complete_after:<seconds>`. */
  readonly option: string;
  /** The number that stands for `<seconds>`. */
  readonly number: string;
}

/** The form of the choice in force. */
export function toChoiceForm({ choice, choices }: WireAssumption): ChoiceForm {
  const text = String(choice);
  const option = Object.keys(choices).find((one) => isWrittenAs(text, one)) ?? text;
  const before = splitOption(option)?.before;
  return { option, number: before === undefined ? "" : text.slice(before.length) };
}

/** The text before the number of an option, and what the number counts; undefined for an option without a number. */
export function splitOption(option: string): { before: string; unit: string } | undefined {
  const [, before, unit] = /^(.*)<(.+)>$/.exec(option) ?? [];
  return before === undefined || unit === undefined ? undefined : { before, unit };
}

/** The choice to send, or what is wrong. */
export function readChoiceForm(
  row: Pick<WireAssumption, "default">,
  { option, number }: ChoiceForm,
): { readonly choice: string | number } | { readonly refusal: Message } {
  const before = splitOption(option)?.before;
  const text = before === undefined ? option : before + number.trim();
  if (!isWrittenAs(text, option)) return { refusal: NO_NUMBER };
  // The choices of such a row are numbers on the wire, but their names are texts.
  return { choice: typeof row.default === "number" ? Number(text) : text };
}

const NO_NUMBER = say`Enter a whole number greater than 0.`;

/** Whether the choice in force is another one than the default. */
export function isChanged(row: WireAssumption): boolean {
  return row.choice !== row.default;
}

/** Whether there is nothing to choose: the row documents a decision. */
export function isDecision({ choices }: WireAssumption): boolean {
  const [first, ...others] = Object.keys(choices);
  return first !== undefined && others.length === 0 && !splitOption(first);
}

/** The changes that set assumptions back to their defaults. */
export function toDefaults(
  rows: readonly WireAssumption[],
): Readonly<Record<string, string | number>> {
  return Object.fromEntries(rows.filter(isChanged).map((row) => [row.name, row.default] as const));
}
