import { expect, it } from "vitest";
import { createProject } from "./project.ts";

it("a project's compiler knows every option and answer", { timeout: 120_000 }, async () => {
  await using project = await createProject("types", [
    "@jest/globals",
    "@playwright/test",
    "@types/jest",
    "@types/node",
    "expect",
    "vitest",
  ]);
  const { code, stdout } = await project.run("typescript/bin/tsc", ["-p", "."]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
});
