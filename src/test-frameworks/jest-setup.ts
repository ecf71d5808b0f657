import type { SandboxOptions } from "../server/options/options.ts";
import { openSandbox, setVariables } from "./open-sandbox.ts";
import { emptyTracesFolder, TRACES_VARIABLE } from "./worker.ts";

export type { SandboxOptions };

/** The part of jest's configuration that the setup reads. */
export interface JestConfig {
  readonly rootDir?: string;
  /** The file of the report, if jest writes one. */
  readonly outputFile?: string | undefined;
}

/** The teardown of each setup: jest's global teardown is another module in the same process. */
const undo: (() => Promise<void>)[] = [];

/**
 * A global setup: one sandbox for all workers, until "pix-sandbox/jest/teardown" closes it; the one at
 * `PIX_SANDBOX_URL` if this variable is set. Workers and their child processes inherit the same environment variables
 * as from `pix-sandbox exec`. With options it is the project's own, from a file of the project:
 * `module.exports = sandboxSetup({ clock: "frozen" })`.
 */
export function sandboxSetup(
  options?: SandboxOptions,
): (globalConfig?: JestConfig) => Promise<void> {
  return async ({ rootDir = "", outputFile }: JestConfig = {}) => {
    const traces = await emptyTracesFolder(rootDir, outputFile);
    const { variables, close } = await openSandbox(options);
    const restore = setVariables({
      ...variables,
      ...(traces !== undefined && { [TRACES_VARIABLE]: traces }),
    });
    undo.push(async () => {
      restore();
      await close();
    });
  };
}

/** Closes the sandboxes of all setups. */
export async function sandboxTeardown(): Promise<void> {
  for (const close of undo.splice(0).toReversed()) await close();
}

/** The global setup with default options: `globalSetup: "pix-sandbox/jest/setup"`. */
export default sandboxSetup();
