import { beforeAll, describe, expect, it } from "vitest";
import { commandsIn } from "../support/help.ts";
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

  it("shows all options and their variables with --help-all", async () => {
    const { code, stdout } = await runMain(["serve", "--help-all"]);
    expect(code).toBe(0);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("env: PIX_SANDBOX_KEEP_DELIVERIES");
    const { stdout: usual } = await runMain(["serve", "--help"]);
    expect(usual).not.toMatch(/--keep-deliveries|PIX_SANDBOX/);
    expect((await runMain(["--help-all"])).stdout).toContain("env: PIX_SANDBOX_URL");
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
