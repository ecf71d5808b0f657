import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { access, readdir, realpath, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { StateInUseError } from "./errors.ts";

/**
 * Makes a state file this process's own, until the answer is called.
 *
 * Whoever wants it listens on a socket of its own, beside those of all others who want the same file,
 * before it looks for theirs; so of any two at least one sees the other. A socket answers who it is and,
 * once that is decided, that it holds the file; it is gone the moment its process is, however that ended.
 * Nobody ever touches the socket of another that lives.
 * @throws StateInUseError where another process holds it.
 */
export async function lock(file: string): Promise<() => Promise<void>> {
  const real = await realPathOf(file);
  const folder = folderOf(real);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const address = folder.addressOf(randomBytes(4).toString("hex"));
    const mine = await listen(address);
    if (!mine) {
      const holder = await ask(address).holder;
      if (holder !== undefined) throw inUse(file, holder);
      continue;
    }
    const { verdict, dead } = await lookAround(mine, await folder.others(mine.address));
    if (verdict === "mine") {
      mine.hold();
      // Only who holds the file removes what the dead have left, and before it gives the file away:
      // of a socket that was bound and did not listen yet nobody can say that it is dead.
      const isTidy = Promise.allSettled(dead.map((left) => rm(left, { force: true })));
      return async () => {
        await isTidy;
        await mine.close();
      };
    }
    await mine.close();
    if (verdict !== "again") throw inUse(file, verdict.holder);
  }
  throw inUse(file, "");
}

/** How often one that others outrun wants the file anew. */
const MAX_TRIES = 20;
/** How long one that takes connections and says nothing, a stopped process perhaps, is listened to. */
const PATIENCE_MS = 300;
/** How long one that lives may take until it knows whether it holds the file. */
const DECISION_MS = 3000;

interface Look {
  /** Whether the file is this one's, somebody else's, or is to be wanted anew. */
  readonly verdict: "mine" | "again" | { readonly holder: string };
  /** The sockets behind which there is nobody. */
  readonly dead: readonly string[];
}

/**
 * Of two that want the file at once the one whose name comes first goes on, and the other gives way and
 * waits for it. One that looked before the first was there may hold the file by then: it is waited for too.
 */
async function lookAround(mine: Wanting, others: readonly string[]): Promise<Look> {
  const dead: string[] = [];
  for (const address of others) {
    const other = ask(address);
    if (!(await other.isThere)) {
      dead.push(address);
      continue;
    }
    const isBefore = address < mine.address;
    if (isBefore) await mine.close();
    const holder = await other.holder;
    if (holder !== undefined) return { verdict: { holder }, dead };
    if (isBefore) return { verdict: "again", dead };
  }
  // Somebody who held the file until now may have taken this socket for a dead one, before it listened.
  const isFound = await mine.isFound();
  return { verdict: isFound ? "mine" : "again", dead };
}

/** Where those who want one file find each other. */
interface Folder {
  addressOf(name: string): string;
  /** The sockets of all others that want the file, in the order of their names. */
  others(mine: string): Promise<readonly string[]>;
}

/** Named by the real path, in the temporary folder: paths of sockets are short. */
function folderOf(real: string): Folder {
  const prefix = `pix-sandbox-${createHash("sha256").update(real).digest("hex").slice(0, 16)}`;
  if (process.platform === "win32") {
    // A named pipe is its first process's own, and gone with it: there is one name for all.
    return { addressOf: () => `\\\\.\\pipe\\${prefix}`, others: () => Promise.resolve([]) };
  }
  const longest = path.join(tmpdir(), `${prefix}-01234567.sock`);
  const folder = longest.length <= MAX_ADDRESS_LENGTH ? tmpdir() : "/tmp";
  return {
    addressOf: (name) => path.join(folder, `${prefix}-${name}.sock`),
    async others(mine) {
      const names = (await readdir(folder)).filter((name) => name.startsWith(`${prefix}-`));
      return names
        .toSorted()
        .map((name) => path.join(folder, name))
        .filter((address) => address !== mine);
    },
  };
}

/** What the systems take at least for the path of a socket; what is longer some of them cut off without a word. */
const MAX_ADDRESS_LENGTH = 100;

async function realPathOf(file: string): Promise<string> {
  const whole = path.resolve(file);
  return realpath(whole).catch(async () =>
    path.join(await realpath(path.dirname(whole)), path.basename(whole)),
  );
}

/** One that wants the file, and whoever asks it about that. */
class Wanting {
  readonly address: string;
  readonly #server: Server;
  readonly #asking = new Set<Socket>();
  #isHolder = false;

  constructor(address: string, server: Server) {
    this.address = address;
    this.#server = server;
    server.on("connection", (socket) => {
      socket.on("error", () => socket.destroy());
      socket.once("close", () => this.#asking.delete(socket));
      this.#asking.add(socket);
      socket.write(`${process.pid}\n`);
      if (this.#isHolder) socket.end(HOLDS);
    });
  }

  /** From now on the file is its own. */
  hold(): void {
    this.#isHolder = true;
    for (const socket of this.#asking) socket.end(HOLDS);
  }

  /** Whether those who look for it see it. */
  async isFound(): Promise<boolean> {
    if (process.platform === "win32") return true;
    return access(this.address).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#asking) socket.destroy();
    await closed;
  }
}

const HOLDS = "holds\n";

/** @returns undefined where the address is taken. */
async function listen(address: string): Promise<Wanting | undefined> {
  const server = createServer();
  const wanting = new Wanting(address, server);
  server.unref();
  // Whoever may write the state, be it as another user, is to be told whose it is.
  server.listen({ path: address, readableAll: true, writableAll: true });
  try {
    await once(server, "listening");
    return wanting;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
}

/**
 * Asks who listens at an address. `isThere` says whether anybody does; `holder` resolves, once that is
 * decided, with the process id of one that holds the file (empty where it does not say), undefined otherwise.
 */
function ask(address: string): { isThere: Promise<boolean>; holder: Promise<string | undefined> } {
  const socket = connect(address);
  let said = "";
  let isOpen = false;
  /** Why it cannot be talked to: nothing there, somebody who goes at this moment, or nothing that is known. */
  let failure: "nobody" | "leaving" | "unknown" | undefined;
  let isSilent = false;
  socket.setTimeout(PATIENCE_MS, () => {
    isSilent = true;
    socket.destroy();
  });
  socket.on("data", (chunk) => {
    said += chunk.toString();
    socket.setTimeout(DECISION_MS);
  });
  socket.once("error", ({ code = "" }: NodeJS.ErrnoException) => {
    if (code === "ECONNREFUSED" || code === "ENOENT") failure = "nobody";
    // Whether anybody listens there may not be for this user to know, or it has too much to do.
    else failure = code === "ECONNRESET" || isOpen ? "leaving" : "unknown";
  });
  const isThere = new Promise<boolean>((resolve) => {
    socket.once("connect", () => {
      isOpen = true;
      resolve(true);
    });
    socket.once("close", () => resolve(failure !== "nobody"));
  });
  const holder = new Promise<string | undefined>((resolve) => {
    socket.once("close", () => {
      const [pid = "", decision] = said.split("\n");
      const isHeld = failure === "unknown" || isSilent || decision === HOLDS.trim();
      resolve(isHeld ? pid : undefined);
    });
  });
  return { isThere, holder };
}

function inUse(file: string, pid: string): StateInUseError {
  const who = /^\d+$/.test(pid) ? `the sandbox with the process id ${pid}` : "another sandbox";
  return new StateInUseError(`The state file ${file} is in use by ${who}.`);
}
