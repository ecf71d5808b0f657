import { once } from "node:events";
import { constants } from "node:fs";
import { access, mkdtemp, open, rm, symlink } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { hostname } from "node:os";
import path from "node:path";
import type { Claim, Holder, HolderQuery } from "./lock-protocol.ts";

/** How long to wait for a process that accepts the connection but sends nothing; it may be stopped, or on a busy machine. */
const PATIENCE_MS = 2000;
/** How long a process may take to decide whether it holds the file. */
const DECISION_MS = 3000;
/** The number of pauses in each wait. Between them this process reads the response, even if it was busy. */
const PAUSES = 5;
const HOLDS = "holds";

/**
 * A claim that is a socket, or a named pipe on Windows. It sends the process id and the host name and, as soon as its
 * process holds the file, a line that reports it. It ends with its process, also when the process is killed. No other
 * process ever touches the socket of a live process.
 */
export class SocketClaim implements Claim {
  readonly address: string;
  readonly #server: Server;
  readonly #asking = new Set<Socket>();
  #isHolder = false;

  private constructor(address: string) {
    this.address = address;
    this.#server = createServer((socket) => this.#answer(socket));
    // `accept` reports a lack of file descriptors here, which must not end the process.
    this.#server.on("error", () => undefined);
    this.#server.unref();
  }

  /**
   * @param short a shorter path to the same address, see `shorten`
   * @returns undefined if the address is in use.
   */
  static async make(address: string, short = address): Promise<SocketClaim | undefined> {
    const claim = new SocketClaim(address);
    const server = claim.#server;
    // Other users may connect too. `exclusive`: in a cluster each process has its own socket.
    server.listen({ path: short, readableAll: true, writableAll: true, exclusive: true });
    try {
      await once(server, "listening");
      return claim;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
      throw error;
    }
  }

  async isVisible(): Promise<boolean> {
    return process.platform === "win32" || exists(this.address);
  }

  hold(): Promise<boolean> {
    this.#isHolder = true;
    for (const socket of this.#asking) socket.end(`${HOLDS}\n`);
    return Promise.resolve(true);
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    // Node would remove it by the short path, which may not exist any more.
    if (process.platform !== "win32")
      await rm(this.address, { force: true }).catch(() => undefined);
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#asking) socket.destroy();
    await closed;
  }

  #answer(socket: Socket): void {
    // The other side may disconnect at any time.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#asking.delete(socket));
    this.#asking.add(socket);
    socket.write(`${process.pid} ${hostname()}\n`);
    if (this.#isHolder) socket.end(`${HOLDS}\n`);
  }
}

/**
 * Asks the process of a socket whether it holds the file.
 * @param short a shorter path to the same address, see `shorten`
 */
export function askSocket(address: string, short = address): HolderQuery {
  const socket = connect(short);
  let answer = "";
  let isOpen = false;
  /** Why the process does not respond: it is dead, it is closing its claim, or the reason is unknown. */
  let failure: "dead" | "leaving" | "unknown" | undefined;
  let isSilent = false;
  let limitMs = PATIENCE_MS;
  let left = PAUSES;
  const onPause = (): void => {
    if (--left > 0) return void socket.setTimeout(limitMs / PAUSES, onPause);
    isSilent = true;
    socket.destroy();
  };
  socket.setTimeout(limitMs / PAUSES, onPause);
  socket.on("data", (chunk) => {
    answer += chunk.toString();
    limitMs = DECISION_MS;
    left = PAUSES;
    socket.setTimeout(limitMs / PAUSES);
  });
  socket.once("error", ({ code = "" }: NodeJS.ErrnoException) => {
    if (code === "ECONNREFUSED" || code === "ENOENT") failure = "dead";
    // This user may not be allowed to connect, or too many connections wait.
    else failure = code === "ECONNRESET" || isOpen ? "leaving" : "unknown";
  });
  const isAlive = new Promise<boolean>((resolve) => {
    socket.once("connect", () => {
      isOpen = true;
      resolve(true);
    });
    socket.once("close", () => resolve(failure !== "dead"));
  });
  const holder = new Promise<Holder | undefined>((resolve) => {
    socket.once("close", () => {
      const [identity = "", decision] = answer.split("\n");
      if (failure === "unknown") resolve({ doubtful: address });
      else resolve(isSilent || decision === HOLDS ? toHolder(identity) : undefined);
    });
  });
  return { isAlive, holder };
}

/** @param text a process id and a host name from another process; anything else is ignored */
export function toHolder(text: string): Holder {
  const [, pid, host] = /^(\d{1,10}) ([\w.-]{1,255})$/.exec(text) ?? [];
  return { ...(pid && { pid }), ...(host && { host }) };
}

/** The longest path of a socket that every system supports; some truncate a longer one silently. */
const MAX_ADDRESS_BYTES = 100;

/** A path to a folder that is short enough for the addresses of sockets in it. */
export interface ShortPath {
  readonly path: string;
  /** Removes the path. A listening socket keeps listening. */
  close(): Promise<void>;
}

/**
 * Finds or creates a short path to a folder.
 * @param nameBytes the length of the longest name of a socket
 * @param descriptors the folder with this process's open files; only on Linux does it lead to folders
 */
export async function shorten(
  folder: string,
  nameBytes: number,
  descriptors = "/proc/self/fd",
): Promise<ShortPath> {
  if (Buffer.byteLength(folder) + 1 + nameBytes <= MAX_ADDRESS_BYTES)
    return { path: folder, close: () => Promise.resolve() };
  const opened = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  const short = path.join(descriptors, String(opened.fd));
  if (await exists(short)) return { path: short, close: () => opened.close() };
  await opened.close();
  const temporary = await mkdtemp("/tmp/pix-sandbox-");
  const link = path.join(temporary, "state");
  const close = (): Promise<void> => rm(temporary, { recursive: true, force: true });
  try {
    await symlink(folder, link);
  } catch (error) {
    await close();
    throw error;
  }
  return { path: link, close };
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
