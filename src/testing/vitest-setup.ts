import type { TestProject } from "vitest/node";
import type { SandboxAddress } from "../api/connect.ts";
import { type SandboxOptions, startSandbox } from "../sandbox/start.ts";

// vitest itself cannot be imported here: a global set-up runs outside of every test.

export type { SandboxAddress, SandboxOptions };

declare module "vitest" {
  interface ProvidedContext {
    pixSandbox: SandboxAddress;
  }
}

/**
 * A global set-up: one sandbox for all workers, that starts before the first test and closes after the last.
 * With other options it is a file's own: `export default sandboxSetup({ clock: "frozen" })`.
 */
export function sandboxSetup(options: SandboxOptions = {}) {
  return async ({ provide }: Pick<TestProject, "provide">): Promise<() => Promise<void>> => {
    const sandbox = await startSandbox(options);
    const { url, secret, seed } = sandbox;
    provide("pixSandbox", { url, secret, seed });
    return () => sandbox.close();
  };
}

/** The global set-up with nothing said: `globalSetup: ["pix-sandbox/vitest/setup"]`. */
export default sandboxSetup();
