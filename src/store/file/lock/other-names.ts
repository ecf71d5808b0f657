import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";

/** A socket of a lock, see `LockFolder`. A path that was too long is not shown here. */
const LOCK_SOCKET = /(\/(?!proc\/).*)\/[^/]+\.[\da-f]{8}\.sock$/gm;

/**
 * The other names of a file that processes may have locked: in its folder, and on Linux in all folders with locks.
 * @param file a real path
 */
export async function otherNamesOf(file: string): Promise<readonly string[]> {
  const own = await stat(file, { bigint: true }).catch(() => undefined);
  if (!own?.isFile() || own.nlink < 2n) return [];
  // The sockets of this machine, or of this container.
  const sockets = await readFile("/proc/net/unix", "utf8").catch(() => "");
  const folders = [...sockets.matchAll(LOCK_SOCKET)].map(([, folder = ""]) => folder);
  const found: string[] = [];
  for (const folder of new Set([path.dirname(file), ...folders])) {
    for (const name of await readdir(folder).catch(() => [])) {
      const other = path.join(folder, name);
      const { dev, ino } = await stat(other, { bigint: true }).catch(() => NOWHERE);
      if (other !== file && dev === own.dev && ino === own.ino) found.push(other);
    }
  }
  return found;
}

const NOWHERE = { dev: undefined, ino: undefined };
