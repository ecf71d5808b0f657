import { crc32 } from "node:zlib";
import type { Change } from "../../core/state/records.ts";
import { toDigits } from "../journal/journal-line.ts";
import { type Header, type ListName, LISTS, RARE_LISTS, type Trailer } from "./schema.ts";

/** The lists of a state file. */
export type Lists = Pick<Change, ListName>;

const PIECE_CHARACTERS = 1 << 16;

/**
 * Writes a state file piece by piece: valid JSON with the header in the first line and one record per line, so that
 * a file of any size can be written and read line by line. (V8 cannot hold a string of more than 512 MB.) The last
 * line is the trailer: the length of each list, and a checksum of all lines before it.
 */
export function* writeState(header: Header, lists: Lists): Generator<string> {
  let text = `${JSON.stringify(header).slice(0, -1)},\n`;
  let checksum = 0;
  const written = LISTS.filter((name) => !RARE_LISTS.has(name) || lists[name]?.length);
  for (const name of written) {
    text += `"${name}":[`;
    let separator = "\n";
    for (const row of lists[name] ?? []) {
      text += separator + JSON.stringify(row);
      separator = ",\n";
      if (text.length < PIECE_CHARACTERS) continue;
      checksum = crc32(text, checksum);
      yield text;
      text = "";
    }
    text += "\n],\n";
  }
  const counts = Object.fromEntries(LISTS.map((name) => [name, lists[name]?.length ?? 0]));
  const trailer: Trailer = { counts, crc32: toDigits(crc32(text, checksum)) };
  yield `${text}${JSON.stringify(trailer).slice(1)}\n`;
}
