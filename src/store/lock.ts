import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { realpath, rename, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { StateInUseError } from "./errors.ts";

/** How long a holder that takes connections and says nothing, a stopped process perhaps, is listened to. */
const PATIENCE_MS = 300;

/**
 * Makes a state file this process's own, until the answer is called. The lock is a socket that
 * listens: it is gone the moment its process is, however that ended, and tells whose it is.
 * @throws StateInUseError where another process holds it.
 */
export async function lock(file: string): Promise<() => Promise<void>> {
  const address = await addressOf(file);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const server = await listen(address);
    if (server) return () => close(server);
    const holder = await ask(address);
    if (holder !== undefined) throw inUse(file, holder);
    // Nobody listens there any more. It is moved aside before it is removed: two that find it
    // at once must not remove what the other has put in its place.
    const aside = `${address}.${randomUUID().slice(0, 8)}`;
    await rename(address, aside).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw left(file, address);
    });
    if ((await ask(aside)) !== undefined) await rename(aside, address);
    else await rm(aside, { force: true });
  }
  throw left(file, address);
}

function left(file: string, address: string): StateInUseError {
  return new StateInUseError(
    `The state file ${file} was in use by another user, whose lock ${address} is still there and cannot be taken. Remove it if no sandbox runs.`,
  );
}

/** What the systems take at least for the path of a socket; what is longer some of them cut off without a word. */
const MAX_ADDRESS_LENGTH = 90;
/** How often a lock that nobody holds is tried to be taken before that is an error. */
const MAX_TRIES = 20;

/** Named by the real path, in the temporary folder: paths of sockets are short. */
async function addressOf(file: string): Promise<string> {
  const whole = path.resolve(file);
  const real = await realpath(whole).catch(async () =>
    path.join(await realpath(path.dirname(whole)), path.basename(whole)),
  );
  const name = `pix-sandbox-${createHash("sha256").update(real).digest("hex").slice(0, 16)}`;
  if (process.platform === "win32") return `\\\\.\\pipe\\${name}`;
  const address = path.join(tmpdir(), `${name}.sock`);
  return address.length <= MAX_ADDRESS_LENGTH ? address : path.join("/tmp", `${name}.sock`);
}

/** @returns undefined where the address is taken. */
async function listen(address: string): Promise<Server | undefined> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.end(String(process.pid));
  });
  server.unref();
  // Whoever may write the state, be it as another user, is to be told whose it is.
  server.listen({ path: address, readableAll: true, writableAll: true });
  try {
    await once(server, "listening");
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
}

/** @returns the holder's process id, empty where it does not say; undefined where nobody listens. */
function ask(address: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let pid = "";
    const socket = connect(address);
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    let isConnected = false;
    socket.once("connect", () => {
      isConnected = true;
    });
    socket.on("data", (chunk) => {
      pid += chunk.toString();
    });
    socket.on("error", ({ code }: NodeJS.ErrnoException) => {
      // Whether anybody listens there is not for this user to know.
      isConnected ||= code === "EACCES" || code === "EPERM";
    });
    socket.once("close", () => resolve(isConnected ? pid : undefined));
  });
}

function inUse(file: string, pid: string): StateInUseError {
  const who = /^\d+$/.test(pid) ? `the sandbox with the process id ${pid}` : "another sandbox";
  return new StateInUseError(`The state file ${file} is in use by ${who}.`);
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  await closed;
}
