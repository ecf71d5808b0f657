import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runMain } from "../../support/main.ts";
import { startSandbox } from "../../../src/client/start.ts";
import { createFileCopy, readFileCopy } from "../../../src/store/file/file-copy.ts";
import { createFolder } from "../../support/folder.ts";
import { inWords } from "../../support/words.ts";

let folder: Awaited<ReturnType<typeof createFolder>>;
beforeEach(async () => {
  folder = await createFolder();
  await using sandbox = await startSandbox({ stateFile: folder.at("state.json"), seed: "42" });
  await sandbox.payins.create();
  await sandbox.integration("shop").payouts.create();
  await sandbox.snapshot("before");
  await sandbox.integration("shop").snapshot("own");
});
afterEach(() => folder[Symbol.asyncDispose]());

const namesOf = async (): Promise<readonly string[]> => (await readdir(folder.path)).toSorted();
/** Everything below the folder, by name. */
const contents = async () =>
  Promise.all(
    (await namesOf()).map(async (name) => [name, await readFile(folder.at(name), "utf8")]),
  );

describe("a copy of a state file", () => {
  it("has its records and the snapshots of all integrations", async () => {
    const copy = await readFileCopy(folder.at("state.json"));
    expect(copy.snapshots.map(({ snapshot }) => [snapshot.name, snapshot.integration])).toEqual([
      ["before", null],
      ["own", "shop"],
    ]);
    await createFileCopy(folder.at("copy.json"), copy);
    await using again = await startSandbox({ stateFile: folder.at("copy.json") });
    expect(again.seed).toBe("42");
    expect([(await again.payins.list()).length, (await again.payouts.list()).length]).toEqual([
      1, 1,
    ]);
    expect((await again.snapshots.list()).map(({ name }) => name).toSorted()).toEqual([
      "before",
      "own",
    ]);
  });

  it("is refused where a state is, or a part of one, and nothing changes", async () => {
    const copy = await readFileCopy(folder.at("state.json"));
    const refusedAt = async (file: string, found: string) => {
      const before = await contents();
      await expect(createFileCopy(folder.at(file), copy)).rejects.toMatchObject({
        name: "StateExistsError",
        text: inWords({
          en: `There is a state at ${folder.at(file)}${found}. Nothing was changed. Choose another file, or delete it and the files beside it.`,
        }),
      });
      expect(await contents()).toEqual(before);
    };
    await refusedAt("state.json", "");
    await writeFile(folder.at("to.json.7.journal"), "");
    await refusedAt("to.json", ` (${folder.at("to.json.7.journal")})`);
    await writeFile(folder.at("other.json.mine.snapshot"), "");
    await refusedAt("other.json", ` (${folder.at("other.json.mine.snapshot")})`);
  });

  it("is refused of a state that is missing or damaged, and of one without a snapshot of its own", async () => {
    await expect(readFileCopy(folder.at("nothing.json"))).rejects.toThrow(
      `There is no state file ${folder.at("nothing.json")}.`,
    );
    const snapshot = (await namesOf()).find((name) => name.endsWith("before.snapshot")) ?? "";
    const saved = await readFile(folder.at(snapshot), "utf8");
    await writeFile(folder.at(snapshot), saved.slice(1));
    await expect(readFileCopy(folder.at("state.json"))).rejects.toMatchObject({
      text: inWords({
        en: "1 of 2 snapshots cannot be read, so nothing was copied. Delete the damaged ones and try again.",
      }),
    });
    await writeFile(folder.at(snapshot), saved);
    const state = await readFile(folder.at("state.json"), "utf8");
    const journals = (await namesOf()).filter((name) => name.endsWith(".journal"));
    for (const name of journals) await rm(folder.at(name));
    await writeFile(folder.at("state.json"), state.replace('"payins":[', '"payins":[}'));
    await expect(readFileCopy(folder.at("state.json"))).rejects.toThrow(
      `of ${folder.at("state.json")} is damaged: `,
    );
  });

  it("leaves nothing where it cannot be written", async () => {
    const copy = await readFileCopy(folder.at("state.json"));
    const [first] = copy.snapshots;
    // A name that no file can have.
    const bad = { ...first!, snapshot: { ...first!.snapshot, name: "x".repeat(300) } };
    const before = await namesOf();
    await expect(
      createFileCopy(folder.at("copy.json"), { ...copy, snapshots: [...copy.snapshots, bad] }),
    ).rejects.toThrow(`The state file ${folder.at("copy.json")} cannot be written: `);
    expect(await namesOf()).toEqual(before);
  });
});

describe("state copy", () => {
  it("prints what it has copied, and copies onto nothing that is there", async () => {
    const args = ["state", "copy", "state.json", "copy.json"];
    expect(await runMain(args, { cwd: folder.path })).toMatchObject({
      code: 0,
      stdout:
        "Copied from state.json to copy.json: 1 payin, 1 payout, 0 webhooks and 2 snapshots.\n",
      stderr: "",
    });
    const again = await runMain(args, { cwd: folder.path });
    expect([again.code, again.stdout]).toEqual([2, ""]);
  });
});
