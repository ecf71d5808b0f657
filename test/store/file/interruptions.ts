import path from "node:path";
import { describe, expect, it } from "vitest";
import { StorageError } from "../../../src/core/state/ports.ts";
import { type Disk, type DiskFile, realDisk } from "../../../src/store/file/disk/disk.ts";
import { StateFileError } from "../../../src/store/errors.ts";
import { repairState } from "../../../src/store/file/repair.ts";
import {
  KINDS,
  STATE,
  expectedAfter,
  filesIn,
  filesOf,
  knownIn,
  newFolder,
  sound,
} from "./damages.ts";

/** @param stride 1 interrupts at every call to the disk, 5 at each fifth */
export function describeInterruptions(stride: number): void {
  describe("a repair that is cut short", { timeout: 60_000 }, () => {
    const damages = KINDS.filter(([title]) => title !== "sound");

    it.each(damages)(
      "at any of its calls to the disk leaves a state that a second one mends: %s",
      async (_title, damage, commits) => {
        const files = await filesOf(damage);
        const known = await expectedAfter(damage, commits);
        const damaged = [...files].filter(([name, bytes]) => !sound.get(name)?.equals(bytes));
        let calls = 0;
        for (let step = 1; ; step += stride) {
          const own = await newFolder(files);
          const disk = dyingAt(step);
          const repaired = await repairState(path.join(own, STATE), disk).catch(() => undefined);
          calls = disk.calls;
          if (repaired && calls < step) break;

          // Whoever starts on it now either is refused or finds what a repair would keep.
          const copy = await newFolder(await filesIn(own));
          const started = await knownIn(path.join(copy, STATE)).catch((error: unknown) => error);
          if (!(started instanceof StateFileError)) expect(started).toEqual(known);

          const mended = path.join(own, STATE);
          expect((await repairState(mended)).commits).toBe(commits);
          expect(await knownIn(mended)).toEqual(known);
          const left = [...(await filesIn(own)).values()];
          for (const [, bytes] of damaged) expect(left.some((one) => one.equals(bytes))).toBe(true);
        }

        expect(calls).toBeGreaterThan(10);
      },
    );

    it.each(damages)(
      "by a call to the disk that fails says so in a plain error: %s",
      async (_title, damage, commits) => {
        const files = await filesOf(damage);
        const known = await expectedAfter(damage, commits);
        const odd: string[] = [];
        let failed = 0;
        for (let step = 1; ; step += stride) {
          const own = await newFolder(files);
          const disk = failingAt(step);
          const repaired = await repairState(path.join(own, STATE), disk).catch(
            (error: unknown) => error,
          );
          if (disk.calls < step) break;
          failed++;
          // What only tidies up may fail without a word.
          const isPlain = repaired instanceof StateFileError || repaired instanceof StorageError;
          if (repaired instanceof Error && !isPlain)
            odd.push(`${disk.failed}: ${String(repaired)}`);
          await repairState(path.join(own, STATE));
          expect(await knownIn(path.join(own, STATE))).toEqual(known);
        }

        expect(odd).toEqual([]);
        expect(failed * stride).toBeGreaterThan(10);
      },
    );
  });
}

/** The machine's disk, and how often it was called. */
interface CountedDisk extends Disk {
  readonly calls: number;
  /** The call that failed. */
  readonly failed: string;
}

/** From that call on nothing is done any more, as if the process had died; a write is half done. */
function dyingAt(step: number): CountedDisk {
  return breakingAt((call) => call >= step);
}

/** That call alone fails. */
function failingAt(step: number): CountedDisk {
  return breakingAt((call) => call === step);
}

function breakingAt(isBroken: (call: number) => boolean): CountedDisk {
  const seen = { calls: 0, failed: "" };
  const enter = (name: string): void => {
    if (!isBroken(++seen.calls)) return;
    seen.failed ||= name;
    throw Object.assign(new Error(`EIO: i/o error, ${name}`), { code: "EIO" });
  };
  const counted = (one: DiskFile): DiskFile => ({
    write: async (bytes, position) => {
      try {
        enter("write");
      } catch (error) {
        await one.write(bytes.subarray(0, bytes.length / 2), position);
        throw error;
      }
      return one.write(bytes, position);
    },
    sync: async () => {
      enter("sync");
      await one.sync();
    },
    truncate: async (length) => {
      enter("truncate");
      await one.truncate(length);
    },
    // A descriptor is given back even by a process that dies.
    close: async () => {
      await one.close();
      enter("close");
    },
  });
  return {
    get calls() {
      return seen.calls;
    },
    get failed() {
      return seen.failed;
    },
    list: async (name) => {
      enter("list");
      return realDisk.list(name);
    },
    makeFolder: async (name) => {
      enter("makeFolder");
      return realDisk.makeFolder(name);
    },
    // It is only asked for the name, which a repair cannot do without.
    realPath: realDisk.realPath,
    stat: async (name) => {
      enter("stat");
      return realDisk.stat(name);
    },
    async *read(name) {
      enter("read");
      yield* realDisk.read(name);
    },
    create: async (name, mode) => {
      enter("create");
      return counted(await realDisk.create(name, mode));
    },
    open: async (name) => {
      enter("open");
      return counted(await realDisk.open(name));
    },
    rename: async (from, to) => {
      enter("rename");
      await realDisk.rename(from, to);
    },
    remove: async (name) => {
      enter("remove");
      await realDisk.remove(name);
    },
    syncFolder: async (name) => {
      enter("syncFolder");
      await realDisk.syncFolder(name);
    },
  };
}
