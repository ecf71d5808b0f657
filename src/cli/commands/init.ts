import { readFile, writeFile } from "node:fs/promises";
import { folderInPackage } from "../../platform/folders.ts";
import { PROGRAM } from "../../platform/program.ts";
import { unreadable } from "../../text/file-reason.ts";
import { say } from "../../text/message.ts";
import { VERSION } from "../../wire/names.ts";
import { defineOwnCommand } from "../definition/define-command.ts";
import { flag } from "../definition/parameters.ts";
import { CONFIG_FILE, parseObject } from "../serving/config-file.ts";
import { unwritableFile, usageError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { canAsk, confirm } from "../terminal/questions.ts";

const CONFIG = { $schema: "./node_modules/pix-sandbox/config.schema.json", assumptions: {} };
const FOR_AGENTS =
  "Code that takes or sends Pix payments runs against pix-sandbox: read node_modules/pix-sandbox/AGENTS.md first.";

/** Makes each file's new text of the one that it has. */
const FILES: Readonly<Record<string, (before: string) => string>> = {
  [CONFIG_FILE]: () => `${JSON.stringify(CONFIG, null, 2)}\n`,
  ".gitignore": (before) => withLines(before, [".pix-sandbox/", "test-results/"]),
  "AGENTS.md": (before) => withLines(before, [FOR_AGENTS]),
};

/** By framework: the name of the first test in docs/testing.md, its file in the project, and what runs it. */
const TESTS = {
  vitest: ["shop.test.js", "pix-sandbox.test.js", "npx vitest run"],
  jest: ["shop.test.cjs", "pix-sandbox.test.js", "npx jest"],
  "@playwright/test": ["shop.spec.js", "pix-sandbox.spec.js", "npx playwright test"],
  mocha: ["shop.node-test.js", "test/pix-sandbox.test.mjs", "npx mocha"],
  "node:test": ["shop.node-test.js", "pix-sandbox.test.mjs", "node --test"],
} as const;

const WRITABLE = say`Make the folder writable, then run ${PROGRAM} init again.`;
const READABLE = say`Make it a file that can be read, then run ${PROGRAM} init again.`;
const ACTIONS = { created: say`created`, changed: say`changed`, unchanged: say`unchanged` };

export const initCommand = defineOwnCommand("init", {
  isLocal: true,
  flags: { yes: flag(say`overwrite the config file without a question`, { short: "y" }) },
  async run({ yes = false }, { io, json }) {
    const { test, command, hasPackage } = await findTest(io);
    const mayOverwrite = async (file: string): Promise<boolean> =>
      yes || (!json && canAsk(io) && confirm(io, say`${file} exists. Overwrite it?`));
    const files: { file: string; action: keyof typeof ACTIONS }[] = [];
    for (const [file, toText] of Object.entries(FILES)) {
      const before = await read(io, file);
      const text = toText(before);
      const isChanged = text !== before && (text.startsWith(before) || (await mayOverwrite(file)));
      if (isChanged)
        await writeFile(pathIn(io, file), text).catch((error: Error) => {
          throw unwritableFile(file, error, WRITABLE);
        });
      const written = before === "" ? "created" : "changed";
      files.push({ file, action: isChanged ? written : "unchanged" });
    }
    const next = [
      ...(hasPackage ? [] : [`npm install --save-dev ./pix-sandbox-${VERSION}.tgz`]),
      `${PROGRAM} exec --report --fail-on error -- ${command}`,
      `${PROGRAM} serve`,
    ];
    if (json) return io.printJson({ files, test, next });
    for (const { file, action } of files)
      io.print(`${localize(ACTIONS[action]).padEnd(10)}  ${file}`);
    io.print(say`\nA first test, for the file ${test.file}:\n\n${test.text}\nNext:`);
    for (const line of next) io.print(`  ${line}`);
  },
  examples: ["init", "init --yes"],
});

async function findTest(io: Io) {
  const text = (await read(io, "package.json")) || "{}";
  const { type, dependencies, devDependencies } = parseObject("package.json", text);
  const packages = Object.assign({}, dependencies, devDependencies);
  const names = Object.keys(TESTS) as (keyof typeof TESTS)[];
  const framework = names.find((one) => one in packages) ?? "node:test";
  const [name, usual, command] = TESTS[framework];
  // A test for jest is CommonJS.
  const file = framework === "jest" && type === "module" ? "pix-sandbox.test.cjs" : usual;
  const page = await readFile(folderInPackage("docs/testing.md") as URL, "utf8");
  const shown = page.split(`\`\`\`js\n// ${name}\n`)[1]?.split("```")[0] ?? "";
  const test = { file, text: framework === "mocha" ? shown.replace("node:test", "mocha") : shown };
  return { test, command, hasPackage: "pix-sandbox" in packages };
}

/** The text of a file; empty if there is none. @throws CliError if it cannot be read. */
async function read(io: Io, file: string): Promise<string> {
  return readFile(pathIn(io, file), "utf8").catch((error: Error & { readonly code?: string }) => {
    if (error.code === "ENOENT") return "";
    throw usageError(say`${file} cannot be read: ${unreadable(error)}.`, READABLE);
  });
}

function withLines(before: string, lines: readonly string[]): string {
  const missing = lines.filter((line) => !before.includes(line));
  const start = /[^\n]$/.test(before) ? "\n" : "";
  return missing.length === 0 ? before : `${before}${start}${missing.join("\n")}\n`;
}
