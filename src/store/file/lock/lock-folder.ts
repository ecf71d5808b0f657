import { createHash, randomBytes } from "node:crypto";
import * as fs from "node:fs/promises";
import path from "node:path";
import { HeartbeatClaim, type Pace, PACE, watchHeartbeat } from "./lock-heartbeat.ts";
import type { Claim, HolderQuery, LockEncounter } from "./lock-protocol.ts";
import { askSocket, shorten, type ShortPath, SocketClaim } from "./lock-socket.ts";

/** File systems that several machines can share, by their numbers in Linux. */
const SHARED = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xff534d42, // CIFS
  0xfe534d42, // SMB2
  0x01021997, // 9P: WSL, virtual machines
  0x65735546, // FUSE: Docker Desktop, sshfs and many others
  0x00c36400, // Ceph
  0x0bd00bd0, // Lustre
  0x01161970, // GFS2
  0x7461636f, // OCFS2
  0x47504653, // GPFS
  0x786f4256, // VirtualBox
  0x5346414f, // AFS
]);

/** A longer name of a state file is hashed in the name of a claim. */
const MAX_NAME_BYTES = 40;
const SOCKET = ".sock";
const HEARTBEAT = ".lock";

/**
 * The claims beside a state file: sockets, or files with a heartbeat if the folder does not support sockets.
 * Processes with claims of either kind see each other.
 */
export class LockFolder implements LockEncounter {
  readonly #folder: string;
  readonly #prefix: string;
  readonly #short: ShortPath;
  readonly #pace: Pace;
  /** Whether all processes that use the folder are on this machine and can create sockets there. */
  #hasSockets: boolean;

  private constructor(file: string, short: ShortPath, hasSockets: boolean, pace: Pace) {
    this.#folder = path.dirname(file);
    this.#prefix = prefixOf(path.basename(file));
    this.#short = short;
    this.#hasSockets = hasSockets;
    this.#pace = pace;
  }

  /** @param file a real path */
  static async open(file: string, pace: Pace = PACE): Promise<LockFolder> {
    const folder = path.dirname(file);
    const nameBytes = `${prefixOf(path.basename(file))}01234567${SOCKET}`.length;
    const hasSockets = !(await isShared(folder));
    return new LockFolder(file, await shorten(folder, nameBytes), hasSockets, pace);
  }

  async claim(): Promise<Claim> {
    const address = path.join(this.#folder, `${this.#prefix}${randomBytes(4).toString("hex")}`);
    if (this.#hasSockets) {
      const socket = `${address}${SOCKET}`;
      const claim = await SocketClaim.make(socket, this.#shortOf(socket)).catch(() => undefined);
      if (claim) return claim;
      this.#hasSockets = false;
    }
    return HeartbeatClaim.make(`${address}${HEARTBEAT}`, this.#pace);
  }

  async others(mine: string | undefined): Promise<readonly string[]> {
    return (await fs.readdir(this.#folder))
      .filter((name) => name.startsWith(this.#prefix))
      .filter((name) => /^[0-9a-f]{8}\.(?:sock|lock)$/.test(name.slice(this.#prefix.length)))
      .toSorted()
      .map((name) => path.join(this.#folder, name))
      .filter((address) => address !== mine);
  }

  ask(address: string): HolderQuery {
    if (address.endsWith(HEARTBEAT)) return watchHeartbeat(address, this.#pace);
    if (this.#hasSockets) return askSocket(address, this.#shortOf(address));
    // Another machine has created it, and only that machine can find out whether its process is alive.
    return { isAlive: Promise.resolve(true), holder: Promise.resolve({ doubtful: address }) };
  }

  async remove(address: string): Promise<void> {
    const removed = fs.rm(address, { force: true });
    // A dead socket of another user does no harm. A file with a heartbeat may come to life again.
    await (address.endsWith(SOCKET) ? removed.catch(() => undefined) : removed);
  }

  /** Afterwards claims can be released, but not created or queried. */
  close(): Promise<void> {
    return this.#short.close();
  }

  #shortOf(address: string): string {
    return path.join(this.#short.path, path.basename(address));
  }
}

/** The claim for a state file on Windows, which has no sockets in folders: a named pipe, which the first process owns. */
export class NamedPipe implements LockEncounter {
  readonly #address: string;

  /** @param file a real path */
  constructor(file: string) {
    this.#address = `\\\\.\\pipe\\pix-sandbox-${hashOf(file)}`;
  }

  claim(): Promise<Claim | undefined> {
    return SocketClaim.make(this.#address);
  }

  others(mine: string | undefined): Promise<readonly string[]> {
    return Promise.resolve(mine === undefined ? [this.#address] : []);
  }

  ask(address: string): HolderQuery {
    return askSocket(address);
  }

  remove(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** The prefix of the names of all claims for a state file. */
function prefixOf(name: string): string {
  return `${Buffer.byteLength(name) <= MAX_NAME_BYTES ? name : hashOf(name)}.`;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** A socket on a shared file system works on its own machine only, and looks dead to the others. */
async function isShared(folder: string): Promise<boolean> {
  if (process.platform !== "linux") return false;
  // Not every runtime has `statfs`.
  return (
    (fs.statfs as typeof fs.statfs | undefined)?.(folder).then(
      ({ type }) => SHARED.has(type),
      () => false,
    ) ?? false
  );
}
