import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StorageError, type Store } from "../../../src/core/state/ports.ts";
import { type Disk, type DiskFile, realDisk } from "../../../src/store/file/disk/disk.ts";
import { StateFileError, StateInUseError } from "../../../src/store/errors.ts";
import { checkState, repairState } from "../../../src/store/file/repair.ts";
import { openStateFile } from "../../../src/store/file/state-file.ts";
import { delivery, payin, payout } from "../../support/core.ts";

const STATE = "state.json";
const JOURNAL = "state.json.2.journal";
const NEXT_JOURNAL = "state.json.5.journal";
const HALF_WRITTEN = "state.json.4711-0123abcd.tmp";
const FOREIGN = ["state.json.bak", "state.json.x.journal", "other.json", "state.json.2.journal~"];

type Files = ReadonlyMap<string, Buffer>;

let folder: string;
let file: string;
let count = 0;
const open: Store[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-repair-"));
  file = path.join(folder, STATE);
});

afterEach(async () => {
  for (const store of open.splice(0)) await store.close().catch(() => undefined);
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true, force: true });
});

/** States of every kind, and how many of their commits can be read. */
const KINDS: readonly (readonly [string, (files: Map<string, Buffer>) => void, number, boolean])[] =
  [
    ["sound", () => undefined, 6, true],
    [
      "with a last line that was not finished",
      (files) => change(files, NEXT_JOURNAL, (bytes) => bytes.subarray(0, -9)),
      5,
      true,
    ],
    [
      "with a damaged line",
      (files) => change(files, JOURNAL, (bytes) => garble(bytes, 1)),
      2,
      false,
    ],
    [
      "with a damaged line in a later journal",
      (files) => change(files, NEXT_JOURNAL, (bytes) => garble(bytes, 0)),
      4,
      false,
    ],
    [
      "with a garbled record",
      (files) => change(files, STATE, (bytes) => garble(bytes, 6)),
      6,
      false,
    ],
    [
      "with a garbled record and a damaged line",
      (files) => {
        change(files, STATE, (bytes) => garble(bytes, 6));
        change(files, JOURNAL, (bytes) => garble(bytes, 1));
      },
      2,
      false,
    ],
    [
      "without a line of the journal",
      (files) => change(files, JOURNAL, (bytes) => without(bytes, 1)),
      2,
      false,
    ],
    ["without the first of its journals", (files) => files.delete(JOURNAL), 1, false],
  ];

describe("a check of a state", { timeout: 60_000 }, () => {
  it.each(KINDS)(
    "tells what it holds and changes nothing: %s",
    async (_title, damage, commits, isSound) => {
      await place(folder, await filesOf(damage));
      const before = await look(folder);
      const report = await checkState(file);

      expect(await look(folder)).toEqual(before);
      expect(report).toMatchObject({ file, commits, hasStateFile: true, aside: [] });
      expect(report.damages.length > 0).toBe(!isSound);
    },
  );

  it("counts the records", async () => {
    await place(folder, await filesOf(() => undefined));

    expect(await checkState(file)).toEqual({
      file,
      payins: 4,
      payouts: 1,
      deliveries: 1,
      commits: 6,
      hasStateFile: true,
      damages: [],
      tornTail: undefined,
      changed: undefined,
      twice: [],
      aside: [],
    });
  });

  it("names each record that is in the file more than once, near or far", async () => {
    const payins = Array.from({ length: 2000 }, (_, index) =>
      payin({ id: `in ${index}`, idempotencyKey: `key ${index}`, ordinal: index + 1 }),
    );
    const store = await openStateFile(file);
    store.commit({ payins, deliveries: [delivery()] });
    await store.close();
    const lines = (await readFile(file, "utf8")).split("\n");
    const lineOf = (id: string): number => lines.findIndex((line) => line.includes(`"id":"${id}"`));
    const copyOf = (id: string): string => lines[lineOf(id)] ?? "";
    lines.splice(lineOf("in 1998"), 0, copyOf("in 1997"), copyOf("in 3"));
    await writeFile(file, lines.join("\n"));

    const report = await checkState(file);

    expect(report).toMatchObject({ payins: 2000, deliveries: 1, damages: [] });
    expect(report.twice).toEqual([
      { list: "payins", id: "in 1997" },
      { list: "payins", id: "in 3" },
    ]);
  });

  it("names the line that was not finished, and changes nothing", async () => {
    await place(
      folder,
      await filesOf((files) => change(files, NEXT_JOURNAL, (bytes) => bytes.subarray(0, -9))),
    );
    const before = await look(folder);

    expect(await checkState(file)).toMatchObject({
      damages: [],
      tornTail: { file: path.join(folder, NEXT_JOURNAL), line: 2 },
    });
    expect(await look(folder)).toEqual(before);
  });

  it("names every damaged line of the state file", async () => {
    const files = await filesOf((some) => {
      for (const line of [6, 7]) change(some, STATE, (bytes) => garble(bytes, line));
    });
    await place(folder, files);

    const { damages } = await checkState(file);
    expect(damages.map((damage) => [damage.file, damage.line])).toEqual([
      [file, 7],
      [file, 8],
    ]);
  });

  it("reports that the state file is missing and what its journal contains", async () => {
    const store = await openStore();
    store.commit({ payins: [payin()] });
    await store.durable();
    const elsewhere = path.join(folder, "elsewhere");
    await mkdir(elsewhere);
    const files = new Map(await filesIn(folder));
    files.delete(STATE);
    await place(elsewhere, files);
    const before = await look(elsewhere);

    expect(await checkState(path.join(elsewhere, STATE))).toMatchObject({
      hasStateFile: false,
      payins: 1,
      commits: 1,
    });
    expect(await look(elsewhere)).toEqual(before);
  });
});

describe("a repair of a state", { timeout: 60_000 }, () => {
  it("repairs one whose first commit is damaged, so that no record can be read", async () => {
    const store = await openStore();
    for (const id of ["one", "two"]) {
      store.commit({ payins: [payin({ id, idempotencyKey: id })] });
      await store.durable();
    }
    const files = new Map(
      [...(await filesIn(folder))].map(([name, bytes]) =>
        name.endsWith(".journal") ? [name, garble(bytes, 0)] : [name, bytes],
      ),
    );
    const copy = path.join(await newFolder(files), STATE);
    await repairState(copy);
    const repaired = await openStateFile(copy);
    open.push(repaired);
    expect(repaired.records.payins.all()).toEqual([]);
  });

  it("leaves a sound one unchanged, its times included", async () => {
    await place(folder, await filesOf(() => undefined));
    const before = await look(folder);

    expect(await repairState(file)).toMatchObject({ commits: 6, damages: [], aside: [] });
    expect(await look(folder)).toEqual(before);
  });

  it.each(KINDS)("done again changes nothing more: %s", async (_title, damage, commits) => {
    await place(folder, await filesOf(damage));
    await repairState(file);
    const before = await look(folder);

    expect(await repairState(file)).toMatchObject({
      commits,
      damages: [],
      aside: [],
      tornTail: undefined,
    });
    expect(await look(folder)).toEqual(before);
    expect(await knownIn(file)).toEqual(await expectedAfter(damage, commits));
  });

  it.each(KINDS)("leaves what is not the state's alone: %s", async (_title, damage) => {
    await place(folder, await filesOf(damage));
    for (const name of FOREIGN) await writeFile(path.join(folder, name), name);
    await repairState(file);

    for (const name of FOREIGN) expect(await readFile(path.join(folder, name), "utf8")).toBe(name);
  });

  it("removes what a writer that died has left half written", async () => {
    const files = await filesOf((some) => change(some, JOURNAL, (bytes) => garble(bytes, 1)));
    await place(folder, new Map([...files, [HALF_WRITTEN, Buffer.from('{"format":')]]));
    await repairState(file);

    expect(await readdir(folder)).not.toContain(HALF_WRITTEN);
  });

  it.skipIf(process.platform === "win32")(
    "keeps the permissions, of what it keeps aside too",
    async () => {
      const files = await filesOf((some) => {
        change(some, STATE, (bytes) => garble(bytes, 6));
        change(some, JOURNAL, (bytes) => garble(bytes, 1));
      });
      await place(folder, files);
      for (const name of files.keys()) await chmod(path.join(folder, name), 0o640);
      const { aside } = await repairState(file);

      expect(aside.length).toBe(3);
      for (const name of [file, ...aside]) expect((await stat(name)).mode & 0o777).toBe(0o640);
    },
  );

  it.skipIf(process.platform === "win32")(
    "goes where a symbolic link leads, and leaves the link",
    async () => {
      await place(
        folder,
        await filesOf((files) => change(files, JOURNAL, (bytes) => garble(bytes, 1))),
      );
      const links = path.join(folder, "links");
      await mkdir(links);
      const link = path.join(links, "link.json");
      await symlink(file, link);
      const { aside } = await repairState(link);

      expect(await readdir(links)).toEqual(["link.json"]);
      expect(aside.map((kept) => path.dirname(kept))).toEqual(Array(2).fill(folder));
      expect(await knownIn(link)).toEqual(await knownIn(file));
      expect((await checkState(file)).commits).toBe(2);
    },
  );
});

describe.each([
  ["check", checkState],
  ["repair", repairState],
])("a %s", { timeout: 60_000 }, (_name, act) => {
  it("of a state that a sandbox runs on is refused by that one's process id, and changes nothing", async () => {
    const store = await openStore();
    store.commit({ payins: [payin()] });
    await store.durable();
    const before = await look(folder);

    await expect(act(file)).rejects.toThrow(StateInUseError);
    await expect(act(file)).rejects.toThrow(String(process.pid));
    expect(await look(folder)).toEqual(before);
  });

  it.each([
    ["a file that is not there", () => file],
    ["a file in a folder that is not there", () => path.join(folder, "no", "state.json")],
    ["a file below a file", () => path.join(folder, "file", "state.json")],
  ])("of %s is refused by its name, and makes nothing", async (_title, get) => {
    await writeFile(path.join(folder, "file"), "");
    const before = await look(folder);

    await expect(act(get())).rejects.toThrow(StateFileError);
    await expect(act(get())).rejects.toThrow(get());
    expect(await look(folder)).toEqual(before);
  });

  it.each([
    [
      "a state of a newer version",
      '{"format":"pix-sandbox","version":2,"sequence":0,"lastEventNumber":0}',
    ],
    [
      "the header of a newer version",
      '{"format":"pix-sandbox","version":2,"sequence":0,"lastEventNumber":0,\n"payins":[\n',
    ],
    ["foreign JSON", '{"name":"my-shop"}'],
    ["an empty file", ""],
    ["null", "null"],
    ["no JSON", "seed: 42\n"],
    ["zeros", "\0".repeat(300)],
  ])("of %s is refused by its name and leaves it as it is", async (_title, text) => {
    await writeFile(file, text);
    const before = await look(folder);

    await expect(act(file)).rejects.toThrow(StateFileError);
    await expect(act(file)).rejects.toThrow(file);
    expect(await look(folder)).toEqual(before);
  });

  it("of a folder is refused", async () => {
    await mkdir(file);

    await expect(act(file)).rejects.toThrow(StateFileError);
  });

  it("lets go of the state, whether it could be read or not", async () => {
    await writeFile(file, "no JSON");
    for (let time = 0; time < 2; time++) await expect(act(file)).rejects.toThrow(StateFileError);
    await place(folder, await filesOf(() => undefined));
    for (let time = 0; time < 2; time++) expect((await act(file)).commits).toBe(6);
    await (await openStore()).close();
  });
});

describe("a repair that is cut short", { timeout: 60_000 }, () => {
  const damages = KINDS.filter(([title]) => title !== "sound");

  it.each(damages)(
    "at any of its calls to the disk leaves a state that a second one mends: %s",
    async (_title, damage, commits) => {
      const files = await filesOf(damage);
      const known = await expectedAfter(damage, commits);
      const damaged = [...files].filter(([name, bytes]) => !sound.get(name)?.equals(bytes));
      let calls = 0;
      for (let step = 1; ; step++) {
        const own = await newFolder(files);
        const disk = dyingAt(step);
        const repaired = await repairState(path.join(own, STATE), disk).catch(() => undefined);
        calls = disk.calls;
        if (repaired && calls < step) break;

        // Whoever starts on it now either is refused or finds what a repair would keep.
        const copy = await newFolder(await filesIn(own));
        const started = await knownIn(path.join(copy, STATE)).catch((error: unknown) => error);
        if (!(started instanceof StateFileError)) expect(started).toEqual(known);

        const mended = path.join(own, STATE);
        expect((await repairState(mended)).commits).toBe(commits);
        expect(await knownIn(mended)).toEqual(known);
        const left = [...(await filesIn(own)).values()];
        for (const [, bytes] of damaged) expect(left.some((one) => one.equals(bytes))).toBe(true);
      }

      expect(calls).toBeGreaterThan(10);
    },
  );

  it.each(damages)(
    "by a call to the disk that fails says so in a plain error: %s",
    async (_title, damage, commits) => {
      const files = await filesOf(damage);
      const known = await expectedAfter(damage, commits);
      const odd: string[] = [];
      let failed = 0;
      for (let step = 1; ; step++) {
        const own = await newFolder(files);
        const disk = failingAt(step);
        const repaired = await repairState(path.join(own, STATE), disk).catch(
          (error: unknown) => error,
        );
        if (disk.calls < step) break;
        failed++;
        // What only tidies up may fail without a word.
        const isPlain = repaired instanceof StateFileError || repaired instanceof StorageError;
        if (repaired instanceof Error && !isPlain) odd.push(`${disk.failed}: ${String(repaired)}`);
        await repairState(path.join(own, STATE));
        expect(await knownIn(path.join(own, STATE))).toEqual(known);
      }

      expect(odd).toEqual([]);
      expect(failed).toBeGreaterThan(10);
    },
  );
});

describe("a state in a folder that nothing can be written to", { timeout: 60_000 }, () => {
  it("is checked, and a repair reports it and leaves it unchanged", async () => {
    const files = await filesOf((some) => change(some, JOURNAL, (bytes) => garble(bytes, 1)));
    await place(folder, files);
    const before = await look(folder);
    const disk = readOnly();

    expect((await checkState(file, disk)).commits).toBe(2);
    await expect(repairState(file, disk)).rejects.toThrow(StorageError);
    await expect(repairState(file, disk)).rejects.toThrow(file);
    expect(await look(folder)).toEqual(before);
  });

  it("is found sound by a repair, which has nothing to write", async () => {
    await place(folder, await filesOf(() => undefined));

    expect((await repairState(file, readOnly())).commits).toBe(6);
  });

  // Nothing is out of reach for root, and Windows has other permissions.
  it.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
    "by its permissions is checked, and a repair says so and leaves it as it is",
    async () => {
      await place(
        folder,
        await filesOf((some) => change(some, JOURNAL, (bytes) => garble(bytes, 1))),
      );
      await chmod(folder, 0o500);
      const before = await look(folder);

      expect((await checkState(file)).commits).toBe(2);
      await expect(repairState(file)).rejects.toThrow(StorageError);
      expect(await look(folder)).toEqual(before);
    },
  );
});

/** The machine's disk, and how often it was called. */
interface CountedDisk extends Disk {
  readonly calls: number;
  /** The call that failed. */
  readonly failed: string;
}

/** From that call on nothing is done any more, as if the process had died; a write is half done. */
function dyingAt(step: number): CountedDisk {
  return breakingAt((call) => call >= step);
}

/** That call alone fails. */
function failingAt(step: number): CountedDisk {
  return breakingAt((call) => call === step);
}

function readOnly(): Disk {
  const refused = async (): Promise<never> => {
    throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
  };
  return { ...realDisk, create: refused, open: refused, rename: refused, remove: refused };
}

function breakingAt(isBroken: (call: number) => boolean): CountedDisk {
  const seen = { calls: 0, failed: "" };
  const enter = (name: string): void => {
    if (!isBroken(++seen.calls)) return;
    seen.failed ||= name;
    throw Object.assign(new Error(`EIO: i/o error, ${name}`), { code: "EIO" });
  };
  const counted = (one: DiskFile): DiskFile => ({
    write: async (bytes, position) => {
      try {
        enter("write");
      } catch (error) {
        await one.write(bytes.subarray(0, bytes.length / 2), position);
        throw error;
      }
      return one.write(bytes, position);
    },
    sync: async () => {
      enter("sync");
      await one.sync();
    },
    truncate: async (length) => {
      enter("truncate");
      await one.truncate(length);
    },
    // A descriptor is given back even by a process that dies.
    close: async () => {
      await one.close();
      enter("close");
    },
  });
  return {
    get calls() {
      return seen.calls;
    },
    get failed() {
      return seen.failed;
    },
    list: async (name) => {
      enter("list");
      return realDisk.list(name);
    },
    makeFolder: async (name) => {
      enter("makeFolder");
      return realDisk.makeFolder(name);
    },
    // It is only asked for the name, which a repair cannot do without.
    realPath: realDisk.realPath,
    stat: async (name) => {
      enter("stat");
      return realDisk.stat(name);
    },
    async *read(name) {
      enter("read");
      yield* realDisk.read(name);
    },
    create: async (name, mode) => {
      enter("create");
      return counted(await realDisk.create(name, mode));
    },
    open: async (name) => {
      enter("open");
      return counted(await realDisk.open(name));
    },
    rename: async (from, to) => {
      enter("rename");
      await realDisk.rename(from, to);
    },
    remove: async (name) => {
      enter("remove");
      await realDisk.remove(name);
    },
    syncFolder: async (name) => {
      enter("syncFolder");
      await realDisk.syncFolder(name);
    },
  };
}

/** What two processes leave that die one after the other: a state file of one commit, and two journals. */
let sound: Files = new Map();

async function soundFiles(): Promise<Files> {
  if (sound.size > 0) return sound;
  const first = await newFolder(new Map());
  const begun = await openStateFile(path.join(first, STATE));
  begun.commit({
    identity: { seed: "42", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
    payins: [payin({ id: "in 1" }), payin({ id: "in 0", idempotencyKey: "0" })],
  });
  await begun.close();
  const died = await openStateFile(path.join(first, STATE));
  open.push(died);
  died.commit({ payins: [payin({ id: "in 2", ordinal: 2, idempotencyKey: "2", eventNumber: 2 })] });
  died.commit({ payouts: [payout({ ordinal: 3, idempotencyKey: "3", eventNumber: 3 })] });
  died.commit({ deliveries: [delivery({ eventNumber: 4 })] });
  await died.durable();
  const second = await newFolder(await filesIn(first));
  const diedToo = await openStateFile(path.join(second, STATE));
  open.push(diedToo);
  diedToo.commit({
    payins: [payin({ id: "in 3", ordinal: 4, idempotencyKey: "4", eventNumber: 5 })],
  });
  diedToo.commit({ clock: { mode: "real", offsetMs: 1 } });
  await diedToo.durable();
  sound = await filesIn(second);
  expect([...sound.keys()]).toEqual([STATE, JOURNAL, NEXT_JOURNAL]);
  return sound;
}

async function filesOf(damage: (files: Map<string, Buffer>) => void): Promise<Files> {
  const files = new Map(await soundFiles());
  damage(files);
  return files;
}

/** What the damage leaves, as the first so many commits of a sound state tell it, less what was garbled. */
async function expectedAfter(
  damage: (files: Map<string, Buffer>) => void,
  commits: number,
): Promise<unknown> {
  const files = new Map(await soundFiles());
  const lines = [JOURNAL, NEXT_JOURNAL].flatMap((name) => linesOf(files.get(name)));
  const kept = lines.slice(0, commits - 1);
  files.delete(NEXT_JOURNAL);
  files.set(JOURNAL, Buffer.concat(kept));
  const own = await newFolder(files);
  const known = JSON.parse(await knownIn(path.join(own, STATE))) as { payins: { id: string }[] };
  const damaged = new Map(await soundFiles());
  damage(damaged);
  const isGarbled = !damaged.get(STATE)?.includes('"id":"in 1"');
  if (isGarbled) known.payins = known.payins.filter(({ id }) => id !== "in 1");
  return JSON.stringify(known);
}

function change(files: Map<string, Buffer>, name: string, how: (bytes: Buffer) => Buffer): void {
  files.set(name, how(files.get(name) ?? Buffer.alloc(0)));
}

/** One line of it, counted from 0, is written over. */
function garble(bytes: Buffer, index: number): Buffer {
  return Buffer.concat(
    linesOf(bytes).map((line, number) =>
      number === index ? Buffer.from(`${"#".repeat(line.length - 1)}\n`) : line,
    ),
  );
}

function without(bytes: Buffer, index: number): Buffer {
  return Buffer.concat(linesOf(bytes).toSpliced(index, 1));
}

function linesOf(bytes: Buffer | undefined): Buffer[] {
  const texts = (bytes?.toString("latin1") ?? "").split(/(?<=\n)/);
  return texts.map((text) => Buffer.from(text, "latin1"));
}

async function openStore(): Promise<Store> {
  const store = await openStateFile(file);
  open.push(store);
  return store;
}

async function knownIn(state: string): Promise<string> {
  const store = await openStateFile(state);
  const known = JSON.stringify(store.records.toChange());
  await store.close();
  return known;
}

async function newFolder(files: Files): Promise<string> {
  const own = path.join(folder, `own ${++count}`);
  await mkdir(own);
  await place(own, files);
  return own;
}

async function place(into: string, files: Files): Promise<void> {
  for (const [name, bytes] of files) await writeFile(path.join(into, name), bytes);
}

async function filesIn(from: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isFile()) files.set(entry.name, await readFile(path.join(from, entry.name)));
  }
  return new Map([...files].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** All that a change would show in: the bytes, the times, the permissions and which file it is. */
async function look(at: string): Promise<unknown> {
  const seen: Record<string, unknown> = {};
  for (const name of ["", ...(await readdir(at)).toSorted()]) {
    const { mtimeMs, ctimeMs, mode, ino } = await stat(path.join(at, name));
    // A lock that comes and goes changes the times of the folder.
    seen[name] = name === "" ? { mode, ino } : { mtimeMs, ctimeMs, mode, ino };
  }
  const texts = [...(await filesIn(at))].map(([name, bytes]) => [name, bytes.toString("latin1")]);
  return { seen, texts };
}
