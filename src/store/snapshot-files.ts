import path from "node:path";
import { notProcessable } from "../core/errors.ts";
import { type Snapshot, SnapshotError, type SnapshotKey, type Snapshots } from "../core/ports.ts";
import type { Change } from "../core/state/records.ts";
import { type Disk, realDisk } from "./disk.ts";
import { reasonOf } from "./errors.ts";
import { guardedDisk } from "./lock/guarded-disk.ts";
import { readBlocks } from "./lines.ts";
import { byIntegrationAndName } from "./memory.ts";
import { StateNames } from "./names.ts";
import { realPath } from "./journal/state-files.ts";
import { FORMAT, type Header, VERSION } from "./lowdb/schema.ts";
import { HeaderError, UnknownLayout } from "./lowdb/header.ts";
import { StateReader } from "./lowdb/state-reader.ts";
import { writeState } from "./lowdb/state-writer.ts";
import { NEW_FILE_MODE, writeFile } from "./write-file.ts";

/** Opens the snapshots beside an open state file. */
export async function openSnapshots(file: string, disk: Disk = realDisk): Promise<Snapshots> {
  const real = await realPath(disk, path.resolve(file));
  return new SnapshotFiles(guardedDisk(disk, real), new StateNames(real));
}

/** Snapshots as files with the layout of a state file, one each. A file that cannot be read is never changed. */
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
      await writeFile(this.#disk, temporary, NEW_FILE_MODE, writeState(header, lists));
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
      if (snapshot.integration !== key.integration) throw new HeaderError(OTHER_OWNER);
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
      throw new SnapshotError({
        en: `The folder ${folder} of the snapshots cannot be read: ${message}.`,
        pt: `A pasta ${folder} dos snapshots não pode ser lida: ${message}.`,
      });
    });
    const all = await Promise.all(
      this.#names.snapshotsAmong(found).map(async ({ path: file, name }) => {
        // A snapshot that cannot be read is not listed; loading it reports why.
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
        throw new HeaderError({
          en: `line ${line} is damaged: ${reason.en}`,
          pt: `a linha ${line} está danificada: ${reason.pt}`,
        });
      },
    });
    reader.end(await readBlocks(this.#disk.read(file), (block) => reader.read(block)));
    if (!header) throw new UnknownLayout();
    // The reader has checked each row against the schema of its list.
    const { clock, lastFaultOrdinals } = header;
    const settings = { ...(clock && { clock }), ...(lastFaultOrdinals && { lastFaultOrdinals }) };
    const rows = { ...lists, ...settings } as Change;
    return { header, rows };
  }

  /** Reads only the header, which has everything but the records. */
  async #readSnapshot(file: string, name: string): Promise<Snapshot> {
    let snapshot: Snapshot | undefined;
    const reader = new StateReader({
      header: (header) => (snapshot = toSnapshot(header, name)),
      rows: () => undefined,
      damage: () => undefined,
    });
    let start = Buffer.alloc(0);
    for await (const piece of this.#disk.read(file)) {
      start = Buffer.concat([start, piece]);
      const end = start.indexOf(LINE_FEED) + 1;
      if (end === 0) continue;
      reader.read(start.subarray(0, end));
      break;
    }
    if (!snapshot) throw new UnknownLayout();
    return snapshot;
  }
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
      throw new HeaderError({
        en: `it has ${rows.length} ${list}, but ${expected} were expected`,
        pt: `tem ${rows.length} ${list}, mas eram esperados ${expected}`,
      });
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

const OTHER_OWNER = {
  en: "it belongs to another integration",
  pt: "pertence a outra integração",
};
const OTHERS_RECORDS = {
  en: "it has records that do not belong to its integration",
  pt: "tem registros que não pertencem à integração dele",
};
const IS_STATE = {
  en: "it is a state file, not a snapshot",
  pt: "é um arquivo de estado, não um snapshot",
};
const NO_SNAPSHOT = {
  en: "it does not have the layout of a snapshot",
  pt: "não tem a estrutura de um snapshot",
};

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function unwritable(file: string, error: unknown): SnapshotError {
  const { en, pt } = reasonOf(error);
  return new SnapshotError({
    en: `The snapshot ${file} cannot be written: ${en}. Free some space or fix the problem, then try again.`,
    pt: `O snapshot ${file} não pode ser gravado: ${pt}. Libere espaço ou corrija o problema e tente de novo.`,
  });
}

function unreadable(file: string, error: unknown): Error {
  const { en, pt } = error instanceof UnknownLayout ? NO_SNAPSHOT : reasonOf(error);
  return notProcessable({
    en: `The snapshot ${file} cannot be restored: ${en}. Nothing was changed. Delete the snapshot or save it again.`,
    pt: `O snapshot ${file} não pode ser restaurado: ${pt}. Nada foi alterado. Apague o snapshot ou salve-o de novo.`,
  });
}
