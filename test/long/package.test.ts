import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { startProcess } from "../support/process.ts";
import { npm } from "./consumers/project.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ATTW = fileURLToPath(
  new URL("node_modules/@arethetypeswrong/cli/dist/index.js", import.meta.url),
);

it("the package has types that fit each way of loading it", { timeout: 120_000 }, async () => {
  await using folder = await createFolder();
  // Without scripts: they would build dist again while other tests use it.
  await npm(folder.path, "pack", "--ignore-scripts", ROOT);
  const [tarball = ""] = await readdir(folder.path);
  const args = [ATTW, tarball, "--format", "ascii", "--no-emoji"];
  await using attw = startProcess(process.execPath, args, { cwd: folder.path });
  const { code, stdout } = await attw.ended;
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining("No problems found") as string,
  });
});
