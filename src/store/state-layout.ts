import { isAscii, isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { LocalizedError } from "../core/errors.ts";
import type { Language, LocalizedText } from "../core/localized-text.ts";
import type { Change } from "../core/state/records.ts";
import { describe, NO_JSON, toDigits } from "./journal/journal-line.ts";
import { countLines } from "./lines.ts";
import {
  FORMAT,
  type Header,
  headerSchema,
  type ListName,
  LISTS,
  RARE_LISTS,
  rowCheckers,
  type Trailer,
  trailerSchema,
  VERSION,
} from "./schema.ts";

/** What a state file holds beside its header. */
export type Lists = Pick<Change, ListName>;

const PIECE_CHARACTERS = 1 << 16;
const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const TRAILER_BEGINNING = '"counts":';
const UNEXPECTED = {
  en: "a record, or the start or end of a list, was expected",
  pt: "era esperado um registro, ou o início ou fim de uma lista",
};
const ENDS_EARLY = { en: "the file ends too early", pt: "o arquivo termina cedo demais" };
const UNREADABLE_TRAILER = {
  en: "its record counts or its checksum cannot be read",
  pt: "as contagens de registros ou a soma de verificação não podem ser lidas",
};
const OTHER_CONTENT = {
  en: "the same number of records, but different content",
  pt: "o mesmo número de registros, mas conteúdo diferente",
};
const OTHER_LAYOUT = {
  en: "the same number of records, but a different layout",
  pt: "o mesmo número de registros, mas outra disposição",
};

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
  otherwise: LocalizedText = OTHER_CONTENT,
): LocalizedText {
  if (differences.length === 0) return otherwise;
  const inLanguage = (language: Language): string => {
    const number = (count: number): string => count.toLocaleString(LOCALES[language]);
    return differences
      .map(
        ({ list, written, found }) =>
          `${number(written)} → ${number(found)} ${NOUNS[list][language]}`,
      )
      .join(", ");
  };
  return { en: inLanguage("en"), pt: inLanguage("pt") };
}

const LOCALES: Readonly<Record<Language, string>> = { en: "en-US", pt: "pt-BR" };

const NOUNS: Readonly<Record<ListName, LocalizedText>> = {
  webhookConfigurations: { en: "webhook configurations", pt: "configurações de webhook" },
  changedAssumptions: { en: "changed assumptions", pt: "premissas alteradas" },
  payins: { en: "payins", pt: "payins" },
  payouts: { en: "payouts", pt: "payouts" },
  deliveries: { en: "deliveries", pt: "entregas" },
  faults: { en: "faults", pt: "falhas" },
};

/** Who is told what a state file says. */
export interface StateSink {
  header(header: Header): void;
  rows(list: ListName, rows: readonly object[]): void;
  /** A line that cannot be understood; whatever else can is told all the same. */
  damage(line: number, reason: LocalizedText): void;
  /** The file is not as it was written: how it differs, in a clause. Never called for a file without a trailer. */
  changed?(how: LocalizedText): void;
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
    if (!this.#hasEnded) this.#sink.damage(this.#line, ENDS_EARLY);
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
      this.#sink.damage(this.#line, success ? UNEXPECTED : UNREADABLE_TRAILER);
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
    if (!isBeginning || this.#list) this.#sink.damage(this.#line, UNEXPECTED);
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
    if (row === undefined) this.#sink.damage(this.#line, NO_JSON);
    else tellRow(this.#sink, list, row, this.#line);
  }
}

/**
 * Reads a state file that is laid out in any other way, as a formatter leaves it.
 * @throws HeaderError where it is no state of this version.
 */
export function readWholeState(bytes: Buffer, sink: StateSink): void {
  if (bytes.length === 0) throw new HeaderError(EMPTY);
  const document = isUtf8(bytes) ? parse(bytes.toString()) : undefined;
  if (document === undefined) throw new HeaderError(NO_JSON);
  if (typeof document !== "object" || document === null) throw new HeaderError(NO_OBJECT);
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
    if (!Array.isArray(rows)) throw new HeaderError(noList(name));
    for (const row of rows) tellRow(sink, name, row, 1);
  }
  if (counts === undefined) return;
  const trailer = trailerSchema.shape.counts.safeParse(counts);
  if (!trailer.success) throw new HeaderError(inMember("counts", describe(trailer.error.issues)));
  const found = lists.map(([name, rows]) => [name, Array.isArray(rows) ? rows.length : 0] as const);
  sink.changed?.(
    describeChange(
      differencesOf({ counts: trailer.data, crc32: "" }, new Map(found)),
      OTHER_LAYOUT,
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

/** The file is not a state file that this version of pix-sandbox reads. */
export class HeaderError extends LocalizedError {
  override readonly name = "HeaderError";
}

function toHeader(value: unknown): Header {
  const { success, data, error } = headerSchema.safeParse(value);
  if (success) return data;
  const { format, version } = value as { readonly format?: unknown; readonly version?: unknown };
  if (format !== FORMAT) throw new HeaderError(OTHER_FORMAT);
  if (version !== VERSION) throw new HeaderError(OTHER_VERSION);
  throw new HeaderError(untranslated(describe(error.issues)));
}

/** Where the rows that begin at a place end: a list's end is a line of its own. */
function endOfRows(block: Buffer, start: number): number {
  const end = block.indexOf("\n]", start);
  return end < 0 ? block.length : end + 1;
}

function tellRow(sink: StateSink, list: ListName, row: unknown, line: number): void {
  const { success, error } = rowCheckers[list](row);
  if (success) sink.rows(list, [row as object]);
  else sink.damage(line, inMember(list, describe(error.issues)));
}

const EMPTY = { en: "it is empty", pt: "está vazio" };
const NO_OBJECT = { en: "it is not a JSON object", pt: "não é um objeto JSON" };
const OTHER_FORMAT = {
  en: `its "format" is not "${FORMAT}"`,
  pt: `o "format" dele não é "${FORMAT}"`,
};
const OTHER_VERSION = {
  en: `its "version" is not ${VERSION}`,
  pt: `a "version" dele não é ${VERSION}`,
};

function noList(name: string): LocalizedText {
  return { en: `"${name}" is not a list`, pt: `"${name}" não é uma lista` };
}

/** The schema's own messages are in English only. */
function inMember(name: string, message: string): LocalizedText {
  return { en: `in "${name}", ${message}`, pt: `em "${name}", ${message}` };
}

function untranslated(message: string): LocalizedText {
  return { en: message, pt: message };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
