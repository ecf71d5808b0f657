import { mkdir, readdir, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { StateInUseError } from "../../src/store/errors.ts";
import { lock } from "../../src/store/file/lock.ts";
import { createFolder } from "../support/folder.ts";

describe.skipIf(process.platform === "win32")("the lock of a state", { timeout: 60_000 }, () => {
  it("is held by one, says by whom, and is free again after it", async () => {
    await using folder = await createFolder();
    const file = folder.at("state.json");
    for (let round = 0; round < 3; round++) {
      const unlock = await lock(file);
      const second = lock(file);
      await expect(second).rejects.toThrow(StateInUseError);
      await expect(second).rejects.toThrow(`process id ${process.pid}`);
      await (
        await lock(folder.at("another.json"))
      )();
      await unlock();
    }
    expect(await readdir(folder.path)).toEqual([]);
  });

  it("is held by one of many that want it at the same time, in any order", async () => {
    await using folder = await createFolder();
    const file = folder.at("state.json");
    for (let round = 0; round < 40; round++) {
      const wanted = await Promise.allSettled(Array.from({ length: 5 }, () => lock(file)));
      const held = wanted.filter((one) => one.status === "fulfilled");
      expect(held).toHaveLength(1);
      for (const one of wanted)
        if (one.status === "rejected") expect(one.reason).toBeInstanceOf(StateInUseError);
      await held[0]?.value();
    }
    expect(await readdir(folder.path)).toEqual([]);
  });

  it("is free although sockets of dead processes are there, which it removes", async () => {
    await using folder = await createFolder();
    const file = folder.at("state.json");
    // Nobody listens at it, as at the socket of a process that was killed.
    await writeFile(`${file}.00000000.sock`, "");
    await writeFile(`${file}.notes.sock`, "");
    const unlock = await lock(file);
    await unlock();
    expect(await readdir(folder.path)).toEqual(["state.json.notes.sock"]);
  });

  it("is not free while a process is silent, as one that was stopped", async () => {
    await using folder = await createFolder();
    const file = folder.at("state.json");
    const silent = createServer(() => undefined);
    await once(silent.listen(`${file}.00000000.sock`), "listening");
    await expect(lock(file, 100)).rejects.toThrow(StateInUseError);
    await expect(lock(file, 100)).rejects.toThrow("another sandbox");
    silent.close();
  });

  it("is not free while its holder only closes connections, as one without file descriptors", async () => {
    await using folder = await createFolder();
    const file = folder.at("state.json");
    for (const name of ["00000000", "ffffffff"]) {
      const holder = createServer((socket) => socket.destroy());
      await once(holder.listen(`${file}.${name}.sock`), "listening");
      await expect(lock(file)).rejects.toThrow(StateInUseError);
      holder.close();
    }
  });

  it("has its sockets in the temporary folder where the path is too long for one", async () => {
    await using folder = await createFolder();
    const long = folder.at(path.join("long".repeat(20), "long".repeat(20)));
    await mkdir(long, { recursive: true });
    const unlock = await lock(path.join(long, "state.json"));
    await expect(lock(path.join(long, "state.json"))).rejects.toThrow(StateInUseError);
    await (
      await lock(path.join(long, "another.json"))
    )();
    await unlock();
    expect(await readdir(long)).toEqual([]);
  });
});
