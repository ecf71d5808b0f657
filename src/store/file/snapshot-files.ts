import path from "node:path";
import { SnapshotError, type SnapshotKey, type Snapshots } from "../../core/state/ports.ts";
import { type Disk, realDisk } from "./disk/disk.ts";
import { guardedDisk } from "./disk/guarded-disk.ts";
import { StateNames } from "./disk/names.ts";
import { realPath } from "./journal/state-files.ts";
import {
  type SnapshotDocuments,
  type StoredDocument,
  StoredSnapshots,
} from "../journaled/stored-snapshots.ts";
import { NEW_FILE_MODE, writeFile } from "./disk/write-file.ts";
import { say } from "../../text/message.ts";

/** Opens the snapshots beside an open state file. */
export async function openSnapshots(file: string, disk: Disk = realDisk): Promise<Snapshots> {
  const real = await realPath(disk, path.resolve(file));
  return new StoredSnapshots(new SnapshotFiles(guardedDisk(disk, real), new StateNames(real)));
}

/** Snapshots as files beside the state file. */
class SnapshotFiles implements SnapshotDocuments {
  readonly #disk: Disk;
  readonly #names: StateNames;

  constructor(disk: Disk, names: StateNames) {
    this.#disk = disk;
    this.#names = names;
  }

  labelOf(key: SnapshotKey): string {
    return this.#names.snapshot(key);
  }

  async write(key: SnapshotKey, pieces: Iterable<Buffer>): Promise<void> {
    const temporary = this.#names.temporary();
    try {
      await writeFile(this.#disk, temporary, NEW_FILE_MODE, pieces);
      await this.#disk.rename(temporary, this.#names.snapshot(key));
      await this.#disk.syncFolder(this.#names.folder);
    } catch (error) {
      await this.#disk.remove(temporary).catch(() => undefined);
      throw error;
    }
  }

  async read(key: SnapshotKey): Promise<AsyncIterable<Buffer>> {
    return this.#disk.read(this.#names.snapshot(key));
  }

  async list(): Promise<readonly StoredDocument[]> {
    const { folder } = this.#names;
    const found = await this.#disk.list(folder).catch(({ message }: Error) => {
      throw new SnapshotError(
        say`The folder ${folder} of the snapshots cannot be read: ${message}.`,
      );
    });
    return this.#names.snapshotsAmong(found).map(({ path: file, name }) => ({
      name,
      start: this.#disk.read(file),
      isOf: (key) => this.#names.snapshot(key) === file,
    }));
  }

  async remove(key: SnapshotKey): Promise<boolean> {
    try {
      await this.#disk.remove(this.#names.snapshot(key));
      await this.#disk.syncFolder(this.#names.folder);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}
