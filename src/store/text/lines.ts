import { LocalizedError } from "../../core/records/errors.ts";
import { say } from "../../text/message.ts";

export const LINE_FEED = 0x0a;
/** The longest string of V8. A line must fit in it, and so must a document that does not have one record per line. */
export const MAX_TEXT_BYTES = 2 ** 29 - 24;

/**
 * Calls `onBlock` with blocks of whole lines, with their line feeds. Only a line that lies in several pieces is copied,
 * and is a block of its own.
 * @returns the bytes after the last line feed.
 */
export async function readBlocks(
  pieces: AsyncIterable<Buffer>,
  onBlock: (block: Buffer) => void,
  maxLineBytes = MAX_TEXT_BYTES,
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
    if (rest.length * piece.length > maxLineBytes) throw new LocalizedError(LINE_TOO_LONG);
  }
  return Buffer.concat(rest);
}

const LINE_TOO_LONG = say`it has no line breaks, or a line is too long`;

export function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

/**
 * Calls `onLine` with each line that ends with a line feed: its bytes without the line feed, and its number from 1.
 * @returns the bytes after the last line feed.
 */
export async function readLines(
  pieces: AsyncIterable<Buffer>,
  onLine: (line: Buffer, number: number) => void,
): Promise<Buffer> {
  let rest: Buffer[] = [];
  let number = 0;
  for await (const piece of pieces) {
    let start = 0;
    for (;;) {
      const end = piece.indexOf(LINE_FEED, start);
      if (end < 0) break;
      const tail = piece.subarray(start, end);
      const line = rest.length === 0 ? tail : Buffer.concat([...rest, tail]);
      rest = [];
      onLine(line, ++number);
      start = end + 1;
    }
    if (start < piece.length) rest.push(piece.subarray(start));
  }
  return Buffer.concat(rest);
}
