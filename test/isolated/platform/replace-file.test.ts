import { expect, it, vi } from "vitest";

const system = vi.hoisted(() => ({ renames: 0, failures: 0, code: "", pausesMs: [] as number[] }));

vi.mock(import("node:fs/promises"), async (original) => ({
  ...(await original()),
  rename: async () => {
    system.renames++;
    if (system.renames <= system.failures)
      throw Object.assign(new Error(system.code), { code: system.code });
  },
}));
vi.mock(import("../../../src/platform/pause.ts"), async (original) => ({
  ...(await original()),
  pause: async (durationMs: number) => void system.pausesMs.push(durationMs),
}));

it.each([
  ["win32", "EPERM", 2, 3, undefined],
  ["win32", "EACCES", 2, 3, undefined],
  ["win32", "EBUSY", 2, 3, undefined],
  ["win32", "EPERM", Infinity, 9, "EPERM"],
  ["win32", "ENOENT", 1, 1, "ENOENT"],
  ["linux", "EACCES", 1, 1, "EACCES"],
  ["darwin", "EPERM", 1, 1, "EPERM"],
])(
  "a file is replaced on %s, where %s fails it %d times, with %d attempts: %s",
  async (platform, code, failures, attempts, error) => {
    Object.assign(system, { renames: 0, failures, code, pausesMs: [] });
    vi.spyOn(process, "platform", "get").mockReturnValue(platform as NodeJS.Platform);
    vi.resetModules();
    const { replaceFile } = await import("../../../src/platform/folders.ts");
    const replaced = replaceFile("new", "old").catch((thrown: { code: string }) => thrown.code);
    expect(await replaced).toBe(error);
    expect(system.renames).toBe(attempts);
    expect(system.pausesMs).toHaveLength(attempts - 1);
    expect(system.pausesMs.reduce((sum, pauseMs) => sum + pauseMs, 0)).toBeLessThanOrEqual(2000);
  },
);
