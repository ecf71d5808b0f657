import { readdir, readFile, realpath, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runMain, serveMain } from "../../support/main.ts";
import type { Ended } from "../../support/process.ts";
import { openStateFile } from "../../support/state.ts";
import { createFolder } from "../../support/folder.ts";
import { delivery, payin, payout } from "../../support/core.ts";
import { isLock } from "../../support/lock.ts";
import { putsOf } from "../../../src/core/state/records.ts";

const JOURNAL = "state.json.2.journal";

let folder: Awaited<ReturnType<typeof createFolder>>;
/** The folder as the operating system calls it. */
let home: string;
let file: string;
beforeEach(async () => {
  folder = await createFolder();
  home = await realpath(folder.path);
  file = path.join(home, "state.json");
});
afterEach(() => folder[Symbol.asyncDispose]());

describe.skipIf(process.platform === "win32")(
  "a file name that is made to mislead a terminal",
  { timeout: 60_000 },
  () => {
    const NAME = "\u001b[2J\u009b31m\u202egpj\u2066\u0007\u0085.json";
    const SHOWN = String.raw`\u001b[2J\u009b31m\u202egpj\u2066\u0007\u0085.json`;

    it.each([
      ["serve", () => ["serve", "--port", "0", "--state", file]],
      ["state copy", () => ["state", "copy", file, path.join(home, "copy.json")]],
    ])("is shown with its controls made visible by a %s that is refused", async (_name, args) => {
      file = path.join(home, NAME);
      await leaveState(NAME);
      await damage(`${file}.2.journal`, 1);
      for (const json of [[], ["--json"]]) {
        const ended = await runMain([...args(), ...json]);
        expect(ended).toMatchObject({ code: 9, stdout: "" });
        expectPrintable(ended);
        if (json.length === 0) expect(ended.stderr).toContain(SHOWN);
        else expect(() => JSON.parse(ended.stderr) as unknown).not.toThrow();
      }
    });
  },
);

describe("serve on a damaged state", { timeout: 60_000 }, () => {
  it("ends with 9, names the file, the line and what to do, and changes nothing", async () => {
    await leaveState();
    await damage(path.join(home, JOURNAL), 1);
    const before = await filesIn(home);

    const { code, stdout, stderr } = await runMain(["serve", "--port", "0", "--state", file]);
    expect({ code, stdout }).toEqual({ code: 9, stdout: "" });
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
    expect(stderr).toContain(`line 2 of ${path.join(home, JOURNAL)} is damaged`);
    expect(stderr).toContain("delete this line, all lines after it and the later journals.");
    expect(stderr).toContain(`To start empty, move ${file} and its journals away.`);
    expect(await filesIn(home)).toEqual(before);
  });

  it("starts with an incomplete last line, and says in one line that it does not count", async () => {
    await leaveState();
    const whole = await readFile(path.join(home, JOURNAL));
    await writeFile(path.join(home, JOURNAL), whole.subarray(0, -5));
    await using sandbox = await serveMain(["--state", file]);
    const { stderr } = await sandbox.stop();

    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toContain(`Line 3 of ${path.join(home, JOURNAL)}, the last one, is incomplete`);
  });
});

/** A state file of one commit and a journal of three more, as a process leaves them that dies. */
async function leaveState(name = "state.json"): Promise<void> {
  await using elsewhere = await createFolder();
  const original = elsewhere.at(name);
  const { store: first } = await openStateFile(original);
  first.commit(putsOf({ transactions: [payin({ id: "in 1" })] }));
  await first.close();
  const { store: second } = await openStateFile(original);
  second.commit(
    putsOf({
      transactions: [payin({ id: "in 2", ordinal: 2, key: "2" })],
    }),
  );
  second.commit(putsOf({ transactions: [payout({ ordinal: 3, key: "3" })] }));
  second.commit(putsOf({ deliveries: [delivery({})] }));
  await second.durable();
  for (const one of (await readdir(elsewhere.path)).filter((each) => !isLock(each)))
    await writeFile(path.join(home, one), await readFile(elsewhere.at(one)));
  await second.close();
}

/** Writes over a letter of a line, counted from 0. */
async function damage(name: string, index: number): Promise<void> {
  const lines = (await readFile(name, "utf8")).split("\n");
  lines[index] = lines[index]?.replace("change", "chance") ?? "";
  await writeFile(name, lines.join("\n"));
}

async function filesIn(from: string): Promise<readonly (readonly [string, string])[]> {
  const names = (await readdir(from)).filter((name) => !isLock(name)).toSorted();
  return Promise.all(
    names.map(async (name) => [name, await readFile(path.join(from, name), "latin1")] as const),
  );
}

/** Nothing but line feeds among the controls, and nothing that turns the direction of text. */
function expectPrintable({ stdout, stderr }: Ended): void {
  /* oxlint-disable no-control-regex -- control characters are what this is for. */
  const odd =
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
  const found = (stdout + stderr).match(odd) ?? [];
  expect(found.map((character) => character.codePointAt(0)?.toString(16))).toEqual([]);
}
