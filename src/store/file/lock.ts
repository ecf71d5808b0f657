import { hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { access, readdir, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { hostname } from "node:os";
import path from "node:path";
import { StateInUseError } from "../errors.ts";
import { pause } from "../../platform/pause.ts";
import { type Message, say } from "../../text/message.ts";

/** The longest path of a socket that every system supports; some truncate a longer one silently. */
const MAX_ADDRESS_BYTES = 100;
/** A process may be stopped, or on a busy machine. */
const PATIENCE_MS = 5000;
const MAX_TRIES = 50;
const WHO = `${process.pid} ${hostname()}\n`;
const SOCKET = /^[0-9a-f]{8}\.sock$/;
const IS_WINDOWS = process.platform === "win32";

/**
 * Locks a state file for this process until the returned function is called.
 *
 * A process that wants the file listens at a socket with a name of its own beside it, and then asks all others that it
 * finds: of two processes at least one finds the other. The one with the lower name waits for the other's decision; the
 * other gives way. No process ever touches the socket of a live one, and a socket behind which nobody listens belongs
 * to a dead one: the lock is free at once after a crash. On a file system without sockets, and where the path is too
 * long, the socket is in the temporary folder. On Windows it is a named pipe, which the first process owns. Machines
 * that share a drive do not see each other.
 * @param file a path without links
 * @param patienceMs how long another process may take to say whether it holds the file
 * @throws StateInUseError if another process holds it
 */
export async function lock(file: string, patienceMs = PATIENCE_MS): Promise<() => Promise<void>> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const claim = await claimFor(file);
    const rival = claim
      ? await rivalOf(claim, file, patienceMs)
      : await ask(pipeOf(file), patienceMs);
    if (claim && !rival && (await claim.isVisible())) return claim.hold();
    await claim?.close();
    if (rival && rival !== "leaving" && rival !== "dead") throw inUse(file, rival);
    await pause(10);
  }
  throw inUse(file, "silent");
}

/** A socket at which this process says that it wants the file, or holds it. */
class Claim {
  readonly address: string;
  readonly #server: Server;
  readonly #asking = new Set<Socket>();
  #isHolder = false;

  constructor(address: string) {
    this.address = address;
    this.#server = createServer((socket) => {
      socket.on("error", () => socket.destroy()).once("close", () => this.#asking.delete(socket));
      this.#asking.add(socket);
      if (this.#isHolder) socket.end(WHO);
    });
    // `accept` reports a lack of file descriptors here, which must not end the process.
    this.#server.on("error", () => undefined).unref();
  }

  /** @returns whether the address was free */
  async listen(): Promise<boolean> {
    // Other users may ask too. `exclusive`: each worker of a cluster has its own socket.
    const options = { readableAll: true, writableAll: true, exclusive: true };
    this.#server.listen({ path: this.address, ...options });
    return once(this.#server, "listening").then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "EADDRINUSE") return false;
        throw error;
      },
    );
  }

  /** Whether others find it: one that asked before it listened has taken it for dead, and removed it. */
  async isVisible(): Promise<boolean> {
    return IS_WINDOWS || (await exists(this.address));
  }

  hold(): () => Promise<void> {
    this.#isHolder = true;
    for (const socket of this.#asking) socket.end(WHO);
    return () => this.close();
  }

  /** Node removes the socket's file. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#asking) socket.destroy();
    await closed;
  }
}

/** @returns undefined if the only address, a pipe, is in use */
async function claimFor(file: string): Promise<Claim | undefined> {
  const name = `${randomBytes(4).toString("hex")}.sock`;
  const places = IS_WINDOWS ? [pipeOf(file)] : placesOf(file).map((place) => place + name);
  const addresses = places.filter((place) => Buffer.byteLength(place) <= MAX_ADDRESS_BYTES);
  for (const [index, address] of addresses.entries()) {
    const claim = new Claim(address);
    const isFree = await claim.listen().catch((error: Error) => {
      if (index === addresses.length - 1) throw error;
    });
    if (isFree) return claim;
  }
  return undefined;
}

/** What the names of the sockets begin with: beside the file, or in the temporary folder. */
function placesOf(file: string): string[] {
  return [`${file}.`, `/tmp/pix-sandbox-${keyOf(file)}.`];
}

/** What a process says that has a socket: who it is if it holds the state, or nothing within `PATIENCE_MS`. */
type Reply = "dead" | "leaving" | "silent" | (string & {});

/** @returns what the process says that has the state, or priority; undefined if there is none */
async function rivalOf(mine: Claim, file: string, patienceMs: number): Promise<Reply | undefined> {
  if (IS_WINDOWS) return undefined;
  const [beside = "", temporary = ""] = placesOf(file);
  const places = mine.address.startsWith(beside) ? [beside] : [beside, temporary];
  for (const place of places)
    for (const address of await socketsAt(place)) {
      if (address === mine.address) continue;
      const hasPriority = address < mine.address;
      const giveWay = hasPriority ? () => mine.close() : undefined;
      const reply = await ask(address, patienceMs, giveWay);
      // In a folder of another user it stays.
      if (reply === "dead") await rm(address, { force: true }).catch(() => undefined);
      else if (reply !== "leaving" || hasPriority) return reply;
    }
  return undefined;
}

async function socketsAt(place: string): Promise<string[]> {
  const folder = path.dirname(place);
  const prefix = path.basename(`${place}x`).slice(0, -1);
  const names = await readdir(folder);
  return names
    .filter((name) => name.startsWith(prefix) && SOCKET.test(name.slice(prefix.length)))
    .toSorted()
    .map((name) => path.join(folder, name));
}

/** Asks the process at an address. @param onAlive gives way first: the other may wait for this process */
function ask(address: string, patienceMs: number, onAlive?: () => Promise<void>): Promise<Reply> {
  return new Promise((resolve) => {
    let said = "";
    let failure: Reply | undefined;
    const socket = connect(address);
    socket.setTimeout(patienceMs, () => {
      failure = "silent";
      socket.destroy();
    });
    socket.on("data", (chunk) => (said += String(chunk)));
    socket.on("connect", () => void onAlive?.());
    socket.on("error", ({ code = "" }: NodeJS.ErrnoException) => {
      if (code === "ECONNREFUSED" || code === "ENOENT") failure = "dead";
      // This user may not connect, or too many connections wait.
      else failure = code === "ECONNRESET" || code === "EPIPE" ? "leaving" : "silent";
    });
    socket.once("close", () => resolve(said === "" ? (failure ?? "leaving") : said));
  });
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function keyOf(file: string): string {
  return hash("sha256", file, "hex").slice(0, 16);
}

function pipeOf(file: string): string {
  return `\\\\.\\pipe\\pix-sandbox-${keyOf(file)}`;
}

/** @param who a process id and a host name from another process; anything else is ignored */
function inUse(file: string, who: Reply): StateInUseError {
  const [, pid, host = ""] = /^(\d{1,10}) ([\w.-]{1,255})$/.exec(who.trim()) ?? [];
  // A process id alone does not identify a process in another container.
  const holder: Message =
    pid === undefined
      ? say`another sandbox`
      : host === hostname()
        ? say`the sandbox with the process id ${pid}`
        : say`the sandbox with the process id ${pid} on the host ${host}`;
  return new StateInUseError(say`The state file ${file} is in use by ${holder}.`);
}
