import type { TestProject } from "vitest/node";
import type { SandboxAddress } from "../client/connect.ts";
import { type SandboxOptions, startSandbox } from "../server/start.ts";

// vitest cannot be imported here: a global setup runs outside of tests.

export type { SandboxAddress, SandboxOptions };

declare module "vitest" {
  interface ProvidedContext {
    pixSandbox: SandboxAddress;
  }
}

/**
 * A global setup: one sandbox for all workers, from before the first test until after the last.
 * With options, in a file of the project: `export default sandboxSetup({ clock: "frozen" })`.
 */
export function sandboxSetup(options: SandboxOptions = {}) {
  return async ({ provide }: Pick<TestProject, "provide">): Promise<() => Promise<void>> => {
    const sandbox = await startSandbox(options);
    const { url, secret, seed } = sandbox;
    provide("pixSandbox", { url, secret, seed, controlToken: options.controlToken });
    return () => sandbox.close();
  };
}

/** The global setup with default options: `globalSetup: ["pix-sandbox/vitest/setup"]`. */
export default sandboxSetup();
