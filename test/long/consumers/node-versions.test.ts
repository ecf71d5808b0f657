// The packed package in projects of its users: beside the oldest and the newest test frameworks, and on every
// runtime. npm installs everything, without a flag that ignores conflicts of peer dependencies.
import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installProject, npm, type Project, toCommonJs } from "./project.ts";
import { lacks } from "../../support/lacks.ts";
import { createFolder } from "../../support/folder.ts";
import { startProcess } from "../../support/process.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const TSC = path.join(ROOT, "node_modules/typescript/bin/tsc");
const IS_SHORT = process.env["PIX_TEST_LONG"] === "short";

/** Versions in which the package runs; the short form uses the Node that runs this. */
const NODES = IS_SHORT ? [process.versions.node] : ["20.19.0", "22.12.0", "24", "26"];
const OLD_NODES = ["18", "21", "22.5.1"];

/** A project's tests in one framework. */
interface Suite {
  readonly name: string;
  /** What npm installs beside this package. */
  readonly packages: readonly string[];
  /** The folder here with the project's files. */
  readonly example: string;
  readonly prepare?: (project: Project) => Promise<void>;
  readonly runner: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the runner prints when all tests pass. */
  readonly passed: RegExp;
  /** Node versions in which the framework itself does not run. */
  readonly without?: readonly string[];
}

const JEST = { example: "jest", runner: "jest/bin/jest.js", passed: /Tests: +8 passed, 8 total/ };
const VITEST = { example: "vitest", runner: "vitest/vitest.mjs", passed: /Tests +5 passed/ };
const PLAYWRIGHT = { example: "playwright", runner: "@playwright/test/cli.js", passed: /5 passed/ };

const SUITES: readonly Suite[] = [
  ...["29", "30"].flatMap((version) => {
    const packages = [`jest@${version}`];
    const args = ["--cacheDirectory", "cache"];
    const env = { NODE_OPTIONS: "--experimental-vm-modules --no-warnings" };
    return [
      { ...JEST, name: `jest ${version}, CommonJS`, packages, args, prepare: toCommonJs },
      { ...JEST, name: `jest ${version}, ES modules`, packages, args, env },
      {
        ...JEST,
        name: `jest ${version}, jsdom`,
        packages: [...packages, `jest-environment-jsdom@${version}`],
        args: [...args, "--config", "bare.config.js", "--env", "jsdom"],
        prepare: toCommonJs,
        passed: /Tests: +1 passed, 1 total/,
      },
    ];
  }),
  ...["3.0.0", "3", "4"].map((version) => ({
    ...VITEST,
    name: `vitest ${version}`,
    packages: [`vitest@${version}`],
    args: ["run"],
  })),
  ...["1.40.0", "1.49.0", "1.65.0"].map((version) => ({
    ...PLAYWRIGHT,
    name: `Playwright ${version}`,
    packages: [`@playwright/test@${version}`],
    args: ["test"],
    // In these it hangs on every test file that is an ES module.
    without: version === "1.49.0" ? ["24", "26"] : [],
  })),
];

const SHOP = `
(async () => {
  const sandbox = await startSandbox();
  const payin = await sandbox.payins.create({ value: 10.5, generateQrcode: true });
  const client = createClient({ baseUrl: sandbox.baseUrl });
  await client.payins.pay(payin.id);
  const error = await client.payins.pay(payin.id).catch((refusal) => refusal);
  const { status } = await sandbox.fetch("/_sandbox/health");
  console.log((await client.payins.get(payin.id)).status, error instanceof SandboxError, status);
  await sandbox.close();
})();`;
const LOADERS = {
  "shop.cjs": `const { createClient, SandboxError, startSandbox } = require("pix-sandbox");${SHOP}`,
  "shop.mjs": `import { createClient, SandboxError, startSandbox } from "pix-sandbox";${SHOP}`,
};
/** Every entry whose types need no test framework. */
const TYPED = `
import { createClient, type Sandbox, SandboxError, startSandbox, useSandbox } from "pix-sandbox";
import { after, before, beforeEach } from "node:test";
import { freshIntegration } from "pix-sandbox/jest";
import { sandboxSetup } from "pix-sandbox/jest/setup";
import teardown from "pix-sandbox/jest/teardown";
export default sandboxSetup({ clock: "frozen" });
export const used = useSandbox({ before, beforeEach, after });
export const ended: Promise<void> = teardown();
export const sandbox = async (): Promise<Sandbox> => startSandbox({ seed: "42" });
export const status = async (code: string): Promise<string> =>
  (await (await freshIntegration()).payins.payCode(code)).status;
export const isRefusal = (error: unknown): error is SandboxError => error instanceof SandboxError;
export const client = createClient({ headers: new Headers() });
// @ts-expect-error -- a port is a number
export const wrong = startSandbox({ port: "7490" });
`;
const SOLD = { code: 0, stdout: "paid true 200\n" };

let folder: Awaited<ReturnType<typeof createFolder>>;
let tarball: string;
beforeAll(async () => {
  folder = await createFolder();
  // Without scripts: they would build dist again while other tests use it.
  await npm(folder.path, "pack", "--ignore-scripts", ROOT);
  const [packed = ""] = (await readdir(folder.path)).filter((name) => name.endsWith(".tgz"));
  tarball = folder.at(packed);
});
afterAll(() => folder[Symbol.asyncDispose]());

describe.each(IS_SHORT ? SUITES.slice(0, 1) : SUITES)(
  "beside $name",
  ({ packages, example, prepare, runner, args, env, passed, without = [] }) => {
    const nodes = NODES.filter((version) => !without.includes(version));
    it.each(nodes)("its suite is green on Node %s", { timeout: 600_000 }, async (version) => {
      const project = await install(example, packages, prepare);
      const { code, stdout, stderr } = await project.run(runner, args, {
        command: [await nodeOf(version)],
        env: { NO_COLOR: "1", ...env },
      });
      expect({ code, output: stdout + stderr }).toEqual({
        code: 0,
        output: expect.stringMatching(passed) as string,
      });
    });
  },
);

const ENVIRONMENTS = ["happy-dom", "jsdom"].flatMap((environment) =>
  ["forks", "vmThreads"].map((pool) => ({ environment, pool })),
);

describe.each(IS_SHORT ? ENVIRONMENTS.slice(0, 1) : ENVIRONMENTS)(
  "in $environment, with vitest's pool $pool",
  ({ environment, pool }) => {
    it("a suite is green as docs/testing.md configures it", { timeout: 600_000 }, async () => {
      const project = await install("vitest-dom", ["vitest@4", "happy-dom", "jsdom"]);
      await project.writeShown(["vitest.dom.config.js", "sandbox-setup.js"], 0);
      const args = ["run", "--config", "vitest.dom.config.js"];
      const options = ["--environment", environment, "--pool", pool, "--testTimeout", "60000"];
      const env = { NO_COLOR: "1" };
      const run = await project.run(VITEST.runner, [...args, ...options], { env });
      expect(run).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/Tests +3 passed/) as string,
        stderr: "",
      });
    });
  },
);

describe.skipIf(lacks("the long form"))("beside the oldest frameworks", () => {
  it("a project's compiler knows all types", { timeout: 600_000 }, async () => {
    const packages = ["jest@29", "@jest/globals@29", "@types/jest@29", "expect@29"];
    packages.push("vitest@3.0.0", "@playwright/test@1.40.0", "@types/node@20");
    const project = await install("types", packages);
    const alone = { extends: "./tsconfig.json", include: ["vitest.mts"] };
    await writeFile(project.at("vitest.json"), JSON.stringify(alone));
    for (const config of ["tsconfig.json", "vitest.json"]) {
      const compiled = await project.run(`./${path.relative(project.at("."), TSC)}`, [
        "-p",
        config,
      ]);
      expect([config, compiled]).toMatchObject([config, { code: 0, stdout: "" }]);
    }
  });
});

/** The oldest is the one that docs/testing.md names. */
describe.each(IS_SHORT ? ["5.3"] : ["5.3", "5.4", "5.5", "5.9", "latest"])(
  "TypeScript %s",
  (version) => {
    it.each([
      ["node16", "node16"],
      ["nodenext", "nodenext"],
      ["esnext", "bundler"],
    ])(
      "knows all types without skipLibCheck, with the module %s and the resolution %s",
      { timeout: 600_000 },
      async (module, resolution) => {
        const project = await install("types", ["@types/node@20"]);
        const files = resolution === "bundler" ? ["typed.ts"] : ["typed.mts", "typed.cts"];
        for (const file of files) await writeFile(project.at(file), TYPED);
        const tsc = path.join(await packageOf("typescript", version), "bin/tsc");
        const compilerOptions = {
          noEmit: true,
          strict: true,
          skipLibCheck: false,
          target: "es2022",
          lib: ["es2023", "esnext.disposable"],
          types: ["node"],
          module,
          moduleResolution: resolution,
        };
        const config = `${module}.json`;
        await writeFile(project.at(config), JSON.stringify({ compilerOptions, files }));
        const args = ["-p", config];
        const compiled = await project.run(`./${path.relative(project.at("."), tsc)}`, args);
        expect(compiled).toMatchObject({ code: 0, stdout: "" });
      },
    );
  },
);

describe.skipIf(lacks("the long form"))("a project with no test framework", () => {
  const runtimes = [
    ...NODES.map((version) => ({
      runtime: `Node ${version}`,
      find: async () => [await nodeOf(version)],
    })),
    { runtime: "Bun", find: async () => [await runtimeOf("bun")] },
    { runtime: "Deno", find: async () => [await runtimeOf("deno"), "run", "-A"] },
  ];

  it.each(runtimes)("runs on $runtime", { timeout: 600_000 }, async ({ find }) => {
    const project = await install("types", []);
    const command = (await find()) as [string, ...string[]];
    for (const [file, source] of Object.entries(LOADERS)) {
      await writeFile(project.at(file), source);
      expect([file, await project.run(`./${file}`, [], { command })]).toMatchObject([file, SOLD]);
    }
  });

  it.each(OLD_NODES)(
    "is refused by a sentence on Node %s",
    { timeout: 600_000 },
    async (version) => {
      const project = await install("types", []);
      const command = [await nodeOf(version)] as [string];
      const refused = {
        code: 1,
        stderr: expect.stringMatching(
          /^(?:[^]*\nError: )?pix-sandbox needs Node\.js 20\.19 or newer in version 20, or 22\.12 or newer; this is /,
        ) as string,
      };
      const cli = await project.run("pix-sandbox/bin/pix-sandbox.js", ["--version"], { command });
      expect(cli).toMatchObject(refused);
      for (const [file, source] of Object.entries(LOADERS)) {
        await writeFile(project.at(file), source);
        expect([file, await project.run(`./${file}`, [], { command })]).toMatchObject([
          file,
          refused,
        ]);
      }
    },
  );
});

describe("a project of Yarn's that has no node_modules", () => {
  it.each(NODES)("runs on Node %s", { timeout: 600_000 }, async (version) => {
    await using project = await createFolder();
    const yarn = await packageOf("@yarnpkg/cli-dist", "4");
    const dependencies = { "pix-sandbox": `file:${tarball}` };
    await writeFile(project.at("package.json"), JSON.stringify({ name: "shop", dependencies }));
    await writeFile(project.at("yarn.lock"), "");
    const env = {
      YARN_ENABLE_GLOBAL_CACHE: "false",
      YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
      YARN_ENABLE_TELEMETRY: "false",
    };
    const node = await nodeOf(version);
    const run = async (...args: string[]) => {
      const options = { cwd: project.path, env };
      await using running = startProcess(node, [path.join(yarn, "bin/yarn.js"), ...args], options);
      return await running.ended;
    };
    expect(await run("install")).toMatchObject({ code: 0 });
    for (const [file, source] of Object.entries(LOADERS)) {
      await writeFile(project.at(file), source);
      expect([file, await run("node", file)]).toMatchObject([file, SOLD]);
    }
    expect(await run("pix-sandbox", "--version")).toMatchObject({ code: 0 });
  });
});

/** Projects and programs, each installed at its first use. */
const installed = new Map<string, Promise<Project | string>>();
afterAll(async () => {
  for (const one of await Promise.allSettled(installed.values()))
    if (one.status === "fulfilled" && typeof one.value !== "string")
      await one.value[Symbol.asyncDispose]();
});

function once<Value extends Project | string>(key: string, make: () => Promise<Value>) {
  const made = (installed.get(key) as Promise<Value> | undefined) ?? make();
  installed.set(key, made);
  return made;
}

function install(
  example: string,
  packages: readonly string[],
  prepare?: (project: Project) => Promise<void>,
): Promise<Project> {
  return once([example, prepare?.name, ...packages].join(" "), async () => {
    const project = await installProject(example, tarball, packages);
    await prepare?.(project);
    return project;
  });
}

/** The folder of a package that npm installs for all tests. */
function packageOf(name: string, version: string): Promise<string> {
  return once(`${name}@${version}`, async () => {
    const home = folder.at(`${name.replace("/", "-")}-${version}`);
    await mkdir(home);
    await writeFile(path.join(home, "package.json"), "{}");
    await npm(home, "install", `${name}@${version}`);
    return path.join(home, "node_modules", name);
  });
}

async function runtimeOf(name: "bun" | "deno"): Promise<string> {
  return path.join(await packageOf(name, "latest"), "../.bin", name);
}

/** The program of a Node version, from the npm package `node`. */
async function nodeOf(version: string): Promise<string> {
  if (version === process.versions.node) return process.execPath;
  return path.join(await packageOf("node", version), "bin/node");
}
