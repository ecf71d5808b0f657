import { describe, expect, it } from "vitest";
import { startBrowser } from "../../support/browser.ts";
import { startServe } from "../../support/cli.ts";
import { checkFailedSuite } from "../../support/failed-suite.ts";
import { startMerchant } from "../../support/merchant.ts";
import { createProject, type Project, toCommonJs } from "./project.ts";

const JEST = "jest/bin/jest.js";
const QUIET = { NO_COLOR: "1" };

/** How a project's files are written, and what jest needs for them; the same tests are run in both. */
const KINDS = [
  { kind: "CommonJS", prepare: toCommonJs, env: QUIET },
  // Where jest gives ES modules, Node says at each start that they are an experiment.
  {
    kind: "ES modules",
    prepare: async () => {},
    env: { ...QUIET, NODE_OPTIONS: "--experimental-vm-modules --no-warnings" },
  },
];

describe.each(KINDS)("a jest project of $kind with pix-sandbox/jest", ({ prepare, env }) => {
  it("tests a shop, in two workers on one sandbox", { timeout: 120_000 }, async () => {
    await using project = await createJestProject(prepare);
    const { code, stdout, stderr } = await runJest(project, ["--maxWorkers", "2"], env);
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(/Tests: +8 passed, 8 total/) as string,
    });
    expect(stderr).not.toContain("did not exit");
  });

  it("needs no global fetch, as in jsdom", { timeout: 120_000 }, async () => {
    await using project = await createProject("jest", ["jest", "jest-environment-node"]);
    await prepare(project);
    const { code, stderr } = await runJest(project, ["--config", "bare.config.js"], env);
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Tests: +1 passed, 1 total/) as string,
    });
  });

  it("has a sandbox with options of its own", { timeout: 120_000 }, async () => {
    await using project = await createJestProject(prepare);
    const { code, stderr } = await runJest(project, ["--config", "frozen.config.js"], env);
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Tests: +1 passed, 1 total/) as string,
    });
  });

  it("leaves the trace of a test that fails", { timeout: 120_000 }, async () => {
    await using browser = await startBrowser();
    await checkFailedSuite(browser, ["jest", "@jest/globals"], async (project) => {
      await prepare(project);
      return runJest(project, [], env);
    });
  });

  it("gets advice if the setup is missing", { timeout: 120_000 }, async () => {
    await using project = await createJestProject(prepare);
    const args = ["--config", "without-setup.config.js"];
    const { code, stderr } = await runJest(project, args, env);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'add "pix-sandbox/jest/setup" as globalSetup and "pix-sandbox/jest/teardown" as globalTeardown',
      ) as string,
    });
  });

  it("uses the given sandbox without a setup", { timeout: 120_000 }, async () => {
    await using serving = await startServe();
    await using project = await createJestProject(prepare);
    const args = ["--config", "without-setup.config.js"];
    const named = { ...env, PIX_SANDBOX_URL: `${serving.url}/v1/` };
    expect(await runJest(project, args, named)).toMatchObject({ code: 0 });
    const answer = await fetch(`${serving.url}/_sandbox/integrations`);
    expect(await answer.json()).toMatchObject({ data: [{ integration: "worker-1" }] });
  });

  it("runs the examples of docs/testing.md", { timeout: 120_000 }, async () => {
    await using merchant = await startMerchant();
    await using project = await createJestProject(prepare);
    await project.writeShown(["jest.config.cjs", "shop.test.cjs"], merchant.port);
    const { code, stderr } = await runJest(project, ["--config", "jest.config.cjs"], env);
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Tests: +1 passed, 1 total/) as string,
    });
  });
});

// A CommonJS test cannot import the package itself.
describe.each(KINDS.slice(1))("a jest test of $kind with pix-sandbox", ({ prepare, env }) => {
  it("works under modern and legacy fake timers", { timeout: 120_000 }, async () => {
    await using project = await createJestProject(prepare);
    const { code, stderr } = await runJest(project, ["--config", "fake-timers.config.js"], env);
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Tests: +6 passed, 6 total/) as string,
    });
  });
});

async function createJestProject(prepare: (project: Project) => Promise<void>): Promise<Project> {
  const project = await createProject("jest", ["jest"]);
  await prepare(project);
  return project;
}

/** What jest keeps from one run to the next it keeps in the project. */
function runJest(project: Project, args: readonly string[], env: Record<string, string>) {
  return project.run(JEST, ["--cacheDirectory", project.at("cache"), ...args], { env });
}
