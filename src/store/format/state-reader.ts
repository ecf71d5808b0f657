import { isAscii, isUtf8 } from "node:buffer";
import { NO_JSON } from "./journal-line.ts";
import { countLines } from "./lines.ts";
import { toHeader, UnknownLayout } from "./header.ts";
import { type ListName, LISTS, RARE_LISTS, rowCheckers } from "./schema.ts";
import { parse, passRow, type StateSink } from "./state-sink.ts";
import { say } from "../../text/message.ts";

const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const END_OF_LIST = Buffer.from("\n]");
/**
 * How much is parsed at once. V8 gives a text over 128 KB its own pages, and allocating them costs more than filling
 * them.
 */
const TEXT_BYTES = 120_000;
/** The last line of files that earlier versions wrote: counts and a checksum, which are ignored. */
const TRAILER = /^"counts":.*\}$/;

/** Reads the text that `writeState` writes. */
export class StateReader {
  readonly #sink: StateSink;
  /** The list whose rows are being read. */
  #list: ListName | undefined;
  /** How many lists have begun. */
  #begun = 0;
  #hasEnded = false;
  #line = 0;
  /** Rows as a JSON array. */
  readonly #array = Buffer.allocUnsafe(TEXT_BYTES + 2);

  constructor(sink: StateSink) {
    this.#sink = sink;
  }

  /**
   * Reads the next lines.
   * @throws UnknownLayout if the first line is not a header, HeaderError if it is not one of this version.
   */
  read(block: Buffer): void {
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

  /** @param rest the bytes after the last line feed */
  end(rest: Buffer): void {
    if (this.#line === 0) throw new UnknownLayout();
    if (rest.length > 0) this.#readLine(rest);
    if (!this.#hasEnded) this.#sink.damage(this.#line, ENDS_EARLY);
  }

  #readLine(bytes: Buffer): void {
    this.#line++;
    if (this.#line === 1) this.#readHeader(bytes);
    else this.#readBody(bytes);
  }

  #readBody(bytes: Buffer): void {
    const text = bytes.toString();
    if (text.startsWith("{") && this.#list) this.#readRow(this.#list, text, isUtf8(bytes));
    else if (text === "]," && this.#list) this.#list = undefined;
    else if (text === "]}" && this.#list && this.#mayEnd()) {
      this.#list = undefined;
      this.#hasEnded = true;
    } else if (TRAILER.test(text) && !this.#list && !this.#hasEnded && this.#mayEnd())
      this.#hasEnded = true;
    else this.#readListStart(text);
  }

  /**
   * Reads many rows at once, which is faster than one by one.
   * @returns false if a row is not as it was written; the rows are then read one by one.
   */
  #readRows(list: ListName, bytes: Buffer): boolean {
    const lines = countLines(bytes);
    if (lines < 2) return false;
    // Most rows are ASCII, which needs no decoding.
    const isLatin = isAscii(bytes);
    if (!isLatin && !isUtf8(bytes)) return false;
    // Brackets are added to the bytes: adding them to the text would copy it.
    const end = bytes.at(-2) === COMMA ? bytes.length - 1 : bytes.length;
    this.#array[0] = OPENING_BRACKET;
    bytes.copy(this.#array, 1);
    this.#array[end] = CLOSING_BRACKET;
    const rows = parse(this.#array.toString(isLatin ? "latin1" : "utf8", 0, end + 1));
    if (!Array.isArray(rows) || rows.length !== lines) return false;
    if (!rows.every((row) => rowCheckers[list](row).success)) return false;
    this.#sink.rows(list, rows);
    this.#line += lines;
    return true;
  }

  /** Reads the line that starts a list. If the line is damaged, the records after it are read all the same. */
  #readListStart(text: string): void {
    const next = LISTS[this.#begun];
    const isStart = !this.#hasEnded && next !== undefined && text === `"${next}":[`;
    if (!isStart || this.#list) this.#sink.damage(this.#line, UNEXPECTED);
    if (!isStart && this.#list) return;
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
    this.#sink.header(toHeader(header as object));
  }

  #readRow(list: ListName, text: string, isText: boolean): void {
    const row = isText ? parse(text.endsWith(",") ? text.slice(0, -1) : text) : undefined;
    if (row === undefined) this.#sink.damage(this.#line, NO_JSON);
    else passRow(this.#sink, list, row, this.#line);
  }
}

/**
 * Where the next rows to read end: before the end of their list, which is a line of its own, if that is near. If the
 * next row is very long, they end where they start.
 */
function endOfRows(block: Buffer, start: number): number {
  const next = block.subarray(start, start + TEXT_BYTES);
  const beforeEnd = next.indexOf(END_OF_LIST);
  const last = beforeEnd < 0 ? next.lastIndexOf(LINE_FEED) : beforeEnd;
  return start + last + 1;
}

const UNEXPECTED = say`a record, or the start or end of a list, was expected`;
const ENDS_EARLY = say`the file ends too early`;
