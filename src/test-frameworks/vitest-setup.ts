import type { TestProject } from "vitest/node";
import type { SandboxAddress as ClientAddress } from "../client/connect.ts";
import type { SandboxOptions } from "../server/options/options.ts";
import { openSandbox, setVariables } from "./open-sandbox.ts";
import { emptyTracesFolder } from "./worker.ts";

// vitest cannot be imported here: a global setup runs outside of tests.

export type { SandboxOptions };

/** What the workers learn of the sandbox. */
export interface SandboxAddress extends ClientAddress {
  /** The folder for the traces of failed tests. */
  readonly traces?: string | undefined;
}

declare module "vitest" {
  interface ProvidedContext {
    pixSandbox: SandboxAddress;
  }
}

/**
 * A global setup: one sandbox for all workers, from before the first test until after the last; the one at
 * `PIX_SANDBOX_URL` if this variable is set. With options it is the project's own, from a file of the project:
 * `export default sandboxSetup({ clock: "frozen" })`.
 */
export function sandboxSetup(options?: SandboxOptions) {
  return async (
    project: Pick<TestProject, "provide"> & Partial<Pick<TestProject, "config">>,
  ): Promise<() => Promise<void>> => {
    const { root = "", outputFile } = project.config ?? {};
    const report = typeof outputFile === "object" ? Object.values(outputFile)[0] : outputFile;
    const traces = await emptyTracesFolder(root, report);
    const { sandbox, variables, close } = await openSandbox(options);
    const { url, secret, seed } = sandbox;
    const { controlToken } = options ?? {};
    project.provide("pixSandbox", { url, secret, seed, controlToken, traces });
    // The workers of this project get them. Other set-ups do not join a sandbox with options.
    if (project.config) project.config.env = { ...project.config.env, ...variables };
    const restore = options ? undefined : setVariables(variables);
    return async () => {
      restore?.();
      await close();
    };
  };
}

/** The global setup with default options: `globalSetup: ["pix-sandbox/vitest/setup"]`. */
export default sandboxSetup();
