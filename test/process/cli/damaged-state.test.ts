import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { runMain, serveMain } from "../../support/main.ts";
import type { Ended } from "../../support/process.ts";
import {
  JOURNAL,
  change,
  damage,
  file,
  filesIn,
  home,
  leaveState,
  replaceFile,
  type Report,
  useFolder,
} from "./left-state.ts";

useFolder();

describe.skipIf(process.platform === "win32")(
  "a file name that is made to mislead a terminal",
  { timeout: 60_000 },
  () => {
    const NAME = "\u001b[2J\u009b31m\u202egpj\u2066\u0007\u0085.json";
    const SHOWN = String.raw`\u001b[2J\u009b31m\u202egpj\u2066\u0007\u0085.json`;

    beforeEach(() => {
      replaceFile(path.join(home, NAME));
    });

    it.each([
      ["check", 0, async () => undefined],
      ["check", 8, () => damage(`${file}.2.journal`, 1)],
      ["check", 9, () => writeFile(file, "{}")],
      ["repair", 0, () => damage(`${file}.2.journal`, 1)],
      ["repair", 9, () => writeFile(file, "{}")],
    ])(
      "is shown with its controls made visible by state %s that ends with %i",
      async (command, code, make) => {
        await leaveState(home, NAME);
        await make();
        const ended = await runMain(["state", command, file]);

        expect(ended.code).toBe(code);
        expect(ended.stdout + ended.stderr).toContain(SHOWN);
        expectPrintable(ended);
      },
    );

    it.each([
      ["check", 8, () => damage(`${file}.2.journal`, 1)],
      ["repair", 9, () => writeFile(file, "{}")],
    ])("is escaped in the JSON of state %s that ends with %i", async (command, code, make) => {
      await leaveState(home, NAME);
      await make();
      const ended = await runMain(["state", command, file, "--json"]);

      expect(ended.code).toBe(code);
      if (code !== 9) expect((JSON.parse(ended.stdout) as Report).file).toBe(file);
      if (code !== 0) expect(() => JSON.parse(ended.stderr) as unknown).not.toThrow();
      expectPrintable(ended);
    });

    it("is shown with its controls made visible by a serve that is refused", async () => {
      await leaveState(home, NAME);
      await damage(`${file}.2.journal`, 1);
      for (const json of [[], ["--json"]]) {
        const ended = await runMain(["serve", "--port", "0", "--state", file, ...json]);
        expect(ended).toMatchObject({ code: 9, stdout: "" });
        expectPrintable(ended);
      }
    });
  },
);

describe("serve on a damaged state", { timeout: 60_000 }, () => {
  it("ends with 9, names the file, the line and the command that repairs it, and changes nothing", async () => {
    await leaveState(home);
    await damage(path.join(home, JOURNAL), 1);
    const before = await filesIn(home);

    const { code, stdout, stderr } = await runMain(["serve", "--port", "0", "--state", file]);
    expect({ code, stdout }).toEqual({ code: 9, stdout: "" });
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
    expect(stderr).toContain(`line 2 of ${path.join(home, JOURNAL)} is damaged`);
    expect(stderr).toContain(`npx pix-sandbox state repair ${file}`);
    expect(await filesIn(home)).toEqual(before);
  });

  it("starts with an incomplete last line, and reports in one line where it was saved", async () => {
    await leaveState(home);
    const whole = await readFile(path.join(home, JOURNAL));
    await change(path.join(home, JOURNAL), (bytes) => bytes.subarray(0, -5));
    await using sandbox = await serveMain(["--state", file]);
    const { stderr } = await sandbox.stop();

    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toContain(`Line 3 of ${path.join(home, JOURNAL)} was incomplete`);
    const [torn = ""] = (await readdir(home)).filter((name) => name.includes(".torn-"));
    expect(stderr).toContain(path.join(home, torn));
    const lastLine = whole.subarray(whole.lastIndexOf("\n", -2) + 1, -5);
    expect((await readFile(path.join(home, torn))).equals(lastLine)).toBe(true);
  });
});

/** Nothing but line feeds among the controls, and nothing that turns the direction of text. */
function expectPrintable({ stdout, stderr }: Ended): void {
  /* oxlint-disable no-control-regex -- control characters are what this is for. */
  const odd =
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
  const found = (stdout + stderr).match(odd) ?? [];
  expect(found.map((character) => character.codePointAt(0)?.toString(16))).toEqual([]);
}
