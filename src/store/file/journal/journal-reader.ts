import type { JournalEntry } from "../../../core/state/ports.ts";
import type { Disk } from "../disk/disk.ts";
import type { Damage } from "../../errors.ts";
import { readLines } from "../../format/lines.ts";
import type { JournalFile } from "../disk/names.ts";
import { LINE_BEGINNING, readJournalLine } from "../../format/journal-line.ts";
import { type Message, say } from "../../../text/message.ts";

/** An incomplete last line: a process died while it wrote, so the line was never acknowledged. */
export interface TornTail {
  readonly file: string;
  /** How many bytes of the file come before it. */
  readonly offset: number;
  readonly line: number;
}

/** Reads the entries of journal files, one file after the other, up to the first line that cannot be read. */
export class JournalReader {
  readonly #position: number;
  readonly #onEntry: (entry: JournalEntry) => void;
  bytes = 0;
  /** The sequence number that the next line must have; undefined before the first file. */
  #next: number | undefined;
  /** The first line that cannot be read. */
  #broken: (Damage & TornTail) | undefined;
  /** Whether the broken line is more than the end of a write that a crash interrupted. */
  #isDamage = false;

  /** @param position entries up to this one are skipped */
  constructor(position: number, onEntry: (entry: JournalEntry) => void) {
    this.#position = position;
    this.#onEntry = onEntry;
  }

  get tornTail(): TornTail | undefined {
    return this.#isDamage ? undefined : this.#broken;
  }

  get damages(): readonly Damage[] {
    if (!this.#broken || !this.#isDamage) return [];
    const { file, line, reason } = this.#broken;
    return [{ file, line, reason }];
  }

  async read(disk: Disk, { path: file, first }: JournalFile): Promise<void> {
    this.#begin(file, first);
    let lines = 0;
    let length = 0;
    const rest = await readLines(disk.read(file), (bytes, number, offset) => {
      lines = number;
      length = offset + bytes.length + 1;
      this.#readLine(file, bytes, number, offset);
    });
    const line = { file, line: lines + 1, offset: length, reason: INCOMPLETE };
    if (rest.length > 0) this.#break(line, rest);
    this.bytes += length + rest.length;
  }

  /** A file is created when everything before the number in its name has been written. */
  #begin(file: string, first: number): void {
    const expected = this.#next ?? this.#position + 1;
    this.#next ??= first;
    // A broken last line may be a commit that was never acknowledged.
    if (first <= expected + (this.#broken ? 1 : 0)) return;
    this.#break({ file, line: 1, offset: 0, reason: missing(expected, first) });
    this.#isDamage = true;
  }

  #readLine(file: string, bytes: Buffer, line: number, offset: number): void {
    const entry = this.#broken ? undefined : readJournalLine(bytes);
    if (!entry || "damage" in entry) {
      this.#break({ file, line, offset, reason: entry?.damage ?? INCOMPLETE }, bytes);
      // The checksum matches: another version wrote this line. A crash does not leave such a line.
      if (entry?.isWhole) this.#isDamage = true;
      return;
    }
    const { sequence } = entry;
    if (sequence !== this.#next) {
      this.#break({ file, line, offset, reason: missing(this.#next ?? 0, sequence) });
      this.#isDamage = true;
      return;
    }
    this.#next = sequence + 1;
    if (sequence > this.#position) this.#onEntry(entry);
  }

  /** @param bytes the bytes of the line: if another line begins in or after them, they were not the last to be written */
  #break(broken: Damage & TornTail, bytes: Buffer = Buffer.alloc(0)): void {
    if (bytes.includes(LINE_BEGINNING, this.#broken ? 0 : 1)) this.#isDamage = true;
    this.#broken ??= broken;
  }
}

const INCOMPLETE = say`it is incomplete`;

function missing(expected: number, found: number): Message {
  return say`it is commit ${found}, but commit ${expected} was expected`;
}
