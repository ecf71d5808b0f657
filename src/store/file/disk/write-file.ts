import { type Disk, writeAll } from "./disk.ts";

/** Only the owner may read a file with tokens and secrets. */
export const NEW_FILE_MODE = 0o600;
/** More unsynced bytes than this would delay the journal's syncs on the same disk. */
const UNSYNCED_BYTES = 1 << 21;

/**
 * Creates a file durably. Each piece is produced after the previous one is written, so that requests can be handled in
 * between.
 * @returns its size in bytes.
 */
export async function writeFile(
  disk: Disk,
  path: string,
  mode: number,
  pieces: Iterable<Buffer>,
): Promise<number> {
  const file = await disk.create(path, mode);
  try {
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
  } finally {
    await file.close();
  }
}
