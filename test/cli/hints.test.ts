import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createFullProgram } from "../../src/cli/program/program.ts";
import { quietIo } from "../support/quiet-io.ts";

const SOURCE = fileURLToPath(new URL("../../src", import.meta.url));
/** The program's words, as a source names them, and the rest of the command or sentence. */
const NAMED = /(?:\$\{PROGRAM\}|npx pix-sandbox) ([^`"\n;|]+)/g;
/** Filled in when it is printed. */
const VALUE = /^\$\{/;

const hints = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .flatMap((file) =>
    [...readFileSync(path.join(SOURCE, file), "utf8").matchAll(NAMED)].map(
      ([, line = ""]) => [line.trim(), file] as const,
    ),
  )
  .filter(([line]) => !VALUE.test(line));

describe("a command in a hint", async () => {
  const program = await createFullProgram("en", quietIo());

  it("is found in the sources", () => {
    expect(hints.length).toBeGreaterThan(70);
  });

  it.each(hints)("exists, with its options: %s (%s)", (line) => {
    // What follows `--` is a command of the user.
    const [own = ""] = line.split(/ -- /);
    const { command, path: found } = resolve(program, own);
    const options = [...own.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option);
    if (options.length === 0) expect(found).not.toEqual([]);
    // The name of a subcommand can be filled in.
    const known = [program, command, ...command.commands].flatMap(flagsOf);
    for (const option of options) expect(known).toContain(option);
  });
});

/** The deepest command that the first words name. */
function resolve(program: Command, line: string): { command: Command; path: readonly string[] } {
  const found: string[] = [];
  let command = program;
  for (const word of line.split(/ |\$\{/)) {
    const next = command.commands.find((one) => one.name() === word.replace(/[.,:)\\]+$/, ""));
    if (!next) break;
    command = next;
    found.push(next.name());
  }
  return { command, path: found };
}

function flagsOf(command: Command): string[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map(({ long }) => long ?? "");
}
