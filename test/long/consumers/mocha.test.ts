import { describe, expect, it } from "vitest";
import { startServe } from "../../support/cli.ts";
import { createProject, toCommonJs } from "./project.ts";

const MOCHA = "mocha/bin/mocha.js";

describe("a mocha project with useSandbox()", () => {
  it.each([
    { kind: "ES modules", prepare: async () => {} },
    { kind: "CommonJS", prepare: toCommonJs },
  ])("tests a shop in $kind, and ends by itself", { timeout: 120_000 }, async ({ prepare }) => {
    await using project = await createProject("mocha", ["mocha"]);
    await prepare(project);
    const { code, stdout, stderr } = await project.run(MOCHA, ["shop.example.js"]);
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\b4 passing/) as string,
      stderr: "",
    });
  });

  it("uses the given sandbox", { timeout: 120_000 }, async () => {
    await using serving = await startServe();
    await using project = await createProject("mocha", ["mocha"]);
    const env = { PIX_SANDBOX_URL: serving.url };
    expect(await project.run(MOCHA, ["shop.example.js"], { env })).toMatchObject({ code: 0 });
    const answer = await fetch(`${serving.url}/_sandbox/integrations`);
    const { data } = (await answer.json()) as { data: { integration: string }[] };
    expect(data[0]?.integration).toMatch(/^test-[0-9a-f]{8}-1$/);
  });
});
