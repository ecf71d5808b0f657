// The files that `init` creates in a project, and which of them are missing.
import { access, appendFile, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { STANDARD_ASSUMPTIONS } from "../../core/assumptions/table.ts";
import { withoutByteOrderMark } from "../../text/plain/byte-order-mark.ts";
import { unwritableFile, usageError } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { PROGRAM } from "../../platform/program.ts";
import { type Message, say } from "../../text/message.ts";

/** One file of the set-up. */
export interface Step {
  readonly file: string;
  /** The text to write; undefined if the file exists already. */
  readonly text?: string;
  /** Whether the text is added to an existing file. */
  readonly isAddition?: boolean;
  /** What the user has to add to an existing file. */
  readonly add?: string;
}

/** The set-up that a project needs. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Whether a test imports the package, which the project does not have. */
  readonly needsPackage: boolean;
}

interface Package {
  readonly type?: string;
  readonly jest?: unknown;
  readonly dependencies?: object;
  readonly devDependencies?: object;
}

/** The folder of the default state file. */
const STATE_FOLDER = ".pix-sandbox/";

/**
 * Finds what is missing in a folder. Changes nothing.
 * @throws CliError if an existing file cannot be read, or package.json is not a JSON object.
 */
export async function planSetup(folder: string, configFile: string): Promise<Plan> {
  const manifest = await readPackage(folder);
  const names = new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }));
  const found = FRAMEWORKS.filter(({ name }) => names.has(name));
  // vitest and jest would run the test of another framework too.
  const frameworks = found.length > 1 ? found.filter(({ isTest }) => !isTest) : found;
  return {
    steps: [
      (await exists(folder, configFile))
        ? { file: configFile }
        : { file: configFile, text: CONFIG },
      await planGitignore(folder),
      ...(await Promise.all(frameworks.map((one) => one.plan(folder, manifest)))),
    ],
    needsPackage: frameworks.length > 0 && !names.has("pix-sandbox"),
  };
}

/**
 * Writes the text of a step. Never overwrites a file.
 * @throws CliError if the file cannot be written.
 */
export async function applyStep(folder: string, step: Step): Promise<void> {
  const { file, text = "", isAddition = false } = step;
  try {
    await (isAddition
      ? appendFile(path.join(folder, file), text)
      : writeFile(path.join(folder, file), text, { flag: "wx" }));
  } catch (error) {
    throw unwritableFile(
      file,
      error as Error,
      localize(say`Make the folder writable, then run ${PROGRAM} init again.`),
    );
  }
}

/** Assumptions that most integrations decide on, with their defaults. It sets nothing that would change `exec`. */
const CONFIG = toJson({
  $schema: "./node_modules/pix-sandbox/config.schema.json",
  assumptions: {
    "payout.rival": STANDARD_ASSUMPTIONS["payout.rival"],
    "webhook.retries": STANDARD_ASSUMPTIONS["webhook.retries"],
  },
});

async function planGitignore(folder: string): Promise<Step> {
  const file = ".gitignore";
  if (!(await exists(folder, file))) return { file, text: `${STATE_FOLDER}\n` };
  const text = await readText(folder, file);
  if (/^\/?\.pix-sandbox\/?\s*$/m.test(text)) return { file };
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const isComplete = text === "" || text.endsWith("\n");
  return { file, text: `${isComplete ? "" : newline}${STATE_FOLDER}${newline}`, isAddition: true };
}

/** A test framework: the package that a project with it has, and its set-up as docs/testing.md shows it. */
interface Framework {
  readonly name: string;
  /** Whether its set-up is a test. */
  readonly isTest?: boolean;
  plan(folder: string, manifest: Package): Promise<Step>;
}

const FRAMEWORKS: readonly Framework[] = [
  {
    name: "vitest",
    async plan(folder, { type }) {
      const configs = ["vitest", "vite"].flatMap((name) =>
        ["js", "mjs", "cjs", "ts", "mts", "cts"].map((suffix) => `${name}.config.${suffix}`),
      );
      const add = 'test: { globalSetup: ["pix-sandbox/vitest/setup"] }';
      return (
        (await planExisting(folder, configs, "pix-sandbox/vitest/setup", add)) ?? {
          file: `vitest.config.${type === "module" ? "js" : "mjs"}`,
          text: VITEST,
        }
      );
    },
  },
  {
    name: "jest",
    async plan(folder, { jest }) {
      const configs = ["js", "mjs", "cjs", "ts", "json"].map((suffix) => `jest.config.${suffix}`);
      if (jest !== undefined) configs.unshift("package.json");
      const isJson = configs[0] === "package.json" || (await exists(folder, "jest.config.json"));
      const [setup, teardown] = isJson
        ? ['"globalSetup"', '"globalTeardown"']
        : ["globalSetup", "globalTeardown"];
      const add = `${setup}: "pix-sandbox/jest/setup", ${teardown}: "pix-sandbox/jest/teardown"`;
      return (
        (await planExisting(folder, configs, "pix-sandbox/jest/setup", add)) ?? {
          file: "jest.config.cjs",
          text: JEST,
        }
      );
    },
  },
  {
    name: "@playwright/test",
    isTest: true,
    // Playwright needs no configuration, but a test that imports the fixtures.
    async plan(folder) {
      const folders = ["tests", "e2e"];
      const found = await Promise.all(folders.map((name) => exists(folder, name)));
      const file = path.posix.join(folders[found.indexOf(true)] ?? "", "pix-sandbox.spec.js");
      return (await exists(folder, file)) ? { file } : { file, text: PLAYWRIGHT };
    },
  },
];

/** The step for a configuration that exists: it names the set-up already, or the user has to add it. */
async function planExisting(
  folder: string,
  files: readonly string[],
  setup: string,
  add: string,
): Promise<Step | undefined> {
  for (const file of files) {
    if (!(await exists(folder, file))) continue;
    const text = await readText(folder, file);
    return text.includes(setup) ? { file } : { file, add };
  }
  return undefined;
}

const VITEST = `import { defineConfig } from "vitest/config";

export default defineConfig({ test: { globalSetup: ["pix-sandbox/vitest/setup"] } });
`;

const JEST = `module.exports = {
  globalSetup: "pix-sandbox/jest/setup",
  globalTeardown: "pix-sandbox/jest/teardown",
};
`;

const PLAYWRIGHT = `import { expect, test } from "pix-sandbox/playwright";

test("a charge is paid", async ({ integration }) => {
  const payin = await integration.payins.create({ value: 10.5 });
  const paid = await integration.payins.pay(payin.id);
  expect(paid.status).toBe("paid");
});
`;

async function readPackage(folder: string): Promise<Package> {
  const file = "package.json";
  if (!(await exists(folder, file))) return {};
  const text = await readText(folder, file);
  const manifest = parsePackage(text);
  if (typeof manifest === "object" && manifest !== null && !Array.isArray(manifest))
    return manifest;
  throw unusable(say`package.json is not a JSON object.`);
}

function parsePackage(text: string): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(text));
  } catch (error) {
    throw unusable(say`package.json is not JSON: ${(error as Error).message}.`);
  }
}

/** @throws CliError for a file that cannot be read. */
async function readText(folder: string, file: string): Promise<string> {
  return readFile(path.join(folder, file), "utf8").catch(
    ({ code, message }: NodeJS.ErrnoException) => {
      throw code === "EISDIR"
        ? unusable(say`${file} is a folder, not a file.`)
        : unusable(say`${file} cannot be read: ${message}.`);
    },
  );
}

function unusable(reason: Message): Error {
  return usageError(localize(reason), localize(say`Correct it, then run ${PROGRAM} init again.`));
}

async function exists(folder: string, file: string): Promise<boolean> {
  return access(path.join(folder, file)).then(
    () => true,
    () => false,
  );
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
