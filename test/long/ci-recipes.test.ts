import { appendFile, copyFile, cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import type { Ready } from "../support/serving.ts";
import { createFolder } from "../support/folder.ts";
import { type Ended, freePort, startProcess } from "../support/process.ts";
import { Page } from "../support/documents.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CONSUMERS = fileURLToPath(new URL("consumers", import.meta.url));

/** A runner has checked out the project's files and installed Node before it runs a recipe's commands. */
const DONE_BEFOREHAND = ["actions/checkout@v4", "actions/setup-node@v4"];

const step = z.strictObject({
  name: z.string().optional(),
  uses: z.enum(DONE_BEFOREHAND).optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  run: z.string().optional(),
  if: z.enum(["failure()", "always()"]).optional(),
  env: z.record(z.string(), z.string()).optional(),
});
type Step = z.infer<typeof step>;

const githubWorkflow = z.strictObject({
  name: z.string(),
  on: z.array(z.string()),
  jobs: z.record(
    z.string(),
    z.strictObject({ "runs-on": z.literal("ubuntu-latest"), steps: z.array(step) }),
  ),
});

const gitlabJobs = z
  .object({ default: z.strictObject({ image: z.string() }) })
  .catchall(z.strictObject({ script: z.array(z.string()) }));

const page = await Page.read("docs/ci.md");
const workflow = page.take("yaml", "# .github/workflows/test.yml");
const gitlab = page.take("yaml", "# .gitlab-ci.yml");
const action = parse(page.take("yaml", "OWNER/pix-sandbox")) as {
  readonly steps: readonly { readonly uses?: string; readonly with?: object }[];
};
/** The page says that these were not run; test/long/container runs the image's command with a state. */
const docker = page.take("text", "docker build");
const containers = ["java", "js", "python", "go"].map((kind) => page.take(kind));
const install = (await Page.read("README.md")).take("sh", "npm pack");

/** A merchant's repository as the runner of a job checks it out. */
interface Checkout extends AsyncDisposable {
  at(name: string): string;
  /** Runs bash there to its end. */
  bash(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
}

interface Outcome {
  readonly code: number;
  readonly output: string;
}

type Job = (checkout: Checkout) => Promise<Outcome>;

const jobs = readJobs(workflow, gitlab);

describe("docs/ci.md", { timeout: 300_000 }, () => {
  let template: Awaited<ReturnType<typeof createFolder>>;
  beforeAll(async () => {
    template = await createFolder();
    await copyFile(path.join(CONSUMERS, "ci/check.js"), template.at("check.js"));
    await copyFile(path.join(CONSUMERS, "shop.js"), template.at("shop.js"));
    const manifest = { private: true, type: "module", scripts: { test: "node check.js" } };
    await writeFile(template.at("package.json"), JSON.stringify(manifest));
    for (const line of install.split("\n")) await npm(line.replace(/^npm /, "").split(" "));
  }, 120_000);
  afterAll(() => template[Symbol.asyncDispose]());

  /** Runs a line of the README: the clone is already built, and only the lock file is needed. */
  const npm = async ([command = "", ...args]: readonly string[]): Promise<void> => {
    const flag = command === "pack" ? "--ignore-scripts" : "--package-lock-only";
    const located = args.map((arg) => (arg === "../pix-sandbox" ? ROOT : arg));
    await using program = startProcess("npm", [command, flag, ...located], {
      cwd: template.path,
      env: OFFLINE,
    });
    const { code, stderr } = await program.ended;
    if (code !== 0) throw new Error(`npm ${command} ended with ${code}: ${stderr}`);
  };

  it("has no block that is not run", () => {
    expect(page.untaken).toEqual([]);
    expect(docker).toContain("serve --state /data/state.json");
    for (const container of containers) expect(container).toContain('"pix-sandbox"');
    expect(page.section("Testcontainers")).toContain("were not run");
    expect(jobs.map(([name]) => name)).toEqual([
      "GitHub, one-command",
      "GitHub, several-steps",
      "GitLab, one-command",
      "GitLab, several-steps",
    ]);
  });

  it("gives the action inputs that it has; test/process/action runs it", async () => {
    const { inputs } = parse(await readFile(path.join(ROOT, "action.yml"), "utf8")) as {
      readonly inputs: object;
    };
    const used = action.steps.find(({ uses }) => uses?.startsWith("OWNER/"));
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(used?.with ?? {})));
  });

  it.each(jobs)(
    "has a job that tests a shop and leaves nothing running: %s",
    async (_name, run) => {
      await using checkout = await createCheckout(template.path);
      const { code, output } = await run(checkout);
      expect({ code, output }).toMatchObject({ code: 0 });
      // No line of the log. The review names assumptions, such as payin.paid_status.
      expect(output).not.toMatch(/payin\.paid(?!_)/);
      await expectNothingAt(output);
    },
  );

  it.each(jobs)(
    "has a job that fails with the shop's tests and shows the log: %s",
    async (name, run) => {
      await using checkout = await createCheckout(template.path);
      await appendFile(checkout.at("check.js"), 'assert.fail("The shop is closed.");\n');
      const { code, output } = await run(checkout);
      expect({ code, output }).toMatchObject({ code: 1 });
      const shown = name.endsWith("one-command") ? /webhooks +1 +1 delivered/ : /\bpayin\.paid\b/;
      expect(output).toMatch(shown);
      await expectNothingAt(output);
    },
  );

  it.each(
    readJobs(...[workflow, gitlab].map((recipe) => recipe.replace("--wait", "$& --timeout 5s"))),
  )(
    "has a job that fails when the sandbox does not start, and shows why: %s",
    async (_name, run) => {
      await using checkout = await createCheckout(template.path);
      await writeFile(checkout.at("pix-sandbox.config.json"), '{"color":"blue"}');
      const { code, output } = await run(checkout);
      expect({ code, output }).not.toMatchObject({ code: 0 });
      expect(output).toContain('"color"');
      expect(output).not.toContain("The shop sells at");
    },
  );
});

const OFFLINE = {
  npm_config_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
};

function readJobs(forGithub = "", forGitlab = ""): [string, Job][] {
  const { jobs: github } = githubWorkflow.parse(parse(forGithub));
  const { default: _image, ...rest } = gitlabJobs.parse(parse(forGitlab));
  return [
    ...Object.entries(github).map(([name, { steps }]): [string, Job] => [
      `GitHub, ${name}`,
      (checkout) => runSteps(steps, checkout),
    ]),
    ...Object.entries(rest).map(([name, { script }]): [string, Job] => [
      `GitLab, ${name}`,
      (checkout) => runScript(script, checkout),
    ]),
  ];
}

/** Checks out the merchant's repository, with its own port for the sandbox. */
async function createCheckout(template: string): Promise<Checkout> {
  const folder = await createFolder();
  await cp(template, folder.path, { recursive: true });
  const port = String(await freePort());
  const given = {
    ...OFFLINE,
    PIX_SANDBOX_PORT: port,
    PIX_SANDBOX_URL: `http://127.0.0.1:${port}`,
  };
  return {
    at: (name) => folder.at(name),
    bash: async (args, env) => {
      await using program = startProcess("bash", args, {
        cwd: folder.path,
        env: { ...given, ...env },
      });
      return await program.ended;
    },
    [Symbol.asyncDispose]: async () => {
      await stopLeftover(folder.at("ready.json"));
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Runs steps as GitHub's runner does: each in its own shell, with the variables that earlier steps exported. */
async function runSteps(steps: readonly Step[], checkout: Checkout): Promise<Outcome> {
  const environmentFile = checkout.at("github.env");
  await writeFile(environmentFile, "");
  let code = 0;
  let output = "";
  for (const { run, if: condition, env } of steps) {
    const isDue = condition === "always()" || (condition === "failure()") === (code !== 0);
    if (run === undefined || !isDue) continue;
    await writeFile(checkout.at("step.sh"), run);
    const left = (await readFile(environmentFile, "utf8")).split("\n").slice(0, -1);
    const ended = await checkout.bash(["-e", "step.sh"], {
      GITHUB_ENV: environmentFile,
      ...Object.fromEntries(left.map((line) => readVariable(line))),
      ...env,
    });
    output += ended.stdout + ended.stderr;
    code ||= ended.code ?? 1;
  }
  return { code, output };
}

/** Runs a script as GitLab's runner does: in one shell without standard input. */
async function runScript(script: readonly string[], checkout: Checkout): Promise<Outcome> {
  const runner = 'set -eo pipefail; set +o noclobber; : | eval "$1"; exit 0';
  const ended = await checkout.bash(["-c", runner, "bash", script.join("\n")]);
  return { code: ended.code ?? 1, output: ended.stdout + ended.stderr };
}

function readVariable(line: string): [string, string] {
  const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`No variable: ${line}`);
  return [name, value];
}

/** Expects that the sandbox at the address in the shop's output has stopped. */
async function expectNothingAt(output: string): Promise<void> {
  const [, url] = /The shop sells at (http:\S+)\.$/m.exec(output) ?? [];
  if (url === undefined) throw new Error(`The shop was not tested: ${output}`);
  await vi.waitFor(() => expect(fetch(url)).rejects.toThrow("fetch failed"), { timeout: 30_000 });
}

/** Stops a sandbox that a failed recipe left running. */
async function stopLeftover(readyFile: string): Promise<void> {
  const text = await readFile(readyFile, "utf8").catch(() => undefined);
  if (text === undefined) return;
  const { url, pid } = JSON.parse(text) as Ready;
  const answer = await fetch(`${url}/_sandbox/health`).catch(() => undefined);
  if (answer?.ok) process.kill(pid);
}
