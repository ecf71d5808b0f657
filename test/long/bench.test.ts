import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { startProgram } from "../support/process.ts";

const BENCH = fileURLToPath(new URL("../bench/index.js", import.meta.url));

describe("npm run bench", { timeout: 120_000 }, () => {
  it("prints Markdown, and writes JSON", async () => {
    await using folder = await createFolder();
    const args = ["start", "--short", "--markdown", "--json", folder.at("out.json")];
    await using program = startProgram(BENCH, args);
    const { code, stdout } = await program.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^\| first response after start, health \/ .* \| \d+\.\d+ \(\d.* to .*\) \|/m,
    );
    expect(JSON.parse(await readFile(folder.at("out.json"), "utf8"))).toEqual([
      expect.objectContaining({ ratios: expect.any(Array), median: expect.any(Number) }),
      expect.objectContaining({ ratios: expect.any(Array), median: expect.any(Number) }),
    ]);
  });
});
