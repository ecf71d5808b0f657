import { crc32 } from "node:zlib";
import type { Change } from "../../core/state/records.ts";
import { isJournalLine } from "./schema.ts";
import { type Message, say } from "../../text/message.ts";

/** One commit, as the log stores it. */
export interface JournalEntry {
  /** Its position: 1 for the first commit, and one more for each. */
  readonly sequence: number;
  readonly change: Change;
}

const LINE_FEED = 0x0a;

/**
 * Calls `onBlock` with blocks of whole lines, with their line feeds. Only a line that lies in several pieces is copied,
 * and is a block of its own.
 * @returns the bytes after the last line feed.
 */
export async function readBlocks(
  pieces: AsyncIterable<Buffer>,
  onBlock: (block: Buffer) => void,
): Promise<Buffer> {
  let rest: Buffer[] = [];
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      const start = rest.length > 0 ? piece.indexOf(LINE_FEED) + 1 : 0;
      if (start > 0) onBlock(Buffer.concat([...rest, piece.subarray(0, start)]));
      if (start < end) onBlock(piece.subarray(start, end));
      rest = [];
    }
    if (end < piece.length) rest.push(piece.subarray(end));
  }
  return Buffer.concat(rest);
}

/** The lines of a block, without their line feeds. */
export function linesIn(block: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0, end = 0; start < block.length; start = end + 1) {
    end = block.indexOf(LINE_FEED, start);
    if (end < 0) end = block.length;
    lines.push(block.subarray(start, end));
  }
  return lines;
}

/** The prefix of every line of the log. It cannot occur inside one: quotes in a JSON string are escaped. */
export const LINE_BEGINNING = '{"crc32":"';
const DIGITS = 8;
/** The checksum covers the line from here, after `{"crc32":"01234567",`. */
const CHECKED_FROM = LINE_BEGINNING.length + DIGITS + 2;

/** An entry of the log as a line, with its line feed. */
export function toLine({ sequence, change }: JournalEntry): Buffer {
  const checked = `"sequence":${sequence},"change":${JSON.stringify(change)}}`;
  const line = Buffer.from(`${beginningOf(0)}${checked}\n`);
  line.write(beginningOf(crc32(line.subarray(CHECKED_FROM, -1))), "latin1");
  return line;
}

/**
 * Reads a line of the log, without its line feed, at the position where it is expected.
 * @returns the entry, or what is wrong with the line; `isWhole` if its checksum matches: then it is not cut off
 */
export function readLine(
  line: Buffer,
  position: number,
): JournalEntry | { readonly reason: Message; readonly isWhole: boolean } {
  const beginning = line.toString("latin1", 0, CHECKED_FROM);
  if (beginning !== beginningOf(crc32(line.subarray(CHECKED_FROM))))
    return { reason: say`its checksum does not match`, isWhole: false };
  const entry = parse(line.toString());
  if (!isJournalLine(entry))
    return { reason: say`it has content that this version does not know`, isWhole: true };
  if (entry.sequence === position) return entry;
  return { reason: misplaced(entry.sequence, position), isWhole: true };
}

export function misplaced(found: number, expected: number): Message {
  return say`it is commit ${found}, but commit ${expected} was expected`;
}

/** @returns undefined if the text is not JSON */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function beginningOf(checksum: number): string {
  return `${LINE_BEGINNING}${checksum.toString(16).padStart(DIGITS, "0")}",`;
}
