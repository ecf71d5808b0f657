import { LocalizedError } from "../../core/records/errors.ts";
import type {
  CompactionOptions,
  Journal,
  JournalEntry,
  JournalSize,
  Snapshots,
  State,
} from "../../core/state/ports.ts";
import { monotonicNowMs } from "../../platform/real-time.ts";
import { pause } from "../../platform/pause.ts";
import { reasonOf, StateFileError } from "../errors.ts";
import { JournalLines, readJournalLine } from "../format/journal-line.ts";
import { fillState } from "../format/fill-state.ts";
import { StateReader } from "../format/state-reader.ts";
import { piecesOf } from "../format/state-writer.ts";
import { applyEntry } from "../journaled/read-all.ts";
import { StoredSnapshots } from "../journaled/stored-snapshots.ts";
import { type JournalTables, type Line, textsOf } from "./journal-tables.ts";
import { isOutcomeUnknown, isPassing } from "./link.ts";
import { SnapshotTables } from "./snapshot-tables.ts";
import { TakenOverError } from "./taken-over.ts";
import { type Message, say } from "../../text/message.ts";

/** How many lines are read at once: the event loop is held while they are parsed. */
const LINES_AT_ONCE = 1000;
/** Between two tries of an append, while the database cannot be reached. */
const PAUSE_MS = 50;
/** The shortest time between two notifications of new lines. */
const NOTIFY_EVERY_MS = 20;

/** The lines after a position were dropped: a later compacted state contains them. Everything has to be read again. */
export class BehindError extends Error {}

/**
 * A journal in the tables of a database. The position that a process expects is the key of its next line: of two
 * processes that append at the same position, one gets a conflict, which ends its use of the journal.
 */
export class PostgresJournal implements Journal<JournalLines> {
  /** The next leader can start sooner if this one does not compact. */
  readonly compactsAtClose = false;
  readonly #tables: JournalTables;
  readonly #mayRetry: (passedMs: number) => boolean;
  readonly #onTakenOver: () => void;
  #position = 0;
  #writer = 0;
  #stateBytes = 0;
  #compactedTo = 0;
  #entryBytes = 0;
  /** Why nothing can be appended: another process has taken over, or lines of a failed append may remain. */
  #failure: "taken over" | "unknown" | "refused" | undefined;
  #isClosed = false;
  #notifiedAtMs = 0;
  #isNotifying = false;

  /** @param parts.mayRetry whether an append is tried again while the database cannot be reached, after so long */
  constructor(parts: {
    tables: JournalTables;
    mayRetry: (passedMs: number) => boolean;
    onTakenOver?: () => void;
  }) {
    this.#tables = parts.tables;
    this.#mayRetry = parts.mayRetry;
    this.#onTakenOver = parts.onTakenOver ?? (() => undefined);
  }

  async readState(empty: State): Promise<void> {
    const reader = new StateReader(
      fillState(empty, (line, reason) => {
        throw damagedBase(say`in line ${line}: ${reason}`);
      }),
    );
    const blocks = new Blocks();
    const { sequence, bytes } = await this.#tables.readBase((text) => {
      const block = blocks.add(text);
      if (block) reader.read(block);
    });
    if (bytes > 0) reader.end(blocks.rest);
    empty.sequence = sequence;
    this.#compactedTo = sequence;
    this.#stateBytes = bytes;
  }

  /** @throws BehindError if the next line was dropped */
  async read(position: number, onEntry: (entry: JournalEntry) => void): Promise<void> {
    let last = position;
    for (;;) {
      const lines = await this.#tables.linesFrom(last, LINES_AT_ONCE + 1);
      if (lines[0]?.sequence !== last) throw new BehindError("lines were dropped");
      for (const line of lines.slice(1)) {
        onEntry(toEntry(line, last + 1));
        last = line.sequence;
        this.#entryBytes += line.line.length;
      }
      if (lines.length <= LINES_AT_ONCE) return;
    }
  }

  /** Takes the journal over with a line of its own, which `state.sequence` counts, after everything that others have added. */
  async start(state: State): Promise<void> {
    for (;;) {
      const claim = new JournalLines();
      const { sequence } = state;
      claim.add({
        sequence: sequence + 1,
        lastEventNumber: state.records.lastEventNumber,
        change: {},
      });
      const writer = await this.#tables.claim(sequence, claim.bytes.toString());
      if (writer !== undefined) {
        this.#writer = writer;
        state.sequence = sequence + 1;
        this.#position = state.sequence;
        this.#notify();
        return;
      }
      await this.read(sequence, (entry) => applyEntry(state, entry));
    }
  }

  /** Named copies of records in the same tables. */
  snapshots(): Snapshots {
    return new StoredSnapshots(new SnapshotTables(this.#tables, () => this.#writer));
  }

  createBatch(): JournalLines {
    return new JournalLines();
  }

  async append(position: number, batch: JournalLines): Promise<void> {
    if (position !== this.#position)
      throw new Error(`position ${position} was expected to be ${this.#position}`);
    if (this.#failure) throw new Error("appending has failed");
    const lines = batch.bytes.toString();
    const startedAtMs = monotonicNowMs();
    let mayRemain = false;
    for (;;) {
      try {
        if (!(await this.#isStored(position, lines, batch.count))) throw this.#takenOver();
        this.#position += batch.count;
        this.#entryBytes += batch.bytes.length;
        this.#notify();
        return;
      } catch (error) {
        if (this.#failure) throw error;
        const isUnknown = isOutcomeUnknown(error);
        mayRemain ||= isUnknown;
        const mayRetry = this.#mayRetry(monotonicNowMs() - startedAtMs);
        if (!mayRetry || !(isUnknown || isPassing(error))) {
          this.#failure = mayRemain ? "unknown" : "refused";
          throw unwritable(error);
        }
      }
      await pause(PAUSE_MS);
    }
  }

  async rollBack(): Promise<boolean> {
    return this.#failure === "refused";
  }

  async recover(state: State): Promise<void> {
    if (this.#failure === "taken over") throw new TakenOverError();
    if (this.#failure === "unknown") await this.#storeOver(state);
    else if (!(await this.#tables.confirm(this.#writer))) throw this.#takenOver();
    this.#failure = undefined;
  }

  async compact(state: State, { durable, signal }: CompactionOptions): Promise<void> {
    signal.throwIfAborted();
    if (this.#failure === "taken over") throw new TakenOverError();
    const { sequence } = state;
    const pieces = piecesOf(state);
    const entryBytes = this.#entryBytes;
    const base = await this.#tables.replaceBase(this.#writer, {
      sequence,
      texts: unlessAborted(pieces, signal),
      beforeLast: async () => {
        await durable();
        signal.throwIfAborted();
      },
    });
    if (!base) throw this.#takenOver();
    this.#compacted(base, entryBytes);
  }

  get size(): JournalSize {
    return {
      entryBytes: this.#entryBytes,
      stateBytes: this.#stateBytes,
      compactedTo: this.#compactedTo,
    };
  }

  /** Ends every call of the database that is under way. */
  abandon(): void {
    this.#isClosed = true;
    this.#tables.close();
  }

  async close(state: State | undefined): Promise<void> {
    this.#isClosed = true;
    // If it fails, the tables stay as they are.
    if (state && this.#failure === "unknown" && this.#mayRetry(0))
      await this.#storeOver(state).catch(() => undefined);
    this.#tables.close();
  }

  /** Whether lines are stored at their positions, by this call or by an earlier one whose response was lost. */
  async #isStored(position: number, lines: string, count: number): Promise<boolean> {
    if (await this.#tables.append(position, lines)) return true;
    const found = await this.#tables.linesFrom(position + 1, count);
    return `${found.map(({ line }) => line).join("\n")}\n` === lines;
  }

  /**
   * Stores a state in place of all lines, of which some may never have been acknowledged. It takes a position that no
   * line had: another process that has read such a line sees that its own position is gone, and reads everything again.
   */
  async #storeOver(state: State): Promise<void> {
    const marker = new JournalLines();
    const { records } = state;
    const sequence = state.sequence + 1;
    marker.add({ sequence, lastEventNumber: records.lastEventNumber, change: {} });
    const base = await this.#tables.replaceBase(this.#writer, {
      sequence,
      texts: textsOf(piecesOf({ records, sequence })),
      beforeLast: () => Promise.resolve(),
      line: marker.bytes.toString().trimEnd(),
    });
    if (!base) throw this.#takenOver();
    state.sequence = sequence;
    this.#position = sequence;
    this.#compacted(base, this.#entryBytes);
  }

  #compacted(base: { sequence: number; bytes: number }, entryBytes: number): void {
    this.#compactedTo = base.sequence;
    this.#stateBytes = base.bytes;
    this.#entryBytes -= entryBytes;
  }

  /** @returns the error to throw */
  #takenOver(): TakenOverError {
    this.#failure = "taken over";
    this.#onTakenOver();
    return new TakenOverError();
  }

  /** Tells other processes soon. They read by position: a lost hint costs a moment. */
  #notify(): void {
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    const waitMs = Math.max(0, this.#notifiedAtMs + NOTIFY_EVERY_MS - monotonicNowMs());
    void pause(waitMs)
      .then(() => {
        this.#isNotifying = false;
        this.#notifiedAtMs = monotonicNowMs();
        return this.#isClosed ? undefined : this.#tables.notify();
      })
      .catch(() => undefined);
  }
}

function toEntry({ sequence, line }: Line, expected: number): JournalEntry {
  const entry = readJournalLine(Buffer.from(line));
  if (!("damage" in entry) && sequence === expected && entry.sequence === sequence) return entry;
  const reason =
    "damage" in entry
      ? entry.damage
      : say`it is commit ${entry.sequence}, but commit ${expected} was expected`;
  throw new StateFileError(
    say`Line ${sequence} of the journal in the database is damaged: ${reason}. ${RESTORE}`,
  );
}

function damagedBase(text: Message): StateFileError {
  return new StateFileError(
    say`The compacted state in the database is damaged: ${text}. ${RESTORE}`,
  );
}

/** Lines are missing, and no compacted state contains them. @param position of the first one */
export function missingLines(position: number): StateFileError {
  return new StateFileError(
    say`Line ${position} of the journal in the database, or a later one, is missing. ${RESTORE}`,
  );
}

const RESTORE = say`Nothing was changed. Restore the database from a backup, or use another sandbox name.`;

function unwritable(error: unknown): LocalizedError {
  const reason = reasonOf(error);
  return new LocalizedError(say`The journal in the database cannot be written: ${reason}.`);
}

function* unlessAborted(pieces: Iterable<Buffer>, signal: AbortSignal): Generator<string> {
  for (const text of textsOf(pieces)) {
    signal.throwIfAborted();
    yield text;
  }
}

/** Cuts texts into blocks of whole lines, as `StateReader` takes them. */
class Blocks {
  #rest = "";

  /** @returns the whole lines so far; undefined if there are none */
  add(text: string): Buffer | undefined {
    const all = this.#rest + text;
    const end = all.lastIndexOf("\n") + 1;
    this.#rest = all.slice(end);
    return end === 0 ? undefined : Buffer.from(all.slice(0, end));
  }

  get rest(): Buffer {
    return Buffer.from(this.#rest);
  }
}
