import type { Command } from "commander";
import stringWidth from "string-width";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../../src/cli/program/main.ts";
import { COMMANDS } from "../../src/cli/program/program.ts";
import { catalogues, LANGUAGE_TAGS } from "../../src/text/languages.ts";
import portuguese from "../../src/text/pt-BR/index.ts";
import { quietIo } from "../support/quiet-io.ts";
import { englishIn, pseudoCatalogue } from "../support/words.ts";

describe("--help of every command", { timeout: 60_000 }, () => {
  it.each(LANGUAGE_TAGS)("has no line of more than 80 columns in %s", async (tag) => {
    const paths = await pathsOf();
    expect(paths.length).toBeGreaterThan(40);
    for (const path of paths) {
      const long = (await helpOf(path, tag)).split("\n").filter((line) => stringWidth(line) > 80);
      expect({ path, long }).toEqual({ path, long: [] });
    }
  });

  it.each(LANGUAGE_TAGS)(
    "has at most 48 lines in %s, but for all options of a start",
    async (tag) => {
      for (const path of await pathsOf()) {
        const lines = (await helpOf(path, tag)).trimEnd().split("\n").length;
        expect({ path, lines: Math.max(lines, limit(path)) }).toEqual({ path, lines: limit(path) });
      }
    },
  );

  it("differs from the next run's language", async () => {
    expect(await helpOf([], "pt-BR")).toContain("Primeiro dia:");
    expect(await helpOf([], "en")).toContain("First day:");
  });
});

describe("--help of every command in a language whose catalogue is complete", () => {
  beforeAll(() => void (catalogues.pt = pseudoCatalogue()));
  afterAll(() => void (catalogues.pt = portuguese));

  it("leaves nothing in English", { timeout: 60_000 }, async () => {
    for (const path of await pathsOf()) {
      const help = await helpOf(path, "pt-BR");
      expect(help).toContain("Úságé: pix-sandbox");
      expect({ path, left: englishIn(help) }).toEqual({ path, left: [] });
    }
    expect(englishIn(await helpOf(["serve"], "en"))).not.toEqual([]);
  });
});

function limit([name]: readonly string[]): number {
  return name === "serve" || name === "exec" ? 120 : 48;
}

async function pathsOf(): Promise<string[][]> {
  const io = quietIo();
  const withAll = (command: Command): string[][] => [
    [command.name()],
    ...command.commands.flatMap(withAll).map((path) => [command.name(), ...path]),
  ];
  const builders = await Promise.all(COMMANDS.map((entry) => entry.load()));
  return [[], ...builders.flatMap((build) => withAll(build(io)))];
}

async function helpOf(path: readonly string[], tag: string): Promise<string> {
  let help = "";
  const io = quietIo((text) => (help += `${text}\n`));
  expect(await main([...path, "--help", "--lang", tag], io)).toBe(0);
  return help;
}
