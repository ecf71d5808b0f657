import type { State } from "../../core/state/ports.ts";
import type { Change } from "../../core/state/records.ts";
import { MAX_BYTES_A_CHARACTER } from "./journal-line.ts";
import { FORMAT, type Header, type ListName, LISTS, RARE_LISTS, VERSION } from "./schema.ts";

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
 * a file of any size can be written and read line by line. (V8 cannot hold a string of more than 512 MB.)
 * @returns pieces of which each is valid until the next one.
 */
export function* writeState(header: Header, lists: Lists): Generator<Buffer> {
  const piece = new Piece();
  piece.add(`${JSON.stringify(header).slice(0, -1)},\n`);
  const written = LISTS.filter((name) => !RARE_LISTS.has(name) || lists[name]?.length);
  for (const [index, name] of written.entries()) {
    piece.add(`${index > 0 ? ",\n" : ""}"${name}":[`);
    let separator = "\n";
    for (const row of lists[name] ?? []) {
      // Added one by one: joining them first would be one more copy.
      piece.add(separator);
      piece.add(JSON.stringify(row));
      separator = ",\n";
      if (piece.length >= PIECE_BYTES) yield piece.take();
    }
    piece.add("\n]");
  }
  piece.add("}\n");
  yield piece.take();
}

/** Text as bytes, in memory that is used again for each piece: a large state would leave gigabytes of garbage. */
class Piece {
  #bytes = Buffer.allocUnsafe(2 * PIECE_BYTES);
  length = 0;

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
    return bytes;
  }
}
