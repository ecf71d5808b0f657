import { crc32 } from "node:zlib";
import type { LocalizedText } from "../core/localized-text.ts";
import type { Change } from "../core/state/records.ts";
import { STORE_LIMITS } from "./limits.ts";
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
  readonly #heldBytes: number;
  count = 0;

  constructor(heldBytes = STORE_LIMITS.heldBytes) {
    this.#heldBytes = heldBytes;
  }

  /** How much memory there is for lines now. */
  get capacity(): number {
    return this.#bytes.length;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  add({ sequence, lastEventNumber, change }: JournalEntry): void {
    const head = `${PLACE_OF_CHECKSUM}"sequence":${sequence},"lastEventNumber":${lastEventNumber},"change":`;
    const text = JSON.stringify(change);
    const start = this.#length;
    this.#makeRoom(head.length + text.length * MAX_BYTES_A_CHARACTER + 2);
    // Piece by piece: joined, they would be copied once more before they are written.
    const bytes = this.#bytes;
    let end = start + bytes.write(head, start, "latin1");
    end += bytes.write(text, end, "utf8");
    bytes[end++] = CLOSING_BRACE;
    writeDigits(
      crc32(bytes.subarray(start + CHECKED_FROM, end)),
      bytes,
      start + LINE_BEGINNING.length,
    );
    bytes[end++] = LINE_FEED;
    this.#length = end;
    this.count++;
  }

  clear(): void {
    this.#length = 0;
    this.count = 0;
    // One burst is no reason to hold on to its memory for ever.
    if (this.#bytes.length > this.#heldBytes) this.#bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(wanted, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

const CLOSING_BRACE = 0x7d;
const LINE_FEED = 0x0a;
const INITIAL_BYTES = 1 << 16;
/** Of UTF-8, for each UTF-16 code unit of a string. */
const MAX_BYTES_A_CHARACTER = 3;

/** What is wrong with a line, in one clause, and whether it is all the same as it was written. */
export interface DamagedLine {
  readonly damage: LocalizedText;
  readonly isWhole: boolean;
}

/** What a line of the journal, without its line feed, says. */
export function readJournalLine(line: Buffer): JournalEntry | DamagedLine {
  const beginning = line.toString("latin1", 0, CHECKED_FROM);
  const checksum = toDigits(crc32(line.subarray(CHECKED_FROM)));
  if (beginning !== `${LINE_BEGINNING}${checksum}",`)
    return { damage: WRONG_CHECKSUM, isWhole: false };
  let entry: unknown;
  try {
    entry = JSON.parse(line.toString());
  } catch {
    return { damage: NO_JSON, isWhole: true };
  }
  const { success, error } = journalLineSchema.safeParse(entry);
  if (success) return entry as JournalEntry;
  const unknown = describe(error.issues);
  const damage = {
    en: `it has unknown content (${unknown})`,
    pt: `tem conteúdo desconhecido (${unknown})`,
  };
  return { damage, isWhole: true };
}

const WRONG_CHECKSUM = {
  en: "its checksum does not match",
  pt: "a soma de verificação não confere",
};

export const NO_JSON: LocalizedText = { en: "it is not valid JSON", pt: "não é um JSON válido" };

/** Where and what the first problem is, for a sentence. */
export function describe(
  issues: readonly { readonly path: PropertyKey[]; readonly message: string }[],
): string {
  const [issue] = issues;
  return issue ? `${issue.path.join(".") || "(root)"}: ${issue.message}` : "";
}

function writeDigits(checksum: number, bytes: Buffer, position: number): void {
  for (let digit = 0; digit < DIGITS; digit++) {
    const value = (checksum >>> (4 * (DIGITS - 1 - digit))) & 0xf;
    bytes[position + digit] = value < 10 ? 0x30 + value : 0x57 + value;
  }
}

export function toDigits(checksum: number): string {
  return checksum.toString(16).padStart(DIGITS, "0");
}
