import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { VERSION } from "../../src/wire/names.ts";
import { createFolder } from "../support/folder.ts";
import { runMain, runMainJson, serveMain } from "../support/main.ts";

const CONFIG = "pix-sandbox.config.json";
const FOR_AGENTS =
  "Code that takes or sends Pix payments runs against pix-sandbox: read node_modules/pix-sandbox/AGENTS.md first.\n";
const INSTALL = `npm install --save-dev ./pix-sandbox-${VERSION}.tgz`;

interface Report {
  readonly files: readonly { file: string; action: string }[];
  readonly test: { readonly file: string; readonly text: string };
  readonly next: readonly string[];
}

const actionsIn = (files: Report["files"]): string => files.map(({ action }) => action).join(" ");

describe("pix-sandbox init", { timeout: 60_000 }, () => {
  it("creates the files of a project, once, and shows a first test", async () => {
    await using folder = await createFolder();
    const options = { cwd: folder.path };
    const { stdout, ...ended } = await runMain(["init"], options);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const test = await shown("shop.node-test.js");
    expect(await readFile("README.md", "utf8")).toContain(test);
    expect(stdout).toBe(`created     ${CONFIG}
created     .gitignore
created     AGENTS.md

A first test, for the file pix-sandbox.test.mjs:

${test}
Next:
  ${INSTALL}
  npx pix-sandbox exec --report --fail-on error -- node --test
  npx pix-sandbox serve
`);
    expect(await readFile(folder.at(".gitignore"), "utf8")).toBe(".pix-sandbox/\ntest-results/\n");
    expect(await readFile(folder.at("AGENTS.md"), "utf8")).toBe(FOR_AGENTS);
    expect(JSON.parse(await readFile(folder.at(CONFIG), "utf8"))).toEqual({
      $schema: "./node_modules/pix-sandbox/config.schema.json",
      assumptions: {},
    });
    const { files } = await runMainJson<Report>(["init"], options);
    expect(actionsIn(files)).toBe("unchanged unchanged unchanged");
    await using serving = await serveMain([], options);
    expect(serving.ready.state_file).toBe(folder.at(".pix-sandbox/state.json"));
  });

  it("adds what a file lacks", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at(".gitignore"), "node_modules\ntest-results/");
    await writeFile(folder.at("AGENTS.md"), "# Rules\n");
    const { files } = await runMainJson<Report>(["init"], { cwd: folder.path });
    expect(actionsIn(files)).toBe("created changed changed");
    expect(await readFile(folder.at(".gitignore"), "utf8")).toBe(
      "node_modules\ntest-results/\n.pix-sandbox/\n",
    );
    expect(await readFile(folder.at("AGENTS.md"), "utf8")).toBe(`# Rules\n${FOR_AGENTS}`);
  });

  it.each([
    ["init", "y\n", true, "changed"],
    ["init --lang pt-BR", "Sim\n", true, "alterado"],
    ["init", "\n", true, "unchanged"],
    ["init", "", true, "unchanged"],
    ["init", "y\n", false, "unchanged"],
    ["init --yes", "", false, "changed"],
  ])("asks on a terminal before it overwrites a config file: %s %j", async (...row) => {
    const [line, stdin, isTerminal, action] = row;
    await using folder = await createFolder();
    await writeFile(folder.at(CONFIG), "{}");
    const options = { cwd: folder.path, isTerminal, stdin };
    const { stdout, stderr } = await runMain(line.split(" "), options);
    const question = line.includes("pt-BR")
      ? `${CONFIG} já existe. Sobrescrever? [s/N]\n`
      : `${CONFIG} exists. Overwrite it? [y/N]\n`;
    expect(stderr).toBe(isTerminal ? question : "");
    expect(stdout.split(" ")[0]).toBe(action);
    const isKept = (await readFile(folder.at(CONFIG), "utf8")) === "{}";
    expect(isKept).toBe(action === "unchanged");
  });

  it.each([
    ["vitest", {}, "pix-sandbox.test.js", "shop.test.js", "npx vitest run"],
    ["jest", {}, "pix-sandbox.test.js", "shop.test.cjs", "npx jest"],
    ["jest", { type: "module" }, "pix-sandbox.test.cjs", "shop.test.cjs", "npx jest"],
    ["mocha", {}, "test/pix-sandbox.test.mjs", "shop.node-test.js", "npx mocha"],
    ["@playwright/test", {}, "pix-sandbox.spec.js", "shop.spec.js", "npx playwright test"],
  ])("shows the test of docs/testing.md for %s %j", async (name, more, file, example, command) => {
    await using folder = await createFolder();
    const devDependencies = { [name]: "*", "pix-sandbox": "*" };
    await writeFile(folder.at("package.json"), JSON.stringify({ devDependencies, ...more }));
    const { test, next } = await runMainJson<Report>(["init"], { cwd: folder.path });
    const text = (await shown(example)).replace("node:test", name);
    expect(test).toEqual({ file, text });
    expect(next).toEqual([
      `npx pix-sandbox exec --report --fail-on error -- ${command}`,
      "npx pix-sandbox serve",
    ]);
  });

  it("says why it cannot write", async () => {
    await using folder = await createFolder();
    const ended = await runMain(["init"], { cwd: folder.at("gone") });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(
      /cannot be written: its folder does not exist\.\nMake the folder writable/,
    );
    expect(await readdir(folder.path)).toEqual([]);
  });

  it.each([
    ["{ bad", "package.json is not JSON: "],
    ["null", "package.json is not a JSON object."],
    [undefined, "package.json cannot be read: it is a folder.\nMake it a file"],
  ])("changes nothing beside a package.json of %o", async (text, sentence) => {
    await using folder = await createFolder();
    const file = folder.at("package.json");
    await (text === undefined ? mkdir(file) : writeFile(file, text));
    const ended = await runMain(["init"], { cwd: folder.path });
    expect(ended).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(sentence) });
    expect(await readdir(folder.path)).toEqual(["package.json"]);
  });

  it("names the package's tarball as the READMEs do", async () => {
    for (const readme of ["README.md", "README.pt-BR.md"])
      expect(await readFile(readme, "utf8")).toContain(`\n${INSTALL}\n`);
  });
});

/** A file as docs/testing.md shows it. */
async function shown(name: string): Promise<string> {
  const page = await readFile("docs/testing.md", "utf8");
  return new RegExp(`\`\`\`js\n// ${name}\n([^]+?)\`\`\``).exec(page)?.[1] ?? expect.fail(name);
}
