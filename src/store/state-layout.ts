import { isAscii, isUtf8 } from "node:buffer";
import type { Change } from "../core/records.ts";
import { describe } from "./journal-line.ts";
import { countLines } from "./lines.ts";
import {
  type Header,
  headerSchema,
  type ListName,
  LISTS,
  RARE_LISTS,
  rowCheckers,
} from "./schema.ts";

/** What a state file holds beside its header. */
export type Lists = Pick<Change, ListName>;

const PIECE_CHARACTERS = 1 << 16;
const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const NO_LINE = "neither a record nor the beginning or end of a list is expected there";

/**
 * A state file's text, piece by piece: valid JSON in which the header is the first line and every
 * record a line of its own, so that it is written and read a line at a time whatever its size.
 * (V8 cannot hold a string of more than 512 MB, and a large one would hold up everything else.)
 */
export function* writeState(header: Header, lists: Lists): Generator<string> {
  let text = `${JSON.stringify(header).slice(0, -1)},\n`;
  const written = LISTS.filter((name) => !RARE_LISTS.has(name) || lists[name]?.length);
  for (const [index, name] of written.entries()) {
    text += `"${name}":[`;
    let separator = "\n";
    for (const row of lists[name] ?? []) {
      text += separator + JSON.stringify(row);
      separator = ",\n";
      if (text.length < PIECE_CHARACTERS) continue;
      yield text;
      text = "";
    }
    text += index === written.length - 1 ? "\n]}\n" : "\n],\n";
  }
  yield text;
}

/** Who is told what a state file says. */
export interface StateSink {
  header(header: Header): void;
  rows(list: ListName, rows: readonly object[]): void;
  /** A line that cannot be understood; whatever else can is told all the same. */
  damage(line: number, reason: string): void;
}

/** Reads the text that `writeState` writes. */
export class StateReader {
  readonly #sink: StateSink;
  #list: ListName | undefined;
  #begun = 0;
  #hasEnded = false;
  #line = 0;

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
    for (let start = 0; start < block.length;) {
      const rows = this.#list && block.subarray(start, endOfRows(block, start));
      if (this.#list && rows && this.#readRows(this.#list, rows)) start += rows.length;
      else {
        const end = block.indexOf(LINE_FEED, start);
        this.#readLine(block.subarray(start, end));
        start = end + 1;
      }
    }
  }

  /** @param rest what stands behind the last line feed */
  end(rest: Buffer): void {
    if (this.#line === 0) throw new UnknownLayout();
    if (rest.length > 0) this.#readLine(rest);
    if (!this.#hasEnded) this.#sink.damage(this.#line, "the file ends there, too early");
  }

  #readLine(bytes: Buffer): void {
    this.#line++;
    if (this.#line === 1) return this.#readHeader(bytes);
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
    this.#line += lines;
    return true;
  }

  /** Whatever stands where a list should begin or end, the records behind it are read. */
  #readBeginning(text: string): void {
    const next = LISTS[this.#begun];
    const isBeginning = next !== undefined && text === `"${next}":[`;
    if (!isBeginning || this.#list) this.#sink.damage(this.#line, NO_LINE);
    if (!isBeginning && this.#list) return;
    this.#list = next;
    this.#begun++;
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
  const header: Record<string, unknown> = { ...document };
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
