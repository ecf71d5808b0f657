import { lstat, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Disk, type DiskFile, realDisk } from "../../src/store/file/disk.ts";
import { Folder } from "../../src/store/file/folder.ts";
import { openStateFile } from "../support/state.ts";
import { openStored } from "../../src/store/store.ts";
import { StateFileError, StateInUseError } from "../../src/store/errors.ts";
import { payin, payinsOf } from "../support/core.ts";
import {
  EVERYTHING,
  IDENTITY,
  file,
  folder,
  open,
  openCopy,
  openStore,
  replaceFile,
  useFolder,
} from "./state-folder.ts";
import { putsOf } from "../../src/core/state/records.ts";

useFolder();

describe("a state file that is opened again", () => {
  it("shows each record as it last was", async () => {
    const store = await openStore();
    store.commit(putsOf(EVERYTHING));
    await store.durable();
    store.commit(putsOf({ transactions: [payin({ id: "payin 1", status: "expired" })] }));
    await store.durable();

    const again = await openCopy();
    expect(payinsOf(again.records).map(({ id, status }) => [id, status])).toEqual([
      ["payin 1", "expired"],
      ["payin 2", "paid"],
    ]);
  });

  it("is not changed by being opened and closed", async () => {
    const store = await openStore();
    store.commit(putsOf(EVERYTHING));
    await store.close();
    const before = await readFile(file);

    await (await openStore()).close();
    expect(await readFile(file)).toEqual(before);
  });
});

describe("a state file that is written", () => {
  it("is JSON that a person can read, and names its format", async () => {
    const store = await openStore();
    store.commit(putsOf(EVERYTHING));
    await store.close();
    const text = await readFile(file, "utf8");

    expect(JSON.parse(text)).toMatchObject({ format: "pix-sandbox", version: 3 });
    expect(text.split("\n").length).toBeGreaterThan(5);
    expect(text).toContain("Açaí 😀");
  });

  it("is made in a folder that did not exist", async () => {
    replaceFile(path.join(folder, "not", "yet", "state.json"));
    const store = await openStore();
    store.commit(putsOf(EVERYTHING));
    await store.close();

    expect((await openStore()).records.listsOf(null)).toEqual(EVERYTHING);
  });

  it("leaves no other file when it is closed", async () => {
    const store = await openStore();
    store.commit(putsOf(EVERYTHING));
    await store.close();

    expect(await readdir(folder)).toEqual(["state.json"]);
  });

  it("is written and synced few times for 1,000 changes of one turn", async () => {
    const counting = new CountingDisk();
    const { store } = await openStored(new Folder(counting, file));
    open.push(store);
    counting.writes = 0;
    counting.syncs = 0;
    store.commit([["identity", IDENTITY]]);
    const durable = Array.from({ length: 1000 }, (_, index) => {
      store.commit(putsOf({ transactions: [payin({ id: `payin ${index}` })] }));
      return store.durable();
    });
    await Promise.all(durable);

    // A write syncs as well, where the system has a flag for that.
    for (const count of [counting.writes, counting.syncs]) {
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThanOrEqual(3);
    }
    expect(payinsOf((await openCopy()).records).length).toBe(1000);
  });

  it("is made anew beside the empty journal of one that was moved away", async () => {
    await writeFile(`${file}.3.journal`, "");
    const store = await openStore();
    store.commit(putsOf(EVERYTHING));
    await store.durable();

    expect((await openCopy()).records.listsOf(null)).toEqual(EVERYTHING);
    expect(await readdir(folder)).not.toContain("state.json.3.journal");
  });

  it("is made where a link leads, which stays a link", async () => {
    await symlink("real.json", file);
    await (await openStore()).close();
    const store = await openStore();
    store.commit(putsOf(EVERYTHING));
    await store.close();

    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(await readdir(folder)).toEqual(["real.json", "state.json"]);
  });

  it("is a file even with NODE_ENV=test", async () => {
    expect(process.env["NODE_ENV"]).toBe("test");
    const store = await openStore();
    store.commit(putsOf(EVERYTHING));
    await store.durable();

    expect((await stat(file)).isFile()).toBe(true);
  });
});

describe("a state file that is in use", () => {
  it("is not opened a second time, and is left as it is", async () => {
    const store = await openStore();
    store.commit(putsOf(EVERYTHING));
    await store.durable();
    const before = await readFile(file);

    await expect(openStateFile(file)).rejects.toThrow(StateInUseError);
    await expect(openStateFile(file)).rejects.toThrow(file);
    await expect(openStateFile(file)).rejects.toThrow(String(process.pid));
    expect(await readFile(file)).toEqual(before);
  });

  it("is free again after it is closed, and if it could not be read", async () => {
    await (await openStore()).close();
    await (await openStore()).close();
    await writeFile(file, "no JSON");

    for (let count = 0; count < 2; count++)
      await expect(openStateFile(file)).rejects.toThrow(StateFileError);
  });
});

/** The machine's disk, with the number of writes and syncs. */
class CountingDisk implements Disk {
  writes = 0;
  syncs = 0;
  readonly list = realDisk.list;
  readonly stat = realDisk.stat;
  readonly read = realDisk.read;
  readonly rename = realDisk.rename;
  readonly remove = realDisk.remove;
  readonly syncFolder = realDisk.syncFolder;
  readonly create = async (...how: Parameters<Disk["create"]>) =>
    this.#counted(await realDisk.create(...how));
  readonly open = async (name: string) => this.#counted(await realDisk.open(name));

  #counted(one: DiskFile): DiskFile {
    return {
      write: (bytes, position) => {
        this.writes++;
        return one.write(bytes, position);
      },
      sync: () => {
        this.syncs++;
        return one.sync();
      },
      truncate: (length) => one.truncate(length),
      close: () => one.close(),
    };
  }
}
