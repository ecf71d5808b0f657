import { crc32 } from "node:zlib";
import type { Change } from "../core/records.ts";
import { journalLineSchema } from "./schema.ts";

/** One commit, as a line of the journal tells it. */
export interface JournalEntry {
  /** Its place among all commits of this state: the next one's is one higher. */
  readonly sequence: number;
  /** The number of the newest event by then, whether a record shows it or not. */
  readonly lastEventNumber: number;
  readonly change: Change;
}

/** Every line begins with it, and nowhere else can it stand: in a text of JSON its quotes are escaped. */
export const LINE_BEGINNING = '{"crc32":"';
const DIGITS = 8;
/** What the checksum is of begins here: `{"crc32":"01234567",` stands before it. */
const CHECKED_FROM = LINE_BEGINNING.length + DIGITS + 2;
const PLACE_OF_CHECKSUM = `${LINE_BEGINNING}${"0".repeat(DIGITS)}",`;

/** Lines in the order in which they were added, in one piece of memory, ready to be written at once. */
export class JournalLines {
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  #length = 0;
  count = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  add({ sequence, lastEventNumber, change }: JournalEntry): void {
    const text = `${PLACE_OF_CHECKSUM}"sequence":${sequence},"lastEventNumber":${lastEventNumber},"change":${JSON.stringify(change)}}\n`;
    const start = this.#length;
    this.#makeRoom(text.length * MAX_BYTES_A_CHARACTER);
    this.#length += this.#bytes.write(text, start, "utf8");
    const checked = this.#bytes.subarray(start + CHECKED_FROM, this.#length - 1);
    this.#bytes.write(toDigits(crc32(checked)), start + LINE_BEGINNING.length, "latin1");
    this.count++;
  }

  clear(): void {
    this.#length = 0;
    this.count = 0;
    // One burst is no reason to hold on to its memory for ever.
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(wanted, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

const INITIAL_BYTES = 1 << 16;
const KEPT_BYTES = 1 << 22;
/** Of UTF-8, for each UTF-16 code unit of a string. */
const MAX_BYTES_A_CHARACTER = 3;

/** What is wrong with a line, in one clause, and whether it is all the same as it was written. */
export interface DamagedLine {
  readonly damage: string;
  readonly isWhole: boolean;
}

/** What a line of the journal, without its line feed, says. */
export function readJournalLine(line: Buffer): JournalEntry | DamagedLine {
  const beginning = line.toString("latin1", 0, CHECKED_FROM);
  const checksum = toDigits(crc32(line.subarray(CHECKED_FROM)));
  if (beginning !== `${LINE_BEGINNING}${checksum}",`)
    return { damage: "its checksum does not fit", isWhole: false };
  let entry: unknown;
  try {
    entry = JSON.parse(line.toString());
  } catch {
    return { damage: "it is no JSON", isWhole: true };
  }
  const { success, error } = journalLineSchema.safeParse(entry);
  if (success) return entry as JournalEntry;
  return { damage: `it holds something unknown (${describe(error.issues)})`, isWhole: true };
}

/** Where and what the first problem is, for a sentence. */
export function describe(
  issues: readonly { readonly path: PropertyKey[]; readonly message: string }[],
): string {
  const [issue] = issues;
  return issue ? `${issue.path.join(".") || "the whole"}: ${issue.message}` : "";
}

function toDigits(checksum: number): string {
  return checksum.toString(16).padStart(DIGITS, "0");
}
