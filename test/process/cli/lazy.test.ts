import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../../src/cli/program/program.ts";
import { runCli } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";

/** Writes the names of the loaded chunks to a file when the process ends. */
const RECORDER = `
process.once("exit", () => require("node:fs").writeFileSync(process.env.LOADED, Object.keys(require.cache).join("\\n")));
`;

describe("a command", { timeout: 60_000 }, () => {
  it.each([
    [["magic"], ["magic"]],
    [["secret", "--url", "http://127.0.0.1:1"], ["secret"]],
    [["--lang", "pt-BR", "payin", "--help"], ["payin"]],
    [["--help"], []],
    [["--version"], []],
  ])("loads the module of no other command: %j", async (args, names) => {
    await using folder = await createFolder();
    await writeFile(folder.at("recorder.cjs"), RECORDER);
    const env = {
      NODE_OPTIONS: `--require=${folder.at("recorder.cjs")}`,
      LOADED: folder.at("loaded"),
      // The chunks are in `require.cache` if Node's own loader has loaded them.
      NODE_DISABLE_COMPILE_CACHE: "1",
    };
    await runCli(args, { env });
    const loaded = (await readFile(folder.at("loaded"), "utf8"))
      .split("\n")
      .filter((file) => path.basename(path.dirname(file)) === "chunks")
      .map((file) => path.basename(file, ".cjs"));
    expect(loaded).toContain("cli");
    const commands = COMMANDS.map(({ name }) => name).filter((name) => loaded.includes(name));
    expect(commands).toEqual(names);
    expect(loaded.filter((name) => name === "start")).toEqual([]);
  });
});
