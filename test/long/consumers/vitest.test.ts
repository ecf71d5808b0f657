import { copyFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { startMerchant } from "../../support/merchant.ts";
import { createProject } from "./project.ts";

const VITEST = "vitest/vitest.mjs";
const WORKERS = 8;
/** How many tests each of the workers runs; the promise is made of 200. */
const TESTS_PER_WORKER = process.env["PIX_WORKER_TESTS"] ?? "10";

describe("a vitest project with pix-sandbox/vitest", () => {
  it.each([
    ["with the setup", [], {}],
    ["without it", ["--config", "without-setup.config.js"], {}],
    // The sandbox that is named is not used.
    [
      "with options",
      ["--config", "frozen.config.js"],
      { PIX_SANDBOX_URL: "http://127.0.0.1:9", PIX_SANDBOX_BASE_URL: "http://127.0.0.1:9/v1" },
    ],
  ])("tests a shop %s", { timeout: 120_000 }, async (_, args, variables) => {
    await using project = await createProject("vitest", ["vitest"]);
    const env = { ...QUIET.env, ...variables };
    const { code, stdout, stderr } = await project.run(VITEST, ["run", ...args], { env });
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Tests +5 passed/) as string,
      stderr: "",
    });
  });

  it("runs the examples of docs/testing.md", { timeout: 120_000 }, async () => {
    await using merchant = await startMerchant();
    await using project = await createProject("vitest", ["vitest"]);
    await project.writeShown(["vitest.config.js", "shop.test.js"], merchant.port);
    const { code, stdout, stderr } = await project.run(VITEST, ["run"], QUIET);
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Tests +1 passed/) as string,
      stderr: "",
    });
  });

  it("isolates eight workers that use one sandbox", { timeout: 600_000 }, async () => {
    await using project = await createProject("vitest-workers", ["vitest"]);
    for (let worker = 1; worker <= WORKERS; worker++)
      await copyFile(project.at("worker.js"), project.at(`worker-${worker}.example.js`));
    const env = { ...QUIET.env, TESTS_PER_WORKER };
    const { code, stdout, stderr } = await project.run(VITEST, ["run"], { env });
    const all = WORKERS * Number(TESTS_PER_WORKER);
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`Tests +${all} passed`)) as string,
      stderr: "",
    });
  });
});

const QUIET = { env: { NO_COLOR: "1" } };
