import { SnapshotError, type SnapshotKey } from "../../core/state/ports.ts";
import { reasonOf } from "../errors.ts";
import { snapshotName } from "../file/disk/names.ts";
import type { SnapshotDocuments, StoredDocument } from "../journaled/stored-snapshots.ts";
import { type JournalTables, textsOf } from "./journal-tables.ts";
import { say } from "../../text/message.ts";

/** A document with a snapshot: no compacted state has such a name. */
export const SNAPSHOT_PREFIX = "snapshot:";

/** Snapshots as documents in the tables of a state. Only the process that leads writes them. */
export class SnapshotTables implements SnapshotDocuments {
  readonly #tables: JournalTables;
  readonly #writer: () => number;

  /** @param writer the number of this process as the writer of the journal */
  constructor(tables: JournalTables, writer: () => number) {
    this.#tables = tables;
    this.#writer = writer;
  }

  labelOf({ name }: SnapshotKey): string {
    return `"${name}"`;
  }

  async write(key: SnapshotKey, pieces: Iterable<Buffer>): Promise<void> {
    await this.#tables.replaceDocument(this.#writer(), documentOf(key), textsOf(pieces));
  }

  async read(key: SnapshotKey): Promise<AsyncIterable<Buffer> | undefined> {
    const parts = await this.#tables.readDocument(documentOf(key));
    return parts && bytesOf(parts);
  }

  async list(): Promise<readonly StoredDocument[]> {
    try {
      const found = await this.#tables.documentsNamed(SNAPSHOT_PREFIX);
      return found.map(({ document, text }) => ({
        name: document.slice(SNAPSHOT_PREFIX.length).replace(/@[0-9a-f]{16}$/, ""),
        start: bytesOf([text]),
        isOf: (key) => documentOf(key) === document,
      }));
    } catch (error) {
      const reason = reasonOf(error);
      throw new SnapshotError(say`The snapshots in the database cannot be read: ${reason}.`);
    }
  }

  remove(key: SnapshotKey): Promise<boolean> {
    return this.#tables.replaceDocument(this.#writer(), documentOf(key), []);
  }
}

export function documentOf(key: SnapshotKey): string {
  return `${SNAPSHOT_PREFIX}${snapshotName(key)}`;
}

async function* bytesOf(parts: readonly string[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}
