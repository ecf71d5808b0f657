import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { BIN } from "../../support/cli.ts";
import { COMMANDS } from "../../../src/cli/program/program.ts";
import { createFolder } from "../../support/folder.ts";
import { startProcess } from "../../support/process.ts";

const SOURCES = fileURLToPath(new URL("../../../src", import.meta.url));

describe.skipIf(process.platform === "win32")("a command that the program prints", () => {
  it.each<[string, string, string[], string]>([
    ["a global install", "global/bin", ["-u", "npm_config_user_agent"], "pix-sandbox"],
    ["a global install, by npx", "global/bin", ["npm_config_user_agent=npm"], "npx pix-sandbox"],
    ["a project", "node_modules/.bin", ["-u", "npm_config_user_agent"], "npx pix-sandbox"],
    ["a project, by npx", "node_modules/.bin", ["npm_config_user_agent=npm"], "npx pix-sandbox"],
  ])("starts %s", async (_install, place, environment, program) => {
    await using folder = await createFolder();
    const bin = folder.at(place);
    await mkdir(bin, { recursive: true });
    await symlink(BIN, path.join(bin, "pix-sandbox"));
    const search = `PATH=${bin}${path.delimiter}${process.env["PATH"]}`;
    await using running = startProcess("env", [...environment, search, "pix-sandbox", "nope"]);
    const { stderr } = await running.ended;
    expect(stderr).toContain(`See them all: ${program} --help\n`);
  });

  it("starts the file of a clone", async () => {
    await using running = startProcess("env", ["-u", "npm_config_user_agent", "node", BIN, "nope"]);
    const { stderr } = await running.ended;
    expect(stderr).toContain("See them all: npx pix-sandbox --help\n");
  });

  it("names the program in one way, in all sources", async () => {
    const names = COMMANDS.map(({ name }) => name).join("|");
    const bare = new RegExp(`(?<!npx )\\bpix-sandbox (?:${names}|--)[\\s"'\`).;:,\\\\]`);
    const files = (await readdir(SOURCES, { recursive: true })).filter((file) =>
      /\.tsx?$/.test(file),
    );
    const found: string[] = [];
    for (const file of files) {
      const source = await readFile(path.join(SOURCES, file), "utf8");
      const lines = source.split("\n").filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line));
      found.push(
        ...lines.filter((line) => bare.test(line)).map((line) => `${file}: ${line.trim()}`),
      );
    }
    // The configuration of a shell is not of one folder, and the last one is no command.
    expect(found.filter((one) => !ELSEWHERE.test(one))).toEqual([]);
  });
});

const ELSEWHERE =
  /~\/\.(?:bashrc|zshrc)|config\.fish|\$PROFILE|description: "pix-sandbox check-webhook"/;
