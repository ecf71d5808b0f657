import * as fs from "node:fs";
import { mkdir, open, readdir, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { LocalizedError } from "../core/errors.ts";

/**
 * What keeping a state asks of a file system: few calls, so that a test can put one in its place
 * that fails, or dies, at any of them. All of them reject with Node's errors (`code` ENOENT and so on).
 */
export interface Disk {
  /** The names in a folder. */
  list(folder: string): Promise<readonly string[]>;
  /** Makes a folder, and those above it, where they are not there yet. @returns the uppermost that was made. */
  makeFolder(folder: string): Promise<string | undefined>;
  /** Where symbolic links lead. */
  realPath(name: string): Promise<string>;
  /** Size in bytes and permissions of a file, and how many names it has (default 1). */
  stat(
    file: string,
  ): Promise<{ readonly size: number; readonly mode: number; readonly nlink?: number }>;
  /** The bytes of a file, from its beginning, piece by piece. */
  read(file: string): AsyncIterable<Buffer>;
  /** A new file to write to; fails where there is one by that name. */
  create(file: string, mode: number): Promise<DiskFile>;
  /** A file that is there, to write to. */
  open(file: string): Promise<DiskFile>;
  rename(from: string, to: string): Promise<void>;
  remove(file: string): Promise<void>;
  /** Makes names that were given, changed and removed in a folder outlast a loss of power. */
  syncFolder(folder: string): Promise<void>;
}

export interface DiskFile {
  /** Writes at a position. @returns how many of the bytes were written, which need not be all. */
  write(bytes: Buffer, position: number): Promise<number>;
  /** Makes what was written outlast a loss of power. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** A disk takes as much of a write as it has room for: the rest has to be written again, or refused. */
export async function writeAll(file: DiskFile, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length)
    written += await file.write(bytes.subarray(written), position + written);
}

export async function copyFile(disk: Disk, from: string, to: string): Promise<void> {
  const copy = await disk.create(to, (await disk.stat(from)).mode & 0o777);
  try {
    let position = 0;
    for await (const piece of disk.read(from)) {
      await writeAll(copy, piece, position);
      position += piece.length;
    }
    await copy.sync();
  } finally {
    await copy.close();
  }
}

/** The bits of a mode that say what kind of file it is. */
export const KIND_OF_FILE = 0o170000;
export const REGULAR_FILE = 0o100000;

const PIECE_BYTES = 1 << 18;
const LITTLE_BYTES = 48 << 10;

/** The machine's own file system. */
export const realDisk: Disk = {
  list: (folder) => readdir(folder),
  makeFolder: (folder) => mkdir(folder, { recursive: true }),
  realPath: (name) => findRealPath(name),
  stat: (file) => stat(file),
  read: (file) => readPieces(file),
  create: async (file, mode) => {
    const descriptor = await openPath(file, "wx", mode);
    // What a process may not give by default, a file may have had all the same; not every disk knows of it.
    await settled((done) => fs.fchmod(descriptor, mode, done)).catch(() => undefined);
    return new RealFile(descriptor);
  },
  open: async (file) => new RealFile(await openPath(file, "r+")),
  rename: (from, to) => rename(from, to),
  remove: (file) => rm(file),
  syncFolder: async (folder) => {
    // Windows opens no folders, and keeps names without being asked.
    if (process.platform === "win32") return;
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } catch (error) {
      // There are disks that sync no folders, and nothing can be done about it.
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!["EINVAL", "ENOTSUP", "ENOSYS"].includes(code)) throw error;
    } finally {
      await handle.close();
    }
  },
};

/** A link leads somewhere even before anything is there. */
async function findRealPath(name: string): Promise<string> {
  try {
    return await realpath(name);
  } catch (error) {
    const target = await readlink(name).catch(() => undefined);
    if (target === undefined) throw error;
    const folder = await realpath(path.dirname(path.resolve(path.dirname(name), target)));
    return path.join(folder, path.basename(target));
  }
}

/** While one piece is read by the caller, the next is fetched. */
async function* readPieces(file: string): AsyncIterable<Buffer> {
  const handle = await open(file, "r");
  let next: Promise<Buffer> | undefined;
  const fetch = async (position: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await handle.read(
      Buffer.allocUnsafe(PIECE_BYTES),
      0,
      PIECE_BYTES,
      position,
    );
    return buffer.subarray(0, bytesRead);
  };
  try {
    next = fetch(0);
    for (let position = 0; ;) {
      const piece = await next;
      if (piece.length === 0) return;
      position += piece.length;
      next = fetch(position);
      // It is awaited when the caller comes back, which may be after it has failed.
      next.catch(() => undefined);
      yield piece;
    }
  } finally {
    await next?.catch(() => undefined);
    await handle.close();
  }
}

/** Plain descriptors: on the path of every change, the promises of file handles cost more than the calls. */
class RealFile implements DiskFile {
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  async write(bytes: Buffer, position: number): Promise<number> {
    // The system copies a little into its own memory in less time than another thread takes to wake.
    const written =
      bytes.length <= LITTLE_BYTES
        ? fs.writeSync(this.#descriptor, bytes, 0, bytes.length, position)
        : await this.#writeElsewhere(bytes, position);
    if (this.#isRemoved()) throw new LocalizedError(REMOVED);
    return written;
  }

  #writeElsewhere(bytes: Buffer, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.write(this.#descriptor, bytes, 0, bytes.length, position, (error, written) =>
        error ? reject(error) : resolve(written),
      );
    });
  }

  /** What no name leads to any more takes every write, and is gone with the process. */
  #isRemoved(): boolean {
    return fs.fstatSync(this.#descriptor).nlink === 0;
  }

  sync(): Promise<void> {
    return settled((done) => fs.fdatasync(this.#descriptor, done));
  }

  truncate(length: number): Promise<void> {
    return settled((done) => fs.ftruncate(this.#descriptor, length, done));
  }

  close(): Promise<void> {
    return settled((done) => fs.close(this.#descriptor, done));
  }
}

const REMOVED = {
  en: "it was deleted while the sandbox was using it",
  pt: "foi apagado enquanto o sandbox o usava",
};

function openPath(file: string, flags: string, mode?: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.open(file, flags, mode, (error, descriptor) =>
      error ? reject(error) : resolve(descriptor),
    );
  });
}

function settled(call: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => (error ? reject(error) : resolve()));
  });
}
