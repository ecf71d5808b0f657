import { hash } from "node:crypto";
import { notProcessable } from "../core/records/errors.ts";
import {
  type Snapshot,
  SnapshotError,
  type SnapshotKey,
  type Snapshots,
} from "../core/state/ports.ts";
import type { Change } from "../core/state/records.ts";
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

  async save(snapshot: Snapshot, rows: Change): Promise<void> {
    const document = documentOf(snapshot);
    try {
      await this.#storage.write(document, piecesOf(snapshot, rows));
    } catch (error) {
      throw this.#unwritable(document, error);
    }
  }

  async load(key: SnapshotKey): Promise<{ snapshot: Snapshot; rows: Change } | undefined> {
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

function piecesOf(
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
  return writeStateText(header, lists);
}

async function readSnapshot(
  pieces: AsyncIterable<Buffer>,
): Promise<{ header: Header; rows: Change }> {
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
  // Each row was checked against the schema of its list.
  const { clock, lastFaultOrdinals } = header;
  const settings = { ...(clock && { clock }), ...(lastFaultOrdinals && { lastFaultOrdinals }) };
  return { header, rows: { ...lists, ...settings } };
}

function toSnapshot({ snapshot }: Header, name: string): Snapshot {
  if (!snapshot) throw new NotAState(IS_STATE);
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
      throw new NotAState(say`it has ${rows.length} ${list}, but ${expected} were expected`);
  }
  if (integration === null) return;
  const { webhookConfigurations = [], changedAssumptions = [], faults = [] } = settings;
  const owned = [payins, payouts, deliveries, webhookConfigurations, changedAssumptions, faults];
  const ordinals = settings.lastFaultOrdinals ?? [];
  if (
    settings.clock ||
    owned.flat().some((row) => row.integration !== integration) ||
    ordinals.some(([owner]) => owner !== integration)
  )
    throw new NotAState(OTHERS_RECORDS);
}

const OTHER_OWNER = say`it belongs to another integration`;
const OTHERS_RECORDS = say`it has records that do not belong to its integration`;
const IS_STATE = say`it is a state file, not a snapshot`;
