import * as fs from "node:fs";
import { type FileHandle, open, readdir, rm, stat } from "node:fs/promises";
import { LocalizedError } from "../../core/records/errors.ts";
import { replaceFile } from "../../platform/folders.ts";
import { say } from "../../text/message.ts";

/**
 * The calls of a file system that the store needs. They are few, so that a test can replace them with a disk that
 * fails, or dies, at any of them. All reject with Node's errors (`code` ENOENT and so on).
 */
export interface Disk {
  list(folder: string): Promise<readonly string[]>;
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

/** More unsynced bytes than this would delay the log's syncs on the same disk. */
const UNSYNCED_BYTES = 1 << 21;

/** Writes and syncs. Each piece is produced after the one before it is written, so that requests can be handled in between. */
export async function writePieces(file: DiskFile, pieces: Iterable<Buffer>): Promise<number> {
  let position = 0;
  let synced = 0;
  for (const piece of pieces) {
    await writeAll(file, piece, position);
    position += piece.length;
    if (position - synced < UNSYNCED_BYTES) continue;
    await file.sync();
    synced = position;
  }
  await file.sync();
  return position;
}

const PIECE_BYTES = 1 << 18;
/**
 * With this flag a write returns when its bytes are durable, as after `fdatasync`, so that the main thread does not wake
 * up twice. Windows lacks it. On macOS it does not flush the drive's cache; Node's `fdatasync` does.
 */
const WRITE_THROUGH = process.platform === "linux" ? fs.constants.O_DSYNC : 0;
const CREATE = fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_WRONLY;

/** The machine's file system. */
export const realDisk: Disk = {
  list: (folder) => readdir(folder),
  stat: (file) => stat(file),
  read: (file) => fs.createReadStream(file, { highWaterMark: PIECE_BYTES }),
  create: async (file, mode, writesThrough = false) => {
    const through = writesThrough ? WRITE_THROUGH : 0;
    const handle = await open(file, CREATE | through, mode);
    // The umask may have removed bits of the mode. Not every disk supports modes.
    await handle.chmod(mode).catch(() => undefined);
    return fileOf(handle, through !== 0);
  },
  open: async (file) => fileOf(await open(file, "r+"), false),
  rename: (from, to) => replaceFile(from, to),
  remove: (file) => rm(file),
  syncFolder: async (folder) => {
    // Windows cannot open folders, and makes names durable by itself.
    if (process.platform === "win32") return;
    const handle = await open(folder, "r");
    const synced = handle.sync().catch((error: NodeJS.ErrnoException) => {
      // Some disks cannot sync folders.
      if (!["EINVAL", "ENOTSUP", "ENOSYS"].includes(error.code ?? "")) throw error;
    });
    await synced.finally(() => handle.close());
  },
};

function fileOf(handle: FileHandle, writesThrough: boolean): DiskFile {
  return {
    write: async (bytes, position) => {
      const { bytesWritten } = await handle.write(bytes, 0, bytes.length, position);
      // A file without a name accepts every write, and is lost at the end of the process.
      if (fs.fstatSync(handle.fd).nlink === 0)
        throw new LocalizedError(say`it was deleted while the sandbox was using it`);
      return bytesWritten;
    },
    sync: async () => {
      if (!writesThrough) await handle.datasync();
    },
    truncate: (length) => handle.truncate(length),
    close: () => handle.close(),
  };
}
