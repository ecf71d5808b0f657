import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import {
  ASSUMPTION_NAMES,
  ASSUMPTIONS,
  STANDARD_ASSUMPTIONS,
  triedChoices,
} from "../../../src/core/assumptions/table.ts";
import { english } from "../../../src/text/languages.ts";
import { startCli } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import { type MainOptions, runMain } from "../../support/main.ts";
import { freePort, isRunning } from "../../support/process.ts";

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

interface Row {
  readonly name: string | null;
  readonly choice: string | number | null;
  readonly status: "green" | "red" | "not_reached";
  readonly code: number | null;
  readonly question: string | null;
}

describe("exec --each", { timeout: 120_000 }, () => {
  it("names the one assumption that a test depends on, of all", async () => {
    const { code, stdout, stderr } = await each(["--json"], expectStatus(422));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [first, ...rows] = rowsOf(stdout);

    expect(first).toEqual({ name: null, choice: null, status: "green", code: 0, question: null });
    expect(rows.map(({ name, choice }) => [name, choice])).toEqual(
      ASSUMPTION_NAMES.flatMap((name) =>
        triedChoices(name)
          .filter((choice) => choice !== STANDARD_ASSUMPTIONS[name])
          .map((choice) => [name, choice]),
      ),
    );
    expect(rows.filter(({ status }) => status === "red")).toEqual([
      {
        name: "error.status",
        choice: "always_400",
        status: "red",
        code: 3,
        question: english(ASSUMPTIONS["error.status"].question),
      },
    ]);
    // The test makes no payout.
    const rivals = rows.filter(({ name }) => name === "payout.rival");
    expect(rivals).toHaveLength(2);
    for (const row of rivals) expect(row).toMatchObject({ status: "not_reached", code: null });
  });

  it("judges what a suite reads of the sandbox's own receiver, with sample values in each unit", async () => {
    const suite = `
      import { createClient } from "${new URL("../../../dist/index.js", import.meta.url).href}";
      const { PIX_SANDBOX_URL: baseUrl } = process.env;
      const { payins, webhooks } = createClient({ baseUrl });
      const { id } = await payins.create();
      await payins.pay(id);
      await webhooks.waitFor({ type: "payin.paid", transactionId: id });
      const { data } = await (await fetch(baseUrl + "/_sandbox/sink")).json();
      process.exit(data[0].headers["webhook-signature"] ? 0 : 1);
    `;
    const words = [process.execPath, "--input-type=module", "-e", suite];
    const { stdout } = await each(["webhook.signature", "value.unit", "--json"], words);
    expect(rowsOf(stdout).map(({ name, status }) => [name, status])).toEqual([
      [null, "green"],
      ["webhook.signature", "red"],
      ["value.unit", "green"],
    ]);
  });

  it("prints a line each, the output of red runs, and what to ask", async () => {
    const args = ["error.status", "payout.rival=reject"];
    const { code, stdout, stderr } = await each(args, expectStatus(422), { columns: 60 });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "status 400\nexpected 422\n" });
    const question = english(ASSUMPTIONS["error.status"].question);
    expect(stdout.split("\n").slice(0, 3)).toEqual([
      "green        the choices in force",
      expect.stringMatching(/^red {10}error\.status=always_400 {2}.*…$/),
      expect.stringMatching(/^not reached {2}payout\.rival=reject {2}.*…$/),
    ]);
    expect(stdout.replace(/\s+/g, " ")).toContain(
      `Ask the provider what your tests depend on: error.status: ${question}`,
    );
  });

  it("ends with 8 after a red first run, and runs nothing else", async () => {
    await using folder = await createFolder();
    const words = ["sh", "-c", "echo ran >>runs; echo broken >&2; exit 7"];
    const { code, stdout, stderr } = await each([], words, { cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 8, stdout: "red          the choices in force\n" });
    expect(stderr).toMatch(
      /^broken\nerror: The command failed with the choices in force: exit code 7/,
    );

    const json = await each(["--json"], words, { cwd: folder.path });
    expect(json.code).toBe(8);
    expect(rowsOf(json.stdout)).toEqual([
      { name: null, choice: null, status: "red", code: 7, question: null },
    ]);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "FIRST_RUN_FAILED" } });
    expect(await readFile(folder.at("runs"), "utf8")).toBe("ran\nran\n");
  });

  it("ends with 127 if there is no such command", async () => {
    const { code, stderr } = await each([], ["no-such-command"]);
    expect(code).toBe(127);
    expect(stderr).toContain("Command not found: no-such-command.");
  });

  it("says that the command did not call its sandbox", async () => {
    const json = await each(["error.status", "--json"], ["true"]);
    expect(json).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^The command made no call to the sandbox of exec: /),
    });
    const { code, stdout } = await each(["error.status"], ["true"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^green .*\nnot reached .*\nThe command made no call to the sandbox of exec: /,
    );
    expect(stdout).toContain("let your code call PIX_SANDBOX_BASE_URL");
  });

  it("gives each run its own sandbox with the choices in force", async () => {
    await using folder = await createFolder();
    const assumptions = { "error.status": "always_400", "payout.rival": "allow" };
    const config = {
      port: await freePort(),
      state: "state.json",
      trace: "trace.html",
      assumptions,
    };
    await writeFile(folder.at("pix-sandbox.config.json"), JSON.stringify(config));
    const words = expectStatus(400, "OWN_URL");
    words.push("sh");
    words[2] = `echo "$OWN_URL" >>urls; ${words[2]}`;
    const { code, stdout } = await each(
      ["error.status", "payout.rival", "error.language=pt", "--as", "BASE_URL=OWN_URL", "--json"],
      words,
      { cwd: folder.path },
    );
    expect(code).toBe(0);
    expect(rowsOf(stdout).map(({ name, choice, status }) => [name, choice, status])).toEqual([
      [null, null, "green"],
      ["error.status", "distinct", "red"],
      ["payout.rival", "cancel", "not_reached"],
      ["payout.rival", "reject", "not_reached"],
      ["error.language", "pt", "green"],
    ]);
    const urls = (await readFile(folder.at("urls"), "utf8")).trim().split("\n");
    expect(new Set(urls).size).toBe(3);
    expect(urls).not.toContain(`http://127.0.0.1:${config.port}/v1`);
    expect(["state.json", "trace.html"].map((file) => existsSync(folder.at(file)))).toEqual([
      false,
      false,
    ]);
  });

  it("runs nothing with a choice that the sandbox cannot have, and says why", async () => {
    const { code, stdout, stderr } = await each(["credentials"], expectStatus(422));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^green .*\nnot reached {2}credentials=listed /);
    expect(stderr).toContain("credentials=listed was not run: ");
    expect(stdout).toMatch(/\nNo other choice was tried\.\n$/);
  });

  it("prints output without control characters, and only its end", async () => {
    const script = `
      process.stdout.write("x".repeat(1_000_000) + "é".repeat(10_000) + "\\n");
      process.stdout.write("\\u001b[31mred\\u001b[0m \\u0007 \\u202egnp\\u009b2J\\rover\\n", () => {
        process.exitCode = 1;
      });
    `;
    const { code, stderr } = await each([], [process.execPath, "-e", script]);
    expect(code).toBe(8);
    // oxlint-disable-next-line no-control-regex -- it looks for them.
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    const [end = "", red] = stderr.split("\n");
    expect(end).toMatch(/^é{8000}é*$/);
    expect(Buffer.byteLength(end)).toBeLessThanOrEqual(16 * 1024);
    expect(red).toMatch(/^red \\u0007 \\u202egnp.*\\u000dover$/);
  });

  it("stops all processes at SIGINT, and ends with 130", async () => {
    await using folder = await createFolder();
    const script = 'echo "$$" >>pids; sleep 300 & echo "$!" >>pids; wait';
    const args = ["exec", "--each", "--", "sh", "-c", script];
    await using program = startCli(args, { cwd: folder.path });
    const pids = await pidsIn(folder.at("pids"), 2);
    const { code, stdout, stderr } = await program.stop("SIGINT");
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    expect(stderr).toContain("error: The runs were interrupted.");
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  it("ends the processes that a run leaves behind", async () => {
    await using folder = await createFolder();
    const words = ["sh", "-c", 'sleep 300 & echo "$!" >>pids'];
    expect(await each(["payout.rival"], words, { cwd: folder.path })).toMatchObject({ code: 0 });
    const pids = await pidsIn(folder.at("pids"), 1);
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  it.each([
    [["eror.status"], 'Unknown assumption "eror.status". Did you mean "error.status"?'],
    [["payout.rival=x"], "payout.rival takes cancel, reject, allow."],
    [["payin.v2"], "there is no other choice to try."],
    [["payout.rival=cancel"], "--each payout.rival: cancel is in force"],
    [["--port", "7490"], "--port does not apply to exec --each."],
    [["--state", "s.json"], "--state does not apply to exec --each."],
    [["--trace", "t.html"], "--trace does not apply to exec --each."],
    [["--report"], "--report does not apply to exec --each."],
    [["--fail-on", "error"], "--fail-on does not apply to exec --each."],
    [["--ignore", "retry_storm=x"], "--ignore does not apply to exec --each."],
    [["--junit", "r.xml"], "--junit does not apply to exec --each."],
    [["--markdown"], "--markdown does not apply to exec --each."],
    [["--as", "x"], 'Invalid --as "x".'],
  ])("refuses %j, and runs nothing", async (args, sentence) => {
    await using folder = await createFolder();
    const { code, stdout, stderr } = await each(args, ["touch", "ran"], { cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(sentence);
    expect(existsSync(folder.at("ran"))).toBe(false);
  });
});

function each(
  args: readonly string[],
  words: readonly string[],
  options?: MainOptions,
): ReturnType<typeof runMain> {
  return runMain(["exec", "--each", ...args, "--", ...words], options);
}

function rowsOf(stdout: string): Row[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
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
