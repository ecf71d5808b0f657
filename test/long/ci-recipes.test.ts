import { appendFile, copyFile, cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { createFolder, type Ended, freePort, type Ready, startProcess } from "../support/cli.ts";
import { VERSION } from "../../src/core/version.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CONSUMERS = fileURLToPath(new URL("consumers", import.meta.url));

/** What a runner has done before a recipe's commands: the project's files lie there, and Node is installed. */
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

const readme = await readFile(path.join(ROOT, "README.md"), "utf8");
const recipes = [...readme.matchAll(/```yaml\n([^]*?)```/g)].map(([, block = ""]) => block);
const [workflow = "", gitlab = "", ...others] = recipes;

/** A merchant's own repository, and what the runner of a job gives it. */
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

describe("the recipes for CI", { timeout: 300_000 }, () => {
  let template: Awaited<ReturnType<typeof createFolder>>;
  beforeAll(async () => {
    template = await createFolder();
    await copyFile(path.join(CONSUMERS, "ci/check.js"), template.at("check.js"));
    await copyFile(path.join(CONSUMERS, "shop.js"), template.at("shop.js"));
    const manifest = { private: true, type: "module", scripts: { test: "node check.js" } };
    await writeFile(template.at("package.json"), JSON.stringify(manifest));
    // The package as it is published, in a file, so that `npm ci` needs no network.
    await npm("pack", "--ignore-scripts", ROOT);
    await npm("install", "--save-dev", "--package-lock-only", `./pix-sandbox-${VERSION}.tgz`);
  }, 120_000);
  afterAll(() => template[Symbol.asyncDispose]());

  const npm = async (...args: string[]): Promise<void> => {
    await using program = startProcess("npm", args, { cwd: template.path, env: OFFLINE });
    const { code, stderr } = await program.ended;
    if (code !== 0) throw new Error(`npm ${args[0]} ended with ${code}: ${stderr}`);
  };

  it("are all tried here", () => {
    expect(others).toEqual([]);
    expect(jobs.map(([name]) => name)).toEqual([
      "GitHub, one-command",
      "GitHub, several-steps",
      "GitLab, one-command",
      "GitLab, several-steps",
    ]);
  });

  it.each(jobs)("test a shop and leave nothing running: %s", async (_name, run) => {
    await using checkout = await createCheckout(template.path);
    const { code, output } = await run(checkout);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).not.toContain("payin.paid");
    await expectNothingAt(output);
  });

  it.each(jobs)("fail where the shop does, and say what it did: %s", async (name, run) => {
    await using checkout = await createCheckout(template.path);
    await appendFile(checkout.at("check.js"), 'assert.fail("The shop is closed.");\n');
    const { code, output } = await run(checkout);
    expect({ code, output }).toMatchObject({ code: 1 });
    const said = name.endsWith("one-command") ? /webhooks +1 +1 delivered/ : /\bpayin\.paid\b/;
    expect(output).toMatch(said);
    await expectNothingAt(output);
  });

  it.each(
    readJobs(...[workflow, gitlab].map((recipe) => recipe.replace("--wait", "$& --timeout 1s"))),
  )("fail where the sandbox does not start, and say why: %s", async (_name, run) => {
    await using checkout = await createCheckout(template.path);
    await writeFile(checkout.at("pix-sandbox.config.json"), '{"colour":"blue"}');
    const { code, output } = await run(checkout);
    expect({ code, output }).not.toMatchObject({ code: 0 });
    expect(output).toContain('"colour"');
    expect(output).not.toContain("The shop sells at");
  });
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

/** The merchant's repository as a runner checks it out, with a port to itself. */
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
      await stopWhatWasLeft(folder.at("ready.json"));
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** As GitHub's runner does: each step a shell of its own, in the environment that those before it left. */
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

/** As GitLab's runner does: one shell for the whole script, which reads nothing. */
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

/** The address that the shop says is no sandbox's any more. */
async function expectNothingAt(output: string): Promise<void> {
  const [, url] = /The shop sells at (http:\S+)\.$/m.exec(output) ?? [];
  if (url === undefined) throw new Error(`The shop was not tested: ${output}`);
  await vi.waitFor(() => expect(fetch(url)).rejects.toThrow("fetch failed"), { timeout: 30_000 });
}

/** For a recipe that fails to: the tests leave nothing running either. */
async function stopWhatWasLeft(readyFile: string): Promise<void> {
  const text = await readFile(readyFile, "utf8").catch(() => undefined);
  if (text === undefined) return;
  const { url, pid } = JSON.parse(text) as Ready;
  const answer = await fetch(`${url}/_sandbox/health`).catch(() => undefined);
  if (answer?.ok) process.kill(pid);
}
