import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { VERSION } from "../../src/wire/names.ts";
import { createFolder } from "../support/folder.ts";
import { runMain, runMainJson, serveMain } from "../support/main.ts";

const CONFIG = "pix-sandbox.config.json";
const INSTALL = `npm install --save-dev ./pix-sandbox-${VERSION}.tgz`;
const FOR_AGENTS =
  "Code that takes or sends Pix payments runs against pix-sandbox: read node_modules/pix-sandbox/AGENTS.md first.";
const DONE = `created    ${CONFIG}
             payout.rival: A second payout to a recipient with one in progress "may be canceled". (cancel, reject, allow)
             webhook.retries: The retry schedule. With every choice, a 410 ends the delivery, and a \`retry-after\` can extend the wait, up to a day. (laptop, production, none)
             All choices and what they mean: npx pix-sandbox assumptions
created    .gitignore
created    AGENTS.md

Next:
  npx pix-sandbox serve
`;

/** The script of `npm init`. */
const NO_TEST = 'echo "Error: no test specified" && exit 1';

interface Report {
  readonly files: readonly { file: string; action: string; add: string | null }[];
  readonly next: readonly string[];
}

describe("pix-sandbox init", { timeout: 60_000 }, () => {
  it("creates the config file, .gitignore and the line for coding agents with --yes", async () => {
    await using folder = await createFolder();
    const ended = await runMain(["init", "--yes"], { cwd: folder.path });
    expect(ended).toMatchObject({ code: 0, stdout: DONE, stderr: "" });
    expect(await readFile(folder.at(".gitignore"), "utf8")).toBe(".pix-sandbox/\n");
    expect(await readFile(folder.at("AGENTS.md"), "utf8")).toBe(`${FOR_AGENTS}\n`);
    expect(JSON.parse(await readFile(folder.at(CONFIG), "utf8"))).toMatchObject({
      $schema: "./node_modules/pix-sandbox/config.schema.json",
    });
    await using serving = await serveMain([], { cwd: folder.path });
    expect(serving.ready.state_file).toBe(folder.at(".pix-sandbox/state.json"));
  });

  it("changes nothing the second time", async () => {
    await using folder = await createFolder();
    await writePackage(folder, { vitest: "4" });
    await runMain(["init", "--yes"], { cwd: folder.path });
    const before = await contentOf(folder.path);
    const { files } = await runMainJson<Report>(["init", "--yes"], { cwd: folder.path });
    expect(files.map(({ action }) => action)).toEqual(Array.from({ length: 5 }, () => "unchanged"));
    expect(await contentOf(folder.path)).toEqual(before);
  });

  it("asks before each step on a terminal, in both languages", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at(".gitignore"), "node_modules");
    const options = { cwd: folder.path, isTerminal: true };
    const english = await runMain(["init"], { ...options, stdin: "no\nwhat\nno\nno" });
    expect(english).toMatchObject({
      code: 0,
      stdout: `skipped    ${CONFIG}\nskipped    .gitignore\nskipped    AGENTS.md\n\nNext:\n  npx pix-sandbox serve\n`,
      stderr: `Create ${CONFIG}? [Y/n]\nAdd .pix-sandbox/ to .gitignore? [Y/n]\nType y or n.\nAdd .pix-sandbox/ to .gitignore? [Y/n]\nCreate AGENTS.md? [Y/n]\n`,
    });
    const portuguese = await runMain(["init", "--lang", "pt-BR"], {
      ...options,
      stdin: "\nsim\nnão\n",
    });
    expect(portuguese).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(
          `^criado {6}${CONFIG}\n( {14}\\S.*\n){3}alterado {4}\\.gitignore\npulado {6}AGENTS.md\n\nPróximo passo:\n {2}npx pix-sandbox serve\n$`,
        ),
      ) as string,
      stderr: `Criar ${CONFIG}? [S/n]\nAdicionar .pix-sandbox/ a .gitignore? [S/n]\nCriar AGENTS.md? [S/n]\n`,
    });
    expect(await readFile(folder.at(".gitignore"), "utf8")).toBe("node_modules\n.pix-sandbox/\n");
  });

  it("takes the end of the input for a no", async () => {
    await using folder = await createFolder();
    const { code, stdout } = await runMain(["init"], { cwd: folder.path, isTerminal: true });
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^skipped/) });
    expect(await readdir(folder.path)).toEqual([]);
  });

  it("refuses to run without a terminal, and to ask with --json", async () => {
    await using folder = await createFolder();
    const silent = await runMain(["init"], { cwd: folder.path, stdin: "y\ny\n" });
    expect(silent).toMatchObject({ code: 2, stdout: "" });
    expect(silent.stderr).toBe(
      "error: init asks before each step, but there is no terminal.\nTake all steps with: npx pix-sandbox init --yes\n",
    );
    const json = await runMain(["init", "--json"], { cwd: folder.path, isTerminal: true });
    expect(json).toMatchObject({ code: 2, stdout: "" });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "USAGE" } });
    expect(await readdir(folder.path)).toEqual([]);
  });

  it("adds the line to .gitignore with the file's own line ends, once", async () => {
    for (const [before, after] of [
      ["a\r\n", "a\r\n.pix-sandbox/\r\n"],
      ["a\r\nb", "a\r\nb\r\n.pix-sandbox/\r\n"],
      ["", ".pix-sandbox/\n"],
      ["/.pix-sandbox\n", "/.pix-sandbox\n"],
      ["a\n.pix-sandbox/\nb\n", "a\n.pix-sandbox/\nb\n"],
    ] as const) {
      await using folder = await createFolder();
      await writeFile(folder.at(".gitignore"), before);
      await runMain(["init", "--yes"], { cwd: folder.path });
      expect(await readFile(folder.at(".gitignore"), "utf8")).toBe(after);
    }
  });

  it("adds the line for coding agents to their file, once", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at("AGENTS.md"), "# Rules\n\n- Be kind.\n");
    const english = { cwd: folder.path, isTerminal: true, stdin: "n\nn\ny\n" };
    expect((await runMain(["init"], english)).stderr).toContain(`Add ${FOR_AGENTS} to AGENTS.md?`);
    expect(await readFile(folder.at("AGENTS.md"), "utf8")).toBe(
      `# Rules\n\n- Be kind.\n${FOR_AGENTS}\n`,
    );
    const { files } = await runMainJson<Report>(["init", "--yes"], { cwd: folder.path });
    expect(files[2]).toEqual({ file: "AGENTS.md", action: "unchanged", add: null });
  });

  it("sets up vitest and jest as docs/testing.md shows", async () => {
    await using folder = await createFolder();
    await writePackage(folder, { vitest: "4", jest: "30" });
    const { next, files } = await runMainJson<Report>(["init", "--yes"], { cwd: folder.path });
    expect(files.slice(3)).toEqual([
      { file: "vitest.config.mjs", action: "created", add: null },
      { file: "jest.config.cjs", action: "created", add: null },
    ]);
    expect(next).toEqual([INSTALL, "npx pix-sandbox serve"]);
    for (const readme of ["README.md", "README.pt-BR.md"])
      expect(await readFile(readme, "utf8")).toContain(`\n${INSTALL}\n`);
    const written = (name: string): Promise<string> => readFile(folder.at(name), "utf8");
    expect(await written("vitest.config.mjs")).toBe(await shown("vitest.config.js"));
    expect(await written("jest.config.cjs")).toBe(await shown("jest.config.cjs"));
  });

  it.each([
    [{ vitest: "4" }, {}, "pix-sandbox.test.js", "shop.test.js", "npx vitest run"],
    [{ jest: "30" }, {}, "pix-sandbox.test.js", "shop.test.cjs", "npx jest"],
    [{ jest: "30" }, { type: "module" }, "pix-sandbox.test.cjs", "shop.test.cjs", "npx jest"],
    [{ mocha: "11" }, {}, "test/pix-sandbox.test.mjs", "shop.node-test.js", "npx mocha"],
    [{ "@playwright/test": "1" }, {}, "pix-sandbox.spec.js", "shop.spec.js", "npx playwright test"],
    [
      {},
      { scripts: { test: "node --test" } },
      "test/pix-sandbox.test.mjs",
      "shop.node-test.js",
      "node --test",
    ],
    [
      {},
      { scripts: { test: NO_TEST } },
      "test/pix-sandbox.test.mjs",
      "shop.node-test.js",
      "node --test",
    ],
    [
      { vitest: "4" },
      { scripts: { test: NO_TEST } },
      "pix-sandbox.test.js",
      "shop.test.js",
      "npx vitest run",
    ],
  ])("writes the test of docs/testing.md for %j %j", async (packages, more, file, example, run) => {
    await using folder = await createFolder();
    await writePackage(folder, packages, more);
    if (file.startsWith("test/")) await mkdir(folder.at("test"));
    const { next, files } = await runMainJson<Report>(["init", "--yes"], { cwd: folder.path });
    expect(files.at(-1)).toMatchObject({ file, action: "created" });
    expect(next.slice(1)).toEqual([`${JUDGED} ${run}`, "npx pix-sandbox serve"]);
    const framework = "mocha" in packages ? "mocha" : "node:test";
    const test = (await shown(example)).replace("node:test", framework);
    expect(await readFile(folder.at(file), "utf8")).toBe(test);
    if (run === "node --test") expect(await readFile("README.md", "utf8")).toContain(test);
  });

  it("writes vitest.config.js in a project of ES modules that has the package", async () => {
    await using folder = await createFolder();
    await writePackage(folder, { vitest: "4", "pix-sandbox": "1" }, { type: "module" });
    const { next, files } = await runMainJson<Report>(["init", "--yes"], { cwd: folder.path });
    expect(files.at(-2)).toMatchObject({ file: "vitest.config.js", action: "created" });
    expect(next).toEqual([`${JUDGED} npx vitest run`, "npx pix-sandbox serve"]);
  });

  it("writes a test for Playwright into the folder of the tests", async () => {
    await using folder = await createFolder();
    await writePackage(folder, { "@playwright/test": "1" });
    await mkdir(folder.at("e2e"));
    const { files } = await runMainJson<Report>(["init", "--yes"], { cwd: folder.path });
    expect(files.at(-1)).toMatchObject({ file: "e2e/pix-sandbox.spec.js", action: "created" });
  });

  it("creates no test beside vitest or jest, which would run it too", async () => {
    await using folder = await createFolder();
    await writePackage(folder, { "@playwright/test": "1", vitest: "4" });
    const { files } = await runMainJson<Report>(["init", "--yes"], { cwd: folder.path });
    expect(files.map(({ file }) => file)).toEqual([
      "pix-sandbox.config.json",
      ".gitignore",
      "AGENTS.md",
      "vitest.config.mjs",
    ]);
  });

  it.each([
    ["vitest", "vite.config.ts", "export default {};", /^test: \{ globalSetup: \["pix-sandbox/],
    ["vitest", "vitest.config.mts", "// pix-sandbox/vitest/setup", null],
    ["jest", "jest.config.js", "module.exports = {};", /^globalSetup: "pix-sandbox\/jest\/setup"/],
    ["jest", "jest.config.json", "{}", /^"globalSetup": "pix-sandbox\/jest\/setup"/],
  ])("never overwrites a configuration of %s: %s", async (framework, file, text, add) => {
    await using folder = await createFolder();
    await writePackage(folder, { [framework]: "1" });
    await writeFile(folder.at(file), text);
    const { files } = await runMainJson<Report>(["init", "--yes"], { cwd: folder.path });
    const expected = add === null ? null : (expect.stringMatching(add) as string);
    expect(files.at(-2)).toEqual({ file, action: "unchanged", add: expected });
    expect(await readFile(folder.at(file), "utf8")).toBe(text);
    const { stdout } = await runMain(["init", "--yes"], { cwd: folder.path });
    expect(stdout.includes("It exists. Add this to it:")).toBe(add !== null);
  });

  it("leaves a configuration in package.json to the user", async () => {
    await using folder = await createFolder();
    await writePackage(folder, { jest: "30" }, { jest: {} });
    const { stdout } = await runMain(["init", "--yes"], { cwd: folder.path });
    expect(stdout).toContain(`unchanged  package.json
           It exists. Add this to it:
             "globalSetup": "pix-sandbox/jest/setup"
             "globalTeardown": "pix-sandbox/jest/teardown"
`);
  });

  it("refuses a package.json that is not JSON, and a folder that cannot be written", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at("package.json"), "{");
    const broken = await runMain(["init", "--yes"], { cwd: folder.path });
    expect(broken.code).toBe(2);
    expect(broken.stderr).toMatch(/^error: package\.json is not JSON: .*\nCorrect it, then run/);
    for (const text of ["null", "[]", '"x"', "5"]) {
      await writeFile(folder.at("package.json"), text);
      expect(await runMain(["init", "--yes"], { cwd: folder.path })).toMatchObject({
        code: 2,
        stdout: "",
        stderr:
          "error: package.json is not a JSON object.\nCorrect it, then run npx pix-sandbox init again.\n",
      });
    }
    const gone = folder.at("gone");
    const unwritable = await runMain(["init", "--yes"], { cwd: gone });
    expect(unwritable.code).toBe(1);
    expect(unwritable.stderr).toMatch(
      /cannot be written: its folder does not exist\.\nMake the folder writable/,
    );
  });

  it.each(["package.json", ".gitignore", "jest.config.js"])(
    "refuses a folder that is named %s, and creates nothing",
    async (name) => {
      await using folder = await createFolder();
      await mkdir(folder.at(name));
      if (name !== "package.json") await writePackage(folder, { jest: "*" });
      const { code, stdout, stderr } = await runMain(["init", "--yes"], { cwd: folder.path });
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toBe(
        `error: ${name} is a folder, not a file.\nCorrect it, then run npx pix-sandbox init again.\n`,
      );
      expect(await readdir(folder.path)).not.toContain("pix-sandbox.config.json");
    },
  );
});

const JUDGED = "npx pix-sandbox exec --report --fail-on error --";

async function writePackage(
  folder: { at(name: string): string },
  devDependencies: object,
  members: object = {},
): Promise<void> {
  await writeFile(folder.at("package.json"), JSON.stringify({ devDependencies, ...members }));
}

async function contentOf(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? ""]));
}

/** A file as docs/testing.md shows it. */
async function shown(name: string): Promise<string> {
  const page = await readFile("docs/testing.md", "utf8");
  return new RegExp(`\`\`\`js\n// ${name}\n([^]*?)\`\`\``).exec(page)?.[1] ?? "";
}
