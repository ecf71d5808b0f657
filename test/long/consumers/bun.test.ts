import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startMerchant } from "../../support/merchant.ts";
import { createProject } from "./project.ts";

const BUN = fileURLToPath(new URL("../node_modules/.bin/bun", import.meta.url));

describe("a bun project with pix-sandbox/bun", () => {
  it("tests a shop, and ends by itself", { timeout: 120_000 }, async () => {
    await using project = await createProject("bun", []);
    const { code, stderr } = await project.run("./shop.test.js", [], { command: [BUN, "test"] });
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/\b4 pass\n\s*0 fail\n/) as string,
    });
  });

  it("runs the example of docs/testing.md", { timeout: 120_000 }, async () => {
    await using merchant = await startMerchant();
    await using project = await createProject("bun", []);
    await project.writeShown(["shop.bun.test.js"], merchant.port);
    const { code, stderr } = await project.run("./shop.bun.test.js", [], {
      command: [BUN, "test"],
    });
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/\b1 pass\n\s*0 fail\n/) as string,
    });
  });
});
