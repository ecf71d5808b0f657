import { isAscii, isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import type { Change } from "../core/state/records.ts";
import { describe, toDigits } from "./journal-line.ts";
import { countLines } from "./lines.ts";
import {
  type Header,
  headerSchema,
  type ListName,
  LISTS,
  RARE_LISTS,
  rowCheckers,
  type Trailer,
  trailerSchema,
} from "./schema.ts";

/** What a state file holds beside its header. */
export type Lists = Pick<Change, ListName>;

const PIECE_CHARACTERS = 1 << 16;
const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const TRAILER_BEGINNING = '"counts":';
const NO_LINE = "neither a record nor the beginning or end of a list is expected there";

/**
 * A state file's text, piece by piece: valid JSON in which the header is the first line and every
 * record a line of its own, so that it is written and read a line at a time whatever its size.
 * (V8 cannot hold a string of more than 512 MB, and a large one would hold up everything else.)
 * The last line is the trailer: how many rows each list has, and a checksum of all lines before it.
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

/** A list whose number of rows is not the one that was written. */
interface Difference {
  readonly list: ListName;
  readonly written: number;
  readonly found: number;
}

/** How a file differs from what was written, as a clause. */
function describeChange(
  differences: readonly Difference[],
  otherwise = "the same number of records, with other content",
): string {
  const number = (count: number): string => count.toLocaleString("en-US");
  const all = differences.map(
    ({ list, written, found }) => `${number(written)} → ${number(found)} ${NOUNS[list]}`,
  );
  return all.length > 0 ? all.join(", ") : otherwise;
}

const NOUNS: Readonly<Record<ListName, string>> = {
  webhookConfigurations: "webhook configurations",
  changedAssumptions: "changed assumptions",
  payins: "payins",
  payouts: "payouts",
  deliveries: "deliveries",
  faults: "faults",
};

/** Who is told what a state file says. */
export interface StateSink {
  header(header: Header): void;
  rows(list: ListName, rows: readonly object[]): void;
  /** A line that cannot be understood; whatever else can is told all the same. */
  damage(line: number, reason: string): void;
  /** The file is not as it was written: how it differs, in a clause. Never called for a file without a trailer. */
  changed?(how: string): void;
}

/** Reads the text that `writeState` writes. */
export class StateReader {
  readonly #sink: StateSink;
  #list: ListName | undefined;
  #begun = 0;
  #hasEnded = false;
  #line = 0;
  /** Of all bytes before the trailer. */
  #checksum = 0;
  readonly #counts = new Map<ListName, number>();
  #trailer: Trailer | undefined;

  constructor(sink: StateSink) {
    this.#sink = sink;
  }

  /**
   * @param block whole lines
   * @param number of the first of them
   * @throws UnknownLayout where the first line is no header, HeaderError where it is that of something else.
   */
  read(block: Buffer, number: number): void {
    this.#line = number - 1;
    let checked = block.length;
    for (let start = 0; start < block.length;) {
      const rows = this.#list && block.subarray(start, endOfRows(block, start));
      if (this.#list && rows && this.#readRows(this.#list, rows)) start += rows.length;
      else {
        const end = block.indexOf(LINE_FEED, start);
        const isTrailer = this.#readLine(block.subarray(start, end));
        if (isTrailer) checked = start;
        start = end + 1;
      }
    }
    this.#checksum = crc32(block.subarray(0, checked), this.#checksum);
  }

  /** @param rest what stands behind the last line feed */
  end(rest: Buffer): void {
    if (this.#line === 0) throw new UnknownLayout();
    if (rest.length > 0) this.#readLine(rest);
    if (!this.#hasEnded) this.#sink.damage(this.#line, "the file ends there, too early");
    if (!this.#trailer) return;
    const isSame = this.#trailer.crc32 === toDigits(this.#checksum);
    const differences = differencesOf(this.#trailer, this.#counts);
    if (!isSame || differences.length > 0) this.#sink.changed?.(describeChange(differences));
  }

  /** @returns whether it is the trailer. */
  #readLine(bytes: Buffer): boolean {
    this.#line++;
    if (this.#line === 1) this.#readHeader(bytes);
    else if (bytes.toString("latin1", 0, TRAILER_BEGINNING.length) === TRAILER_BEGINNING)
      return this.#readTrailer(bytes.toString());
    else this.#readBody(bytes);
    return false;
  }

  #readTrailer(text: string): boolean {
    const { success, data } = trailerSchema.safeParse(parse(`{${text}`));
    const isInPlace = !this.#hasEnded && !this.#list && this.#mayEnd();
    if (!success || !isInPlace) {
      this.#sink.damage(this.#line, success ? NO_LINE : "its counts and checksum cannot be read");
      return false;
    }
    this.#trailer = data;
    this.#hasEnded = true;
    return true;
  }

  #readBody(bytes: Buffer): void {
    const text = bytes.toString();
    if (text.startsWith("{") && this.#list) this.#readRow(this.#list, text, isUtf8(bytes));
    else if (text === "]," && this.#list) this.#list = undefined;
    else if (text === "]}" && this.#list && this.#mayEnd()) {
      this.#list = undefined;
      this.#hasEnded = true;
    } else this.#readBeginning(text);
  }

  /**
   * Reads many rows at once: V8 puts what it makes of a long text where it can stay, and moves what it
   * makes of many short ones twice.
   * @returns whether they are as they were written; if not, they are read one by one.
   */
  #readRows(list: ListName, bytes: Buffer): boolean {
    const lines = countLines(bytes);
    if (lines < 2 || !isUtf8(bytes)) return false;
    // Most are plain ASCII, which needs no decoding.
    const encoding = isAscii(bytes) ? "latin1" : "utf8";
    const text = bytes.toString(encoding, 0, bytes.length - (bytes.at(-2) === COMMA ? 2 : 1));
    const rows = parse(`[${text}]`);
    if (!Array.isArray(rows) || rows.length !== lines) return false;
    if (!rows.every((row) => rowCheckers[list](row).success)) return false;
    this.#sink.rows(list, rows);
    this.#count(list, lines);
    this.#line += lines;
    return true;
  }

  /** Whatever stands where a list should begin or end, the records behind it are read. */
  #readBeginning(text: string): void {
    const next = LISTS[this.#begun];
    const isBeginning = !this.#hasEnded && next !== undefined && text === `"${next}":[`;
    if (!isBeginning || this.#list) this.#sink.damage(this.#line, NO_LINE);
    if (!isBeginning && this.#list) return;
    this.#list = next;
    this.#begun++;
  }

  #count(list: ListName, rows: number): void {
    this.#counts.set(list, (this.#counts.get(list) ?? 0) + rows);
  }

  #mayEnd(): boolean {
    return LISTS.slice(this.#begun).every((name) => RARE_LISTS.has(name));
  }

  #readHeader(bytes: Buffer): void {
    const text = bytes.toString();
    if (!text.startsWith('{"format":') || !text.endsWith(",") || !isUtf8(bytes))
      throw new UnknownLayout();
    const header = parse(`${text.slice(0, -1)}}`);
    if (header === undefined) throw new UnknownLayout();
    this.#sink.header(toHeader(header));
  }

  #readRow(list: ListName, text: string, isText: boolean): void {
    this.#count(list, 1);
    const row = isText ? parse(text.endsWith(",") ? text.slice(0, -1) : text) : undefined;
    if (row === undefined) this.#sink.damage(this.#line, "it is no JSON");
    else tellRow(this.#sink, list, row, this.#line);
  }
}

/**
 * Reads a state file that is laid out in any other way, as a formatter leaves it.
 * @throws HeaderError where it is no state of this version.
 */
export function readWholeState(bytes: Buffer, sink: StateSink): void {
  if (bytes.length === 0) throw new HeaderError("it is empty");
  const document = isUtf8(bytes) ? parse(bytes.toString()) : undefined;
  if (document === undefined) throw new HeaderError("it is no JSON");
  if (typeof document !== "object" || document === null) throw new HeaderError("it is no object");
  const { counts, crc32: _ofOtherBytes, ...rest } = document as Record<string, unknown>;
  const header: Record<string, unknown> = { ...rest };
  const lists = LISTS.map((name) => {
    const rows = header[name];
    delete header[name];
    return [name, rows] as const;
  });
  sink.header(toHeader(header));
  for (const [name, rows] of lists) {
    if (rows === undefined && RARE_LISTS.has(name)) continue;
    if (!Array.isArray(rows)) throw new HeaderError(`${name}: it is no list`);
    for (const row of rows) tellRow(sink, name, row, 1);
  }
  if (counts === undefined) return;
  const trailer = trailerSchema.shape.counts.safeParse(counts);
  if (!trailer.success) throw new HeaderError(`counts: ${describe(trailer.error.issues)}`);
  const found = lists.map(([name, rows]) => [name, Array.isArray(rows) ? rows.length : 0] as const);
  sink.changed?.(
    describeChange(
      differencesOf({ counts: trailer.data, crc32: "" }, new Map(found)),
      "the same number of records, laid out in another way",
    ),
  );
}

function differencesOf(
  { counts }: Trailer,
  found: ReadonlyMap<ListName, number>,
): readonly Difference[] {
  return LISTS.map((list) => ({
    list,
    written: counts[list] ?? 0,
    found: found.get(list) ?? 0,
  })).filter((one) => one.written !== one.found);
}

/** It is not laid out a record a line. */
export class UnknownLayout extends Error {
  override readonly name = "UnknownLayout";
}

/** It is no state that this version of pix-sandbox can read, and why. */
export class HeaderError extends Error {
  override readonly name = "HeaderError";
}

function toHeader(value: unknown): Header {
  const { success, data, error } = headerSchema.safeParse(value);
  if (!success) throw new HeaderError(describe(error.issues));
  return data;
}

/** Where the rows that begin at a place end: a list's end is a line of its own. */
function endOfRows(block: Buffer, start: number): number {
  const end = block.indexOf("\n]", start);
  return end < 0 ? block.length : end + 1;
}

function tellRow(sink: StateSink, list: ListName, row: unknown, line: number): void {
  const { success, error } = rowCheckers[list](row);
  if (success) sink.rows(list, [row as object]);
  else sink.damage(line, `in ${list}, ${describe(error.issues)}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
