import {
  appendFile,
  copyFile,
  link,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Store, StorageError } from "../../../../src/core/state/ports.ts";
import { realDisk } from "../../../../src/store/file/disk/disk.ts";
import { StateInUseError } from "../../../../src/store/errors.ts";
import { guard } from "../../../../src/store/file/disk/guarded-disk.ts";
import { readFileCopy } from "../../../../src/store/file/file-copy.ts";
import { openStateFile } from "../../../../src/store/file/state-file.ts";
import { payin } from "../../../support/core.ts";
import { isLock } from "../../../support/lock.ts";

let folder: string;
let file: string;
/** The same state by other names, as `cp -al` makes them for a backup. */
let backup: string;
let stores: Store[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-links-"));
  file = path.join(folder, "state.json");
  backup = path.join(folder, "backup.json");
  stores = [];
});

afterEach(async () => {
  for (const store of stores) await store.close();
  await rm(folder, { recursive: true });
});

describe("a state whose files have other names too", () => {
  it("is in use under all names, and after a compaction a copy of its own: nothing that happens to one reaches the other", async () => {
    const store = await open(file);
    await add(store, 1);
    await linkAll();
    // As if the write of another line were under way.
    const journal = `${file}.1.journal`;
    await appendFile(journal, '{"crc32":"01234567","sequence":');
    const before = await readFile(journal, "utf8");
    await expect(open(backup)).rejects.toThrow(StateInUseError);
    // As a compaction does.
    await copyFile(file, `${file}.new`);
    await rename(`${file}.new`, file);
    const other = await open(backup);

    expect(await readFile(journal, "utf8")).toBe(before);
    for (const name of [file, journal]) expect((await stat(name)).nlink).toBe(1);
    await add(other, 2);
    expect(await readFile(journal, "utf8")).toBe(before);
    expect([...store.records.payins.each()]).toHaveLength(1);
    expect([...other.records.payins.each()]).toHaveLength(2);
    expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("has the same permissions as a copy", async () => {
    await (await open(file)).close();
    const store = await open(file);
    await add(store, 1);
    await store.close();
    await link(file, backup);
    const { mode, ino } = await stat(file);
    await open(file);

    expect(await stat(file)).toMatchObject({ mode, nlink: 1 });
    expect((await stat(file)).ino).not.toBe(ino);
    expect((await stat(backup)).ino).toBe(ino);
  });

  it("is only read by a copy", async () => {
    const store = await open(file);
    await add(store, 1);
    await store.close();
    await link(file, backup);

    expect((await readFileCopy(file)).state.records.payins.size).toBe(1);
    expect((await stat(file)).nlink).toBe(2);
  });

  it("is not opened if it cannot be copied, and is left as it is", async () => {
    const store = await open(file);
    await add(store, 1);
    await store.close();
    await link(file, backup);
    const disk = { ...realDisk, rename: () => Promise.reject(new Error("EBUSY")) };

    for (let tries = 0; tries < 2; tries++)
      await expect(openStateFile(file, { disk })).rejects.toThrow(StorageError);
    expect((await readdir(folder)).toSorted()).toEqual(["backup.json", "state.json"]);
    expect((await stat(file)).nlink).toBe(2);
  });
});

it("a journal is copied if its writer may have lost the state and not know it yet", async () => {
  const store = await open(file);
  await add(store, 1);
  await linkAll();
  await rm(file);
  await rm(`${file}.1.journal`);
  const journal = `${backup}.1.journal`;
  const { ino } = await stat(journal);
  const stop = guard(backup, () => undefined);
  await open(backup);
  stop();

  expect((await stat(journal)).ino).not.toBe(ino);
  // The name that it had is gone, and with that what is written to it.
  const next = payin({ id: "2", ordinal: 2, idempotencyKey: "2", eventNumber: 2 });
  store.commit({ payins: [next] });
  await expect(store.durable()).rejects.toThrow(StorageError);
  expect(await readFile(journal, "utf8")).not.toContain('"id":"2"');
});

async function open(name: string): Promise<Store> {
  const store = await openStateFile(name);
  stores.push(store);
  return store;
}

async function add(store: Store, ordinal: number): Promise<void> {
  const name = String(ordinal);
  store.commit({
    payins: [payin({ id: name, ordinal, idempotencyKey: name, eventNumber: ordinal })],
  });
  await store.durable();
}

async function linkAll(): Promise<void> {
  for (const name of (await readdir(folder)).filter((one) => !isLock(one)))
    await link(
      path.join(folder, name),
      path.join(folder, name.replace("state.json", "backup.json")),
    );
}
