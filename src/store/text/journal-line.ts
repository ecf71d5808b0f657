import { crc32 } from "node:zlib";
import type { JournalEntry } from "../../core/state/ports.ts";
import { journalLineSchema } from "./schema.ts";
import { type Message, say } from "../../text/message.ts";

/** The prefix of every line. It cannot occur inside a line: quotes in a JSON string are escaped. */
export const LINE_BEGINNING = '{"crc32":"';
const DIGITS = 8;
/** The checksum covers the line from here, after `{"crc32":"01234567",`. */
const CHECKED_FROM = LINE_BEGINNING.length + DIGITS + 2;

/** An entry as a line, with its line feed. */
export function toLine({ sequence, lastEventNumber, change }: JournalEntry): string {
  const checked = `"sequence":${sequence},"lastEventNumber":${lastEventNumber},"change":${JSON.stringify(change)}}`;
  return `${beginningOf(crc32(checked))}${checked}\n`;
}

export interface BrokenLine {
  readonly reason: Message;
  /** Whether the checksum matches: the line is as another version wrote it. */
  readonly isWhole: boolean;
}

/** Reads a line without its line feed. */
export function readLine(line: Buffer): JournalEntry | BrokenLine {
  const beginning = line.toString("latin1", 0, CHECKED_FROM);
  if (beginning !== beginningOf(crc32(line.subarray(CHECKED_FROM))))
    return { reason: WRONG_CHECKSUM, isWhole: false };
  let entry: unknown;
  try {
    entry = JSON.parse(line.toString());
  } catch {
    return { reason: NO_JSON, isWhole: true };
  }
  const { success, error } = journalLineSchema.safeParse(entry);
  if (success) return entry as JournalEntry;
  const unknown = describe(error.issues);
  return { reason: say`it has unknown content (${unknown})`, isWhole: true };
}

const WRONG_CHECKSUM = say`its checksum does not match`;
export const NO_JSON: Message = say`it is not valid JSON`;

/** Describes the first problem that a schema has found: its path and its message, which is in English only. */
export function describe(
  issues: readonly { readonly path: PropertyKey[]; readonly message: string }[],
): string {
  const [issue] = issues;
  return issue ? `${issue.path.join(".") || "(root)"}: ${issue.message}` : "";
}

function beginningOf(checksum: number): string {
  return `${LINE_BEGINNING}${checksum.toString(16).padStart(DIGITS, "0")}",`;
}
