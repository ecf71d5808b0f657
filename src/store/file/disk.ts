import * as fs from "node:fs";
import { open, readdir, readlink, realpath, rm, stat } from "node:fs/promises";
import path from "node:path";
import { LocalizedError } from "../../core/records/errors.ts";
import { makeFolders } from "../../platform/folders.ts";
import { replaceFile } from "../../platform/replace-file.ts";
import { say } from "../../text/message.ts";

/**
 * The calls of a file system that the store needs. They are few, so that a test can replace them with a disk that
 * fails, or dies, at any of them. All reject with Node's errors (`code` ENOENT and so on).
 */
export interface Disk {
  list(folder: string): Promise<readonly string[]>;
  /** Creates a folder and its missing parents. @returns the uppermost one that it created. */
  makeFolder(folder: string): Promise<string | undefined>;
  realPath(name: string): Promise<string>;
  stat(file: string): Promise<{ readonly size: number; readonly mode: number }>;
  /** Reads a file from the start, in pieces. */
  read(file: string): AsyncIterable<Buffer>;
  /**
   * Creates a file for writing; rejects if it exists.
   * @param writesThrough whether a write makes its bytes durable itself, on systems where that is faster than a sync
   */
  create(file: string, mode: number, writesThrough?: boolean): Promise<DiskFile>;
  /** Opens an existing file for writing. */
  open(file: string): Promise<DiskFile>;
  rename(from: string, to: string): Promise<void>;
  remove(file: string): Promise<void>;
  /** Makes created, renamed and removed names in a folder durable. */
  syncFolder(folder: string): Promise<void>;
}

export interface DiskFile {
  /** Writes at a position. @returns how many of the bytes were written, which may be fewer. */
  write(bytes: Buffer, position: number): Promise<number>;
  /** Makes the written bytes durable. Returns at once if each write already has. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** Writes all bytes: a single write may be partial, for instance on a full disk. */
export async function writeAll(file: DiskFile, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length)
    written += await file.write(bytes.subarray(written), position + written);
}

/** The bits of a mode that hold the file's type. */
export const KIND_OF_FILE = 0o170000;
export const REGULAR_FILE = 0o100000;

const PIECE_BYTES = 1 << 18;
/** The largest write that is made synchronously. */
const SYNC_WRITE_BYTES = 48 << 10;

/** The machine's file system. */
export const realDisk: Disk = {
  list: (folder) => readdir(folder),
  makeFolder: (folder) => makeFolders(folder),
  realPath: (name) => findRealPath(name),
  stat: (file) => stat(file),
  read: (file) => readPieces(file),
  create: async (file, mode, writesThrough = false) => {
    const { O_CREAT, O_EXCL, O_WRONLY } = fs.constants;
    const through = writesThrough ? WRITE_THROUGH : 0;
    const descriptor = await openPath(file, O_CREAT | O_EXCL | O_WRONLY | through, mode);
    // The umask may have removed bits of the mode. Not every disk supports modes.
    await settled((done) => fs.fchmod(descriptor, mode, done)).catch(() => undefined);
    return new RealFile(descriptor, through !== 0);
  },
  open: async (file) => new RealFile(await openPath(file, "r+"), false),
  rename: (from, to) => replaceFile(from, to),
  remove: (file) => rm(file),
  syncFolder: async (folder) => {
    // Windows cannot open folders, and makes names durable by itself.
    if (process.platform === "win32") return;
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } catch (error) {
      // Some disks cannot sync folders.
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!["EINVAL", "ENOTSUP", "ENOSYS"].includes(code)) throw error;
    } finally {
      await handle.close();
    }
  },
};

/** Resolves a link also if its target does not exist yet. */
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

/** Fetches the next piece while the caller handles one. */
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
      // It is awaited when the caller continues, which may be after it has failed.
      next.catch(() => undefined);
      yield piece;
    }
  } finally {
    await next?.catch(() => undefined);
    await handle.close();
  }
}

/**
 * With this flag a write returns when its bytes are durable, as after `fdatasync`, so that the main thread neither
 * writes nor wakes up twice. Windows lacks it. On macOS it does not flush the drive's cache; Node's `fdatasync` does.
 */
const WRITE_THROUGH = process.platform === "linux" ? fs.constants.O_DSYNC : 0;

/** A file by its descriptor: on the path of every change, the promises of file handles would cost more than the calls. */
class RealFile implements DiskFile {
  readonly #descriptor: number;
  readonly #writesThrough: boolean;
  /** Whether everything written so far is durable. */
  #isSynced: boolean;

  /** @param writesThrough whether the file was created with {@link WRITE_THROUGH} */
  constructor(descriptor: number, writesThrough: boolean) {
    this.#descriptor = descriptor;
    this.#writesThrough = writesThrough;
    this.#isSynced = writesThrough;
  }

  async write(bytes: Buffer, position: number): Promise<number> {
    const wasSynced = this.#isSynced;
    // A write that fails may leave bytes that are not durable.
    this.#isSynced = false;
    // The system copies a small write into its own memory faster than another thread wakes up.
    const isFast = !this.#writesThrough && bytes.length <= SYNC_WRITE_BYTES;
    const written = isFast
      ? fs.writeSync(this.#descriptor, bytes, 0, bytes.length, position)
      : await this.#writeInThread(bytes, position);
    if (this.#isRemoved()) throw new LocalizedError(REMOVED);
    this.#isSynced = wasSynced;
    return written;
  }

  #writeInThread(bytes: Buffer, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.write(this.#descriptor, bytes, 0, bytes.length, position, (error, written) =>
        error ? reject(error) : resolve(written),
      );
    });
  }

  /** A file without a name accepts every write, and is lost at the end of the process. */
  #isRemoved(): boolean {
    return fs.fstatSync(this.#descriptor).nlink === 0;
  }

  async sync(): Promise<void> {
    if (this.#isSynced) return;
    await settled((done) => fs.fdatasync(this.#descriptor, done));
    this.#isSynced = this.#writesThrough;
  }

  truncate(length: number): Promise<void> {
    this.#isSynced = false;
    return settled((done) => fs.ftruncate(this.#descriptor, length, done));
  }

  close(): Promise<void> {
    return settled((done) => fs.close(this.#descriptor, done));
  }
}

const REMOVED = say`it was deleted while the sandbox was using it`;

function openPath(file: string, flags: string | number, mode?: number): Promise<number> {
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
