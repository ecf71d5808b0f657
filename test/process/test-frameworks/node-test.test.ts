import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startServe } from "../../support/cli.ts";
import { startProgram } from "../../support/process.ts";

// Files of the repository import the package by its own name.
const SUITES = ["shop.suite.js", "commonjs.suite.cjs"];
const PASSED = { code: 0, stdout: expect.stringMatching(/^# pass 10\n# fail 0$/m) as string };

describe("a suite of node:test with useSandbox()", { timeout: 60_000 }, () => {
  it("gives each test an integration, and ends by itself", async () => {
    expect(await runSuites()).toMatchObject(PASSED);
  });

  it("uses the given sandbox, with other tokens in each process", async () => {
    await using serving = await startServe();
    expect(await runSuites({ PIX_SANDBOX_URL: serving.url })).toMatchObject(PASSED);
    const answer = await fetch(`${serving.url}/_sandbox/integrations`);
    const { data } = (await answer.json()) as { data: { integration: string; payins: number }[] };
    const own = data.filter(({ integration }) => /^test-[0-9a-f]{8}-\d$/.test(integration));
    const named = data.filter(({ integration }) => /^\d+-(?:one|two|three)$/.test(integration));
    expect([own.length, named.length, data.length]).toEqual([4, 3, 7]);
  });
});

async function runSuites(env: Record<string, string> = {}) {
  const cwd = fileURLToPath(new URL("node-test/", import.meta.url));
  await using running = startProgram("--test", ["--test-reporter=tap", ...SUITES], { cwd, env });
  return await running.ended;
}
