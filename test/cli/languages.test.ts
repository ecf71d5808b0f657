import { Chalk } from "chalk";
import stringWidth from "string-width";
import type { Command } from "commander";
import { afterEach, describe, expect, it } from "vitest";
import { LocalizedError } from "../../src/core/records/errors.ts";
import type { Io } from "../../src/cli/terminal/io.ts";
import {
  inLanguage,
  languageOf,
  localize,
  setLanguage,
  textOf,
} from "../../src/cli/terminal/language.ts";
import { main } from "../../src/cli/program/main.ts";
import { COMMANDS } from "../../src/cli/program/program.ts";
import { insertedIn, textPairs } from "./texts.ts";

const pairs = await textPairs();
const TEXT = { en: "Port 1 is in use.", pt: "A porta 1 está em uso." };

afterEach(() => setLanguage("en"));

describe("the language", () => {
  it("selects one text of a pair", () => {
    expect(localize(TEXT)).toBe(TEXT.en);
    setLanguage("pt-BR");
    expect(localize(TEXT)).toBe(TEXT.pt);
    expect(inLanguage("en", () => localize(TEXT))).toBe(TEXT.en);
    expect(localize(TEXT)).toBe(TEXT.pt);
  });

  it("is restored after an error in another one", () => {
    const fail = (): never => {
      throw new Error("failed");
    };
    expect(() => inLanguage("pt-BR", fail)).toThrow("failed");
    expect(localize(TEXT)).toBe(TEXT.en);
  });

  it("selects the message of an error", () => {
    setLanguage("pt-BR");
    expect(textOf(new LocalizedError(TEXT))).toBe(TEXT.pt);
    expect(textOf(new Error("Something else."))).toBe("Something else.");
  });

  it.each<[string[], Record<string, string>, string]>([
    [[], {}, "en"],
    [["--lang", "pt-BR"], { LANG: "en_US" }, "pt-BR"],
    [["--lang=pt-BR", "--lang", "en"], {}, "en"],
    [[], { PIX_SANDBOX_LANG: "pt-BR", LC_ALL: "en_US" }, "pt-BR"],
    [[], { LC_ALL: "", LC_MESSAGES: "pt_BR.UTF-8", LANG: "en_US" }, "pt-BR"],
    [[], { LANG: "ptx" }, "en"],
  ])("of %j with %j is %s", (args, env, language) => {
    expect(languageOf(args, env)).toBe(language);
  });
});

describe("every text of the sources", () => {
  it("inserts the same values in both languages", () => {
    expect(pairs.length).toBeGreaterThan(400);
    const plain = (text: string): string[] =>
      insertedIn(text).filter((expression) => /^[\w.]+$/.test(expression));
    const unequal = pairs.filter(
      ({ file, en, pt }) =>
        file.startsWith("cli") &&
        !/\.(?:en|pt)\b|\?/.test(en) &&
        plain(en).join() !== plain(pt).join(),
    );
    expect(unequal).toEqual([]);
  });

  it("is translated", () => {
    const isSame = ({ en, pt }: (typeof pairs)[number]): boolean =>
      en === pt &&
      en !== "Use true." &&
      /[a-z]{3,} [a-z]{3,}/i.test(en.replace(/`[^`]*`|\$\{[^}]*\}/g, ""));
    expect(pairs.filter(isSame)).toEqual([]);
  });
});

describe("--help in Portuguese", { timeout: 60_000 }, () => {
  it("shares no line of words with the English help, for every command", async () => {
    const paths = await pathsOf();
    expect(paths.length).toBeGreaterThan(40);
    for (const path of paths) {
      const [english, portuguese] = [await helpOf(path, "en"), await helpOf(path, "pt-BR")];
      const isWords = (line: string): boolean =>
        /[a-z]{2,} [a-z]{2,}/i.test(line) && !/^ {2}\$ npx pix-sandbox (?!.* {2})/.test(line);
      const lines = new Set(english.split("\n").filter(isWords));
      const left = portuguese.split("\n").filter((line) => lines.has(line));
      expect({ path, left }).toEqual({ path, left: [] });
      expect(portuguese).toContain("Uso: pix-sandbox");
    }
  });

  it("has no description in English, wherever its lines are broken", async () => {
    const descriptions = pairs.filter(
      ({ file, en, pt }) => file.startsWith("cli") && /^[a-z].* .* /.test(en) && en !== pt,
    );
    for (const path of await pathsOf()) {
      const help = (await helpOf(path, "pt-BR")).replace(/\s+/g, " ");
      const left = descriptions.filter(({ en }) => help.includes(` ${en}`));
      expect({ path, left }).toEqual({ path, left: [] });
    }
  });

  it("has no line of more than 80 columns, in either language", async () => {
    for (const language of ["en", "pt-BR"])
      for (const path of await pathsOf()) {
        const help = await helpOf(path, language);
        const long = help.split("\n").filter((line) => stringWidth(line) > 80);
        expect({ path, long }).toEqual({ path, long: [] });
      }
  });

  it("differs from the next run's language", async () => {
    expect(await helpOf([], "pt-BR")).toContain("Comandos:");
    expect(await helpOf([], "en")).toContain("Commands:");
  });
});

function quietIo(print: (text: string) => void): Io {
  const color = new Chalk({ level: 0 });
  return {
    env: {},
    cwd: process.cwd(),
    stdin: process.stdin,
    print,
    printJson: () => undefined,
    log: () => undefined,
    showStatus: () => undefined,
    isTerminal: false,
    printError: () => undefined,
    color,
    errorColor: color,
    unread: new AbortController().signal,
    onSignal: () => () => undefined,
  };
}

async function pathsOf(): Promise<string[][]> {
  const io = quietIo(() => undefined);
  const withAll = (command: Command): string[][] => [
    [command.name()],
    ...command.commands.flatMap(withAll).map((path) => [command.name(), ...path]),
  ];
  const builders = await Promise.all(COMMANDS.map((entry) => entry.load()));
  return [[], ...builders.flatMap((build) => withAll(build(io)))];
}

async function helpOf(path: readonly string[], language: string): Promise<string> {
  let help = "";
  const io = quietIo((text) => (help += `${text}\n`));
  expect(await main([...path, "--help", "--lang", language], io)).toBe(0);
  return help;
}
