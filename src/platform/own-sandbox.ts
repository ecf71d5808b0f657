import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The file that a sandbox creates if a command of `exec` starts it. */
const VARIABLE = "PIX_SANDBOX_EXEC_OWN";

/** Lets `exec`, if it runs this process, know of a sandbox that it does not see. */
export function noteOwnSandbox(): void {
  const file = process.env[VARIABLE];
  if (!file) return;
  try {
    appendFileSync(file, "");
  } catch {
    // Only a sentence of the report is missing then.
  }
}

/** Finds out whether a command has started a sandbox of its own. Without one nothing is written. */
export function watchOwnSandboxes() {
  const file = path.join(tmpdir(), `pix-sandbox-${randomUUID()}`);
  return {
    env: { [VARIABLE]: file },
    /** To be called once, at the end. */
    wasStarted(): boolean {
      const was = existsSync(file);
      rmSync(file, { force: true });
      return was;
    },
  };
}
