import { chmod } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { StorageError } from "../../../src/core/state/ports.ts";
import { type Disk, realDisk } from "../../../src/store/file/disk/disk.ts";
import { checkState, repairState } from "../../../src/store/file/repair.ts";
import {
  JOURNAL,
  change,
  file,
  filesOf,
  folder,
  garble,
  look,
  place,
  useFolder,
} from "./damages.ts";
import { describeInterruptions } from "./interruptions.ts";

useFolder();

// test/long/interrupted-repair.test.ts interrupts at every call.
describeInterruptions(5);

describe("a state in a folder that nothing can be written to", { timeout: 60_000 }, () => {
  it("is checked, and a repair reports it and leaves it unchanged", async () => {
    const files = await filesOf((some) => change(some, JOURNAL, (bytes) => garble(bytes, 1)));
    await place(folder, files);
    const before = await look(folder);
    const disk = readOnly();

    expect((await checkState(file, disk)).commits).toBe(2);
    await expect(repairState(file, disk)).rejects.toThrow(StorageError);
    await expect(repairState(file, disk)).rejects.toThrow(file);
    expect(await look(folder)).toEqual(before);
  });

  it("is found sound by a repair, which has nothing to write", async () => {
    await place(folder, await filesOf(() => undefined));

    expect((await repairState(file, readOnly())).commits).toBe(6);
  });

  // Nothing is out of reach for root, and Windows has other permissions.
  it.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
    "by its permissions is checked, and a repair says so and leaves it as it is",
    async () => {
      await place(
        folder,
        await filesOf((some) => change(some, JOURNAL, (bytes) => garble(bytes, 1))),
      );
      await chmod(folder, 0o500);
      const before = await look(folder);

      expect((await checkState(file)).commits).toBe(2);
      await expect(repairState(file)).rejects.toThrow(StorageError);
      expect(await look(folder)).toEqual(before);
    },
  );
});

function readOnly(): Disk {
  const refused = async (): Promise<never> => {
    throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
  };
  return { ...realDisk, create: refused, open: refused, rename: refused, remove: refused };
}
