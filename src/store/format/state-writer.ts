import { crc32 } from "node:zlib";
import type { State } from "../../core/state/ports.ts";
import type { Change } from "../../core/state/records.ts";
import { MAX_BYTES_A_CHARACTER, toDigits } from "./journal-line.ts";
import {
  FORMAT,
  type Header,
  type ListName,
  LISTS,
  RARE_LISTS,
  type Trailer,
  VERSION,
} from "./schema.ts";

export type Lists = Pick<Change, ListName>;

/** The pieces of a state as it is at the moment of the call, see `writeState`. */
export function piecesOf({ records, sequence }: State): Generator<Buffer> {
  const { clock, identity, lastFaultOrdinals, ...lists } = records.toChange();
  const header: Header = {
    format: FORMAT,
    version: VERSION,
    sequence,
    lastEventNumber: records.lastEventNumber,
    ...(lastFaultOrdinals && { lastFaultOrdinals }),
    ...(clock && { clock }),
    ...(identity && { identity }),
  };
  return writeState(header, lists);
}

/** The records of a piece are written within half a millisecond; requests are handled between the pieces. */
const PIECE_BYTES = 1 << 16;

/**
 * Writes a state file piece by piece: valid JSON with the header in the first line and one record per line, so that
 * a file of any size can be written and read line by line. (V8 cannot hold a string of more than 512 MB.) The last
 * line is the trailer: the length of each list, and a checksum of all lines before it.
 * @returns pieces of which each is valid until the next one.
 */
export function* writeState(header: Header, lists: Lists): Generator<Buffer> {
  const piece = new Piece();
  piece.add(`${JSON.stringify(header).slice(0, -1)},\n`);
  const written = LISTS.filter((name) => !RARE_LISTS.has(name) || lists[name]?.length);
  for (const name of written) {
    piece.add(`"${name}":[`);
    let separator = "\n";
    for (const row of lists[name] ?? []) {
      // Added one by one: joining them first would be one more copy.
      piece.add(separator);
      piece.add(JSON.stringify(row));
      separator = ",\n";
      if (piece.length >= PIECE_BYTES) yield piece.take();
    }
    piece.add("\n],\n");
  }
  yield piece.take();
  const counts = Object.fromEntries(LISTS.map((name) => [name, lists[name]?.length ?? 0]));
  const trailer: Trailer = { counts, crc32: toDigits(piece.checksum) };
  piece.add(`${JSON.stringify(trailer).slice(1)}\n`);
  yield piece.take();
}

/** Text as bytes, in memory that is used again for each piece: a large state would leave gigabytes of garbage. */
class Piece {
  #bytes = Buffer.allocUnsafe(2 * PIECE_BYTES);
  length = 0;
  /** Of the pieces that were taken. */
  checksum = 0;

  add(text: string): void {
    const most = this.length + text.length * MAX_BYTES_A_CHARACTER;
    if (most > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(most + PIECE_BYTES);
      this.#bytes.copy(larger, 0, 0, this.length);
      this.#bytes = larger;
    }
    this.length += this.#bytes.write(text, this.length);
  }

  /** The bytes so far, which the next text overwrites. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.length);
    this.length = 0;
    this.checksum = crc32(bytes, this.checksum);
    return bytes;
  }
}
