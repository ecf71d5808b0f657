import { beforeAll, describe, expect, it } from "vitest";
import { commandsIn } from "../support/help.ts";
import { COMMANDS } from "../../src/cli/program/program.ts";
import { flagOf, OPTION_ROWS } from "../../src/server/options/options.ts";
import { runMain } from "../support/main.ts";

describe("--help", { timeout: 120_000 }, () => {
  let commands: readonly Described[];
  beforeAll(async () => {
    commands = await walk([]);
  }, 60_000);

  it("begins with examples, for every command", () => {
    expect(commands.length).toBeGreaterThan(15);

    for (const { path, help } of commands) {
      const [first, example = ""] = help.split("\n");
      expect([path, first]).toEqual([path, "Examples:"]);
      expect(example).toMatch(new RegExp(`^  \\$ npx pix-sandbox ${path.join(" ")}`));
      expect(help).toMatch(/\S\n\nUsage: pix-sandbox/);
      expect(help).not.toContain("\u001b");
    }
  });

  it("describes --json, for every command that runs", () => {
    const silent = commands
      .filter(({ help }) => commandsIn(help).length === 0 && !help.includes("--json"))
      .map(({ path }) => path.join(" "));
    expect(silent).toEqual([]);
  });

  it("names the commands of the first day first, each command on one line", async () => {
    const { stdout } = await runMain(["--help"]);
    const first = ["serve", "trigger", "payin", "webhooks", "exec", "check-webhook"];
    expect(commandsIn(stdout).slice(0, 6)).toEqual(first);
    expect(commandsIn(stdout)).toHaveLength(COMMANDS.length);
    expect(stdout.split("\n\n").at(-1)?.split("\n")).toHaveLength(COMMANDS.length - 6 + 2);
    expect(await runMain([])).toMatchObject({ code: 2, stderr: expect.stringContaining(stdout) });
  });

  it("describes every option of serve in its group, and the common ones", async () => {
    const { stdout } = await runMain(["serve", "--help"]);
    for (const [name, { takenBy }] of OPTION_ROWS)
      if (takenBy.includes("serve")) expect(stdout).toContain(`--${flagOf(name)}`);
    expect(stdout).toContain("\nState:\n  --state <file> ");
    expect(stdout).toContain("such as PIX_SANDBOX_PORT.");
    const { stdout: list } = await runMain(["payin", "list", "--help"]);
    expect(list.replaceAll(/\s+/g, " ")).toContain("env: PIX_SANDBOX_URL");
  });

  it("lists all commands if it stands before a command", async () => {
    const { stdout } = await runMain(["--help"]);
    expect(stdout).toContain("webhooks");
    expect(await runMain(["--help", "payin"])).toMatchObject({ stdout });
  });

  it.each([[], ["payin"], ["payin", "create"], ["exec"]])("may come first: %j", async (...args) => {
    expect(await runMain(["help", ...args])).toEqual(await runMain([...args, "--help"]));
  });

  it("prints only the version with --version", async () => {
    expect((await runMain(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
  });
});

interface Described {
  readonly path: readonly string[];
  readonly help: string;
}

async function walk(path: readonly string[]): Promise<Described[]> {
  const { code, stdout: help } = await runMain([...path, "--help"]);
  if (code !== 0) throw new Error(`${path.join(" ")} --help ended with ${code}.`);
  if (path.at(-1) === "help") return [{ path, help }];
  const described: Described[] = [{ path, help }];
  for (const name of commandsIn(help)) described.push(...(await walk([...path, name])));
  return described;
}
