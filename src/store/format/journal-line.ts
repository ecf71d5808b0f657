import { crc32 } from "node:zlib";
import type { JournalBatch, JournalEntry } from "../../core/state/ports.ts";
import { STORE_LIMITS } from "./limits.ts";
import { journalLineSchema } from "./schema.ts";
import { type Message, say } from "../../text/message.ts";

/** The prefix of every line. It cannot occur inside a line: quotes in a JSON string are escaped. */
export const LINE_BEGINNING = '{"crc32":"';
const DIGITS = 8;
/** The checksum covers the line from here, after `{"crc32":"01234567",`. */
const CHECKED_FROM = LINE_BEGINNING.length + DIGITS + 2;
const PLACE_OF_CHECKSUM = `${LINE_BEGINNING}${"0".repeat(DIGITS)}",`;

/** Lines in one buffer, to be written with one call. */
export class JournalLines implements JournalBatch {
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  #length = 0;
  readonly #heldBytes: number;
  count = 0;

  constructor(heldBytes = STORE_LIMITS.heldBytes) {
    this.#heldBytes = heldBytes;
  }

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
    // Written in two pieces: joining them first would be one more copy.
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
    // Frees the memory that only a burst needed.
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
/** UTF-8 bytes of one UTF-16 code unit. */
export const MAX_BYTES_A_CHARACTER = 3;

export interface DamagedLine {
  readonly damage: Message;
  /** Whether the checksum matches: the line is as another version wrote it. */
  readonly isWhole: boolean;
}

/** Reads a line without its line feed. */
export function readJournalLine(line: Buffer): JournalEntry | DamagedLine {
  const prefix = line.toString("latin1", 0, CHECKED_FROM);
  const checksum = toDigits(crc32(line.subarray(CHECKED_FROM)));
  if (prefix !== `${LINE_BEGINNING}${checksum}",`)
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
  const damage = say`it has unknown content (${unknown})`;
  return { damage, isWhole: true };
}

const WRONG_CHECKSUM = say`its checksum does not match`;

export const NO_JSON: Message = say`it is not valid JSON`;

/** Describes the first problem that a schema has found: its path and its message. */
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
