import { once } from "node:events";
import { constants } from "node:fs";
import { access, mkdtemp, open, rm, symlink } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { hostname } from "node:os";
import path from "node:path";
import type { Claim, Holder, HolderQuery } from "./lock-protocol.ts";

/** How long a process that accepts connections and sends nothing, perhaps a stopped one, is waited for. */
const PATIENCE_MS = 500;
/** How long a process may take to decide whether it holds the file. */
const DECISION_MS = 3000;
/** Both are waited for in so many pauses: a process that was busy itself then reads the answer in between. */
const PAUSES = 5;
const HOLDS = "holds";

/**
 * A claim that is a socket, or a named pipe on Windows. It answers with the process id and the host name
 * and, once that is decided, that the process holds the file. It is dead the moment its process is, however
 * that ended. Nothing ever touches the socket of a process that lives.
 */
export class SocketClaim implements Claim {
  readonly address: string;
  readonly #server: Server;
  readonly #asking = new Set<Socket>();
  #isHolder = false;

  private constructor(address: string) {
    this.address = address;
    this.#server = createServer((socket) => this.#answer(socket));
    // A sandbox outlives a lack of file descriptors, which `accept` reports here.
    this.#server.on("error", () => undefined);
    this.#server.unref();
  }

  /**
   * @param short another path of the same address, see `shorten`
   * @returns undefined if the address is in use.
   */
  static async make(address: string, short = address): Promise<SocketClaim | undefined> {
    const claim = new SocketClaim(address);
    const server = claim.#server;
    // A process of another user is answered too. In a cluster the socket is this process's own.
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
    // Node removes it by the short path, which may be gone.
    if (process.platform !== "win32")
      await rm(this.address, { force: true }).catch(() => undefined);
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#asking) socket.destroy();
    await closed;
  }

  #answer(socket: Socket): void {
    // One that connects and leaves again.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#asking.delete(socket));
    this.#asking.add(socket);
    socket.write(`${process.pid} ${hostname()}\n`);
    if (this.#isHolder) socket.end(`${HOLDS}\n`);
  }
}

/**
 * Asks the process behind a socket.
 * @param short another path of the same address, see `shorten`
 */
export function askSocket(address: string, short = address): HolderQuery {
  const socket = connect(short);
  let said = "";
  let isOpen = false;
  /** Why the process cannot be asked: it is dead, or leaves at this moment, or that is not known. */
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
    said += chunk.toString();
    limitMs = DECISION_MS;
    left = PAUSES;
    socket.setTimeout(limitMs / PAUSES);
  });
  socket.once("error", ({ code = "" }: NodeJS.ErrnoException) => {
    if (code === "ECONNREFUSED" || code === "ENOENT") failure = "dead";
    // This user may not connect to it, or the process has too many connections waiting.
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
      const [who = "", decision] = said.split("\n");
      if (failure === "unknown") resolve({ doubtful: address });
      else resolve(isSilent || decision === HOLDS ? toHolder(who) : undefined);
    });
  });
  return { isAlive, holder };
}

/** @param text a process id and a host name, which come from another process: anything else is left out */
export function toHolder(text: string): Holder {
  const [, pid, host] = /^(\d{1,10}) ([\w.-]{1,255})$/.exec(text) ?? [];
  return { ...(pid && { pid }), ...(host && { host }) };
}

/** The longest path of a socket that every system takes; some of them cut off a longer one silently. */
const MAX_ADDRESS_BYTES = 100;

/** A path of a folder that is short enough for the addresses of sockets in it. */
export interface ShortPath {
  readonly path: string;
  /** From then on it leads nowhere. A socket that listens goes on listening. */
  close(): Promise<void>;
}

/**
 * @param nameBytes the length of the longest name of a socket
 * @param descriptors the folder in which the system shows this process's open files; only Linux shows folders
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
