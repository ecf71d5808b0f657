import { LocalizedError } from "../core/records/errors.ts";
import { PlayError } from "./play-error.ts";
import { type Message, say } from "../text/message.ts";

/** A record with its names of the wire. */
export type EffectRecord = Readonly<Record<string, unknown>>;

/** The effect of a record cannot be read: no rule can be judged by it. */
export class EffectError extends LocalizedError {
  override readonly name = "EffectError";
}

/** Linux passes no variable of more than 128 KiB to a program. */
const MAX_VALUE_BYTES = 100_000;

/** The members that a record may lack. */
const OPTIONAL = { description: null };

/** The members of a record that have a text: `null`, or a missing optional one, is the empty text. */
export function membersOf(record: EffectRecord): readonly (readonly [string, string])[] {
  const members: EffectRecord = { ...OPTIONAL, ...record };
  return Object.entries(members).flatMap(([name, value]) => {
    const text = value === null ? "" : value;
    return isText(text) ? [[name, checked(name, String(text), record)] as const] : [];
  });
}

/**
 * The text of one member.
 * @throws EffectError if it cannot be passed on or an optional one is missing; PlayError if the record has no such text.
 */
export function memberOf(record: EffectRecord, name: string): string {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  if (isText(value)) return checked(name, String(value), record);
  if (Object.hasOwn(OPTIONAL, name))
    throw new EffectError(say`The effect cannot be read: ${idOf(record)} has no ${name}.`);
  const names = Object.keys(record).filter((each) => isText(record[each]));
  throw new PlayError(
    "USAGE",
    say`The effect's placeholder {${name}} has no value in ${idOf(record)}.`,
    say`Use one of ${names.join(", ")}.`,
  );
}

function isText(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function checked(name: string, value: string, record: EffectRecord): string {
  const id = idOf(record);
  if (value.includes("\0"))
    throw new EffectError(
      say`The effect cannot be read: ${name} of ${id} contains the character U+0000.`,
    );
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES)
    throw new EffectError(say`The effect cannot be read: ${name} of ${id} is larger than 100 kB.`);
  return value;
}

function idOf({ id }: EffectRecord): string | Message {
  return typeof id === "string" ? id : say`the record`;
}
