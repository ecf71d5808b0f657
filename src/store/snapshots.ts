import { hash } from "node:crypto";
import { notProcessable } from "../core/records/errors.ts";
import {
  type Snapshot,
  SnapshotError,
  type SnapshotKey,
  type Snapshots,
} from "../core/state/ports.ts";
import type { Lists } from "../core/state/records.ts";
import { reasonOf } from "./errors.ts";
import { byIntegrationAndName } from "./memory.ts";
import type { Storage } from "./storage.ts";
import { FORMAT, type Header, VERSION } from "./text/schema.ts";
import { NotAState, readHeader, readStateText, writeStateText } from "./text/state-text.ts";
import { say } from "../text/message.ts";

/** Snapshots as documents with the layout of a state, one each. One that cannot be read is never changed. */
export class StoredSnapshots implements Snapshots {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async save(snapshot: Snapshot, rows: Lists): Promise<void> {
    const document = documentOf(snapshot);
    try {
      await this.#storage.write(document, piecesOf(snapshot, rows));
    } catch (error) {
      throw this.#unwritable(document, error);
    }
  }

  async load(key: SnapshotKey): Promise<{ snapshot: Snapshot; rows: Lists } | undefined> {
    const document = documentOf(key);
    try {
      const pieces = await this.#storage.read(document);
      if (!pieces) return undefined;
      const { header, rows } = await readSnapshot(pieces);
      const snapshot = toSnapshot(header, key.name);
      if (snapshot.integration !== key.integration) throw new NotAState(OTHER_OWNER);
      checkRows(snapshot, rows);
      return { snapshot, rows };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      const place = this.#storage.placeOf(document);
      const reason = reasonOf(error);
      throw notProcessable(
        say`The snapshot ${place} cannot be restored: ${reason}. Nothing was changed. Delete the snapshot or save it again.`,
      );
    }
  }

  async list(integration: string | null): Promise<readonly Snapshot[]> {
    const documents = await this.#storage.documents().catch((error: unknown) => {
      const reason = reasonOf(error);
      throw new SnapshotError(say`The snapshots cannot be listed: ${reason}.`);
    });
    // One that cannot be read is not listed; loading it reports why.
    const all = await Promise.all(
      documents.map((document) => this.#listed(document).catch(() => undefined)),
    );
    return all
      .filter((one) => one !== undefined)
      .filter((one) => integration === null || one.integration === integration)
      .toSorted(byIntegrationAndName);
  }

  async delete(key: SnapshotKey): Promise<boolean> {
    const document = documentOf(key);
    try {
      return await this.#storage.remove(document);
    } catch (error) {
      throw this.#unwritable(document, error);
    }
  }

  async #listed(document: string): Promise<Snapshot | undefined> {
    const pieces = await this.#storage.read(document);
    const name = /^[^@]+?(?=@|\.snapshot$)/.exec(document)?.[0];
    if (!pieces || name === undefined) return undefined;
    const snapshot = toSnapshot(await readHeader(pieces), name);
    return documentOf(snapshot) === document ? snapshot : undefined;
  }

  #unwritable(document: string, error: unknown): SnapshotError {
    const place = this.#storage.placeOf(document);
    const reason = reasonOf(error);
    return new SnapshotError(
      say`The snapshot ${place} cannot be written: ${reason}. Free some space or fix the problem, then try again.`,
    );
  }
}

/** Names the document of a snapshot. Integrations do not share names; this one has a hash of the token, which is a secret. */
function documentOf({ name, integration }: SnapshotKey): string {
  const owner = integration === null ? "" : `@${hash("sha256", integration, "hex").slice(0, 16)}`;
  return `${name}${owner}.snapshot`;
}

function piecesOf({ name: _named, ...snapshot }: Snapshot, rows: Lists): Generator<Buffer> {
  const header: Header = {
    format: FORMAT,
    version: VERSION,
    sequence: 0,
    lastEventNumber: 0,
    snapshot,
  };
  return writeStateText(header, rows);
}

async function readSnapshot(
  pieces: AsyncIterable<Buffer>,
): Promise<{ header: Header; rows: Lists }> {
  let header: Header | undefined;
  const lists: Record<string, object[]> = {};
  await readStateText(pieces, {
    header: (read) => (header = read),
    rows: (list, rows) => {
      const all = (lists[list] ??= []);
      for (const row of rows) all.push(row);
    },
  });
  if (!header) throw new NotAState(IS_STATE);
  return { header, rows: lists };
}

function toSnapshot({ snapshot }: Header, name: string): Snapshot {
  if (!snapshot) throw new NotAState(IS_STATE);
  return { name, ...snapshot };
}

/** Checks for missing lines, which leave no other trace, and for records of other integrations. */
function checkRows({ integration, ...snapshot }: Snapshot, lists: Lists): void {
  for (const list of ["payins", "payouts", "deliveries"] as const) {
    const count = lists[list]?.length ?? 0;
    if (count !== snapshot[list])
      throw new NotAState(say`it has ${count} ${list}, but ${snapshot[list]} were expected`);
  }
  const owners = Object.values(lists).flatMap((rows: readonly object[]) =>
    rows.map((row) => ("integration" in row ? row.integration : null)),
  );
  if (integration !== null && owners.some((owner) => owner !== integration))
    throw new NotAState(OTHERS_RECORDS);
}

const OTHER_OWNER = say`it belongs to another integration`;
const OTHERS_RECORDS = say`it has records that do not belong to its integration`;
const IS_STATE = say`it is a state file, not a snapshot`;
