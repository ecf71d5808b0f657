import { mkdir, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStateFile } from "../../../src/store/file/state-file.ts";
import { startServe } from "../../support/cli.ts";
import { runMain, runMainJson, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import type { Ended } from "../../support/process.ts";
import { delivery, payin, payout } from "../../support/core.ts";
import { isLock } from "../../support/lock.ts";

const JOURNAL = "state.json.2.journal";

/** What `state check --json` and `state repair --json` print. */
interface Report {
  readonly file: string;
  readonly sound: boolean;
  readonly payins: number;
  readonly payouts: number;
  readonly deliveries: number;
  readonly commits: number;
  readonly damages: readonly {
    readonly file: string;
    readonly line: number;
    readonly reason: string;
  }[];
  readonly torn_tail: { readonly file: string; readonly line: number } | null;
  readonly aside: readonly string[];
}

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

  it("takes a file from the folder that it is started in", async () => {
    await leaveState(home);

    const { code, stdout } = await runMain(["state", "check", "state.json"], { cwd: home });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^state\.json is intact: /);
  });

  it("ends with 0 for an incomplete last line, and reports it", async () => {
    await leaveState(home);
    await change(path.join(home, JOURNAL), (bytes) => bytes.subarray(0, -5));

    const { code, stdout } = await runMain(["state", "check", file]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Line 3 of ${path.join(home, JOURNAL)} is incomplete`);
    expect(await runMainJson<Report>(["state", "check", file])).toMatchObject({
      sound: true,
      commits: 3,
      damages: [],
      torn_tail: { file: path.join(home, JOURNAL), line: 3 },
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

  it("ends with 8 if the state file is missing but its journal exists", async () => {
    await leaveJournalAlone();

    const { code, stdout, stderr } = await runMain(["state", "check", file]);
    expect(code).toBe(8);
    expect(stdout).toContain(`${file} is missing`);
    expect(stdout).toContain("Recoverable: 1 payins");
    expect(stderr).toContain(`npx pix-sandbox state repair ${file}`);
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
      `pix-sandbox: O arquivo de estado ${file} mudou desde que foi gravado: 2 → 1 payins.\n`,
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

  it("ends a start with 9 if the config file requires it", async () => {
    await leaveEdited(withoutOne);
    const config = path.join(home, "config.json");
    await writeFile(config, JSON.stringify({ strict_state: true }));
    const args = ["serve", "--port", "0", "--state", file, "--config", config];
    expect((await runMain(args)).code).toBe(9);
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

  it("ends with 0 and changes nothing if nothing is damaged", async () => {
    await leaveState(home);
    const before = await filesIn(home);

    const { code, stdout } = await runMain(["state", "repair", file]);
    expect(code).toBe(0);
    expect(stdout).toBe(
      `${file} is intact, nothing was changed: 2 payins, 1 payouts and 1 webhooks, after 4 commits.\n`,
    );
    expect(await filesIn(home)).toEqual(before);
  });

  it("ends with 0 once a state file that was gone is rebuilt from its journal", async () => {
    await leaveJournalAlone();

    expect(await runMainJson<Report>(["state", "repair", file])).toMatchObject({
      payins: 1,
      commits: 1,
    });
    expect(await readdir(home)).toEqual(["state.json"]);
    expect(await runMainJson<Report>(["state", "check", file])).toMatchObject({
      sound: true,
      payins: 1,
    });
  });

  it("ends with 0 and takes the state as it is now for sound", async () => {
    await leaveState(home);
    await damage(path.join(home, JOURNAL), 1);

    expect((await runMainJson<Report>(["state", "repair", file])).aside.length).toBe(1);
    expect(await runMainJson<Report>(["state", "repair", file])).toMatchObject({
      sound: true,
      damages: [],
      aside: [],
    });
  });
});

describe.each(["check", "repair"])("state %s", { timeout: 60_000 }, (command) => {
  it.each([
    ["is not there", async () => undefined],
    [
      "is in a folder that is not there",
      async () => void (file = path.join(home, "no", "state.json")),
    ],
    ["is foreign JSON", () => writeFile(file, '{"name":"my-shop","version":"1.0.0"}')],
    ["is no JSON", () => writeFile(file, "seed: 42\n")],
    ["is empty", () => writeFile(file, "")],
    ["is of a newer version", () => writeFile(file, '{"format":"pix-sandbox","version":2}')],
    ["is a folder", () => mkdir(file)],
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

  it("ends with 0 at once after the sandbox that ran on it was killed", async () => {
    await using sandbox = await startServe(["--state", file]);
    expect(await sandbox.stop("SIGKILL")).toMatchObject({ signal: "SIGKILL" });

    expect(await runMain(["state", command, file])).toMatchObject({ code: 0, stderr: "" });
  });

  it.each([
    ["no file", []],
    ["two files", ["one.json", "other.json"]],
    ["an unknown option", ["state.json", "--force"]],
  ])("ends with 2 where it is given %s", async (_title, args) => {
    const { code, stdout, stderr } = await runMain(["state", command, ...args], { cwd: home });

    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^error: /);
    expect(await readdir(home)).toEqual([]);
  });
});

describe("state", { timeout: 60_000 }, () => {
  it.each([
    ["nothing", []],
    ["an unknown command", ["mend", "state.json"]],
  ])("ends with 2 where it is told %s", async (_title, args) => {
    expect(await runMain(["state", ...args])).toMatchObject({ code: 2, stdout: "" });
  });

  it("prints its help, which begins with examples", async () => {
    for (const args of [["state"], ["state", "check"], ["state", "repair"]]) {
      const { code, stdout } = await runMain([...args, "--help"]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Examples:\n {2}\$ npx pix-sandbox state (check|repair) /);
    }
  });
});

describe.skipIf(process.platform === "win32")(
  "a file name that is made to mislead a terminal",
  { timeout: 60_000 },
  () => {
    const NAME = "\u001b[2J\u009b31m\u202egpj\u2066\u0007\u0085.json";
    const SHOWN = String.raw`\u001b[2J\u009b31m\u202egpj\u2066\u0007\u0085.json`;

    beforeEach(() => {
      file = path.join(home, NAME);
    });

    it.each([
      ["check", 0, async () => undefined],
      ["check", 8, () => damage(`${file}.2.journal`, 1)],
      ["check", 9, () => writeFile(file, "{}")],
      ["check", 9, () => Promise.all([rm(file), rm(`${file}.2.journal`)])],
      ["repair", 0, async () => undefined],
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
      ["check", 0, async () => undefined],
      ["check", 8, () => damage(`${file}.2.journal`, 1)],
      ["check", 9, () => writeFile(file, "{}")],
      ["repair", 0, () => damage(`${file}.2.journal`, 1)],
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

  it("reports it as JSON with --json", async () => {
    await leaveState(home);
    await change(file, (bytes) =>
      Buffer.from(bytes.toString().replace('"id":"in 1"', '"id":"in 1')),
    );

    const { code, stdout, stderr } = await runMain([
      "serve",
      "--port",
      "0",
      "--state",
      file,
      "--json",
    ]);
    expect({ code, stdout }).toEqual({ code: 9, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: "STATE_UNREADABLE",
        message: expect.stringContaining(`of ${file} is damaged`),
      },
    });
  });

  it("ends with 9 if the state file is missing but its journal exists, and changes nothing", async () => {
    await leaveJournalAlone();
    const before = await filesIn(home);

    const { code, stderr } = await runMain(["serve", "--port", "0", "--state", file]);
    expect(code).toBe(9);
    expect(stderr).toContain("state.json.1.journal");
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

/** A state file of one commit and a journal of three more, as a process leaves them that dies. */
async function leaveState(into: string, name = "state.json"): Promise<void> {
  await using elsewhere = await createFolder();
  const original = elsewhere.at(name);
  const first = await openStateFile(original);
  first.commit({ payins: [payin({ id: "in 1" })] });
  await first.close();
  const second = await openStateFile(original);
  second.commit({
    payins: [payin({ id: "in 2", ordinal: 2, idempotencyKey: "2", eventNumber: 2 })],
  });
  second.commit({ payouts: [payout({ ordinal: 3, idempotencyKey: "3", eventNumber: 3 })] });
  second.commit({ deliveries: [delivery({ eventNumber: 4 })] });
  await second.durable();
  for (const one of (await readdir(elsewhere.path)).filter((each) => !isLock(each)))
    await writeFile(path.join(into, one), await readFile(elsewhere.at(one)));
  await second.close();
}

async function leaveJournalAlone(): Promise<void> {
  await using elsewhere = await createFolder();
  const store = await openStateFile(elsewhere.at("state.json"));
  store.commit({ payins: [payin()] });
  await store.durable();
  await writeFile(
    path.join(home, "state.json.1.journal"),
    await readFile(elsewhere.at("state.json.1.journal")),
  );
  await store.close();
}

async function change(name: string, how: (bytes: Buffer) => Buffer): Promise<void> {
  await writeFile(name, how(await readFile(name)));
}

/** Writes over a letter of a line, counted from 0. */
async function damage(name: string, index: number): Promise<void> {
  await change(name, (bytes) => {
    const lines = bytes.toString().split("\n");
    lines[index] = lines[index]?.replace("change", "chance") ?? "";
    return Buffer.from(lines.join("\n"));
  });
}

async function filesIn(from: string): Promise<readonly (readonly [string, string])[]> {
  const entries = await readdir(from, { withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .toSorted()
      .map(async (name) => [name, await readFile(path.join(from, name), "latin1")] as const),
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
