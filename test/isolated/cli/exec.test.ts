import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { BIN, runCli, startCli } from "../../support/cli.ts";
import { runMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { isRunning, startProcess } from "../../support/process.ts";
import { startMerchant } from "../../support/merchant.ts";

const PIX = `"${process.execPath}" "${BIN}"`;

describe("pix-sandbox exec", { timeout: 60_000 }, () => {
  it.each([
    ["exit 37", 37],
    ["kill -TERM $$", 128 + 15],
  ])("ends as `%s` does, with %i", async (script, code) => {
    expect(await shell(script)).toMatchObject({ code, signal: null, stdout: "", stderr: "" });
  });

  it("ends as a shell does for a command that is not there, or cannot be run", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at("text"), "no program");
    const missing = await runCli(["exec", "--", "no-such-command"]);
    expect(missing).toMatchObject({ code: 127, stdout: "" });
    expect(missing.stderr).toContain("Command not found: no-such-command.");
    const unfit = await runCli(["exec", "--json", "--", folder.at("text")]);
    expect(unfit).toMatchObject({ code: 126, stdout: "" });
    expect(JSON.parse(unfit.stderr)).toMatchObject({ error: { code: "COMMAND_NOT_RUNNABLE" } });
  });

  it.each([
    [["exec"], "Missing argument <command>."],
    [["exec", "--"], "Missing argument <command>."],
    [["exec", "--", ""], "The command is empty."],
    [["exec", "--as", "NAME=X", "--", "true"], 'Invalid --as "NAME=X".'],
    [["exec", "--as", "URL=not-a-name", "--", "true"], 'Invalid --as "URL=not-a-name".'],
    [["exec", "--seed", "1", "--no-such-option", "--", "true"], "Unknown option"],
  ])("refuses %j, and runs nothing", async (args, sentence) => {
    const { code, stderr } = await runMain(args);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });

  it("passes on what follows --, and words without it", async () => {
    const command = [
      process.execPath,
      "-p",
      "process.argv.slice(1).join()",
      "x",
      "--json",
      "-h",
      "--",
    ];
    for (const own of [[], ["--port", "0", "--quiet"]])
      expect(await runCli(["exec", ...own, "--", ...command])).toMatchObject({
        code: 0,
        stdout: "x,--json,-h,--\n",
      });
    expect(await runCli(["exec", "--port", "0", "true"])).toMatchObject({ code: 0 });
  });

  it("points the command at a sandbox that answers, and not at another one", async () => {
    const env = {
      PIX_SANDBOX_URL: "http://127.0.0.1:9",
      PIX_SANDBOX_BASE_URL: "http://127.0.0.1:9",
    };
    const { code, stdout } = await shell(`${PRINT_ENV}; ${PIX} secret`, ["--seed", "42"], env);
    const [printed = "", secret = ""] = stdout.split("\n");
    const variables = JSON.parse(printed) as Record<string, string>;
    expect(code).toBe(0);
    expect(variables).toEqual({
      PIX_SANDBOX_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      PIX_SANDBOX_BASE_URL: `${variables["PIX_SANDBOX_URL"]}/v1`,
      PIX_SANDBOX_SECRET: secret,
      PIX_SANDBOX_TOKEN: "sandbox",
    });
    expect(secret).toMatch(/^whsec_/);
  });

  it("passes variables under other names, repeatedly", async () => {
    const renames = ["URL=PIX_SANDBOX_URL", "PIX_SANDBOX_URL=OWN_URL", "secret=PIX_SANDBOX_OWN"];
    const { stdout } = await shell(
      `${PRINT_ENV}; echo $OWN_URL`,
      renames.flatMap((one) => ["--as", one]),
    );
    const [printed = "", own] = stdout.split("\n");
    const variables = JSON.parse(printed) as Record<string, string>;
    expect(Object.keys(variables).toSorted()).toEqual([
      "PIX_SANDBOX_BASE_URL",
      "PIX_SANDBOX_OWN",
      "PIX_SANDBOX_TOKEN",
      "PIX_SANDBOX_URL",
    ]);
    expect(own).toBe(variables["PIX_SANDBOX_URL"]);
    expect(variables["PIX_SANDBOX_OWN"]).toMatch(/^whsec_/);
  });

  it("does not pass on another sandbox's variable if its own has another name", async () => {
    const env = { PIX_SANDBOX_URL: "http://127.0.0.1:9" };
    const { stdout } = await shell(PRINT_ENV, ["--as", "URL=OWN_URL"], env);
    expect(JSON.parse(stdout)).not.toHaveProperty("PIX_SANDBOX_URL");
  });

  it("leaves the standard streams to the command", async () => {
    const script = `printf 'a\\nb\\n' | ${PIX} exec -- sh -c 'cat; echo warned >&2'`;
    await using program = startProcess("sh", ["-c", script]);
    expect(await program.ended).toMatchObject({ code: 0, stdout: "a\nb\n", stderr: "warned\n" });
  });

  it("uses the given state file, else memory", async () => {
    await using folder = await createFolder();
    const create = `${PIX} payin create --webhook-url http://127.0.0.1:9/ --json >created.json`;
    const run = (args: string[], script: string) =>
      runCli(["exec", ...args, "--", "sh", "-ec", script], { cwd: folder.path });
    expect(await run(["--state", "s.json"], create)).toMatchObject({ code: 0, stderr: "" });
    const { id } = JSON.parse(await readFile(folder.at("created.json"), "utf8")) as { id: string };
    expect(await run(["--state", "s.json"], `${PIX} payin show ${id}`)).toMatchObject({ code: 0 });
    expect(await run([], `${PIX} payin show ${id}`)).toMatchObject({ code: 5 });
  });

  it("has its ready file for as long as the command runs", async () => {
    await using folder = await createFolder();
    const file = folder.at("ready.json");
    const { code, stdout } = await shell(`cat "${file}"`, ["--ready-file", file]);
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({ code: 0, type: "ready" });
    expect(existsSync(file)).toBe(false);
  });

  it("passes on the signals that would end it, and ends as the command does", async () => {
    for (const signal of ["SIGINT", "SIGHUP", "SIGUSR2"] as const) {
      const trap = `trap 'echo heard; exit 7' ${signal.slice(3)}; echo ready; while :; do sleep 0.05; done`;
      await using program = startCli(["exec", "--", "sh", "-c", trap]);
      await program.lines("stdout", 1);
      expect(await program.stop(signal)).toMatchObject({ code: 7, stdout: "ready\nheard\n" });
    }
  });

  it("leaves nothing behind when it is killed with SIGTERM: not the command, not its children", async () => {
    const script = 'sleep 300 & echo "$PIX_SANDBOX_URL $PIX_SANDBOX_SECRET $$ $!"; wait';
    await using program = startCli(["exec", "--", "sh", "-c", script]);
    const [line = ""] = await program.lines("stdout", 1);
    expect(await program.stop("SIGTERM")).toMatchObject({ code: 128 + 15, signal: null });
    await expectGone(line);
  });

  it("kills at the second SIGTERM a command that ignores the first one", async () => {
    // It says so later than a second copy of one signal could arrive.
    const heard = "trap 'sleep 0.2; echo heard' TERM";
    // And ends by itself before its grace time does.
    const script = `${heard}; all=$(seq 60); echo ready; for one in $all; do sleep 0.05; done`;
    await using program = startCli(["exec", "--", "sh", "-c", script]);
    await program.lines("stdout", 1);
    program.process.kill("SIGTERM");
    await program.lines("stdout", 2);
    expect(await program.stop("SIGTERM")).toMatchObject({ code: 137, stdout: "ready\nheard\n" });
  });

  it("ends every process that the command left, even one that ignores SIGTERM", async () => {
    const script = [
      "trap '' TERM HUP INT",
      "sleep 300 >&- 2>&- &",
      'echo "$PIX_SANDBOX_URL $PIX_SANDBOX_SECRET $$ $!"',
      "exit 3",
    ].join("\n");
    await using program = startCli(["exec", "--", "sh", "-c", script]);
    const [line = ""] = await program.lines("stdout", 1);
    expect(await program.ended).toMatchObject({ code: 3 });
    await expectGone(line);
  });

  it("prints a report with --report after the last webhooks have been sent", async () => {
    await using merchant = await startMerchant();
    const create = `${PIX} payin create --json --webhook-url`;
    const script = [
      `${create} ${merchant.url} >/dev/null`,
      `id=$(${create} ${merchant.url} | ${process.execPath} -p 'JSON.parse(fs.readFileSync(0)).id')`,
      `${PIX} simulate payin $id --json >/dev/null`,
      `${PIX} payin create --value=-1 2>/dev/null`,
      "exit 9",
    ].join("\n");
    const told = await shell(script, ["--report"]);
    expect(told).toMatchObject({ code: 9, stdout: "" });
    expect(told.stderr).toMatch(/^payins +2 +1 waiting, 1 completed$/m);
    expect(told.stderr).toMatch(/^payouts +0$/m);
    expect(told.stderr).toMatch(/^webhooks +1 +1 delivered$/m);
    expect(told.stderr).toMatch(/^requests +4 +1 refused$/m);
    expect(told.stderr).toMatch(
      /^ {2}1 × POST \/v1\/payins {2}400 {2}Check these fields: value\.$/m,
    );
    expect(merchant.received).toHaveLength(1);

    const { stdout, stderr } = await shell(script, ["--report", "--json"]);
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toMatchObject({
      type: "report",
      payins: { total: 2, waiting: 1, completed: 1 },
      payouts: { total: 0 },
      webhooks: { total: 1, delivered: 1 },
      requests: { total: 4, refused: 1 },
      refusals: [{ method: "POST", path: "/v1/payins", status: 400, count: 1 }],
    });
  });
});

/** Prints the variables of the sandbox on one line. */
const PRINT_ENV = `"${process.execPath}" -p 'JSON.stringify(Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("PIX_SANDBOX_"))))'`;

function shell(script: string, options: readonly string[] = [], env: Record<string, string> = {}) {
  return runCli(["exec", ...options, "--", "sh", "-c", script], { env });
}

/** The sandbox takes no call any more, and the processes are gone: `address secret pid pid`. */
async function expectGone(line: string): Promise<void> {
  const [url = "", secret = "", ...pids] = line.trim().split(" ");
  expect(secret).toMatch(/^whsec_/);
  // Somebody else may have taken the port since.
  const signal = AbortSignal.timeout(10_000);
  const answer = await fetch(`${url}/_sandbox/secret`, { signal }).then(
    (found) => found.text(),
    () => "",
  );
  expect(answer).not.toContain(secret);
  expect(pids).toHaveLength(2);
  // One that was killed may need a moment, and its parent another one to hear of it.
  await expect.poll(() => pids.filter(isRunning)).toEqual([]);
}
