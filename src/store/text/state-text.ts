import { isAscii, isUtf8 } from "node:buffer";
import { LocalizedError } from "../../core/records/errors.ts";
import { type Lists, Records, TABLE_NAMES, type TableName } from "../../core/state/records.ts";
import { linesIn, parse, readBlocks } from "./lines.ts";
import { FORMAT, type Header, headerSchema, rowCheckers, VERSION } from "./schema.ts";
import { type Message, say } from "../../text/message.ts";

/** The document is not a state or a snapshot that this version of pix-sandbox reads. */
export class NotAState extends LocalizedError {
  override readonly name = "NotAState";
}

/** The records of a piece are written within half a millisecond; requests are handled between the pieces. */
const PIECE_CHARACTERS = 1 << 16;

/**
 * Writes a document piece by piece: valid JSON with the header in the first line and one record a line, so that one of
 * any size can be written and read. (V8 cannot hold a string of more than 512 MB.)
 */
export function* writeStateText(
  heading: Omit<Header, "format" | "version">,
  lists: Lists,
): Generator<Buffer> {
  let text = JSON.stringify({ format: FORMAT, version: VERSION, ...heading }).slice(0, -1);
  for (const name of TABLE_NAMES) {
    text += `,\n"${name}":[`;
    let separator = "\n";
    for (const row of lists[name] ?? []) {
      text += separator + JSON.stringify(row);
      separator = ",\n";
      if (text.length < PIECE_CHARACTERS) continue;
      yield Buffer.from(text);
      text = "";
    }
    text += "\n]";
  }
  yield Buffer.from(`${text}}\n`);
}

/**
 * Reads what `writeStateText` writes into records, and also a document that an editor or a formatter has laid out anew.
 * @returns its header, and its size in bytes
 * @throws NotAState
 */
export async function readStateText(
  pieces: AsyncIterable<Buffer>,
  records: Records,
): Promise<{ readonly header: Header; readonly bytes: number }> {
  const reader = new Reader(records);
  let bytes = 0;
  const rest = await readBlocks(pieces, (block) => {
    bytes += block.length;
    reader.read(block);
  });
  const header = reader.end(rest);
  return { header, bytes: bytes + rest.length };
}

/** Reads only the header, which has everything but the records. */
export async function readHeader(pieces: AsyncIterable<Buffer>): Promise<Header> {
  let start = Buffer.alloc(0);
  for await (const piece of pieces) {
    start = Buffer.concat([start, piece]);
    const header = headerIn(start.subarray(0, start.indexOf("\n") + 1));
    if (header) return toHeader(header);
  }
  // An editor has laid it out anew.
  return new Reader(new Records()).end(start);
}

const OPENING_BRACE = 0x7b;
/** How much is parsed at once. V8 gives a text over 128 KB its own pages, and allocating them costs more than filling them. */
const TEXT_BYTES = 120_000;

/** The lines with which the lists begin and end. */
const STRUCTURE = TABLE_NAMES.flatMap((name, index) => [
  `"${name}":[`,
  index === TABLE_NAMES.length - 1 ? "]}" : "],",
]);

class Reader {
  readonly #records: Records;
  #header: Header | undefined;
  #line = 0;
  /** How many lines of {@link STRUCTURE} were read. */
  #begun = 0;
  /** All blocks of a document with another layout. */
  #whole: Buffer[] | undefined;

  constructor(records: Records) {
    this.#records = records;
  }

  /** Reads the next lines. */
  read(block: Buffer): void {
    for (let start = 0; start < block.length;) {
      if (this.#whole) return void this.#whole.push(block.subarray(start));
      const isRow = this.#begun % 2 === 1 && block[start] === OPENING_BRACE;
      const list = isRow ? TABLE_NAMES[this.#begun >> 1] : undefined;
      const end = (list && endOfRows(block, start)) || block.indexOf("\n", start) + 1;
      const bytes = block.subarray(start, end || block.length);
      if (list) this.#readRows(list, bytes);
      else this.#readLine(bytes);
      start += bytes.length;
    }
  }

  /** @param rest the bytes after the last line feed */
  end(rest: Buffer): Header {
    this.read(rest);
    if (!this.#header) return this.#readWhole(Buffer.concat(this.#whole ?? []));
    if (this.#begun < STRUCTURE.length) throw damaged(this.#line, say`the file ends too early`);
    return this.#header;
  }

  #readLine(bytes: Buffer): void {
    if (++this.#line === 1) {
      const header = headerIn(bytes);
      if (header) this.#header = toHeader(header);
      else this.#whole = [bytes];
    } else if (bytes.toString().trimEnd() === STRUCTURE[this.#begun]) this.#begun++;
    else throw damaged(this.#line, UNEXPECTED);
  }

  /** Reads many rows at once, which is faster than one by one. */
  #readRows(list: TableName, bytes: Buffer): void {
    const lines = linesIn(bytes);
    const rows = rowsIn(bytes);
    const fault = rows?.length === lines.length ? faultIn(list, rows) : NO_JSON;
    if (fault && lines.length > 1) return lines.forEach((line) => this.#readRows(list, line));
    this.#line += lines.length;
    const error = fault ?? this.#load(list, rows as never);
    if (error) throw damaged(this.#line, error);
  }

  #readWhole(bytes: Buffer): Header {
    const document = isUtf8(bytes) ? parse(bytes.toString()) : undefined;
    if (document === undefined) throw new NotAState(NO_JSON);
    const members: Record<string, unknown> = { ...(document as object) };
    const lists = TABLE_NAMES.map((name) => [name, members[name]] as const);
    for (const name of TABLE_NAMES) delete members[name];
    const header = toHeader(members);
    for (const [name, rows] of lists) {
      const fault = Array.isArray(rows) ? faultIn(name, rows) : say`"${name}" is not a list`;
      const error = fault ?? this.#load(name, rows as never);
      if (error) throw new NotAState(error);
    }
    return header;
  }

  /** @returns what is wrong with the rows, although each is valid */
  #load(list: TableName, rows: never): Message | undefined {
    const twice = this.#records.load(list, rows);
    return twice === undefined ? undefined : say`the record "${twice}" appears twice`;
  }
}

/** @returns the header in a first line, unchecked; undefined if the document has another layout */
function headerIn(line: Buffer): object | undefined {
  const text = line.toString();
  if (!text.startsWith('{"format":') || !text.endsWith(",\n") || !isUtf8(line)) return undefined;
  return parse(`${text.slice(0, -2)}}`) as object | undefined;
}

/** @throws NotAState if the value is not a header of this version */
function toHeader(value: object): Header {
  const { success, data, error } = headerSchema.safeParse(value);
  if (success) return data;
  const isOther = error.issues[0]?.path[0] === "version";
  throw new NotAState(
    isOther
      ? say`its "version" is not ${VERSION}, so another version of pix-sandbox wrote it`
      : wrongMember(error),
  );
}

function damaged(line: number, reason: Message): NotAState {
  return new NotAState(say`line ${line} is damaged: ${reason}`);
}

/** Names the first member that a schema refuses. */
function wrongMember(
  { issues }: { readonly issues: readonly { readonly path: PropertyKey[] }[] },
  ...start: string[]
): Message {
  const member = [...start, ...(issues[0]?.path ?? [])].join(".");
  return say`"${member}" is missing or has an invalid value`;
}

/** What is wrong with the first row that its schema refuses. */
function faultIn(list: TableName, rows: readonly unknown[]): Message | undefined {
  for (const row of rows) {
    const { error } = rowCheckers[list](row);
    if (error) return wrongMember(error, list);
  }
  return undefined;
}

/** @returns the rows in some lines; undefined if they are not JSON */
function rowsIn(lines: Buffer): unknown[] | undefined {
  // Most rows are ASCII, which needs no decoding.
  const encoding = isAscii(lines) ? "latin1" : "utf8";
  if (encoding === "utf8" && !isUtf8(lines)) return undefined;
  // Brackets are added to the bytes: adding them to the text would copy it.
  const rows = lines.subarray(0, lines.lastIndexOf("}") + 1);
  const array = Buffer.concat([Buffer.from("["), rows, Buffer.from("]")]);
  return parse(array.toString(encoding)) as unknown[] | undefined;
}

/** Where the next rows end: before the end of their list, which is a line of its own. 0 if the next row is very long. */
function endOfRows(block: Buffer, start: number): number {
  const next = block.subarray(start, start + TEXT_BYTES);
  const beforeEnd = next.indexOf("\n]");
  const last = beforeEnd < 0 ? next.lastIndexOf("\n") : beforeEnd;
  return last < 0 ? 0 : start + last + 1;
}
const NO_JSON = say`it is not valid JSON`;
const UNEXPECTED = say`a record, or the start or end of a list, was expected`;
