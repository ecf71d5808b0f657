import { hash } from "node:crypto";
import { notProcessable } from "../core/records/errors.ts";
import {
  type Snapshot,
  SnapshotError,
  type SnapshotKey,
  type Snapshots,
} from "../core/state/ports.ts";
import { type Lists, Records } from "../core/state/records.ts";
import { reasonOf } from "./errors.ts";
import { snapshotsOf, type Storage } from "./storage.ts";
import type { Header } from "./text/schema.ts";
import { NotAState, readHeader, readStateText, writeStateText } from "./text/state-text.ts";
import { say } from "../text/message.ts";

/** Snapshots as documents with the layout of a state, one each. One that cannot be read is never changed. */
export class StoredSnapshots implements Snapshots {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async save({ name, ...snapshot }: Snapshot, rows: Lists): Promise<void> {
    const document = documentOf({ name, ...snapshot });
    const text = writeStateText({ sequence: 0, snapshot }, rows);
    await this.#storage.write(document, text).catch((error) => this.#fail(document, error));
  }

  async load(key: SnapshotKey): Promise<{ snapshot: Snapshot; rows: Lists } | undefined> {
    const document = documentOf(key);
    try {
      const pieces = await this.#storage.read(document);
      if (!pieces) return undefined;
      const records = new Records();
      const { header } = await readStateText(pieces, records);
      return { snapshot: snapshotOf(header, document), rows: records.listsOf(null) };
    } catch (error) {
      const place = this.#storage.placeOf(document);
      throw notProcessable(
        say`The snapshot ${place} cannot be restored: ${reasonOf(error)}. Nothing was changed. Delete the snapshot or save it again.`,
      );
    }
  }

  async list(integration: string | null): Promise<readonly Snapshot[]> {
    const documents = await this.#storage.documents().catch((error: unknown) => {
      throw new SnapshotError(say`The snapshots cannot be listed: ${reasonOf(error)}.`);
    });
    // One that cannot be read is not listed; loading it reports why.
    const all = documents.map((document) => this.#listed(document).catch(() => []));
    return snapshotsOf((await Promise.all(all)).flat(), integration);
  }

  async delete(key: SnapshotKey): Promise<boolean> {
    const document = documentOf(key);
    return this.#storage.remove(document).catch((error) => this.#fail(document, error));
  }

  async #listed(document: string): Promise<Snapshot[]> {
    const pieces = await this.#storage.read(document);
    return pieces ? [snapshotOf(await readHeader(pieces), document)] : [];
  }

  #fail(document: string, error: unknown): never {
    const place = this.#storage.placeOf(document);
    throw new SnapshotError(
      say`The snapshot ${place} cannot be written: ${reasonOf(error)}. Free some space or fix the problem, then try again.`,
    );
  }
}

/** Names the document of a snapshot. Integrations do not share names; this one has a hash of the token, which is a secret. */
function documentOf({ name, integration }: SnapshotKey): string {
  const owner = integration === null ? "" : `@${hash("sha256", integration, "hex").slice(0, 16)}`;
  return `${name}${owner}.snapshot`;
}

/** @throws NotAState if the document is not the snapshot that its name promises */
function snapshotOf({ snapshot }: Header, document: string): Snapshot {
  if (!snapshot) throw new NotAState(say`it is a state file, not a snapshot`);
  const [name = ""] = document.split(/@|\.snapshot$/);
  if (documentOf({ name, ...snapshot }) !== document)
    throw new NotAState(say`it belongs to another integration`);
  return { name, ...snapshot };
}
