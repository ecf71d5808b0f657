import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Store } from "../../../src/core/state/ports.ts";
import { StateFileError, StateInUseError } from "../../../src/store/errors.ts";
import { checkState, repairState } from "../../../src/store/file/repair.ts";
import { openStateFile } from "../../../src/store/file/state-file.ts";
import { delivery, payin } from "../../support/core.ts";
import {
  JOURNAL,
  KINDS,
  NEXT_JOURNAL,
  STATE,
  change,
  expectedAfter,
  file,
  filesIn,
  filesOf,
  folder,
  garble,
  knownIn,
  look,
  newFolder,
  open,
  place,
  useFolder,
} from "./damages.ts";

const HALF_WRITTEN = "state.json.4711-0123abcd.tmp";
const FOREIGN = ["state.json.bak", "state.json.x.journal", "other.json", "state.json.2.journal~"];
useFolder();

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

async function openStore(): Promise<Store> {
  const store = await openStateFile(file);
  open.push(store);
  return store;
}
