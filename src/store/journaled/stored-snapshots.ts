import { notProcessable } from "../../core/records/errors.ts";
import {
  type Snapshot,
  SnapshotError,
  type SnapshotKey,
  type Snapshots,
} from "../../core/state/ports.ts";
import type { Change } from "../../core/state/records.ts";
import { reasonOf } from "../errors.ts";
import { readBlocks } from "../format/lines.ts";
import { HeaderError, UnknownLayout } from "../format/header.ts";
import { FORMAT, type Header, VERSION } from "../format/schema.ts";
import { StateReader } from "../format/state-reader.ts";
import { writeState } from "../format/state-writer.ts";
import { byIntegrationAndName } from "../memory.ts";
import { type Message, say } from "../../text/message.ts";

/** Where snapshots are stored: each is a document with the layout of a state file. */
export interface SnapshotDocuments {
  /** Names a document in messages, as in "The snapshot … cannot be written". */
  labelOf(key: SnapshotKey): string;
  /** Replaces a document as a whole, or not at all. */
  write(key: SnapshotKey, pieces: Iterable<Buffer>): Promise<void>;
  /** The content in pieces; undefined if the document does not exist. A file may also turn out to be missing (ENOENT). */
  read(key: SnapshotKey): Promise<AsyncIterable<Buffer> | undefined>;
  /**
   * Every document.
   * @throws SnapshotError if they cannot be listed
   */
  list(): Promise<readonly StoredDocument[]>;
  /** @returns whether it existed */
  remove(key: SnapshotKey): Promise<boolean>;
}

/** A document whose owner only its content tells. */
export interface StoredDocument {
  readonly name: string;
  /** The content, at least up to its first line feed. */
  readonly start: AsyncIterable<Buffer>;
  readonly isOf: (key: SnapshotKey) => boolean;
}

/** Snapshots as documents, one each. One that cannot be read is never changed. */
export class StoredSnapshots implements Snapshots {
  readonly #documents: SnapshotDocuments;

  constructor(documents: SnapshotDocuments) {
    this.#documents = documents;
  }

  async save(snapshot: Snapshot, rows: Change): Promise<void> {
    try {
      await this.#documents.write(snapshot, piecesOfSnapshot(snapshot, rows));
    } catch (error) {
      throw unwritable(this.#documents.labelOf(snapshot), error);
    }
  }

  async load(key: SnapshotKey): Promise<{ snapshot: Snapshot; rows: Change } | undefined> {
    try {
      const pieces = await this.#documents.read(key);
      if (!pieces) return undefined;
      const { header, rows } = await readSnapshot(pieces);
      const snapshot = toSnapshot(header, key.name);
      if (snapshot.integration !== key.integration) throw new HeaderError(OTHER_OWNER);
      checkRows(snapshot, rows);
      return { snapshot, rows };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw unreadable(this.#documents.labelOf(key), error);
    }
  }

  async list(integration: string | null): Promise<readonly Snapshot[]> {
    const found = await this.#documents.list();
    const all = await Promise.all(
      found.map(async ({ name, start, isOf }) => {
        // A snapshot that cannot be read is not listed; loading it reports why.
        const snapshot = await readHeader(start, name).catch(() => undefined);
        return snapshot && isOf(snapshot) ? [snapshot] : [];
      }),
    );
    return all
      .flat()
      .filter((one) => integration === null || one.integration === integration)
      .toSorted(byIntegrationAndName);
  }

  async delete(key: SnapshotKey): Promise<boolean> {
    try {
      return await this.#documents.remove(key);
    } catch (error) {
      throw unwritable(this.#documents.labelOf(key), error);
    }
  }
}

/** The pieces of a snapshot's document, see `writeState`. */
export function piecesOfSnapshot(
  { integration, takenAtMs, payins, payouts, deliveries }: Snapshot,
  { clock, lastFaultOrdinals, ...lists }: Change,
): Generator<Buffer> {
  const header: Header = {
    format: FORMAT,
    version: VERSION,
    sequence: 0,
    lastEventNumber: 0,
    ...(lastFaultOrdinals && { lastFaultOrdinals: [...lastFaultOrdinals] }),
    snapshot: { integration, takenAtMs, payins, payouts, deliveries },
    ...(clock && { clock }),
  };
  return writeState(header, lists);
}

async function readSnapshot(
  pieces: AsyncIterable<Buffer>,
): Promise<{ header: Header; rows: Change }> {
  let header: Header | undefined;
  const lists: Record<string, object[]> = {};
  const reader = new StateReader({
    header: (read) => (header = read),
    rows: (list, rows) => {
      const all = (lists[list] ??= []);
      for (const row of rows) all.push(row);
    },
    damage: (line, reason) => {
      throw new HeaderError(damaged(line, reason));
    },
  });
  reader.end(await readBlocks(pieces, (block) => reader.read(block)));
  if (!header) throw new UnknownLayout();
  // The reader has checked each row against the schema of its list.
  const { clock, lastFaultOrdinals } = header;
  const settings = { ...(clock && { clock }), ...(lastFaultOrdinals && { lastFaultOrdinals }) };
  const rows = { ...lists, ...settings } as Change;
  return { header, rows };
}

/** Reads only the header, which has everything but the records. */
async function readHeader(pieces: AsyncIterable<Buffer>, name: string): Promise<Snapshot> {
  let snapshot: Snapshot | undefined;
  const reader = new StateReader({
    header: (header) => (snapshot = toSnapshot(header, name)),
    rows: () => undefined,
    damage: () => undefined,
  });
  let start = Buffer.alloc(0);
  for await (const piece of pieces) {
    start = Buffer.concat([start, piece]);
    const end = start.indexOf(LINE_FEED) + 1;
    if (end === 0) continue;
    reader.read(start.subarray(0, end));
    break;
  }
  if (!snapshot) throw new UnknownLayout();
  return snapshot;
}

function damaged(line: number, reason: Message): Message {
  return say`line ${line} is damaged: ${reason}`;
}

const LINE_FEED = 0x0a;

function toSnapshot({ snapshot }: Header, name: string): Snapshot {
  if (!snapshot) throw new HeaderError(IS_STATE);
  return { name, ...snapshot };
}

/** Checks for missing lines, which leave no other trace, and for records of other integrations. */
function checkRows(
  { integration, ...counts }: Snapshot,
  { payins = [], payouts = [], deliveries = [], ...settings }: Change,
): void {
  for (const [list, rows] of Object.entries({ payins, payouts, deliveries })) {
    const expected = counts[list as "payins" | "payouts" | "deliveries"];
    if (rows.length !== expected)
      throw new HeaderError(say`it has ${rows.length} ${list}, but ${expected} were expected`);
  }
  if (integration === null) return;
  const { webhookConfigurations = [], changedAssumptions = [], faults = [] } = settings;
  const owners = [
    payins,
    payouts,
    deliveries,
    webhookConfigurations,
    changedAssumptions,
    faults,
  ].flat();
  const hasOthers = owners.some((row) => row.integration !== integration);
  if (
    settings.clock ||
    hasOthers ||
    settings.lastFaultOrdinals?.some(([owner]) => owner !== integration)
  )
    throw new HeaderError(OTHERS_RECORDS);
}

const OTHER_OWNER = say`it belongs to another integration`;
const OTHERS_RECORDS = say`it has records that do not belong to its integration`;
const IS_STATE = say`it is a state file, not a snapshot`;
const NO_SNAPSHOT = say`it does not have the layout of a snapshot`;

function unwritable(label: string, error: unknown): SnapshotError {
  const reason = reasonOf(error);
  return new SnapshotError(
    say`The snapshot ${label} cannot be written: ${reason}. Free some space or fix the problem, then try again.`,
  );
}

function unreadable(label: string, error: unknown): Error {
  const reason = error instanceof UnknownLayout ? NO_SNAPSHOT : reasonOf(error);
  return notProcessable(
    say`The snapshot ${label} cannot be restored: ${reason}. Nothing was changed. Delete the snapshot or save it again.`,
  );
}
