// The test frameworks that `init` knows: what each needs in a project, as docs/testing.md shows it.
import path from "node:path";
import { exists, planFile, readText, type Step } from "./steps.ts";

/** What `init` reads of a package.json. */
export interface Package {
  readonly type?: string;
  readonly jest?: unknown;
  readonly scripts?: object | null;
  readonly dependencies?: object;
  readonly devDependencies?: object;
}

export interface Framework {
  isIn(names: ReadonlySet<string>, manifest: Package): boolean;
  /** The step for its configuration; undefined if it needs none. */
  planConfig?(folder: string, manifest: Package): Promise<Step>;
  /** The test's file, in the first of the folders that exists; else in the project's. */
  readonly folders: readonly string[];
  readonly testName: (manifest: Package) => string;
  readonly test: string;
  readonly command: string;
}

/** Plans a framework's first test. */
export async function planTest(
  { folders, testName, test }: Framework,
  folder: string,
  manifest: Package,
): Promise<Step> {
  const found = await Promise.all(folders.map((name) => exists(folder, name)));
  const file = path.posix.join(folders[found.indexOf(true)] ?? "", testName(manifest));
  return planFile(folder, file, test);
}

const VITEST: Framework = {
  isIn: (names) => names.has("vitest"),
  async planConfig(folder, { type }) {
    const configs = ["vitest", "vite"].flatMap((name) =>
      ["js", "mjs", "cjs", "ts", "mts", "cts"].map((suffix) => `${name}.config.${suffix}`),
    );
    const add = 'test: { globalSetup: ["pix-sandbox/vitest/setup"] }';
    return (
      (await planExisting(folder, configs, "pix-sandbox/vitest/setup", add)) ?? {
        file: `vitest.config.${type === "module" ? "js" : "mjs"}`,
        text: `import { defineConfig } from "vitest/config";

export default defineConfig({ test: { globalSetup: ["pix-sandbox/vitest/setup"] } });
`,
      }
    );
  },
  folders: ["test", "tests", "__tests__"],
  testName: () => "pix-sandbox.test.js",
  test: `import { test } from "pix-sandbox/vitest";
import { expect } from "vitest";

test("a paid charge sends a webhook", async ({ integration }) => {
  const hook = await integration.receiver(); // in place of your own handler
  const payin = await integration.payins.create({ webhookUrl: hook.url }); // in place of your own code
  await integration.payins.pay(payin.id);
  const { body } = await hook.next("payin.paid");
  expect(body.data.id).toBe(payin.id);
});
`,
  command: "npx vitest run",
};

const JEST: Framework = {
  isIn: (names) => names.has("jest"),
  async planConfig(folder, { jest }) {
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
        text: `module.exports = {
  globalSetup: "pix-sandbox/jest/setup",
  globalTeardown: "pix-sandbox/jest/teardown",
};
`,
      }
    );
  },
  folders: ["test", "tests", "__tests__"],
  // jest 29 finds no .cjs by default.
  testName: ({ type }) => `pix-sandbox.test.${type === "module" ? "cjs" : "js"}`,
  test: `const { freshIntegration } = require("pix-sandbox/jest");

test("a paid charge sends a webhook", async () => {
  const integration = await freshIntegration(); // the worker's, after a reset
  const hook = await integration.receiver(); // in place of your own handler
  const payin = await integration.payins.create({ webhookUrl: hook.url }); // in place of your own code
  await integration.payins.pay(payin.id);
  const { body } = await hook.next("payin.paid");
  expect(body.data.id).toBe(payin.id);
});
`,
  command: "npx jest",
};

const PLAYWRIGHT: Framework = {
  isIn: (names) => names.has("@playwright/test"),
  folders: ["tests", "e2e"],
  testName: () => "pix-sandbox.spec.js",
  test: `import { expect, test } from "pix-sandbox/playwright";

test("a paid charge sends a webhook", async ({ integration }) => {
  const hook = await integration.receiver(); // in place of your own handler
  const payin = await integration.payins.create({ webhookUrl: hook.url }); // in place of your own code
  await integration.payins.pay(payin.id);
  const { body } = await hook.next("payin.paid");
  expect(body.data.id).toBe(payin.id);
});
`,
  command: "npx playwright test",
};

const MOCHA: Framework = {
  isIn: (names) => names.has("mocha"),
  folders: ["test"],
  testName: () => "pix-sandbox.test.mjs",
  test: useSandboxTest("mocha"),
  command: "npx mocha",
};

const OTHERS = [VITEST, JEST, PLAYWRIGHT, MOCHA];

const NODE_TEST: Framework = {
  isIn: (names, manifest) => {
    const scripts = Object.values(manifest.scripts ?? {}).map(String);
    if (scripts.some((script) => /\bnode\b.* --test\b/.test(script))) return true;
    // The script that `npm init` writes: the project has no tests yet.
    const isNew = scripts.some((script) => script.includes("Error: no test specified"));
    return isNew && !OTHERS.some((other) => other.isIn(names, manifest));
  },
  folders: ["test"],
  testName: () => "pix-sandbox.test.mjs",
  test: useSandboxTest("node:test"),
  command: "node --test",
};

/** The test of docs/testing.md for a framework whose hooks are passed on. */
function useSandboxTest(framework: string): string {
  return `import assert from "node:assert/strict";
import { after, before, beforeEach, it } from "${framework}";
import { useSandbox } from "pix-sandbox";

const used = useSandbox({ before, beforeEach, after });

it("sends a webhook for a paid charge", async () => {
  const { integration } = used;
  const hook = await integration.receiver(); // in place of your own handler
  const payin = await integration.payins.create({ webhookUrl: hook.url }); // in place of your own code
  await integration.payins.pay(payin.id);
  const { body } = await hook.next("payin.paid");
  assert.equal(body.data.id, payin.id);
});
`;
}

export const FRAMEWORKS: readonly Framework[] = [...OTHERS, NODE_TEST];

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
