import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { BIN } from "../../support/cli.ts";
import { COMMANDS } from "../../../src/cli/program/program.ts";
import { createFolder } from "../../support/folder.ts";
import { startProcess } from "../../support/process.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const SOURCES = path.join(ROOT, "src");

describe.skipIf(process.platform === "win32")("a command that the program prints", () => {
  it.each<[string, string, string]>([
    ["a global install", "global/bin", "pix-sandbox"],
    ["a project", "node_modules/.bin", "npx pix-sandbox"],
  ])("starts %s", async (_install, place, program) => {
    await using folder = await createFolder();
    const bin = folder.at(place);
    await mkdir(bin, { recursive: true });
    await symlink(BIN, path.join(bin, "pix-sandbox"));
    const installed = folder.at("node_modules/pix-sandbox");
    if (program.startsWith("npx")) await symlink(ROOT, installed, "junction");
    const PATH = `${bin}${path.delimiter}${process.env["PATH"]}`;
    expect(await programOf("pix-sandbox", [], { cwd: folder.path, env: { PATH } })).toBe(program);
  });

  it.each<[string, Readonly<Record<string, string>>, boolean]>([
    ["a project in a folder with it", { "../node_modules/pix-sandbox/a": "" }, true],
    ["a folder without it", {}, false],
    ["another project", { "package.json": '{"name":"shop"}' }, false],
  ])("is found by npx, or is the running file: in %s", async (_place, files, isFound) => {
    await using folder = await createFolder();
    const cwd = folder.at("here");
    await mkdir(cwd);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(cwd, name)), { recursive: true });
      await writeFile(path.join(cwd, name), text);
    }
    const relative = path.relative(cwd, BIN);
    const file = relative.length < BIN.length ? relative : BIN;
    expect(await programOf(process.execPath, [BIN], { cwd })).toBe(
      isFound ? "npx pix-sandbox" : `node ${file}`,
    );
  });

  it("is found by npx in the clone itself", async () => {
    expect(await programOf(process.execPath, [BIN], { cwd: ROOT })).toBe("npx pix-sandbox");
  });

  it("is a file relative to the working folder if that is shorter", async () => {
    const cwd = path.join(ROOT, "examples", "express");
    const program = "node ../../bin/pix-sandbox.js";
    expect(await programOf(process.execPath, [BIN], { cwd })).toBe(program);
  });

  it("is the same in the report, whose commands are for people and programs", async () => {
    const cwd = path.join(ROOT, "examples", "express");
    const report = ["exec", "--report", "--json", "--", process.execPath, "-e", CREATE];
    await using running = startProcess(process.execPath, [BIN, ...report], { cwd });
    const { stderr } = await running.ended;
    expect(stderr).toContain("Lose one: node ../../bin/pix-sandbox.js faults add payouts.create");
    expect(stderr).not.toContain("npx");
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

async function programOf(
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string | undefined> {
  await using running = startProcess(file, [...args, "nope"], options);
  return / See them all: (.*) --help\n/.exec((await running.ended).stderr)?.[1];
}

/** A payout, so that the run is judged. */
const CREATE = `fetch(process.env.PIX_SANDBOX_BASE_URL + "/payouts", { method: "POST" })`;

const ELSEWHERE =
  /~\/\.(?:bashrc|zshrc)|config\.fish|\$PROFILE|description: "pix-sandbox check-webhook"/;
