import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { replaceFile } from "../../src/platform/replace-file.ts";
import { createFolder } from "../support/folder.ts";

/** A system on which the first renames fail. */
function failing(platform: NodeJS.Platform, code: string, times: number) {
  const renames: string[] = [];
  const pausesMs: number[] = [];
  return {
    renames,
    pausesMs,
    platform,
    pause: (durationMs: number) => {
      pausesMs.push(durationMs);
      return Promise.resolve();
    },
    rename: (from: string, to: string) => {
      renames.push(`${from} ${to}`);
      return renames.length > times
        ? Promise.resolve()
        : Promise.reject(Object.assign(new Error(code), { code }));
    },
  };
}

describe("replacing a file", () => {
  it.each(["EPERM", "EACCES", "EBUSY"])("waits on Windows while it is in use: %s", async (code) => {
    const system = failing("win32", code, 2);
    await replaceFile("new", "old", system);
    expect(system.renames).toEqual(["new old", "new old", "new old"]);
    expect(system.pausesMs).toHaveLength(2);
  });

  it("gives up after a bounded time", async () => {
    const system = failing("win32", "EPERM", Number.POSITIVE_INFINITY);
    await expect(replaceFile("new", "old", system)).rejects.toMatchObject({ code: "EPERM" });
    const waitedMs = system.pausesMs.reduce((sum, pauseMs) => sum + pauseMs, 0);
    expect(waitedMs).toBeGreaterThanOrEqual(1000);
    expect(waitedMs).toBeLessThanOrEqual(2000);
  });

  it.each([
    ["win32", "ENOENT"],
    ["linux", "EACCES"],
    ["darwin", "EPERM"],
  ] as const)("fails at once for another reason: %s %s", async (platform, code) => {
    const system = failing(platform, code, 1);
    await expect(replaceFile("new", "old", system)).rejects.toMatchObject({ code });
    expect([system.renames.length, system.pausesMs]).toEqual([1, []]);
  });

  it("replaces the file", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at("new"), "2");
    await writeFile(folder.at("old"), "1");
    await replaceFile(folder.at("new"), folder.at("old"));
    expect(await readFile(folder.at("old"), "utf8")).toBe("2");
  });
});
