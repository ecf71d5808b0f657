import path from "node:path";
import { notProcessable } from "../core/errors.ts";
import { type Snapshot, type SnapshotKey, type Snapshots, StorageError } from "../core/ports.ts";
import type { Change } from "../core/state/records.ts";
import { type Disk, realDisk } from "./disk.ts";
import { guardedDisk } from "./guarded-disk.ts";
import { readBlocks } from "./lines.ts";
import { byIntegrationAndName } from "./memory.ts";
import { StateNames } from "./names.ts";
import { realPath } from "./rebuild.ts";
import { FORMAT, type Header, VERSION } from "./schema.ts";
import { NEW_FILE_MODE, writeNew } from "./state-adapter.ts";
import { HeaderError, StateReader, UnknownLayout, writeState } from "./state-layout.ts";

/** The snapshots beside a state file that is open. */
export async function openSnapshots(file: string, disk: Disk = realDisk): Promise<Snapshots> {
  const real = await realPath(disk, path.resolve(file));
  return new SnapshotFiles(guardedDisk(disk, real), new StateNames(real));
}

/** One file a snapshot, laid out as the state file is; one that cannot be read is left as it is. */
class SnapshotFiles implements Snapshots {
  readonly #disk: Disk;
  readonly #names: StateNames;

  constructor(disk: Disk, names: StateNames) {
    this.#disk = disk;
    this.#names = names;
  }

  async save({ name, ...snapshot }: Snapshot, rows: Change): Promise<void> {
    const file = this.#names.snapshot({ name, integration: snapshot.integration });
    const { clock, lastFaultOrdinals, ...lists } = rows;
    const header: Header = {
      format: FORMAT,
      version: VERSION,
      sequence: 0,
      lastEventNumber: 0,
      ...(lastFaultOrdinals && { lastFaultOrdinals: [...lastFaultOrdinals] }),
      snapshot,
      ...(clock && { clock }),
    };
    const temporary = this.#names.temporary();
    try {
      await writeNew(this.#disk, temporary, NEW_FILE_MODE, writeState(header, lists));
      await this.#disk.rename(temporary, file);
      await this.#disk.syncFolder(this.#names.folder);
    } catch (error) {
      await this.#disk.remove(temporary).catch(() => undefined);
      throw unwritable(file, error);
    }
  }

  async load(key: SnapshotKey): Promise<{ snapshot: Snapshot; rows: Change } | undefined> {
    const file = this.#names.snapshot(key);
    try {
      const { header, rows } = await this.#read(file);
      const snapshot = toSnapshot(header, key.name);
      if (snapshot.integration !== key.integration)
        throw new HeaderError("it is of another integration");
      checkRows(snapshot, rows);
      return { snapshot, rows };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw unreadable(file, error);
    }
  }

  async list(integration: string | null): Promise<readonly Snapshot[]> {
    const { folder } = this.#names;
    const found = await this.#disk.list(folder).catch(({ message }: Error) => {
      const en = `The folder ${folder} of the snapshots cannot be read: ${message}.`;
      const pt = `A pasta ${folder} dos snapshots não pode ser lida (${message}).`;
      throw new StorageError(en, { en, pt });
    });
    const all = await Promise.all(
      this.#names.snapshotsAmong(found).map(async ({ path: file, name }) => {
        // What cannot be read is refused where it is asked for, and says why then.
        const snapshot = await this.#readSnapshot(file, name).catch(() => undefined);
        return snapshot && this.#names.snapshot(snapshot) === file ? [snapshot] : [];
      }),
    );
    return all
      .flat()
      .filter((one) => integration === null || one.integration === integration)
      .toSorted(byIntegrationAndName);
  }

  async delete(key: SnapshotKey): Promise<boolean> {
    const file = this.#names.snapshot(key);
    try {
      await this.#disk.remove(file);
      await this.#disk.syncFolder(this.#names.folder);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw unwritable(file, error);
    }
  }

  async #read(file: string): Promise<{ header: Header; rows: Change }> {
    let header: Header | undefined;
    const lists: Record<string, object[]> = {};
    const reader = new StateReader({
      header: (read) => (header = read),
      rows: (list, rows) => {
        const all = (lists[list] ??= []);
        for (const row of rows) all.push(row);
      },
      damage: (line, reason) => {
        throw new HeaderError(`line ${line} is damaged: ${reason}`);
      },
    });
    reader.end(
      await readBlocks(this.#disk.read(file), (block, number) => reader.read(block, number)),
    );
    if (!header) throw new UnknownLayout();
    // Each row has kept the schema of its list.
    const { clock, lastFaultOrdinals } = header;
    const settings = { ...(clock && { clock }), ...(lastFaultOrdinals && { lastFaultOrdinals }) };
    const rows = { ...lists, ...settings } as Change;
    return { header, rows };
  }

  /** The first line says all of it. */
  async #readSnapshot(file: string, name: string): Promise<Snapshot> {
    let snapshot: Snapshot | undefined;
    const reader = new StateReader({
      header: (header) => (snapshot = toSnapshot(header, name)),
      rows: () => undefined,
      damage: () => undefined,
    });
    let beginning = Buffer.alloc(0);
    for await (const piece of this.#disk.read(file)) {
      beginning = Buffer.concat([beginning, piece]);
      const end = beginning.indexOf(LINE_FEED) + 1;
      if (end === 0) continue;
      reader.read(beginning.subarray(0, end), 1);
      break;
    }
    if (!snapshot) throw new UnknownLayout();
    return snapshot;
  }
}

const LINE_FEED = 0x0a;

function toSnapshot({ snapshot }: Header, name: string): Snapshot {
  if (!snapshot) throw new HeaderError("it is a state, and no snapshot of one");
  return { name, ...snapshot };
}

/** Lines that are gone leave no other trace, and rows of another integration would be put in its place. */
function checkRows(
  { integration, ...counts }: Snapshot,
  { payins = [], payouts = [], deliveries = [], ...settings }: Change,
): void {
  for (const [list, rows] of Object.entries({ payins, payouts, deliveries })) {
    const expected = counts[list as "payins" | "payouts" | "deliveries"];
    if (rows.length !== expected)
      throw new HeaderError(`it holds ${rows.length} ${list} where ${expected} should be`);
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
  const isAnothers = owners.some((row) => row.integration !== integration);
  if (
    settings.clock ||
    isAnothers ||
    settings.lastFaultOrdinals?.some(([owner]) => owner !== integration)
  )
    throw new HeaderError("it holds what is not its integration's");
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function unwritable(file: string, error: unknown): StorageError {
  const { message } = error as Error;
  const en = `The snapshot ${file} cannot be written: ${message}. Make room, or mend what is in the way, then try again.`;
  const pt = `O snapshot ${file} não pode ser gravado (${message}). Libere espaço ou corrija o problema e tente de novo.`;
  return new StorageError(en, { en, pt });
}

function unreadable(file: string, error: unknown): Error {
  const { message } = error as Error;
  const reason = error instanceof UnknownLayout ? "it is not laid out as a snapshot is" : message;
  return notProcessable({
    en: `The snapshot ${file} cannot be restored: ${reason}. Nothing was changed; remove it, or take it anew.`,
    pt: `O snapshot ${file} não pode ser restaurado (${reason}). Nada foi alterado; remova-o ou crie-o de novo.`,
  });
}
