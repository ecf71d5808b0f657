import { isAscii, isUtf8 } from "node:buffer";
import { LocalizedError } from "../../core/records/errors.ts";
import {
  type Lists,
  TABLE_NAMES as LISTS,
  type TableName as ListName,
} from "../../core/state/records.ts";
import { describe, NO_JSON } from "./journal-line.ts";
import { countLines, LINE_FEED, MAX_TEXT_BYTES, readBlocks } from "./lines.ts";
import { FORMAT, type Header, headerSchema, rowCheckers, VERSION } from "./schema.ts";
import { type Message, say, verbatim } from "../../text/message.ts";

/** Receives the content of a document while it is read. */
export interface StateSink {
  header(header: Header): void;
  rows(list: ListName, rows: readonly object[]): void;
}

/** The document is not a state or a snapshot that this version of pix-sandbox reads. */
export class NotAState extends LocalizedError {
  override readonly name = "NotAState";
}

/** A line of a document, or of the log, that cannot be read. */
export class DamagedLine extends LocalizedError {
  override readonly name = "DamagedLine";
  /** Counted from 1. */
  readonly line: number;
  /** What is wrong with the line. */
  readonly reason: Message;

  constructor(line: number, reason: Message) {
    super(say`line ${line} is damaged: ${reason}`);
    this.line = line;
    this.reason = reason;
  }
}

/** The records of a piece are written within half a millisecond; requests are handled between the pieces. */
const PIECE_BYTES = 1 << 16;
/** UTF-8 bytes of one UTF-16 code unit. */
const MAX_BYTES_A_CHARACTER = 3;

/**
 * Writes a document piece by piece: valid JSON with the header in the first line and one record a line, so that one of
 * any size can be written and read. (V8 cannot hold a string of more than 512 MB.)
 * @returns pieces of which each is valid until the next one
 */
export function* writeStateText(header: Header, lists: Lists): Generator<Buffer> {
  const piece = new Piece();
  piece.add(JSON.stringify(header).slice(0, -1));
  for (const name of LISTS) {
    piece.add(`,\n"${name}":[`);
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

/**
 * Reads what `writeStateText` writes, and also a document that an editor or a formatter has laid out anew.
 * @returns its size in bytes
 * @throws NotAState, DamagedLine
 */
export async function readStateText(
  pieces: AsyncIterable<Buffer>,
  sink: StateSink,
): Promise<number> {
  const reader = new Reader(sink);
  let bytes = 0;
  const rest = await readBlocks(pieces, (block) => {
    bytes += block.length;
    reader.read(block);
  });
  reader.end(rest);
  return bytes + rest.length;
}

/** Reads only the header, which has everything but the records. */
export async function readHeader(pieces: AsyncIterable<Buffer>): Promise<Header> {
  let start = Buffer.alloc(0);
  for await (const piece of pieces) {
    start = Buffer.concat([start, piece]);
    const end = start.indexOf(LINE_FEED);
    if (end >= 0) return toHeader(headerOf(start.subarray(0, end)) ?? {});
  }
  return toHeader({});
}

const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const END_OF_LIST = Buffer.from("\n]");
/** How much is parsed at once. V8 gives a text over 128 KB its own pages, and allocating them costs more than filling them. */
const TEXT_BYTES = 120_000;

class Reader {
  readonly #sink: StateSink;
  #line = 0;
  /** The list whose rows are being read. */
  #list: ListName | undefined;
  /** How many lists have begun. */
  #begun = 0;
  #hasEnded = false;
  /** All blocks of a document with another layout. */
  #whole: Buffer[] | undefined;
  /** Rows as a JSON array. */
  readonly #array = Buffer.allocUnsafe(TEXT_BYTES + 2);

  constructor(sink: StateSink) {
    this.#sink = sink;
  }

  /** Reads the next lines. */
  read(block: Buffer): void {
    for (let start = 0; start < block.length;) {
      if (this.#whole) return void this.#whole.push(block.subarray(start));
      const rows = this.#list && block.subarray(start, endOfRows(block, start));
      if (this.#list && rows && this.#readRows(this.#list, rows)) start += rows.length;
      else {
        const end = block.indexOf(LINE_FEED, start);
        this.#readLine(block.subarray(start, end + 1));
        start = end + 1;
      }
    }
  }

  /** @param rest the bytes after the last line feed */
  end(rest: Buffer): void {
    if (rest.length > 0) this.#readLine(rest);
    if (this.#whole || this.#line === 0) this.#readWhole(Buffer.concat(this.#whole ?? []));
    else if (!this.#hasEnded) throw new DamagedLine(this.#line, ENDS_EARLY);
  }

  #readLine(bytes: Buffer): void {
    if (this.#whole) return void this.#whole.push(bytes);
    const line = bytes.at(-1) === LINE_FEED ? bytes.subarray(0, -1) : bytes;
    if (++this.#line > 1) return this.#readBody(line);
    const header = headerOf(line);
    if (header === undefined) this.#whole = [bytes];
    else this.#sink.header(toHeader(header));
  }

  #readBody(bytes: Buffer): void {
    const text = bytes.toString();
    const next = LISTS[this.#begun];
    if (text.startsWith("{") && this.#list)
      passRow(this.#sink, this.#list, parseRow(text, bytes), this.#line);
    else if (text === "]," && this.#list && next !== undefined) this.#list = undefined;
    else if (text === "]}" && this.#list && next === undefined) {
      this.#list = undefined;
      this.#hasEnded = true;
    } else if (!this.#list && next !== undefined && text === `"${next}":[`) {
      this.#list = next;
      this.#begun++;
    } else throw new DamagedLine(this.#line, UNEXPECTED);
  }

  /**
   * Reads many rows at once, which is faster than one by one.
   * @returns false if a row is not as it was written; the rows are then read one by one
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

  #readWhole(bytes: Buffer): void {
    if (bytes.length === 0) throw new NotAState(EMPTY);
    if (bytes.length > MAX_TEXT_BYTES) throw new NotAState(TOO_LARGE);
    const document = isUtf8(bytes) ? parse(bytes.toString()) : undefined;
    if (document === undefined) throw new NotAState(NO_JSON);
    if (typeof document !== "object" || document === null) throw new NotAState(NO_OBJECT);
    const header = { ...document } as Record<string, unknown>;
    const lists = LISTS.map((name) => [name, header[name]] as const);
    for (const name of LISTS) delete header[name];
    this.#sink.header(toHeader(header));
    for (const [name, rows] of lists) {
      if (!Array.isArray(rows)) throw new NotAState(say`"${name}" is not a list`);
      for (const row of rows) passRow(this.#sink, name, row, 1);
    }
  }
}

/** @returns the header in a first line, unchecked; undefined if the document has another layout */
function headerOf(line: Buffer): object | undefined {
  const text = line.toString();
  if (!text.startsWith('{"format":') || !text.endsWith(",") || !isUtf8(line)) return undefined;
  return parse(`${text.slice(0, -1)}}`) as object | undefined;
}

/** @throws NotAState if the value is not a header of this version */
function toHeader(value: object): Header {
  const { success, data, error } = headerSchema.safeParse(value);
  if (success) return data;
  const { format, version } = value as { readonly format?: unknown; readonly version?: unknown };
  if (format !== FORMAT) throw new NotAState(say`its "format" is not "${FORMAT}"`);
  if (version !== VERSION) throw new NotAState(say`its "version" is not ${VERSION}`);
  throw new NotAState(verbatim(describe(error.issues)));
}

function passRow(sink: StateSink, list: ListName, row: unknown, line: number): void {
  if (row === undefined) throw new DamagedLine(line, NO_JSON);
  const { success, error } = rowCheckers[list](row);
  if (!success) throw new DamagedLine(line, say`in "${list}", ${describe(error.issues)}`);
  sink.rows(list, [row as object]);
}

function parseRow(text: string, bytes: Buffer): unknown {
  return isUtf8(bytes) ? parse(text.endsWith(",") ? text.slice(0, -1) : text) : undefined;
}

/** @returns undefined if the text is not JSON */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
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
const EMPTY = say`it is empty`;
const NO_OBJECT = say`it is not a JSON object`;
const TOO_LARGE = say`it does not have one record per line and is too large to be read at once`;
