import { access, chmod, readFile, writeFile } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Assumption, ASSUMPTIONS, isWrittenAs } from "../src/core/assumptions/table.ts";
import { describeMagic, MAGIC_KINDS } from "../src/core/faults/magic-values.ts";
import { VERSION } from "../src/core/version.ts";
import {
  createFolder,
  type Ended,
  type Program,
  runCli,
  runJson,
  type Serving,
  startCli,
  startProcess,
  startProgram,
  startServe,
} from "./support/cli.ts";
import { TABLES } from "../src/cli/languages/pt-BR/tables.ts";
import { VERBS } from "../src/cli/scenario/scenario.ts";
import { type Merchant, startMerchant } from "./support/merchant.ts";

const README = new URL("../README.md", import.meta.url);
const README_IN_PORTUGUESE = new URL("../README.pt-BR.md", import.meta.url);
const BIN = fileURLToPath(new URL("../bin/pix-sandbox.js", import.meta.url));

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

const readme = await readFile(README, "utf8");
const commands = [...readme.matchAll(/```sh\n([^]*?)```/g)].map(([, block = ""]) => block.trim());

/** The shell's blocks of the README, in order, each tried below. */
const [
  install,
  create,
  simulate,
  createByCurl,
  simulateByCurl,
  secret,
  tail,
  waitAndResend,
  verify,
  serveInTest,
  execTests,
  evalEnv,
  serveWithFixtures,
  playShipped,
  playOwn,
  ...others
] = commands;

/** The blocks of the other kinds, likewise; those of YAML are tried in test/long/ci-recipes. */
const [printed = "", layout = "", ...otherTexts] = blocksOf("");
const [shownWebhook = "", envelope = "", fixtures = "", story = "", config = "", ...otherJson] =
  blocksOf("json");
const [image, ...otherImages] = blocksOf("dockerfile");

/** `npx pix-sandbox` as it is in an installed project, on the sandbox and merchant of this test. */
let start: (block: string | undefined, id?: string) => Program;
let shell: (block: string | undefined, id?: string) => Promise<Ended>;
let folder: Awaited<ReturnType<typeof createFolder>>;
let sandbox: Serving;
let merchant: Merchant;

beforeAll(async () => {
  folder = await createFolder();
  merchant = await startMerchant();
  sandbox = await startServe();
  await writeFile(folder.at("npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  await chmod(folder.at("npx"), 0o755);
  const env = { PATH: `${folder.path}:${process.env["PATH"]}`, PIX_SANDBOX_URL: sandbox.url };
  start = (block = "", id = "") => {
    const text = block
      .replaceAll("127.0.0.1:7490", new URL(sandbox.url).host)
      .replaceAll("127.0.0.1:3000", `127.0.0.1:${merchant.port}`)
      .replace(/\bID\b/g, id);
    return startProcess("sh", ["-e", "-c", text], { env, cwd: folder.path });
  };
  shell = async (block, id) => {
    await using program = start(block, id);
    return await program.ended;
  };
});

afterAll(async () => {
  await sandbox.stop();
  await merchant.close();
  await folder[Symbol.asyncDispose]();
});

describe("the README", () => {
  it("has no command that is not tried here", () => {
    expect(others).toEqual([]);
  });

  it("begins with the two scripts that the package has", async () => {
    const { scripts, version } = JSON.parse(
      await readFile(new URL("../package.json", import.meta.url), "utf8"),
    ) as {
      scripts: Record<string, string>;
      version: string;
    };
    expect(version).toBe(VERSION);
    expect(install).toBe("npm ci && npm start");
    expect(scripts).toHaveProperty("start");
    expect(scripts).toHaveProperty("test");
  });

  it("goes from a charge to a paid one that the merchant hears of", async () => {
    const created = await shell(create);
    expect(created).toMatchObject({ code: 0 });
    expect(created.stdout).toContain("█");
    const id = /^id +(\S+)$/m.exec(created.stdout)?.[1] ?? "";

    const simulated = await shell(simulate, id);
    expect(simulated).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("payin.paid") as string,
    });
    const [webhook] = await merchant.waitFor(1, ({ body }) => body.includes(id));
    expect(JSON.parse(webhook?.body ?? "")).toMatchObject({ type: "payin.paid", data: { id } });
  });

  it.skipIf(!hasCurl)("tells the same story with curl, where it is installed", async () => {
    const created = JSON.parse((await shell(createByCurl)).stdout) as {
      id: string;
      qr_code: string;
    };
    expect(Object.keys(created)).toEqual(["id", "pix_id", "acquirer_id", "qr_code"]);

    const simulated = await shell(simulateByCurl, created.id);
    expect(JSON.parse(simulated.stdout)).toHaveProperty("message");
    await merchant.waitFor(1, ({ body }) => body.includes(created.id));
  });

  it("prints the secret as it says", async () => {
    expect(await shell(secret)).toMatchObject({ code: 0, stdout: `${sandbox.secret}\n` });
  });

  it("shows a webhook and forwards it, waits for one, sends it again and verifies it", async () => {
    // The shell makes way for the command, so that a signal reaches it.
    await using tailing = start(`exec ${tail}`);
    await tailing.lines("stderr", 1, (line) => line.startsWith("Connected"));
    const { id } = JSON.parse(
      (await runCli(["payin", "create", "--webhook-url", merchant.url, "--json", ...at()])).stdout,
    ) as { id: string };
    await runCli(["simulate", "payin", id, ...at()]);
    const [webhook, forwarded] = await merchant.waitFor(2, ({ body }) => body.includes(id));
    expect(forwarded?.body).toBe(webhook?.body);
    const shown = await tailing.lines("stdout", 3);
    expect(shown.map((line) => / (-->|<--) /.exec(line)?.[1])).toEqual(["-->", "<--", "<--"]);
    await tailing.stop();

    const resent = await shell(waitAndResend);
    expect(resent).toMatchObject({ code: 0, stdout: expect.stringContaining(id) as string });
    await merchant.waitFor(3, ({ body }) => body.includes(id));

    const head = Object.entries(webhook?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    const captured = `${head.join("\r\n")}\r\n\r\n${webhook?.body}`;
    await writeFile(folder.at("captured.http"), captured);
    expect(await shell(verify)).toMatchObject({ code: 0, stderr: "" });
  });

  it("starts a sandbox for a test suite as it says", async () => {
    const args = serveInTest?.replace("npx pix-sandbox serve ", "").split(" ") ?? [];
    await using serving = await startServe(args, { cwd: folder.path });
    expect(JSON.parse(await readFile(folder.at("ready.json"), "utf8"))).toEqual(serving.ready);
  });

  it("runs a test suite beside a sandbox of its own as it says", async () => {
    const npm = `#!/bin/sh\necho "$1 $PIX_API_URL"\nexit 3\n`;
    await writeFile(folder.at("npm"), npm, { mode: 0o755 });
    const ended = await shell(execTests);
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining("payins") as string });
    expect(ended.stdout).toMatch(/^test http:\/\/127\.0\.0\.1:\d+\/v1\n$/);
  });

  it("points a shell at a sandbox that runs as it says", async () => {
    const script = `${evalEnv}\necho "$PIX_SANDBOX_URL $PIX_SANDBOX_SECRET"`;
    expect(await shell(script)).toMatchObject({
      code: 0,
      stdout: `${sandbox.url} ${sandbox.secret}\n`,
    });
  });

  it("has no program that is not tried, here or in test/long", () => {
    const first = [...readme.matchAll(/```js\n(.*)\n/g)].map(([, line]) => line);
    expect(first).toEqual([
      'import assert from "node:assert/strict";',
      "// pay.js",
      "// vitest.config.js",
      "// shop.test.js",
      "// shop.spec.js",
      "// jest.config.cjs",
      "// shop.test.cjs",
    ]);
  });

  it("does in a test what it shows", async () => {
    expect(await runProgram("import assert")).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("does in a script what it shows", async () => {
    const ended = await runProgram("// pay.js");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const { type, data } = JSON.parse(ended.stdout) as { type: string; data: { id: string } };
    expect(type).toBe("payin.paid");
    const shown = await runJson<{ integration: string }>(["payin", "show", data.id, ...at()]);
    expect(shown.integration).toBe("my-shop");
  });

  it("has no block of another kind that is not tried, here or in test/long", () => {
    const kinds = [...readme.matchAll(/^```(.*)\n[^]*?^```$/gm)].map(([, kind]) => kind);
    expect([...new Set(kinds)].toSorted()).toEqual(["", "dockerfile", "js", "json", "sh", "yaml"]);
    expect({ otherTexts, otherJson, otherImages }).toEqual({
      otherTexts: [],
      otherJson: [],
      otherImages: [],
    });
  });

  it("prints two lines for a webhook, as it shows them", async () => {
    await using serving = startCli(["serve", "--memory", "--port", "0"]);
    const [line = ""] = await serving.lines("stderr", 1, (text) => text.includes("/v1"));
    const [url = ""] = /http:\S+(?=\/v1)/.exec(line) ?? [];
    const args = ["payin", "create", "--webhook-url", merchant.url, "--url", url];
    const { id } = await runJson<{ id: string }>(args);
    await runCli(["simulate", "payin", id, "--url", url]);
    const lines = await serving.lines("stderr", 2, (text) => /^\S+ {2}(-->|<--)/.test(text));
    expect(lines.map(withoutChance)).toEqual(printed.trimEnd().split("\n").map(withoutChance));
  });

  it("shows a webhook as one arrives", async () => {
    const args = ["payin", "create", "--webhook-url", merchant.url, ...at()];
    const { id } = await runJson<{ id: string }>(args);
    await runCli(["simulate", "payin", id, ...at()]);
    const [received] = await merchant.waitFor(1, ({ body }) => body.includes(id));
    expect(JSON.parse(received?.body ?? "")).toMatchObject(toExpected(shownWebhook));
  });

  it("shows an error as it is answered", async () => {
    const answer = await fetch(`${sandbox.url}/v1/payins`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-token": "my-shop",
        "x-provider-id": "1",
        "x-provider": "My Shop",
        "x-country-code": "BR",
        "x-idempotency-key": crypto.randomUUID(),
      },
      body: JSON.stringify({
        buyer_cpf: "12345678909",
        buyer_name: "Maria da Silva",
        buyer_email: "maria@example.com",
        webhook_url: merchant.url,
      }),
    });
    expect(await answer.json()).toEqual(JSON.parse(envelope));
  });

  it("starts with the config file that it shows", async () => {
    await writeFile(folder.at("config.json"), config);
    const args = ["--memory", "--config", folder.at("config.json")];
    await using serving = await startServe(args);
    const { clock, assumptions } = JSON.parse(config) as Record<string, Record<string, string>>;
    expect(await runJson(["clock", "--url", serving.url])).toMatchObject({ mode: clock });
    const answer = await fetch(`${serving.url}/_sandbox/assumptions`);
    const { data } = (await answer.json()) as { data: object[] };
    for (const [name, value] of Object.entries(assumptions ?? {}))
      expect(data).toContainEqual(expect.objectContaining({ name, choice: value }));
  });

  it("names what there is in the folders", async () => {
    const names = [...layout.matchAll(/^\w\S*/gm)].map(([name]) => name);
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) await access(new URL(`../${name}`, import.meta.url));
  });

  it("says of its Dockerfile that it is untried", () => {
    expect(image).toMatch(/^# This is untried\./);
  });

  it("starts with the fixtures that it shows", async () => {
    await writeFile(folder.at("fixtures.json"), fixtures);
    const args = serveWithFixtures?.replace("npx pix-sandbox serve ", "").split(" ") ?? [];
    await using serving = await startServe(args, { cwd: folder.path });
    const { data } = await runJson<{ data: object[] }>(["payin", "list", "--url", serving.url]);
    expect(data).toMatchObject([{ integration: "my-shop", status: "paid", value: 10.5 }]);
  });

  it("plays the stories that it names, and the one that it shows", async () => {
    expect(await shell(playShipped)).toMatchObject({ code: 0, stderr: "" });
    const [, named = ""] = /Eight are part of the package: ([^.]*)\./.exec(readme) ?? [];
    const { data } = await runJson<{ data: { name: string }[] }>(["scenario", "list"]);
    const names = named.split(", ").map((name) => name.replaceAll(" ", "-"));
    expect(names.toSorted()).toEqual(data.map(({ name }) => name));

    await writeFile(folder.at("story.json"), story);
    const played = await shell(playOwn);
    expect(played).toMatchObject({ code: 0, stderr: "" });
    expect(played.stdout).toMatch(/^story\.json: all 7 steps went as the story has it\.$/m);
  });

  it("tells of every step that a story can have", () => {
    const table = readme.slice(readme.indexOf("| step | does"));
    for (const verb of VERBS) expect(table.split("\n\n")[0]).toContain(`\`${verb}\``);
  });

  it("names every command", async () => {
    const { stdout } = await runCli(["--help"]);
    const names = [...(stdout.split("Commands:")[1] ?? "").matchAll(/^ {2}(\w+)/gm)].map(
      ([, name]) => name,
    );
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) expect(readme).toContain(`| \`${name}`);
  });

  it("has the tables of assumptions and of magic values as the code has them", async () => {
    await expectTables(README, readme, (text) => text);
  });

  it("has them in Portuguese as the command line says them", async () => {
    const inPortuguese = await readFile(README_IN_PORTUGUESE, "utf8");
    const words: Readonly<Record<string, string>> = { ...TABLES, ...TITLES };
    // What is not among them is a name, and the same in every language.
    await expectTables(README_IN_PORTUGUESE, inPortuguese, (text) => words[text] ?? text);
  });
});

/** Runs the block of JavaScript that begins so, on the sandbox and merchant of this test. */
async function runProgram(beginning: string): Promise<Ended> {
  const blocks = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, block = ""]) => block);
  const program = blocks.find((block) => block.startsWith(beginning)) ?? "";
  const index = new URL("../dist/index.js", import.meta.url);
  await writeFile(
    folder.at("program.mjs"),
    program
      .replace('"pix-sandbox"', JSON.stringify(index.href))
      .replace("127.0.0.1:7490", new URL(sandbox.url).host)
      .replace("127.0.0.1:3000", `127.0.0.1:${merchant.port}`),
  );
  await using running = startProgram(folder.at("program.mjs"), []);
  return await running.ended;
}

/** The README's blocks of a kind, in order. */
function blocksOf(kind: string): string[] {
  return [...readme.matchAll(/^```(.*)\n([^]*?)^```$/gm)]
    .filter(([, named]) => named === kind)
    .map(([, , block = ""]) => block);
}

/** What a shown document promises of a true one: what it leaves out with "…" is left to chance. */
function toExpected(shown: string): object {
  return JSON.parse(shown, (name, value: unknown) => {
    if (typeof value === "string" && value.endsWith("…"))
      return expect.stringMatching(`^${/^([a-z]+_|E)?/.exec(value)?.[0]}.`) as unknown;
    return name === "created_at" ? (expect.stringMatching(/^\d{4}-\S+Z$/) as unknown) : value;
  }) as object;
}

/** A printed line with a word for each thing that differs from run to run. */
function withoutChance(line: string): string {
  return line
    .replace(/^\d\d:\d\d:\d\d\.\d{3}/, "TIME")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, "ID")
    .replace(/http:\S+$/, "ADDRESS")
    .replace(/\d+ ms$/, "0 ms")
    .replace(/<-- {2}2\d\d/, "<--  2xx");
}

function at(): string[] {
  return ["--url", sandbox.url];
}

/** UPDATE_README=1 npx vitest run test/readme.test.ts writes them anew. */
async function expectTables(file: URL, text: string, tell: Tell): Promise<void> {
  const withAssumptions = withTable(text, "assumptions", renderTable(tell));
  const written = withTable(withAssumptions, "magic values", renderMagic(tell));
  if (process.env["UPDATE_README"]) await writeFile(file, written);
  else expect(text).toBe(written);
}

/** English as the language of a table says it. */
type Tell = (text: string) => string;

/** The titles of the tables, which the command line does not print. */
const TITLES: Readonly<Record<string, string>> = {
  meaning: "significado",
  "what happens": "o que acontece",
  name: "nome",
  "what the specification leaves open": "o que a especificação deixa em aberto",
  default: "padrão",
  alternatives: "alternativas",
};

/** The text with a table between the two comments that name it. */
function withTable(text: string, name: string, table: string): string {
  const [before = "", rest = ""] = text.split(new RegExp(`(?<=<!-- ${name}: begin[^>]*-->\n)`));
  const [, after = ""] = rest.split(new RegExp(`(?=<!-- ${name}: end -->)`));
  return `${before}\n${table}\n\n${after || rest}`;
}

function renderMagic(tell: Tell): string {
  const rows = describeMagic().map(({ name, happens, ...values }) => [
    `\`${name}\``,
    tell(happens),
    ...MAGIC_KINDS.map((kind) => `\`${values[kind]}\``),
  ]);
  return toTable([["meaning", "what happens"].map(tell).concat(MAGIC_KINDS), ...rows]);
}

function renderTable(tell: Tell): string {
  const rows = Object.entries<Assumption>(ASSUMPTIONS).map(([name, { gap, choices, standard }]) => {
    const isHeld = (choice: string): boolean => isWrittenAs(String(standard), choice);
    const title = (choice: string): string =>
      isHeld(choice) ? `\`${standard}\`` : `\`${choice}\``;
    const tellChoice = ([choice, meaning]: [string, string]): string =>
      choice === "only" ? tell(meaning) : `${title(choice)}: ${tell(meaning)}`;
    const held = Object.entries(choices)
      .filter(([choice]) => isHeld(choice))
      .map(tellChoice);
    const alternatives = Object.entries(choices)
      .filter(([choice]) => !isHeld(choice))
      .map(tellChoice);
    return [`\`${name}\``, tell(gap), held.join(" "), alternatives.join(" ") || "–"];
  });
  const titles = ["name", "what the specification leaves open", "default", "alternatives"];
  return toTable([titles.map(tell), ...rows]);
}

function toTable([titles = [], ...rows]: readonly (readonly string[])[]): string {
  return [titles, titles.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
}
