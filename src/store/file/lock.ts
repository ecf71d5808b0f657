import { hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import path from "node:path";
import { StateInUseError } from "../errors.ts";
import { pause } from "../../platform/pause.ts";
import { say } from "../../text/message.ts";

/** The longest path of a socket that every system supports; some truncate a longer one silently. */
const MAX_ADDRESS_BYTES = 100;
/** A process may be stopped, or on a busy machine. */
const PATIENCE_MS = 5000;
const MAX_TRIES = 50;
const SOCKET = /^[0-9a-f]{8}\.sock$/;
const IS_WINDOWS = process.platform === "win32";

/** What a process says that has a socket: who it is if it holds the state. It may also leave, or say nothing in time. */
type Reply = "dead" | "leaving" | "silent" | (string & {});

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
    const rival = await (claim ? rivalOf(claim, file, patienceMs) : ask(pipeOf(file), patienceMs));
    // One that asked before this one listened has taken it for dead, and removed its socket.
    const isVisible = claim && (IS_WINDOWS || existsSync(claim.address));
    if (isVisible && !rival) return claim.hold();
    await claim?.close();
    if (rival && rival !== "leaving" && rival !== "dead") throw inUse(file, rival);
    await pause(10);
  }
  throw inUse(file, "silent");
}

/** A socket at which this process says that it wants the file, or holds it. */
type Claim = Awaited<ReturnType<typeof claimAt>>;

/** @throws Error with the code EADDRINUSE if the address is not free */
async function claimAt(address: string) {
  const asking = new Set<Socket>();
  let isHolder = false;
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy()).once("close", () => asking.delete(socket));
    asking.add(socket);
    if (isHolder) socket.end(String(process.pid));
  });
  // `accept` reports a lack of file descriptors here, which must not end the process.
  server.on("error", () => undefined).unref();
  // Other users may ask too. `exclusive`: each worker of a cluster has its own socket.
  server.listen({ path: address, readableAll: true, writableAll: true, exclusive: true });
  await once(server, "listening");
  /** Node removes the socket's file. */
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of asking) socket.destroy();
    await closed;
  };
  /** Says from now on that this process holds the file. */
  const hold = (): typeof close => {
    isHolder = true;
    for (const socket of asking) socket.end(String(process.pid));
    return close;
  };
  return { address, hold, close };
}

/** @returns undefined if the only address, a pipe, is in use */
async function claimFor(file: string): Promise<Claim | undefined> {
  const name = `${randomBytes(4).toString("hex")}.sock`;
  const places = IS_WINDOWS ? [pipeOf(file)] : placesOf(file).map((place) => place + name);
  const addresses = places.filter((place) => Buffer.byteLength(place) <= MAX_ADDRESS_BYTES);
  for (const address of addresses)
    try {
      return await claimAt(address);
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (!isTaken && address === addresses.at(-1)) throw error;
    }
  return undefined;
}

/** What the names of the sockets begin with: beside the file, or in the temporary folder. */
function placesOf(file: string): string[] {
  return [`${file}.`, `/tmp/pix-sandbox-${keyOf(file)}.`];
}

/** @returns what the process says that has the state, or priority; undefined if there is none */
async function rivalOf(mine: Claim, file: string, patienceMs: number): Promise<Reply | undefined> {
  if (IS_WINDOWS) return undefined;
  const isBeside = mine.address.startsWith(`${file}.`);
  const places = placesOf(file).slice(0, isBeside ? 1 : 2);
  for (const address of (await Promise.all(places.map(socketsAt))).flat()) {
    if (address === mine.address) continue;
    const hasPriority = address < mine.address;
    const giveWay = hasPriority ? () => mine.close() : undefined;
    const reply = await ask(address, patienceMs, giveWay);
    // In a folder of another user it stays.
    if (reply === "dead") await rm(address, { force: true }).catch(() => undefined);
    // One that leaves has removed its socket. One without file descriptors closes connections too, and still holds it.
    else if (reply !== "leaving" || hasPriority || existsSync(address)) return reply;
  }
  return undefined;
}

async function socketsAt(place: string): Promise<string[]> {
  const folder = path.dirname(place);
  const names = (await readdir(folder)).toSorted().map((name) => path.join(folder, name));
  return names.filter((name) => name.startsWith(place) && SOCKET.test(name.slice(place.length)));
}

/** Asks the process at an address. @param onAlive gives way first: the other may wait for this process */
async function ask(
  address: string,
  patienceMs: number,
  onAlive?: () => Promise<void>,
): Promise<Reply> {
  let said = "";
  let failure: Reply = "leaving";
  const socket = connect(address, () => void onAlive?.()).setTimeout(patienceMs, () => {
    failure = "silent";
    socket.destroy();
  });
  socket.on("data", (chunk) => (said += String(chunk)));
  socket.on("error", ({ code = "" }: NodeJS.ErrnoException) => {
    if (code === "ECONNREFUSED" || code === "ENOENT") failure = "dead";
    // Otherwise this user may not connect, or too many connections wait.
    else if (code !== "ECONNRESET" && code !== "EPIPE") failure = "silent";
  });
  await new Promise((resolve) => socket.once("close", resolve));
  return said || failure;
}

function keyOf(file: string): string {
  return hash("sha256", file, "hex").slice(0, 16);
}

function pipeOf(file: string): string {
  return `\\\\.\\pipe\\pix-sandbox-${keyOf(file)}`;
}

/** @param who names a process id; anything else is ignored */
function inUse(file: string, who: Reply): StateInUseError {
  const [pid] = /^\d{1,10}$/.exec(who) ?? [];
  return new StateInUseError(
    pid === undefined
      ? say`The state file ${file} is in use by another sandbox.`
      : say`The state file ${file} is in use by the sandbox with the process id ${pid}.`,
  );
}
