import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { launchOptions } from "../../support/browser.ts";
import { startServe } from "../../support/cli.ts";
import { startMerchant } from "../../support/merchant.ts";
import { createProject } from "./project.ts";

const PLAYWRIGHT = "@playwright/test/cli.js";

describe("a playwright project with pix-sandbox/playwright", () => {
  it("tests a shop, with a sandbox for each worker", { timeout: 120_000 }, async () => {
    await using project = await createProject("playwright", ["@playwright/test"]);
    const { code, stdout, stderr } = await project.run(PLAYWRIGHT, ["test"]);
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("5 passed") as string,
      stderr: "",
    });
  });

  it("runs the examples of docs/testing.md", { timeout: 120_000 }, async () => {
    await using merchant = await startMerchant();
    await using project = await createProject("playwright", ["@playwright/test"]);
    await project.writeShown(["shop.spec.js", "expiry.spec.js"], merchant.port);
    const args = ["test", "--config", "readme.config.js"];
    const { code, stdout, stderr } = await project.run(PLAYWRIGHT, args);
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 passed") as string,
      stderr: "",
    });
  });

  it("runs the checkout of docs/testing.md in a browser", { timeout: 120_000 }, async () => {
    await using project = await createProject("playwright", ["@playwright/test"]);
    await project.writeShown(["checkout.spec.js"], 0);
    const options = { reporter: "line", use: { launchOptions: await launchOptions() } };
    const config = `export default ${JSON.stringify(options)};`;
    await writeFile(project.at("checkout.config.js"), config);
    const args = ["test", "--config", "checkout.config.js", "checkout.spec.js"];
    const { code, stdout, stderr } = await project.run(PLAYWRIGHT, args);
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("1 passed") as string,
      stderr: "",
    });
  });

  it(
    "uses the sandbox that is named, as the integration that is",
    { timeout: 120_000 },
    async () => {
      await using serving = await startServe();
      await using project = await createProject("playwright", ["@playwright/test"]);
      const env = { PIX_SANDBOX_URL: `${serving.url}/v1/` };
      const args = ["test", "--config", "named.config.js"];
      const { code, stdout } = await project.run(PLAYWRIGHT, args, { env });
      expect({ code, stdout }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("5 passed") as string,
      });
      const answer = await fetch(`${serving.url}/_sandbox/integrations`);
      expect(await answer.json()).toMatchObject({ data: [{ integration: "my-shop" }] });
    },
  );
});
