import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openStateFile } from "../../../src/store/file/state-file.ts";
import { runMain, runMainJson, serveMain } from "../../support/main.ts";
import { payin, payout } from "../../support/core.ts";
import {
  JOURNAL,
  change,
  damage,
  file,
  filesIn,
  home,
  leaveState,
  type Report,
  useFolder,
} from "./left-state.ts";

useFolder();

describe("state check", { timeout: 60_000 }, () => {
  it.each(["check", "repair"])(
    "%s refuses a database without showing its password",
    async (name) => {
      const address = "postgres://user:secret-word@127.0.0.1:1/db";
      const { code, stdout, stderr } = await runMain(["state", name, address]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(
        "postgres://user:***@127.0.0.1:1/db is not the path of a state file.",
      );
      expect(stderr).not.toContain("secret-word");
    },
  );

  it("ends with 0 for a sound state, and prints its contents", async () => {
    await leaveState(home);

    const { code, stdout, stderr } = await runMain(["state", "check", file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      `${file} is intact: 2 payins, 1 payouts and 1 webhooks, after 4 commits.\n`,
    );
    expect(await runMainJson(["state", "check", file])).toEqual({
      file,
      sound: true,
      has_state_file: true,
      payins: 2,
      payouts: 1,
      deliveries: 1,
      commits: 4,
      damages: [],
      torn_tail: null,
      changed: null,
      problems: [],
      aside: [],
    });
  });

  it("ends with 8 for a damaged line, names it, and explains the repair", async () => {
    await leaveState(home);
    await damage(path.join(home, JOURNAL), 1);
    const before = await filesIn(home);

    const { code, stdout, stderr } = await runMain(["state", "check", file]);
    expect(code).toBe(8);
    expect(stdout).toContain(`line 2 of ${path.join(home, JOURNAL)} is damaged: `);
    expect(stdout).toContain("Recoverable: 2 payins, 0 payouts and 0 webhooks, after 2 commits.");
    expect(stderr).toMatch(/^error: .+\n.+\n$/);
    expect(stderr).toContain(`npx pix-sandbox state repair ${file}`);
    expect(await filesIn(home)).toEqual(before);
  });

  it("ends with 8 and prints both as JSON with --json", async () => {
    await leaveState(home);
    await damage(path.join(home, JOURNAL), 1);

    const { code, stdout, stderr } = await runMain(["state", "check", file, "--json"]);
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({
      file,
      sound: false,
      commits: 2,
      damages: [{ file: path.join(home, JOURNAL), line: 2, reason: expect.any(String) }],
      aside: [],
    });
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "STATE_DAMAGED",
        message: expect.stringContaining(file),
        hint: expect.stringContaining(`npx pix-sandbox state repair ${file}`),
      },
    });
    expect([stdout, stderr].map((text) => text.split("\n").length)).toEqual([2, 2]);
  });

  it("ends with 8 and names some of very many damaged lines, and how many more there are", async () => {
    const payins = Array.from({ length: 30 }, (_, index) =>
      payin({ id: `in ${index}`, ordinal: index + 1 }),
    );
    const store = await openStateFile(file);
    store.commit({ payins });
    await store.close();
    await change(file, (bytes) =>
      Buffer.from(bytes.toString().replaceAll('"status":"waiting"', '"status":"lost"')),
    );

    const { code, stdout } = await runMain(["state", "check", file]);
    expect(code).toBe(8);
    expect(stdout.match(/ is damaged: /g)?.length).toBe(10);
    expect(stdout).toContain("and 20 more lines.");
    expect(stdout).toContain("Recoverable: 0 payins");
    const { stdout: json } = await runMain(["state", "check", file, "--json"]);
    expect((JSON.parse(json) as Report).damages.length).toBe(30);
  });
});

describe("a state file that a hand has changed", { timeout: 60_000 }, () => {
  /** Two payins and a payout, each on a line of its own. */
  async function leaveEdited(edit: (text: string) => string): Promise<void> {
    const store = await openStateFile(file);
    store.commit({ payins: [payin({ id: "in 1" }), payin({ id: "in 2", ordinal: 2 })] });
    store.commit({ payouts: [payout({ id: "out 1", ordinal: 3 })] });
    await store.close();
    await change(file, (bytes) => Buffer.from(edit(bytes.toString())));
  }
  const withoutOne = (text: string): string =>
    text
      .split("\n")
      .filter((line) => !line.includes('"id":"in 1"'))
      .join("\n");

  it("is opened, and the start reports the difference", async () => {
    await leaveEdited(withoutOne);
    await using sandbox = await serveMain(["--state", file]);
    await sandbox.stop();
    expect(sandbox.stderr).toBe(
      `pix-sandbox: The state file ${file} has changed since it was written: 2 → 1 payins.\n`,
    );
    await rm(file);
    await leaveEdited(withoutOne);
    await using portuguese = await serveMain(["--state", file, "--lang", "pt-BR"]);
    await portuguese.stop();
    expect(portuguese.stderr).toBe(
      `pix-sandbox: O arquivo de estado ${file} mudou desde que foi gravado: 2 → 1 cobranças.\n`,
    );
  });

  it.each([
    ["serve", ["serve", "--port", "0", "--strict-state"], {}],
    ["serve, by the environment", ["serve", "--port", "0"], { PIX_SANDBOX_STRICT_STATE: "1" }],
    ["exec", ["exec", "--strict-state", "--", "true"], {}],
  ])("ends %s with 9 where that is to be refused", async (_title, args, env) => {
    await leaveEdited(withoutOne);
    const before = await filesIn(home);
    const [command = "", ...rest] = args;
    const ended = await runMain([command, "--state", file, ...rest], { env });
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 9, stdout: "" });
    expect(ended.stderr).toContain(`${file} has changed since it was written: 2 → 1 payins.`);
    expect(ended.stderr).toContain("without --strict-state");
    expect(await filesIn(home)).toEqual(before);
  });

  it("passes a check, which reports the difference", async () => {
    await leaveEdited(withoutOne);
    const { code, stdout } = await runMain(["state", "check", file]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${file} is intact: 1 payins, 1 payouts and 0 webhooks, after 2 commits.\n${file} was edited after the sandbox wrote it: 2 → 1 payins.\n`,
    });
    expect(await runMainJson(["state", "check", file])).toMatchObject({
      sound: true,
      changed: "2 → 1 payins",
      problems: [],
    });
  });

  it("fails a check if records break the API's rules, and names each", async () => {
    await leaveEdited((text) => {
      const lines = text
        .replace('"buyerCpf":"12345678909"', '"buyerCpf":"123"')
        .replace('"expirationSeconds":240', '"expirationSeconds":5')
        .replace(/^(.*"id":"in 2".*)$/m, (line) =>
          line.replace('"settledAtMs":null', '"settledAtMs":1767323045000'),
        )
        .split("\n");
      const row = lines.findIndex((line) => line.includes('"id":"out 1"'));
      return lines.toSpliced(row, 0, `${lines[row] ?? ""},`).join("\n");
    });
    const { code, stdout, stderr } = await runMain(["state", "check", file]);
    expect({ code, lines: stdout.split("\n") }).toEqual({
      code: 8,
      lines: [
        `${file} can be opened: 2 payins, 1 payouts and 0 webhooks, after 2 commits.`,
        `${file} was edited after the sandbox wrote it: 1 → 2 payouts.`,
        "payout out 1: it is in the state file more than once; the last one is used.",
        "payin in 1: buyer_cpf must be a CPF of exactly 11 digits.",
        "payin in 1: expiration must be an integer of seconds from 20 to 172800.",
        "payin in 1: expiresAtMs must be createdAtMs plus expirationSeconds.",
        "payin in 2: settledAtMs must be null while status is waiting.",
        "",
      ],
    });
    expect(stderr).toContain(`${file} contains records that the API could not have created.`);
    const json = await runMain(["state", "check", file, "--json"]);
    expect(json.code).toBe(8);
    expect(JSON.parse(json.stdout)).toMatchObject({
      sound: false,
      problems: [
        { list: "payouts", id: "out 1", reason: expect.any(String) as string },
        { list: "payins", id: "in 1" },
        {},
        {},
        { list: "payins", id: "in 2" },
      ],
    });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "STATE_INVALID" } });
  });
});

describe("state repair", { timeout: 60_000 }, () => {
  it("ends with 0 after saving all lines before the damage, and names the file with the rest", async () => {
    await leaveState(home);
    await damage(path.join(home, JOURNAL), 1);
    const damaged = await readFile(path.join(home, JOURNAL));

    const { code, stdout, stderr } = await runMain(["state", "repair", file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [first, second, ...more] = stdout.split("\n");
    expect(first).toBe(
      `${file} contains the recovered records: 2 payins, 0 payouts and 0 webhooks, after 2 commits.`,
    );
    const aside = /^The damaged files are in (.+)\.$/.exec(second ?? "")?.[1] ?? "";
    expect(more).toEqual([""]);
    expect((await readFile(aside)).equals(damaged)).toBe(true);
    expect((await readdir(home)).toSorted()).toEqual(["state.json", path.basename(aside)]);
    expect(await runMain(["state", "check", file])).toMatchObject({ code: 0 });
  });

  it("leaves a state that a sandbox starts on", async () => {
    await leaveState(home);
    await damage(path.join(home, JOURNAL), 1);
    const report = await runMainJson<Report>(["state", "repair", file]);
    expect(report).toMatchObject({
      file,
      commits: 2,
      payins: 2,
      aside: [expect.stringContaining(`${path.join(home, JOURNAL)}.damaged-`)],
    });

    await using sandbox = await serveMain(["--state", file]);
    const { data } = (await (await fetch(`${sandbox.url}/_sandbox/payins`)).json()) as {
      data: { id: string }[];
    };
    expect(data.map(({ id }) => id)).toEqual(["in 1", "in 2"]);
    expect(await sandbox.stop()).toMatchObject({ code: 0, stderr: "" });
  });
});

describe.each(["check", "repair"])("state %s", { timeout: 60_000 }, (command) => {
  it.each([
    ["is not there", async () => undefined],
    ["is foreign JSON", () => writeFile(file, '{"name":"my-shop","version":"1.0.0"}')],
  ])("ends with 9 where the file %s, names it, and changes nothing", async (_title, make) => {
    await make();
    const before = await filesIn(home);

    const plain = await runMain(["state", command, file]);
    expect(plain).toMatchObject({ code: 9, stdout: "" });
    expect(plain.stderr).toMatch(/^error: .+\.\n$/);
    expect(plain.stderr).toContain(file);
    const json = await runMain(["state", command, file, "--json"]);
    expect(json).toMatchObject({ code: 9, stdout: "" });
    expect(JSON.parse(json.stderr)).toEqual({
      error: { code: "STATE_UNREADABLE", message: expect.stringContaining(file), hint: null },
    });
    expect(await filesIn(home)).toEqual(before);
  });

  it("ends with 7 if a sandbox uses it, and names its process id", async () => {
    // In the same process, which has time for both or for neither.
    await using sandbox = await serveMain(["--state", file]);

    const plain = await runMain(["state", command, file]);
    expect(plain).toMatchObject({ code: 7, stdout: "" });
    expect(plain.stderr).toContain(file);
    expect(plain.stderr).toContain(String(sandbox.ready.pid));
    const { code, stderr } = await runMain(["state", command, file, "--json"]);
    expect([code, JSON.parse(stderr)]).toMatchObject([7, { error: { code: "STATE_IN_USE" } }]);
    // The sandbox may compact its file meanwhile; it quarantines nothing.
    expect((await readdir(home)).filter((name) => /torn|damaged/.test(name))).toEqual([]);
  });
});
