import { mkdir, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createProject } from "./project.ts";

/** Each framework's package, with the arguments of node that run its tests, and the file that `init` names. */
const FRAMEWORKS = [
  ["vitest", "node_modules/vitest/vitest.mjs run", "pix-sandbox.test.js"],
  ["jest", "node_modules/jest/bin/jest.js", "pix-sandbox.test.js"],
  ["mocha", "node_modules/mocha/bin/mocha.js", "test/pix-sandbox.test.mjs"],
  ["@playwright/test", "node_modules/@playwright/test/cli.js test", "pix-sandbox.spec.js"],
  [undefined, "--test", "pix-sandbox.test.mjs"],
] as const;

describe("a project after init", () => {
  it.each(FRAMEWORKS)(
    "has a test that exec judges: green, and red if the handler redirects: %s",
    { timeout: 180_000 },
    async (name, args, file) => {
      await using project = await createProject(undefined, name === undefined ? [] : [name]);
      const manifest = {
        scripts: { test: `node ${args}` },
        devDependencies: name === undefined ? {} : { [name]: "*" },
      };
      await writeFile(project.at("package.json"), JSON.stringify(manifest));
      const pix = (words: string) =>
        project.run("./node_modules/pix-sandbox/bin/pix-sandbox.js", words.split(" "), {
          env: { NO_COLOR: "1" },
        });
      const { test } = JSON.parse((await pix("init --json")).stdout) as {
        test: { file: string; text: string };
      };
      expect(test.file).toBe(file);
      const judge = async () => {
        const { code, stdout, stderr } = await pix("exec --report --fail-on error -- npm test");
        return { code, output: stdout + stderr };
      };
      const passed = /(?:1 passed|1 passing|pass 1)[^]*Integration review/;
      await mkdir(project.at("test"), { recursive: true });
      await writeFile(project.at(file), test.text);
      const green = await judge();
      expect(green).toMatchObject({ code: 0, output: expect.stringMatching(passed) as string });

      const redirecting = test.text.replace(/^.*receiver\(\).*$/m, "$&\nhook.respond(302);");
      await writeFile(project.at(file), redirecting);
      const red = await judge();
      expect(red.output).toMatch(passed);
      expect(red).toMatchObject({
        code: 8,
        output: expect.stringContaining("Rules broken: webhook_answer_redirects.") as string,
      });
    },
  );
});
