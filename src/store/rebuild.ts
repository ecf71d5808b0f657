import path from "node:path";
import { Low } from "lowdb";
import type { LocalizedText } from "../core/localized-text.ts";
import { Records } from "../core/state/records.ts";
import type { Disk } from "./disk.ts";
import { type Damage, reasonOf, StateFileError } from "./errors.ts";
import { LINE_BEGINNING, readJournalLine } from "./journal-line.ts";
import { STORE_LIMITS } from "./limits.ts";
import { readLines } from "./lines.ts";
import type { JournalFile, StateNames } from "./names.ts";
import { type Document, StateAdapter } from "./state-adapter.ts";

/** A state as its files tell it. Nothing has been written yet. */
export interface Rebuilt {
  /** lowdb, whose document is the state after the last line that could be applied. */
  readonly db: Low<Document>;
  readonly adapter: StateAdapter;
  readonly hasStateFile: boolean;
  /** The files that the document's last commits come from, oldest first. */
  readonly journals: readonly JournalFile[];
  readonly journalBytes: number;
  /** What is behind the last complete line: begun by a process that died, and never acknowledged. */
  readonly tornTail: TornTail | undefined;
  /** Lines that nobody can understand, with others behind them that are fine. */
  readonly damages: readonly Damage[];
  /** How the state file differs from what was written, in a clause; undefined where it does not, or does not say. */
  readonly changed: LocalizedText | undefined;
  /** Files that are no longer, or never were, part of the state. */
  readonly leftovers: readonly string[];
}

export interface TornTail {
  readonly file: string;
  /** How many bytes stand before it. */
  readonly offset: number;
  readonly line: number;
}

/**
 * Reads state file and journal, and changes nothing.
 * @throws StateFileError where there is no state of this version, or a file cannot be read.
 */
export async function rebuild(
  disk: Disk,
  names: StateNames,
  keepDeliveries: number,
  limits = STORE_LIMITS,
): Promise<Rebuilt> {
  const adapter = new StateAdapter(disk, names, keepDeliveries, limits);
  const empty: Document = { records: new Records(keepDeliveries), sequence: 0 };
  // Built in the open: lowdb's presets turn into a memory store wherever NODE_ENV is "test".
  const db = new Low<Document>(adapter, empty);
  await db.read();
  const hasStateFile = db.data !== empty;

  const found = await disk.list(names.folder).catch(({ message }: Error) => {
    throw new StateFileError({
      en: `The folder of the state file ${names.file} cannot be read: ${message}.`,
      pt: `A pasta do arquivo de estado ${names.file} não pode ser lida: ${message}.`,
    });
  });
  const all = names.journalsAmong(found);
  // One whose successor begins no later than the state file ends has nothing to add.
  const { sequence } = db.data;
  const journals = all.filter((_, index) => (all[index + 1]?.first ?? Infinity) > sequence + 1);
  const superseded = all.slice(0, all.length - journals.length);
  const reading = new JournalReading(db.data);
  try {
    for (const journal of journals) await reading.read(disk, journal);
  } catch (error) {
    const { en, pt } = reasonOf(error);
    throw new StateFileError({
      en: `The journal of the state file ${names.file} cannot be read: ${en}.`,
      pt: `O journal do arquivo de estado ${names.file} não pode ser lido: ${pt}.`,
    });
  }
  return {
    db,
    adapter,
    hasStateFile,
    journals,
    journalBytes: reading.bytes,
    tornTail: reading.tornTail,
    damages: [...adapter.damages, ...reading.damages],
    changed: adapter.changed,
    leftovers: [...superseded.map((journal) => journal.path), ...names.temporariesAmong(found)],
  };
}

/** The error for a state with damaged lines: names the first one, and the commands that help. */
export function damagedState(
  file: string,
  [first, ...others]: readonly [Damage, ...Damage[]],
): StateFileError {
  const { line, reason } = first;
  const more = others.length;
  return new StateFileError({
    en: `The state cannot be opened: line ${line} of ${first.file} is damaged: ${reason.en}${more > 0 ? `, and ${more} more` : ""}. Nothing was changed. To see what can be recovered: pix-sandbox state check ${file}; to recover it: pix-sandbox state repair ${file}.`,
    pt: `O estado não pode ser aberto: a linha ${line} de ${first.file} está danificada: ${reason.pt}${more > 0 ? `, e outras ${more}` : ""}. Nada foi alterado. Para ver o que pode ser recuperado: pix-sandbox state check ${file}; para recuperar: pix-sandbox state repair ${file}.`,
  });
}

/** Where the file is, or would be: a symbolic link goes on being one. */
export async function realPath(disk: Disk, file: string): Promise<string> {
  try {
    return await disk.realPath(file);
  } catch {
    return path.join(await disk.realPath(path.dirname(file)), path.basename(file));
  }
}

/** Applies the lines of a journal, file by file, up to the first that is not as it should be. */
class JournalReading {
  readonly #document: Document;
  bytes = 0;
  /** The sequence number that the next line must have; undefined before the first file. */
  #next: number | undefined;
  /** The first line that is not as it should be. */
  #broken: (Damage & TornTail) | undefined;
  /** Whether it is more than the end of a write that was never finished. */
  #isDamage = false;

  constructor(document: Document) {
    this.#document = document;
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
      this.#line(file, bytes, number, offset);
    });
    const line = { file, line: lines + 1, offset: length, reason: INCOMPLETE };
    if (rest.length > 0) this.#break(line, rest);
    this.bytes += length + rest.length;
  }

  /** A file is begun when everything before the number in its name is written. */
  #begin(file: string, first: number): void {
    const expected = this.#next ?? this.#document.sequence + 1;
    this.#next ??= first;
    // Of a last line that is broken it was never known whether it was written.
    if (first <= expected + (this.#broken ? 1 : 0)) return;
    this.#break({ file, line: 1, offset: 0, reason: missing(expected, first) });
    this.#isDamage = true;
  }

  #line(file: string, bytes: Buffer, line: number, offset: number): void {
    const entry = this.#broken ? undefined : readJournalLine(bytes);
    if (!entry || "damage" in entry) {
      this.#break({ file, line, offset, reason: entry?.damage ?? INCOMPLETE }, bytes);
      // It is as it was written, by another version: no crash leaves such a line.
      if (entry?.isWhole) this.#isDamage = true;
      return;
    }
    const { sequence, lastEventNumber, change } = entry;
    if (sequence !== this.#next) {
      this.#break({ file, line, offset, reason: missing(this.#next ?? 0, sequence) });
      this.#isDamage = true;
      return;
    }
    this.#next = sequence + 1;
    if (sequence <= this.#document.sequence) return;
    this.#document.records.apply(change);
    this.#document.records.continueAfter(lastEventNumber);
    this.#document.sequence = sequence;
  }

  /** @param bytes of the line: where another line begins in or behind them, they were not the last to be written */
  #break(broken: Damage & TornTail, bytes: Buffer = Buffer.alloc(0)): void {
    if (bytes.includes(LINE_BEGINNING, this.#broken ? 0 : 1)) this.#isDamage = true;
    this.#broken ??= broken;
  }
}

const INCOMPLETE = { en: "it is incomplete", pt: "está incompleta" };

function missing(expected: number, found: number): LocalizedText {
  return {
    en: `it is commit ${found}, but commit ${expected} was expected`,
    pt: `é o commit ${found}, mas era esperado o commit ${expected}`,
  };
}
