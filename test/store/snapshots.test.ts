import { readdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { MemorySnapshots } from "../../src/store/memory.ts";
import { realDisk } from "../../src/store/file/disk.ts";
import { Folder } from "../../src/store/file/folder.ts";
import { StoredSnapshots } from "../../src/store/snapshots.ts";
import { createFolder } from "../support/folder.ts";
import { testSnapshots } from "./snapshots-contract.ts";

testSnapshots("files", async () => {
  const folder = await createFolder();
  return {
    snapshots: new StoredSnapshots(new Folder(realDisk, folder.at("state.json"))),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
});

testSnapshots("memory", async () => ({
  snapshots: new MemorySnapshots(),
  async [Symbol.asyncDispose]() {},
}));

describe("a snapshot in a file", () => {
  const NONE = { takenAtMs: 1, payins: 0, payouts: 0, deliveries: 0 };

  it.each([
    ["is damaged", (text: string) => text.replace('"transactions":[', '"transactions":'), "line"],
    [
      "is of another integration",
      (text: string) => text.replace("shop", "other"),
      "another integration",
    ],
    [
      "is of another version",
      (text: string) => text.replace(/"version":\d/, '"version":1'),
      '"version"',
    ],
    [
      "is a state",
      (text: string) => text.replace(/"snapshot":{[^}]*},?/, ""),
      "it is a state file",
    ],
  ])(
    "that %s is refused and left as it is, and not listed if it does not say what it is",
    async (_title, change, reason) => {
      await using folder = await createFolder();
      const snapshots = new StoredSnapshots(new Folder(realDisk, folder.at("state.json")));
      const key = { name: "one", integration: "shop" };
      await snapshots.save({ ...key, ...NONE }, {});
      const [name = ""] = await readdir(folder.path);
      const text = change(await readFile(folder.at(name), "utf8"));
      await writeFile(folder.at(name), text);
      await expect(snapshots.load(key)).rejects.toThrow(reason);
      await expect(snapshots.load(key)).rejects.toThrow(folder.at(name));
      expect(await readFile(folder.at(name), "utf8")).toBe(text);
    },
  );

  it("is listed and restored although an editor has laid it out anew", async () => {
    await using folder = await createFolder();
    const snapshots = new StoredSnapshots(new Folder(realDisk, folder.at("state.json")));
    const key = { name: "one", integration: "shop" };
    await snapshots.save({ ...key, ...NONE }, {});
    const file = folder.at((await readdir(folder.path))[0] ?? "");
    await writeFile(file, JSON.stringify(JSON.parse(await readFile(file, "utf8")), undefined, 2));
    expect(await snapshots.list("shop")).toEqual([{ ...key, ...NONE }]);
    expect((await snapshots.load(key))?.snapshot).toEqual({ ...key, ...NONE });
  });

  it("is not written to a folder that is gone, nor listed", async () => {
    const snapshots = new StoredSnapshots(new Folder(realDisk, "/nowhere/state.json"));
    await expect(snapshots.save({ name: "one", integration: null, ...NONE }, {})).rejects.toThrow(
      "cannot be written",
    );
    await expect(snapshots.list(null)).rejects.toThrow("cannot be listed");
  });
});
