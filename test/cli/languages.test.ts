import { readdir, readFile } from "node:fs/promises";
import { Chalk } from "chalk";
import type { Command } from "commander";
import { afterEach, describe, expect, it } from "vitest";
import { CLIENT_COMMANDS } from "../../src/cli/commands/clients.ts";
import { serveCommand } from "../../src/cli/commands/serve.ts";
import type { Io } from "../../src/cli/io.ts";
import { retell, speak, t } from "../../src/cli/language.ts";
import { brazilianPortuguese } from "../../src/cli/languages/pt-BR.ts";
import { main } from "../../src/cli/main.ts";
import { langOption } from "../../src/cli/options.ts";
import { type Assumption, ASSUMPTIONS } from "../../src/core/assumptions/table.ts";
import { describeMagic } from "../../src/core/faults/magic-values.ts";
import { type SourceText, textsIn } from "./texts.ts";

const ROOT = new URL("../../", import.meta.url);
const { own, others } = brazilianPortuguese;

/** What is said the same in both languages, and has an entry so that the words inside it are told. */
const SAME = ["webhook {0}: {1}"];
/** What is put together from several texts of the sources. */
const PUT_TOGETHER = [
  "too many arguments for '{0}'. Expected {1} argument but got {2}.",
  "too many arguments for '{0}'. Expected {1} arguments but got {2}.",
  "0, a positive integer",
  "Field {0} must be followed by the id and length of a field, not {1}.",
  "Field {0} must begin with the id and length of a field, not {1}.",
  "no answer within {0} s",
  "no connection within {0} s",
];

/** Names of what is to be put somewhere that are the same, or are not words. */
const SAME_PLACES = new Set(["host", "n", "url", "token", "id", "cpf", "status", "shell"]);

const cliTexts = await textsBelow("src/cli", (file) => !file.includes("/languages/"));
const said = new Set(cliTexts.filter(({ tag }) => tag === "t").map(({ text }) => text));

describe("the catalogue of Brazilian Portuguese", () => {
  it("has all that the command line says", () => {
    expect(said.size).toBeGreaterThan(150);
    expect([...said].filter((text) => /[a-z]/i.test(text) && !Object.hasOwn(own, text))).toEqual(
      [],
    );
  });

  it("has every sentence of the command line that stands elsewhere than where it is said", () => {
    const isSentence = ({ text }: SourceText): boolean => /^[A-Z"{].*[a-z].* .*[.…]$/.test(text);
    const missing = cliTexts.filter(
      (one) => isSentence(one) && one.tag !== "t" && !isKnown(one.text),
    );
    // The first two are words of programs to programs; the last is said to who has a broken package.
    expect(missing.map(({ text }) => text)).toEqual([
      "The command ended with {0}.",
      "The step failed.",
      "The package is not whole: it has no fixtures/scenarios.",
    ]);
  });

  it("has what help says of every command, argument and option", () => {
    const texts = commandsOf().flatMap(textsOfHelp);
    expect(texts.length).toBeGreaterThan(300);
    expect(texts.filter((text) => text !== "" && !SAME_PLACES.has(text) && !isKnown(text))).toEqual(
      [],
    );
  });

  it("has what an example does", async () => {
    const examples = cliTexts.flatMap(({ text }) => / {2,}(\S.*)$/.exec(text)?.[1] ?? []);
    const helps = await Promise.all(pathsOf().map((path) => helpOf(path, "en")));
    const shown = examples.filter((comment) => helps.some((help) => help.includes(`  ${comment}`)));
    expect(shown.length).toBeGreaterThan(10);
    expect(shown.filter((comment) => !isKnown(comment))).toEqual([]);
  });

  it("has every row of the tables, and every shipped story", async () => {
    const rows: readonly Assumption[] = Object.values(ASSUMPTIONS);
    const texts = [
      ...rows.flatMap(({ gap, choices }) => [gap, ...Object.values(choices)]),
      ...describeMagic().map(({ happens }) => happens),
      ...(await storyTexts()),
    ];
    const isSpoken = (text: string): boolean =>
      text.replace(/`[^`]*`/g, "").match(/[a-z]/i) !== null;
    expect(texts.filter((text) => isSpoken(text) && !isKnown(text))).toEqual([]);
  });

  it("has no entry that nobody says", async () => {
    const written = new Set([
      ...cliTexts.map(({ text }) => text),
      ...cliTexts.flatMap(({ text }) => / {2,}(\S.*)$/.exec(text)?.[1] ?? []),
      ...(await textsBelow("src/core")).map(({ text }) => text),
      ...(await storyTexts()),
      ...commandsOf().flatMap(textsOfHelp),
    ]);
    const commander = await commanderSource();
    const stray = Object.keys(own).filter((key) => !written.has(key) && !commander.includes(key));
    expect(stray).toEqual([]);
  });

  it("knows what others say by the words that they say it with", async () => {
    const below = ["src/core", "src/store", "src/delivery", "src/http", "src/cli/scenario"];
    const texts = (await Promise.all(below.map((folder) => textsBelow(folder)))).flat();
    const sandbox = textsIn(await readFile(new URL("src/sandbox/start.ts", ROOT), "utf8"));
    const written = [...texts, ...sandbox, ...(await textsBelow("src"))].map(({ text }) => text);
    const corpus = [...written, await commanderSource()].join("\n").replaceAll("\\n", "\n");
    const isWritten = (part: string): boolean => {
      // A sentence may be put together from two: "Field {0} {1}." and what is wrong with it.
      const words = part.replace(/\.$/, "").trim();
      return (
        corpus.includes(words) ||
        words.split(/\b(?<=^Field) | \(/).every((one) => corpus.includes(one))
      );
    };
    const unknown = Object.keys(others).filter(
      (key) => !key.split(/\{\d\}/).every((part) => isWritten(part)),
    );
    expect(unknown).toEqual(PUT_TOGETHER);
  });

  it("puts the same things into each sentence", () => {
    const places = (text: string): string[] =>
      [...text.matchAll(/\{>?(\d)\}/g)].map(([, place = ""]) => place).toSorted();
    for (const [english, portuguese] of [...Object.entries(own), ...Object.entries(others)])
      expect([english, places(portuguese)]).toEqual([english, places(english)]);
  });

  it("leaves nothing in English", () => {
    const same = [...Object.entries(own), ...Object.entries(others)]
      .filter(([english, portuguese]) => english === portuguese.replaceAll("{>", "{"))
      .map(([english]) => english);
    expect(same).toEqual(SAME);
  });
});

describe("a language", () => {
  afterEach(() => speak("en"));

  it("says nothing of its own where none is spoken but English", async () => {
    expect(t`Port ${1} of ${"localhost"} is taken.`).toBe("Port 1 of localhost is taken.");
    await speak("pt-BR");
    expect(t`Port ${1} of ${"localhost"} is taken.`).toBe("A porta 1 de localhost está ocupada.");
    await speak("en");
    expect(t`Port ${1} of ${"localhost"} is taken.`).toBe("Port 1 of localhost is taken.");
  });

  it("takes no part of what is put into a sentence for words of its own", async () => {
    await speak("pt-BR");
    expect(t`Port ${"{1}"} of ${"file"} is taken.`).toBe("A porta {1} de file está ocupada.");
  });

  it.each([
    [
      'Field 53 (currency) must be 986, the real, but is "840" (3 characters).',
      'O campo 53 (moeda) deve ser 986, o real, mas é "840" (3 caracteres).',
    ],
    ["What nobody has an entry for. Nor for this.", "What nobody has an entry for. Nor for this."],
  ])("tells what others say: %s", async (english, portuguese) => {
    expect(retell(english)).toBe(english);
    await speak("pt-BR");
    expect(retell(english)).toBe(portuguese);
  });
});

describe("--help in Portuguese", () => {
  afterEach(() => speak("en"));

  it("has no line that help has in English, for every command there is", async () => {
    const paths = pathsOf();
    expect(paths.length).toBeGreaterThan(40);
    for (const path of paths) {
      const [english, portuguese] = [await helpOf(path, "en"), await helpOf(path, "pt-BR")];
      const isWords = (line: string): boolean =>
        /[a-z]{2,} [a-z]{2,}/i.test(line) && !/^ {2}\$ pix-sandbox (?!.* {2})/.test(line);
      const lines = new Set(english.split("\n").filter(isWords));
      const left = portuguese.split("\n").filter((line) => lines.has(line));
      expect({ path, left }).toEqual({ path, left: [] });
      expect(portuguese).toContain("Uso: pix-sandbox");
    }
  });

  it("has no sentence of the catalogue's English, wherever its lines are broken", async () => {
    const known = Object.keys(own).filter(
      (text) => /^[a-z].* .* /.test(text) && own[text] !== text,
    );
    for (const path of pathsOf()) {
      const help = (await helpOf(path, "pt-BR")).replace(/\s+/g, " ");
      expect({ path, left: known.filter((text) => help.includes(` ${text}`)) }).toEqual({
        path,
        left: [],
      });
    }
  });
});

function isKnown(text: string): boolean {
  return Object.hasOwn(own, text) || Object.hasOwn(others, text);
}

/** Texts of all files in a folder. */
async function textsBelow(
  folder: string,
  isMeant: (file: string) => boolean = (file) => !file.includes("languages/"),
): Promise<SourceText[]> {
  const files = await readdir(new URL(folder, ROOT), { recursive: true });
  const sources = await Promise.all(
    files
      .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
      .filter((file) => file.endsWith(".ts") && isMeant(file))
      .map((file) => readFile(new URL(file, ROOT), "utf8")),
  );
  return sources.flatMap(textsIn);
}

async function commanderSource(): Promise<string> {
  const folder = new URL("lib/", import.meta.resolve("commander"));
  const files = (await readdir(folder)).filter((file) => file.endsWith(".js"));
  const sources = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));
  return sources.join("\n");
}

async function storyTexts(): Promise<string[]> {
  const folder = new URL("fixtures/scenarios/", ROOT);
  const files = await readdir(folder);
  const stories = await Promise.all(
    files.map(
      async (file) => JSON.parse(await readFile(new URL(file, folder), "utf8")) as Scenario,
    ),
  );
  return stories.flatMap(({ about, steps }) => [about, ...steps.flatMap(({ says }) => says ?? [])]);
}

interface Scenario {
  readonly about: string;
  readonly steps: readonly { readonly says?: string }[];
}

/** A surrounding in which nothing is said but to this test. */
function quietIo(print: (text: string) => void): Io {
  const colour = new Chalk({ level: 0 });
  return {
    env: {},
    print,
    printJson: () => undefined,
    say: () => undefined,
    colour,
    sayColour: colour,
    unread: new AbortController().signal,
    onSignal: () => () => undefined,
  };
}

function commandsOf(): Command[] {
  const io = quietIo(() => undefined);
  const withAll = (command: Command): Command[] => [command, ...command.commands.flatMap(withAll)];
  return [serveCommand, ...CLIENT_COMMANDS].flatMap((create) => withAll(create(io)));
}

function pathsOf(): string[][] {
  const pathOf = (command: Command): string[] =>
    command.parent ? [...pathOf(command.parent), command.name()] : [command.name()];
  return [[], ...commandsOf().map(pathOf)];
}

function textsOfHelp(command: Command): string[] {
  return [
    command.description(),
    langOption().description,
    ...command.options.map(({ description }) => description),
    ...command.options.flatMap(({ flags }) => placesIn(flags)),
    ...placesIn(`${langOption().flags} ${command.usage()}`),
    ...command.registeredArguments.map(({ description }) => description),
  ];
}

/** What is to be put somewhere: `<file>`, `[options]`. */
function placesIn(usage: string): string[] {
  return [...usage.matchAll(/[<[]([^<>[\]]+?)(?:\.{3})?[>\]]/g)].map(([, name = ""]) => name);
}

async function helpOf(path: readonly string[], language: string): Promise<string> {
  let help = "";
  const io = quietIo((text) => (help += `${text}\n`));
  expect(await main([...path, "--help", "--lang", language], io)).toBe(0);
  return help;
}
