import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createProject } from "./project.ts";

const BUN = fileURLToPath(new URL("../node_modules/.bin/bun", import.meta.url));

describe("a bun project with useSandbox()", () => {
  it("tests a shop, and ends by itself", { timeout: 120_000 }, async () => {
    await using project = await createProject("bun", []);
    const { code, stderr } = await project.run("./shop.test.js", [], { command: [BUN, "test"] });
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/\b4 pass\n\s*0 fail\n/) as string,
    });
  });
});
