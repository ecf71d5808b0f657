import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createProject } from "./project.ts";

/** Each framework's package with its program's arguments; undefined for Node's own. */
const FRAMEWORKS = [
  ["vitest", "vitest/vitest.mjs", ["run"]],
  ["jest", "jest/bin/jest.js", []],
  ["mocha", "mocha/bin/mocha.js", ["pix-sandbox.test.mjs"]],
  ["@playwright/test", "@playwright/test/cli.js", ["test"]],
  [undefined, "./pix-sandbox.test.mjs", []],
] as const;

describe("a project after init", () => {
  it.each(FRAMEWORKS)(
    "has a test that passes: %s",
    { timeout: 120_000 },
    async (name, file, args) => {
      await using project = await createProject(undefined, name === undefined ? [] : [name]);
      const manifest = {
        scripts: name === undefined ? { test: "node --test" } : {},
        devDependencies: name === undefined ? {} : { [name]: "*" },
      };
      await writeFile(project.at("package.json"), JSON.stringify(manifest));
      const made = await project.run("./node_modules/pix-sandbox/bin/pix-sandbox.js", [
        "init",
        "--yes",
      ]);
      expect(made).toMatchObject({ code: 0, stderr: "" });
      const { code, stdout, stderr } = await project.run(file, args, { env: { NO_COLOR: "1" } });
      expect({ code, output: `${stdout}${stderr}` }).toMatchObject({
        code: 0,
        output: expect.stringMatching(/1 passed|1 passing|pass 1/) as string,
      });
    },
  );
});
