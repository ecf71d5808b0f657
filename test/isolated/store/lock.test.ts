import { once } from "node:events";
import {
  type FileHandle,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  symlink,
  writeFile,
} from "node:fs/promises";
import { connect, createServer, Server, type Socket } from "node:net";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StateInUseError } from "../../../src/store/errors.ts";
import { guard, guardedDisk } from "../../../src/store/file/disk/guarded-disk.ts";
import { isLock } from "../../support/lock.ts";
import { realDisk } from "../../../src/store/file/disk/disk.ts";
import { LockFolder } from "../../../src/store/file/lock/lock-folder.ts";
import {
  HeartbeatClaim,
  PACE,
  watchHeartbeat,
} from "../../../src/store/file/lock/lock-heartbeat.ts";
import { assertFree, lock } from "../../../src/store/file/lock/lock.ts";
import { askSocket, shorten, SocketClaim } from "../../../src/store/file/lock/lock-socket.ts";

vi.mock(import("../../../src/store/file/lock/lock-heartbeat.ts"), async (importOriginal) => ({
  ...(await importOriginal()),
  PACE: { beatMs: 20, lookMs: 20, looks: 20 },
}));
vi.mock(import("node:fs/promises"), async (importOriginal) => {
  const original = await importOriginal();
  return { ...original, statfs: vi.fn<typeof statfs>(original.statfs) as typeof statfs };
});

/** So many at once that each step of one falls between any two of another. */
const AT_ONCE = 12;
const ROUNDS = 30;
/** On a machine that does other things as well. */
const AMPLE = { timeout: 60_000 };

// Where the sockets are; named pipes leave nothing behind.
describe.skipIf(process.platform === "win32")("the lock of a state file", AMPLE, () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp("/tmp/pix-lock-");
    file = path.join(folder, "state.json");
    vi.stubEnv("TMPDIR", folder);
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });

  /** Leaves what one leaves that was killed: the socket of a lock that it held, behind which there is nobody. */
  async function leaveDead(): Promise<void> {
    const before = await readdir(folder);
    const release = await lock(file);
    const [name = ""] = (await readdir(folder)).filter((one) => !before.includes(one));
    const address = path.join(folder, name);
    await rename(address, `${address}.aside`);
    await release();
    await rename(`${address}.aside`, address);
  }

  it("is had by exactly one of many that want it at once, however many died with it", async () => {
    const winners: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (let dead = 0; dead < round % 4; dead++) await leaveDead();
      const wanted = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => lock(file)));
      const held = wanted.filter((one) => one.status === "fulfilled");
      const refused = wanted.filter((one) => one.status === "rejected");
      winners.push(held.length);
      for (const { reason } of refused) {
        expect(reason).toBeInstanceOf(StateInUseError);
        expect((reason as Error).message).toContain(`process id ${process.pid}.`);
      }
      for (const { value: release } of held) await release();
      expect(await readdir(folder)).toEqual([]);
    }
    expect(winners).toEqual(Array.from({ length: ROUNDS }, () => 1));
  });

  it("stays held while others compete for it", async () => {
    const release = await lock(file);
    for (let other = 0; other < AT_ONCE; other++)
      await expect(lock(file)).rejects.toThrow(StateInUseError);
    await release();
    await (
      await lock(file)
    )();
  });

  it("is refused if a silent process listens", async () => {
    // A stopped process takes connections, and does not answer them.
    let asked = 0;
    await using silent = await listenAt("state.json.00000000.sock", () => asked++);
    await expect(lock(file)).rejects.toThrow("is in use by another sandbox.");
    expect(asked).toBe(1);
    await silent.close();
  });

  it("goes to a rival with a lower address, after waiting for its decision", async () => {
    const seen: string[][] = [];
    await using rival = await listenAt("state.json.00000000.sock", async (socket) => {
      socket.write("123 elsewhere\n");
      // The claim is withdrawn as soon as the rival has answered.
      while ((await claims()).length > 1) await turn();
      seen.push(await claims());
      if (seen.length === 1) socket.end("holds\n");
      else await rival.close();
    });
    const refused = lock(file);
    await expect(refused).rejects.toThrow(
      "the sandbox with the process id 123 on the host elsewhere.",
    );
    const release = await lock(file);

    expect(seen).toEqual([["state.json.00000000.sock"], ["state.json.00000000.sock"]]);
    await release();
  });

  it("is refused without a process id if the holder sends an invalid answer", async () => {
    await using rival = await listenAt("state.json.00000000.sock", (socket) =>
      socket.end("123 \u001b[31mred\nholds\n"),
    );
    await expect(lock(file)).rejects.toThrow("is in use by another sandbox.");
    await rival.close();
  });

  it("is recognized by a process that was busy itself when the answer came", async () => {
    const address = path.join(folder, "state.json.00000000.sock");
    const other = new Worker(
      `const { createServer } = require("node:net");
      const server = createServer((socket) => socket.end("123 elsewhere\\nholds\\n"));
      server.listen(${JSON.stringify(address)}, () => require("node:worker_threads").parentPort.postMessage(""));`,
      { eval: true },
    );
    await once(other, "message");
    const { holder, isAlive } = askSocket(address);
    await isAlive;
    // Longer than anything that is silent is waited for.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);

    expect(await holder).toEqual({ pid: "123", host: "elsewhere" });
    await other.terminate();
    await rm(address, { force: true });
  });

  it("does not go to a rival whose address is higher, but waits for its decision", async () => {
    const seen: string[][] = [];
    await using rival = await listenAt("state.json.ffffffff.sock", async (socket) => {
      socket.write("123 elsewhere\n");
      // What the process asks the rival comes after its own claim.
      seen.push(await claims());
      await rival.close();
    });
    const release = await lock(file);

    expect(seen).toEqual([
      [expect.stringMatching(/^state\.json\.[0-9a-f]{8}\.sock$/), "state.json.ffffffff.sock"],
    ]);
    await release();
  });

  it("is refused if this user may not connect to the socket, and the message names it", async () => {
    // A link that leads to itself stands for a socket that this user may not connect to.
    const socket = path.join(folder, "state.json.00000000.sock");
    await symlink(socket, socket);
    const refusal = `is in use by another sandbox. If no sandbox runs there any more, delete its lock ${socket}.`;
    await expect(lock(file)).rejects.toThrow(refusal);
    await expect(assertFree(file)).rejects.toThrow(refusal);
    expect(await readdir(folder)).toEqual([path.basename(socket)]);
  });

  it.skipIf(process.platform === "win32")(
    "can be asked by other users of the machine",
    async () => {
      const release = await lock(file);
      const [name = ""] = await claims();
      expect((await stat(path.join(folder, name))).mode & 0o666).toBe(0o666);
      await release();
    },
  );

  it("outlives peers that connect and leave", async () => {
    const release = await lock(file);
    const [name = ""] = await claims();
    for (let peer = 0; peer < AT_ONCE; peer++) {
      const socket = connect(path.join(folder, name));
      await once(socket, "connect");
      socket.destroy();
    }
    await expect(lock(file)).rejects.toThrow(`process id ${process.pid}.`);
    await release();
    expect(await readdir(folder)).toEqual([]);
  });

  it("outlives a lack of file descriptors", async () => {
    const listen = vi.spyOn(Server.prototype, "listen");
    const release = await lock(file);
    const server = listen.mock.contexts[0] as Server;
    listen.mockRestore();

    expect(server.emit("error", new Error("accept EMFILE"))).toBe(true);
    await release();
  });

  it("is this process's own in a worker of a cluster", async () => {
    const listen = vi.spyOn(Server.prototype, "listen");
    await (
      await lock(file)
    )();
    expect(listen.mock.calls[0]).toMatchObject([{ exclusive: true }]);
    listen.mockRestore();
  });

  it("is not that of a file whose name begins like it", async () => {
    const files = [file, `${file}.json`, path.join(folder, "state"), `${file}.12345678`];
    const releases = await Promise.all(files.map((each) => lock(each)));
    for (const each of files) await expect(lock(each)).rejects.toThrow(StateInUseError);
    for (const release of releases) await release();
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(["other.json", ...(process.platform === "linux" ? ["elsewhere/other.json"] : [])])(
    "is that of a hard link too, until a compaction gives the file another inode: %s",
    async (name) => {
      await writeFile(file, "");
      const release = await lock(file);
      const other = path.join(folder, name);
      await mkdir(path.dirname(other), { recursive: true });
      await link(file, other);
      const inUse = `process id ${process.pid}. It is a hard link to ${file}: `;
      await expect(lock(other)).rejects.toThrow(inUse);
      await expect(assertFree(other)).rejects.toThrow(inUse);
      await expect(lock(other)).rejects.toThrow(StateInUseError);

      await writeFile(path.join(folder, "compacted"), "");
      await rename(path.join(folder, "compacted"), file);
      const releaseOther = await lock(other);
      await releaseOther();
      await release();
      expect((await readdir(path.dirname(other))).filter(isLock)).toEqual([]);
    },
  );

  it("is looked for without leaving a trace", async () => {
    await leaveDead();
    const before = await readdir(folder);
    await assertFree(file);
    const release = await lock(file);
    await expect(assertFree(file)).rejects.toThrow(`process id ${process.pid}.`);
    await release();

    expect(before).toHaveLength(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it("is reached through a symbolic link if the system has no /proc", async () => {
    const long = path.join(folder, "long/".repeat(30));
    await mkdir(long, { recursive: true });
    const temporaries = async (): Promise<readonly string[]> =>
      (await readdir("/tmp")).filter((name) => name.startsWith("pix-sandbox-"));
    const before = new Set(await temporaries());
    const short = await shorten(long, 30, "/nowhere");
    const address = path.join(long, "state.sock");
    const claim = await SocketClaim.make(address, path.join(short.path, "state.sock"));

    expect(short.path.length).toBeLessThan(40);
    expect(await readdir(long)).toEqual(["state.sock"]);
    expect(await askSocket(address, path.join(short.path, "state.sock")).isAlive).toBe(true);
    await short.close();
    await claim?.close();
    expect(await readdir(long)).toEqual([]);
    expect(
      (await temporaries()).filter((name) => name === path.basename(path.dirname(short.path))),
    ).toEqual([]);
    expect(before.has(path.basename(path.dirname(short.path)))).toBe(false);
  });

  /** Something that is not this program's listens at a name in the folder. */
  async function listenAt(
    name: string,
    answer: (socket: Socket) => unknown,
  ): Promise<AsyncDisposable & { close(): Promise<void> }> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.on("error", () => undefined));
      void answer(socket);
    });
    server.listen(path.join(folder, name));
    await once(server, "listening");
    const close = async (): Promise<void> => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    };
    return { close, [Symbol.asyncDispose]: close };
  }

  async function claims(): Promise<string[]> {
    return (await readdir(folder)).toSorted();
  }
});

describe.skipIf(process.platform === "win32")(
  "the lock of a state file in a folder without sockets",
  AMPLE,
  () => {
    let folder: string;
    let file: string;

    beforeEach(async () => {
      folder = await mkdtemp("/tmp/pix-lock-");
      file = path.join(folder, "state.json");
    });

    afterEach(async () => {
      vi.restoreAllMocks();
      vi.mocked(statfs).mockReset();
      await rm(folder, { recursive: true });
    });

    describe.each([
      ["that refuses them with EPERM", (): void => refuseSockets("EPERM")],
      ["that refuses them with EOPNOTSUPP", (): void => refuseSockets("EOPNOTSUPP")],
      ["that other machines share", (): void => shareFolder()],
    ])("%s", (_title, prepare) => {
      beforeEach(prepare);

      it("is had by exactly one of many that want it at once", async () => {
        const wanted = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => lock(file)));
        const [winner, ...more] = wanted.filter((one) => one.status === "fulfilled");
        expect(more).toEqual([]);
        for (const one of wanted)
          if (one.status === "rejected")
            expect((one.reason as Error).message).toContain(`process id ${process.pid}.`);
        expect(await readdir(folder)).toEqual([
          expect.stringMatching(/^state\.json\.[0-9a-f]{8}\.lock$/),
        ]);
        await winner?.value();
        expect(await readdir(folder)).toEqual([]);
      });

      it("is refused if there is a socket of another machine, and the message names it", async () => {
        const socket = path.join(folder, "state.json.12345678.sock");
        await writeFile(socket, "");
        const refusal = `is in use by another sandbox. If no sandbox runs there any more, delete its lock ${socket}.`;
        await expect(lock(file)).rejects.toThrow(refusal);
        await rm(socket);
        await (
          await lock(file)
        )();
      });
    });

    it("excludes a process that can make sockets, and the other way round", async () => {
      refuseSockets("EPERM");
      const release = await lock(file);
      vi.restoreAllMocks();
      await expect(lock(file)).rejects.toThrow(`process id ${process.pid}.`);
      await release();
      expect(guardedDisk(realDisk, file)).toBe(realDisk);
      const releaseSocket = await lock(file);
      refuseSockets("EPERM");
      await expect(lock(file)).rejects.toThrow("another sandbox.");
      await releaseSocket();
    });

    it("is not claimed again by a process whose claim was removed", async () => {
      const claim = await HeartbeatClaim.make(path.join(folder, "a.lock"), PACE);
      await rm(claim.address);
      expect(await claim.hold()).toBe(false);
      expect(() => claim.assertHeld()).toThrow("another sandbox took the state over");
      expect(await readdir(folder)).toEqual([]);
      await claim.close();
    });

    it("leaves nothing behind if its file cannot be written", async () => {
      // What is written last of all fails, as on a full disk.
      const { FileHandle } = await fileHandle(folder);
      vi.spyOn(FileHandle, "write").mockRejectedValue(new Error("ENOSPC"));
      await expect(HeartbeatClaim.make(path.join(folder, "b.lock"), PACE)).rejects.toThrow(
        "ENOSPC",
      );
      vi.restoreAllMocks();
      expect(await readdir(folder)).toEqual([]);
    });

    it("goes on beating after a beat that failed", async () => {
      const claim = await HeartbeatClaim.make(path.join(folder, "a.lock"), PACE);
      const { FileHandle } = await fileHandle(folder);
      const write = vi.spyOn(FileHandle, "write").mockRejectedValueOnce(new Error("EIO"));
      const beats = new Set<string>();
      while (beats.size < 3) beats.add(await readFile(claim.address, "utf8"));

      expect(write.mock.settledResults[0]?.type).toBe("rejected");
      await claim.close();
    });

    it("is not taken over if the dead one's file cannot be removed", async () => {
      const locks = await LockFolder.open(file);
      for (const kind of ["lock", "sock"]) await mkdir(path.join(folder, `a.${kind}`));
      await expect(locks.remove(path.join(folder, "a.lock"))).rejects.toThrow("a.lock");
      await locks.remove(path.join(folder, "a.sock"));
      await locks.close();
    });

    it("is checked again after a sync, before a change is reported as durable", async () => {
      let isLost = false;
      const stop = guard(file, () => {
        if (isLost) throw new Error("lost");
      });
      const disk = guardedDisk(
        {
          ...realDisk,
          create: async (name, mode) => {
            const made = await realDisk.create(name, mode);
            const sync = async (): Promise<void> => void (isLost = true);
            return { sync, write: made.write, truncate: made.truncate, close: () => made.close() };
          },
        },
        file,
      );
      const made = await disk.create(path.join(folder, "made"), 0o600);
      await expect(made.sync()).rejects.toThrow("lost");
      await made.close();
      stop();
      expect(guardedDisk(realDisk, file)).toBe(realDisk);
    });

    it("waits while an undecided process lives", async () => {
      const claim = await HeartbeatClaim.make(path.join(folder, "a.lock"), { ...PACE, beatMs: 5 });
      const { isAlive, holder } = watchHeartbeat(claim.address, { ...PACE, looks: 3 });
      expect(await isAlive).toBe(true);
      const beats = new Set<string>();
      while (beats.size < 40) beats.add(await readFile(claim.address, "utf8"));
      await claim.hold();

      expect(await holder).toMatchObject({ pid: String(process.pid) });
      await claim.close();
      expect(await watchHeartbeat(claim.address, PACE).isAlive).toBe(false);
    });

    it("is taken over from a process whose heartbeat stopped, which writes nothing from then on", async () => {
      refuseSockets("EPERM");
      const release = await lock(file);
      const disk = guardedDisk(realDisk, file);
      const written = await disk.create(path.join(folder, "written"), 0o600);
      await written.write(Buffer.from("before"), 0);
      await written.sync();
      // What a process is that is stopped: its file stays as it is.
      const [name = ""] = (await readdir(folder)).filter((each) => each.endsWith(".lock"));
      const stopped = await readFile(path.join(folder, name));
      await release();
      const releaseAgain = await lock(file);
      await releaseAgain();
      await writeFile(path.join(folder, name), stopped);
      const releaseNext = await lock(file);

      expect(await readdir(folder)).not.toContain(name);
      const lost = "another sandbox took the state over";
      const late = Buffer.from("after");
      await expect(written.write(late, 0)).rejects.toThrow(lost);
      await expect(written.sync()).rejects.toThrow(lost);
      await expect(written.truncate(0)).rejects.toThrow(lost);
      await expect(disk.create(path.join(folder, "more"), 0o600)).rejects.toThrow(lost);
      await expect(disk.open(path.join(folder, "written"))).rejects.toThrow(lost);
      await expect(disk.rename(path.join(folder, "written"), file)).rejects.toThrow(lost);
      await expect(disk.remove(path.join(folder, "written"))).rejects.toThrow(lost);
      await expect(disk.makeFolder(path.join(folder, "deep"))).rejects.toThrow(lost);
      await expect(disk.syncFolder(folder)).rejects.toThrow(lost);
      await written.close();
      expect(await readFile(path.join(folder, "written"), "utf8")).toBe("before");
      await releaseNext();
      expect(await readdir(folder)).toEqual(["written"]);
    });

    function refuseSockets(code: string): void {
      vi.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server) {
        process.nextTick(() => this.emit("error", Object.assign(new Error(code), { code })));
        return this;
      });
    }

    /** As NFS says of itself. */
    function shareFolder(): void {
      vi.mocked(statfs).mockResolvedValue({ type: 0x6969 } as never);
    }
  },
);

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** What all handles of files have in common. */
async function fileHandle(folder: string): Promise<{ FileHandle: FileHandle }> {
  const handle = await open(folder);
  await handle.close();
  return { FileHandle: Object.getPrototypeOf(handle) as FileHandle };
}
