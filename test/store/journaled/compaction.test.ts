import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../../src/core/state/ports.ts";
import { JournalLines } from "../../../src/store/format/journal-line.ts";
import { readBlocks } from "../../../src/store/format/lines.ts";
import { openStateFile, type StateFileOptions } from "../../../src/store/file/state-file.ts";
import { FakeAlarm, payin, turns } from "../../support/core.ts";
import { isLock } from "../../support/lock.ts";

let folder: string;
let file: string;
const open: Store[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-compaction-"));
  file = path.join(folder, "state.json");
});

afterEach(async () => {
  for (const store of open.splice(0)) await store.close().catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
});

describe("a journal that has outgrown its limit", () => {
  it("is merged into the state file while changes go on, before the timer rings", async () => {
    const timer = new FakeAlarm();
    const store = await opened({ timer, limits: { journalBytes: 2000 } });
    for (let count = 1; count <= 10; count++) await commit(store, count);
    await until(async () => sequenceOf(await readFile(file, "utf8")) > 2);
    // The older journal is removed last.
    await until(async () => (await namesBeside(file)).length === 2);
    expect((await journalBytes()) < 10 * 500).toBe(true);
    expect(await idsAfterKill()).toHaveLength(10);
  });

  it("is left alone up to that limit, and up to the size of the file", async () => {
    const before = await opened({});
    for (let count = 1; count <= 20; count++) await commit(before, count);
    await before.close();
    const { size } = await stat(file);
    const store = await opened({ limits: { journalBytes: 2000 } });
    for (let number = 21; (await journalBytes()) < size - 1500; number++)
      await commit(store, number);
    await turns(50);
    expect(await journalBytes()).toBeGreaterThan(4000);
    expect(sequenceOf(await readFile(file, "utf8"))).toBe(20);
  });
});

describe("a start on the journal of a crash", () => {
  it("merges it into the state file once nothing happens, though nothing else is committed", async () => {
    const crashed = await opened({});
    await commit(crashed, 1);
    const timer = new FakeAlarm();
    const copy = await copyOfFiles();
    const store = await openStateFile(copy, { timer });
    open.push(store);
    expect(timer.delayMs).toBe(1000);
    timer.ring();
    await until(async () => sequenceOf(await readFile(copy, "utf8")) === 1);
    await until(async () => (await namesBeside(copy)).length === 2);
    const [journal = ""] = (await namesBeside(copy)).filter((name) => name.endsWith(".journal"));
    expect((await stat(path.join(path.dirname(copy), journal))).size).toBe(0);
  });
});

describe("a large state file", () => {
  it("is not written for a few changes, but for those of more than a tenth of it", async () => {
    const before = await opened({});
    for (let count = 1; count <= 40; count++) await commit(before, count);
    await before.close();
    const timer = new FakeAlarm();
    const store = await opened({ timer, limits: { smallStateBytes: 1000 } });
    await commit(store, 41);
    expect(timer.delays).toEqual([]);
    for (let count = 42; count <= 60; count++) await commit(store, count);
    expect(timer.delayMs).toBe(1000);
  });
});

describe("a limit on what is held in one text", () => {
  it("refuses a file in one line that is larger, and reads one a record a line", async () => {
    const store = await opened({});
    for (let count = 1; count <= 20; count++) await commit(store, count);
    await store.close();
    const limits = { textBytes: 6000 };
    const again = await opened({ limits });
    expect(again.records.payins.size).toBe(20);
    await again.close();
    await writeFile(file, JSON.stringify(JSON.parse(await readFile(file, "utf8")), null, 1));
    await expect(openStateFile(file, { limits })).rejects.toThrow(
      "it does not have one record per line and is too large to be read at once",
    );
    await writeFile(file, JSON.stringify(JSON.parse(await readFile(file, "utf8"))));
    await expect(openStateFile(file, { limits })).rejects.toThrow(
      "it has no line breaks, or a line is too long",
    );
  });

  it("is one of a line, not of the lines before it", async () => {
    const pieces = async function* (): AsyncGenerator<Buffer> {
      for (let count = 0; count < 10; count++) yield Buffer.from("0123456\n01");
    };
    const blocks: string[] = [];
    const rest = await readBlocks(pieces(), (block) => blocks.push(block.toString()), 20);
    expect([blocks.join("").length, rest.toString()]).toEqual([98, "01"]);
  });
});

describe("memory for lines of the journal", () => {
  it("is given back after a burst, and held below its limit", () => {
    const lines = new JournalLines(1 << 17);
    const initial = lines.capacity;
    const add = (bytes: number): void =>
      lines.add({
        sequence: 1,
        lastEventNumber: 1,
        change: { payins: [payin({ request: "x".repeat(bytes) })] },
      });
    add(30_000);
    lines.clear();
    const held = lines.capacity;
    expect(held).toBeGreaterThan(initial);
    expect(held).toBeLessThanOrEqual(1 << 17);
    add(1 << 20);
    expect(lines.capacity).toBeGreaterThan(1 << 20);
    lines.clear();
    expect([lines.capacity, lines.count, lines.bytes.length]).toEqual([initial, 0, 0]);
  });
});

async function opened(options: StateFileOptions): Promise<Store> {
  const store = await openStateFile(file, options);
  open.push(store);
  return store;
}

async function commit(store: Store, number: number): Promise<void> {
  store.commit({
    payins: [payin({ id: `payin ${number}`, ordinal: number, eventNumber: number })],
  });
  await store.durable();
}

/** Looks again each turn of the event loop. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await turns(1);
}

function sequenceOf(text: string): number {
  return Number(/"sequence":(\d+)/.exec(text)?.[1]);
}

async function namesBeside(name: string): Promise<string[]> {
  return (await readdir(path.dirname(name))).filter((each) => !isLock(each)).toSorted();
}

async function journalBytes(): Promise<number> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".journal"));
  const sizes = names.map(async (name) => (await stat(path.join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((total, size) => total + size, 0);
}

/** The files as a process would find them that begins after this one was killed. */
async function copyOfFiles(): Promise<string> {
  const copies = await mkdtemp(path.join(folder, "copy-"));
  for (const name of await namesBeside(file))
    if (name.startsWith("state.json")) await cp(path.join(folder, name), path.join(copies, name));
  return path.join(copies, "state.json");
}

async function idsAfterKill(): Promise<readonly string[]> {
  const store = await openStateFile(await copyOfFiles());
  open.push(store);
  return store.records.payins.all().map(({ id }) => id);
}
