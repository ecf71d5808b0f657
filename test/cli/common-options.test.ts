import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wordsOf } from "../../src/cli/program/program.ts";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { runMain } from "../support/main.ts";

describe("the options of all commands", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
    await sandbox.payins.create();
  });
  afterAll(() => sandbox.close());

  it("stand before, between and behind the words of a command", async () => {
    const at = ["--url", sandbox.url];
    const lines = [
      ["payin", "list", "--limit", "1", ...at, "--json"],
      ["--json", ...at, "payin", "list", "--limit", "1"],
      ["payin", "--json", "--lang", "pt-BR", "list", ...at, "--limit", "1"],
      [`--url=${sandbox.url}`, "payin", "list", "--json", "--limit=1"],
    ];
    const [first, ...others] = await Promise.all(
      lines.map(async (line) => runMain(line.filter((word) => !/^(--lang|pt-BR)$/.test(word)))),
    );
    expect(first).toMatchObject({ code: 0, stderr: "" });
    for (const other of others) expect(other).toEqual(first);
  });

  it("are set by variables, which flags override", async () => {
    const env = { PIX_SANDBOX_URL: sandbox.url, PIX_SANDBOX_PROVIDER_ID: "a\nb" };
    expect(await runMain(["payin", "list"], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("for PIX_SANDBOX_PROVIDER_ID. The value contains"),
    });
    const given = await runMain(["payin", "list", "--provider-id", "ok"], { env });
    expect(given.code).toBe(0);
  });

  it("are those that a command takes", async () => {
    const { code, stderr } = await runMain(["magic", "--url", sandbox.url]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Unknown option "--url".')]);
  });

  it("end at --, after which everything belongs to another command", async () => {
    const print = ["-e", "console.log(process.argv.slice(1).join())"];
    const words = ["exec", "--memory", "--", process.execPath, ...print, "--", "--json", "--url"];
    expect(await runMain(words)).toMatchObject({ code: 0 });
    const without = await runMain(["exec", "npm", "test", "--watch"]);
    expect(without).toMatchObject({ code: 2 });
    expect(without.stderr).toBe('error: Unknown option "--watch".\nPass the command after --.\n');
  });

  it.each([
    [
      ["--url", "http://x", "--token", "t", "payin", "--json", "list", "--limit", "1"],
      "payin list",
    ],
    [["--url=http://x", "--lang", "en", "exec", "--", "npm"], "exec npm"],
    [["--json"], ""],
    [["--url"], ""],
  ])("are no words: %j", (args, words) => {
    expect(wordsOf(args).join(" ")).toBe(words);
  });
});
