import { rename } from "node:fs/promises";
import { pause } from "./pause.ts";

/** What Windows reports while another program, such as a virus scanner, has one of the files open. */
const IN_USE: ReadonlySet<string | undefined> = new Set(["EPERM", "EACCES", "EBUSY"]);
/** The pauses before further attempts: 1.5 s together. */
const PAUSES_MS = [10, 20, 40, 80, 150, 300, 400, 500];

const SYSTEM = { platform: process.platform, rename, pause };

/**
 * Renames a file, over an existing one too. On Windows it tries again for a moment if one of them is in use; elsewhere
 * that error means a missing permission.
 */
export async function replaceFile(
  from: string,
  to: string,
  system: Pick<typeof SYSTEM, "platform" | "pause"> & {
    rename(from: string, to: string): Promise<void>;
  } = SYSTEM,
): Promise<void> {
  if (system.platform === "win32") {
    for (const pauseMs of PAUSES_MS) {
      try {
        return await system.rename(from, to);
      } catch (error) {
        if (!IN_USE.has((error as NodeJS.ErrnoException).code)) throw error;
      }
      await system.pause(pauseMs);
    }
  }
  await system.rename(from, to);
}
