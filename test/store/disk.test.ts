import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { realDisk, writeAll } from "../../src/store/file/disk.ts";
import { createFolder } from "../support/folder.ts";

describe("the machine's disk", () => {
  it.skipIf(process.platform === "win32")(
    "creates a file with the requested mode, whatever the umask is",
    async () => {
      await using folder = await createFolder();
      for (const mode of [0o600, 0o640, 0o666]) {
        const name = folder.at(`file-${mode}`);
        const file = await realDisk.create(name, mode);
        await file.close();
        expect((await realDisk.stat(name)).mode & 0o777).toBe(mode);
      }
    },
  );

  it.each([false, true])(
    "writes at a position, of any size, and syncs (a write syncs itself: %s)",
    async (writesThrough) => {
      await using folder = await createFolder();
      const name = folder.at("file");
      const file = await realDisk.create(name, 0o600, writesThrough);
      const large = Buffer.alloc(1 << 17, "b");
      await writeAll(file, Buffer.from("aaa"), 0);
      await writeAll(file, large, 2);
      await file.sync();
      expect(await readFile(name, "utf8")).toBe(`aa${large.toString()}`);
      await file.truncate(2);
      await file.sync();
      await writeAll(file, Buffer.from("c"), 2);
      await file.sync();
      expect(await readFile(name, "utf8")).toBe("aac");
      await realDisk.remove(name);
      await expect(file.write(Buffer.from("d"), 3)).rejects.toThrow("deleted");
      await file.close();
    },
  );

  it.runIf(process.platform === "linux")(
    "accepts that a disk cannot sync folders, and no other error",
    async () => {
      await expect(realDisk.syncFolder("/proc")).resolves.toBeUndefined();
      await expect(realDisk.syncFolder("/nowhere")).rejects.toThrow("ENOENT");
    },
  );
});
