import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { runAll } from "../../../src/cli/matrix/run.ts";
import {
  ASSUMPTION_NAMES,
  ASSUMPTIONS,
  STANDARD_ASSUMPTIONS,
  triedChoices,
} from "../../../src/core/assumptions/table.ts";
import { BIN, startCli } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import { type MainOptions, runMain } from "../../support/main.ts";
import { freePort, isRunning, startProcess } from "../../support/process.ts";
import { english } from "../../../src/text/languages.ts";

const NODE = process.execPath;
const CREDENTIALS = [{ api_key: "key", api_secret: "secret", merchant_id: "42" }];

/** A merchant's test that passes if a simulation of an unknown transaction gets the given status. */
const expectStatus = (status: number, url = "PIX_SANDBOX_BASE_URL"): string[] => [
  "sh",
  "-c",
  `
  got=$(curl -s -o /dev/null -w "%{http_code}" "$${url}/payins/simulations" \\
    -H "content-type: application/json" -H "x-api-token: t" -H "x-provider-id: 42" \\
    -H "x-provider: Loja" -H "x-country-code: BR" -H "x-idempotency-key: k" \\
    -d '{"transaction_id":"5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10","status":"completed"}')
  echo "status $got"
  echo "expected ${status}" >&2
  [ "$got" = ${status} ] || exit 3
  `,
];

interface WireResult {
  readonly ok: boolean | null;
  readonly exit_code: number | null;
  readonly duration_ms: number | null;
  readonly output_tail: string;
}

interface Document {
  readonly baseline: WireResult;
  readonly runs: readonly (WireResult & {
    readonly name: string;
    readonly choice: string | number;
    readonly error: string | null;
    readonly question: string;
  })[];
  readonly depends_on: readonly string[];
}

describe("pix-sandbox matrix", { timeout: 120_000 }, () => {
  it("names the one assumption that a test depends on, of all", async () => {
    const { code, stdout, stderr } = await matrix(["--json"], expectStatus(422));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { baseline, runs, depends_on } = JSON.parse(stdout) as Document;

    expect(baseline).toEqual({
      ok: true,
      exit_code: 0,
      duration_ms: expect.any(Number) as number,
      output_tail: expect.stringContaining("status 422\n") as string,
    });
    expect(depends_on).toEqual(["error.status"]);
    expect(runs.map(({ name, choice }) => [name, choice])).toEqual(
      ASSUMPTION_NAMES.flatMap((name) =>
        triedChoices(name)
          .filter((choice) => choice !== STANDARD_ASSUMPTIONS[name])
          .map((choice) => [name, choice]),
      ),
    );
    const { question } = ASSUMPTIONS["error.status"];
    expect(runs.filter(({ ok }) => ok === false)).toEqual([
      {
        name: "error.status",
        choice: "always_400",
        ok: false,
        exit_code: 3,
        duration_ms: expect.any(Number) as number,
        output_tail: expect.stringContaining("status 400\n") as string,
        reached: true,
        error: null,
        question: english(question),
      },
    ]);
    // It needs credentials.
    expect(runs.filter(({ ok }) => ok === null)).toMatchObject([
      {
        name: "credentials",
        choice: "listed",
        exit_code: null,
        duration_ms: null,
        output_tail: "",
        error: expect.stringContaining("no credentials are listed") as string,
      },
    ]);
  });

  it("prints a command that repeats a run with its options", async () => {
    await using folder = await createFolder();
    await writeFile(
      folder.at("probe.sh"),
      '[ -e first ] || { touch first; exit 0; }\necho "$OWN_TOKEN $1"; exit 5\n',
    );
    const args = ["--as", "TOKEN=OWN_TOKEN", "--seed", "a b", "--assume", "error.status"];
    const env = { PIX_SANDBOX_ASSUME: "payin.paid_status=completed,error.language=pt" };
    const { stdout } = await matrix(args, ["sh", "probe.sh", "it's"], {
      cwd: folder.path,
      env,
    });
    const line = /^ {4}Repeat: (.*)$/m.exec(stdout)?.[1] ?? "";
    expect(line).toBe(
      `npx pix-sandbox exec --seed 'a b' --as TOKEN=OWN_TOKEN --assume payin.paid_status=completed --assume error.language=pt --assume error.status=always_400 -- sh probe.sh 'it'\\''s'`,
    );
    const script = line.replace("pix-sandbox", `"${NODE}" "${BIN}"`);
    await using repeated = startProcess("sh", ["-c", script], { cwd: folder.path });
    expect(await repeated.ended).toMatchObject({ code: 5, stdout: "sandbox it's\n" });
  });

  it("ends with 8 after a red baseline, shows its output, and runs nothing else", async () => {
    await using folder = await createFolder();
    const words = ["sh", "-c", "echo ran >>runs; echo broken >&2; exit 7"];
    const { code, stdout, stderr } = await matrix([], words, { cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 8, stdout: "" });
    expect(stderr).toMatch(/^broken\nerror: The command failed in the baseline, .*: exit code 7\./);
    expect(await readFile(folder.at("runs"), "utf8")).toBe("ran\n");

    const json = await matrix(["--json"], words, { cwd: folder.path });
    expect(json.code).toBe(8);
    expect(JSON.parse(json.stdout)).toMatchObject({
      baseline: { ok: false, exit_code: 7, output_tail: "broken\n" },
      runs: [],
      depends_on: [],
    });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "BASELINE_FAILED" } });
    expect(await readFile(folder.at("runs"), "utf8")).toBe("ran\nran\n");
  });

  it("ends with 127 if there is no such command", async () => {
    const { code, stderr } = await matrix([], ["no-such-command"]);
    expect(code).toBe(127);
    expect(stderr).toContain("Command not found: no-such-command.");
  });

  it("never runs more at a time, and the next one as soon as one ends", async () => {
    const alternatives = triedChoices("payout.rival")
      .concat(triedChoices("phone.size"))
      .map((choice) => ({ name: "payout.rival" as const, choice }));
    const running: (() => void)[] = [];
    const started: (string | number)[] = [];
    const ended = runAll(alternatives, 2, async ({ choice }) => {
      started.push(choice);
      await new Promise<void>((resolve) => void running.push(resolve));
      return { exitCode: 0, durationMs: 0, output: String(choice), reached: [] };
    });
    for (let count = 0; count < alternatives.length; count++) {
      await nextTurn();
      expect(started).toHaveLength(Math.min(count + 2, alternatives.length));
      // The last one first: the order of the result does not depend on it.
      running.pop()?.();
    }
    expect((await ended).map(({ result }) => result?.output)).toEqual(
      alternatives.map(({ choice }) => choice),
    );
  });

  it("gives each run its own sandbox", async () => {
    await using folder = await createFolder();
    const words = ["sh", "-c", 'echo "$PIX_SANDBOX_URL" >>urls; echo "$PIX_SANDBOX_SECRET" >>urls'];
    const { code } = await matrix(["--assume", "payout.rival", "--jobs", "2"], words, {
      cwd: folder.path,
    });
    expect(code).toBe(0);
    const urls = (await readFile(folder.at("urls"), "utf8")).trim().split("\n");
    expect(urls).toHaveLength(6);
    expect(new Set(urls.filter((line) => line.startsWith("whsec_"))).size).toBe(3);
  });

  it.each([
    ["in the baseline", 'echo "$$" >>pids; sleep 300 & echo "$!" >>pids; wait', 2],
    [
      "in the alternatives",
      'mkdir first 2>/dev/null && exit 0; sleep 300 & echo "$$" >>pids; echo "$!" >>pids; wait',
      4,
    ],
  ])("stops all processes at SIGINT %s, and ends with 130", async (_when, script, count) => {
    await using folder = await createFolder();
    const args = ["matrix", "--jobs", "2", "--", "sh", "-c", script];
    await using program = startCli(args, { cwd: folder.path });
    const pids = await pidsIn(folder.at("pids"), count);
    const { code, stdout, stderr } = await program.stop("SIGINT");
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    expect(stderr).toContain("error: The matrix was interrupted.");
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  it("kills at the second SIGINT a command that ignores SIGTERM", async () => {
    await using folder = await createFolder();
    const script = "trap 'echo heard >>heard' TERM; echo $$ >>pids; while :; do sleep 0.05; done";
    await using program = startCli(["matrix", "--", "sh", "-c", script], { cwd: folder.path });
    const pids = await pidsIn(folder.at("pids"), 1);
    program.process.kill("SIGINT");
    await expect.poll(() => existsSync(folder.at("heard"))).toBe(true);
    expect(await program.stop("SIGINT")).toMatchObject({ code: 130 });
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  it("ends the processes that a run leaves behind", async () => {
    await using folder = await createFolder();
    const words = ["sh", "-c", 'sleep 300 & echo "$!" >>pids'];
    const args = ["--assume", "payout.rival"];
    expect(await matrix(args, words, { cwd: folder.path })).toMatchObject({ code: 0 });
    const pids = await pidsIn(folder.at("pids"), 3);
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  it.each([
    [["--assume", "eror.status"], 'Unknown assumption "eror.status". Did you mean "error.status"?'],
    [["--assume", "nothing-like-it"], '"npx pix-sandbox assumptions" lists all.'],
    [["--assume", "payout.rival=x"], "payout.rival takes cancel, reject, allow."],
    [["--assume", "payin.v2"], "--assume payin.v2: This assumption has no other choice."],
    [["--assume", "payout.rival=cancel"], "This is the baseline's choice."],
    [["--port", "7490"], "--port does not apply to matrix."],
    [["--state", "s.json"], "--state does not apply to matrix."],
    [["--jobs", "0"], "Use a whole number from 1 to 256."],
    [["--as", "x"], 'Invalid --as "x".'],
  ])("refuses %j, and runs nothing", async (args, sentence) => {
    await using folder = await createFolder();
    const { code, stdout, stderr } = await matrix(args, ["touch", "ran"], { cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(sentence);
    expect(existsSync(folder.at("ran"))).toBe(false);
  });

  it("reads the config file, except a port and a state that only one sandbox can use", async () => {
    await using folder = await createFolder();
    const port = await freePort();
    const assumptions = { "error.status": "always_400", "payout.rival": "allow" };
    const config = { port, state: "state.json", assumptions, credentials: CREDENTIALS };
    await writeFile(folder.at("pix-sandbox.config.json"), JSON.stringify(config));
    const args = ["--json", "--assume", "error.status", "--assume", "payout.rival"];
    const { code, stdout } = await matrix(
      [...args, "--assume", "credentials", "--as", "BASE_URL=OWN_URL"],
      expectStatus(400, "OWN_URL"),
      { cwd: folder.path },
    );
    expect(code).toBe(0);
    const { runs, depends_on } = JSON.parse(stdout) as Document;
    expect(runs.map(({ name, choice, ok }) => [`${name}=${choice}`, ok])).toEqual([
      ["payout.rival=cancel", true],
      ["payout.rival=reject", true],
      ["credentials=listed", true],
      ["error.status=distinct", false],
    ]);
    expect(depends_on).toEqual(["error.status"]);
    expect(existsSync(folder.at("state.json"))).toBe(false);
  });

  it("reports an alternative that cannot be started, and runs the others", async () => {
    const args = ["--assume", "credentials", "--assume", "error.status"];
    const { code, stdout } = await matrix(args, expectStatus(422));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^credentials +listed +not started +- +-$/m);
    expect(stdout).toMatch(/^error\.status +always_400 +red +3 /m);
    expect(stdout).toContain("credentials=listed could not be started: ");
    const alone = await matrix(args.slice(0, 2), ["true"]);
    expect(alone.stdout).toContain("No alternative could be started.");
  });

  it("warns of a command that does not call its sandbox", async () => {
    const args = ["--assume", "error.status"];
    const idle = await matrix(args, ["true"]);
    expect(idle.code).toBe(0);
    expect(idle.stderr).toContain("Warning: the command made no gateway call to its sandbox");
    expect(idle.stdout).toContain("so the runs show nothing about the open questions.");
    expect((await matrix(args, expectStatus(422))).stderr).toBe("");
  });

  it("prints output without control characters, and only its end", async () => {
    await using folder = await createFolder();
    const script = `
      const isFirst = !require("node:fs").existsSync("first");
      require("node:fs").writeFileSync("first", "");
      process.stdout.write("x".repeat(1_000_000) + "é".repeat(10_000) + "\\n");
      process.stdout.write("\\u001b[31mred\\u001b[0m \\u0007 \\u202egnp\\u009b2J\\rover\\n", () => {
        process.exitCode = isFirst ? 0 : 1;
      });
    `;
    const args = ["--assume", "error.status"];
    const options = { cwd: folder.path, columns: 80 };
    const { code, stdout } = await matrix(args, [NODE, "-e", script], options);
    expect(code).toBe(0);
    // oxlint-disable-next-line no-control-regex -- it looks for them.
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(stdout).toMatch(/^ {4}\| red \\u0007 \\u202egnp.*\\u000dover$/m);
    expect(stdout).toMatch(/^ {4}\| é+…$/m);

    await rm(folder.at("first"));
    const json = await matrix(["--json", ...args], [NODE, "-e", script], options);
    // oxlint-disable-next-line no-control-regex -- it looks for them.
    expect(json.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    const { output_tail } = (JSON.parse(json.stdout) as Document).runs[0] ?? {};
    expect(output_tail).toMatch(/^é{8000}é*\n[^]*\rover\n$/);
    expect(Buffer.byteLength(output_tail ?? "")).toBeLessThanOrEqual(16 * 1024);
  });
});

function matrix(
  args: readonly string[],
  words: readonly string[],
  options?: MainOptions,
): ReturnType<typeof runMain> {
  return runMain(["matrix", ...args, "--", ...words], options);
}

/** The process ids in a file, as soon as there are `count` of them. */
async function pidsIn(file: string, count: number): Promise<readonly string[]> {
  return vi.waitFor(
    async () => {
      const pids = (await readFile(file, "utf8")).split("\n").slice(0, -1);
      expect(pids).toHaveLength(count);
      return pids;
    },
    { timeout: 30_000 },
  );
}
