import { spawnSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createFolder } from "./support/folder.ts";

const RELEASE = fileURLToPath(new URL("../release/check.js", import.meta.url));
const WORKFLOWS = new URL("../.github/workflows/", import.meta.url);

const MANIFEST = {
  name: "pix-sandbox",
  version: "1.2.3",
  author: "A",
  repository: "https://example.com/a.git",
  homepage: "https://example.com",
  bugs: "https://example.com/bugs",
};
const CHANGELOG =
  "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-12-01\n\n- Now.\n\n## [1.2.2] - 2026-11-01\n\n- Then.\n";

async function release(manifest: object, changelog: string, ...args: string[]) {
  await using folder = await createFolder();
  await writeFile(folder.at("package.json"), JSON.stringify(manifest));
  await writeFile(folder.at("CHANGELOG.md"), changelog);
  const options = { cwd: folder.path, encoding: "utf8" } as const;
  return spawnSync(process.execPath, [RELEASE, ...args], options);
}

describe("release/check.js", () => {
  it("accepts a tag whose version is complete, and prints its notes", async () => {
    const checked = await release(MANIFEST, CHANGELOG, "v1.2.3");
    expect(checked).toMatchObject({ status: 0, stdout: "pix-sandbox 1.2.3 can be published.\n" });
    const noted = await release(MANIFEST, CHANGELOG, "v1.2.3", "--notes");
    expect(noted).toMatchObject({ status: 0, stdout: "- Now.\n" });
  });

  it.each([
    [
      "another tag",
      MANIFEST,
      CHANGELOG,
      "v1.2.4",
      "The tag is v1.2.4, but package.json has the version 1.2.3.",
    ],
    ["no tag", MANIFEST, CHANGELOG, "", "The tag is missing,"],
    ["no entry", MANIFEST, "## [Unreleased]\n\n- Now.\n", "v1.2.3", "CHANGELOG.md has no entry"],
    [
      "an empty entry",
      MANIFEST,
      "## [1.2.3] - 2026-12-01\n\n## [1.2.2] - 2026-11-01\n",
      "v1.2.3",
      "CHANGELOG.md has no entry",
    ],
    [
      "no author",
      { ...MANIFEST, author: undefined },
      CHANGELOG,
      "v1.2.3",
      'package.json has no "author".',
    ],
    [
      "no repository",
      { ...MANIFEST, repository: "" },
      CHANGELOG,
      "v1.2.3",
      'package.json has no "repository".',
    ],
  ])("refuses %s", async (_what, manifest, changelog, tag, reason) => {
    const { status, stdout, stderr } = await release(manifest, changelog, tag);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(reason);
    expect(stderr).toMatch(/\nSee docs\/releasing\.md\.\n$/);
  });

  it("refuses this repository until its owner has filled in what docs/releasing.md lists", async () => {
    const page = await readFile(new URL("../docs/releasing.md", import.meta.url), "utf8");
    const manifest = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
    const { stderr } = await release(
      manifest,
      `## [${manifest.version}] - 2026-12-01\n\n- Now.\n`,
      `v${manifest.version}`,
    );
    const missing = [...stderr.matchAll(/package\.json has no "(\w+)"/g)].map(([, name]) => name);
    for (const name of missing) expect(page).toContain(`\`${name}\``);
    expect("author" in manifest || missing.includes("author")).toBe(true);
  });
});

interface Workflow {
  readonly permissions?: unknown;
}

describe("the workflows", async () => {
  const names = await readdir(WORKFLOWS);

  it.each(names)("pins its actions by commit and limits its permissions: %s", async (name) => {
    const text = await readFile(new URL(name, WORKFLOWS), "utf8");
    for (const [, action] of text.matchAll(/uses: (.*)$/gm))
      expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect((parse(text) as Workflow).permissions).toBeDefined();
    expect(text).not.toMatch(/\$\{\{ *secrets\./);
  });
});
