import { type Disk, type DiskFile, writeAll } from "../disk/disk.ts";
import type { JournalFile, StateNames } from "../disk/names.ts";

/** `always`: a change is durable when it survives a loss of power. `none`: when it survives the process. */
export type Durability = "always" | "none";

/** The files that the journal consists of: appends to the last one, starts new ones, deletes old ones. */
export class JournalFiles {
  readonly #disk: Disk;
  readonly #names: StateNames;
  readonly #mode: number;
  readonly #durability: Durability;
  #file: DiskFile | undefined;
  /** All files that are part of the state; the last one is being written to. */
  #files: JournalFile[];
  /** The length of the last file up to its last durable line. */
  #length = 0;
  #bytes: number;

  /** @param older the files that were read, and their size */
  constructor(parts: {
    disk: Disk;
    names: StateNames;
    mode: number;
    durability: Durability;
    older: readonly JournalFile[];
    olderBytes: number;
  }) {
    this.#disk = parts.disk;
    this.#names = parts.names;
    this.#mode = parts.mode;
    this.#durability = parts.durability;
    this.#files = [...parts.older];
    this.#bytes = parts.olderBytes;
  }

  /** The size of all files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Writes to the end of the last file. May be repeated after a failure. */
  async write(bytes: Buffer): Promise<void> {
    await writeAll(this.#open, bytes, this.#length);
  }

  /** Makes what was just written durable. */
  async sync(bytes: Buffer): Promise<void> {
    if (this.#durability === "always") await this.#open.sync();
    this.#length += bytes.length;
    this.#bytes += bytes.length;
  }

  /** Removes what was written after the last durable line. */
  async cutBack(): Promise<void> {
    await this.#open.truncate(this.#length);
    await this.#open.sync();
  }

  /**
   * Starts a new file, unless the last one is still empty.
   * @param first the position of the first entry in the new file
   * @param isSound whether the last file may still be synced
   */
  async startNew(first: number, { isSound = true } = {}): Promise<void> {
    const next = this.#names.journal(first);
    if (isSound && next.first === this.#files.at(-1)?.first) return;
    // Otherwise a loss of power could lose the end of this file but not of the next one.
    if (this.#durability === "none" && isSound) await this.#file?.sync();
    const file = await this.#create(next.path);
    try {
      await this.#disk.syncFolder(this.#names.folder);
    } catch (error) {
      await file.close().catch(() => undefined);
      await this.#disk.remove(next.path).catch(() => undefined);
      throw error;
    }
    // All of it is written and synced: a failure to close it loses nothing.
    await this.#file?.close().catch(() => undefined);
    this.#file = file;
    this.#files.push(next);
    this.#length = 0;
  }

  /** Deletes all files but the last. */
  async removeOlder(): Promise<void> {
    while (this.#files.length > 1) {
      const [oldest] = this.#files as [JournalFile];
      await this.#disk.remove(oldest.path).catch(unlessMissing);
      this.#files.shift();
    }
    this.#bytes = this.#length;
  }

  /** Whether the last file still exists under its name. */
  async isInPlace(): Promise<boolean> {
    const last = this.#files.at(-1);
    if (last === undefined) return false;
    return this.#disk.stat(last.path).then(
      () => true,
      () => false,
    );
  }

  /** @param isNeeded false deletes the files; what cannot be deleted now is deleted by the next start */
  async close(isNeeded: boolean): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined);
    const unneeded = isNeeded ? [] : this.#files.splice(0);
    for (const { path } of unneeded) await this.#disk.remove(path).catch(() => undefined);
  }

  async #create(path: string): Promise<DiskFile> {
    const create = (): Promise<DiskFile> =>
      this.#disk.create(path, this.#mode, this.#durability === "always");
    try {
      return await create();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      // An empty file with this name is left from an earlier attempt.
      if ((await this.#disk.stat(path)).size > 0) throw error;
      await this.#disk.remove(path);
      return await create();
    }
  }

  get #open(): DiskFile {
    if (!this.#file) throw new Error("The journal is closed.");
    return this.#file;
  }
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
