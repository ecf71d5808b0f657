import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { build, type Plugin } from "rolldown";
import { describe, expect, it } from "vitest";
import { createFolder } from "./support/folder.ts";

interface Patch {
  readonly file: string;
  readonly change: (code: string) => string;
}

const { BUNDLE_PATCHES: PATCHES, pluginsOf } = (await import(
  new URL("../build/patches.js", import.meta.url).href
)) as {
  BUNDLE_PATCHES: readonly Patch[];
  pluginsOf: (patches: readonly Patch[]) => Plugin[];
};
const CHANGED = "export const changed = true;\n";

/** Builds a program that loads one file of a dependency. */
async function buildWith(file: string, patch: Patch): Promise<unknown> {
  await using folder = await createFolder();
  const module = folder.at(path.join("node_modules", file.replaceAll("*", "AbC-1_2")));
  await mkdir(path.dirname(module), { recursive: true });
  await writeFile(module, CHANGED);
  await writeFile(folder.at("main.js"), `export * from ${JSON.stringify(module)};`);
  return await build({
    input: folder.at("main.js"),
    plugins: pluginsOf([patch]),
    write: false,
    logLevel: "silent",
  });
}

describe("a build", () => {
  it.each(PATCHES)("fails if it loads no $file to patch", async (patch) => {
    await expect(buildWith("other/index.js", patch)).rejects.toThrow(
      `The build loads no ${patch.file} to patch.`,
    );
  });

  it.each(PATCHES)("fails if $file contains nothing to patch", async (patch) => {
    await expect(buildWith(patch.file, patch)).rejects.toThrow(
      /There is nothing to patch in |The text to patch is missing: /,
    );
  });

  it("applies a patch to the file", async () => {
    const patch = {
      file: "dependency/index.*.js",
      change: (code: string) => code.replace("true", '"patched"'),
    };
    const { output } = (await buildWith(patch.file, patch)) as { output: { code: string }[] };
    expect(output[0]?.code).toContain('"patched"');
  });
});
