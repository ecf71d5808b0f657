import type { TestProject } from "vitest/node";
import type { SandboxAddress as ClientAddress } from "../client/connect.ts";
import { type SandboxOptions, startSandbox } from "../server/start.ts";
import { removeTraces, tracesFolder } from "./failed-test.ts";

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
 * A global setup: one sandbox for all workers, from before the first test until after the last.
 * With options, in a file of the project: `export default sandboxSetup({ clock: "frozen" })`.
 */
export function sandboxSetup(options: SandboxOptions = {}) {
  return async (
    project: Pick<TestProject, "provide"> & Partial<Pick<TestProject, "config">>,
  ): Promise<() => Promise<void>> => {
    const { root = "", outputFile } = project.config ?? {};
    const report = typeof outputFile === "object" ? Object.values(outputFile)[0] : outputFile;
    const traces = tracesFolder(root, report);
    await removeTraces(traces);
    const sandbox = await startSandbox(options);
    const { url, secret, seed } = sandbox;
    const { controlToken } = options;
    project.provide("pixSandbox", { url, secret, seed, controlToken, traces });
    return () => sandbox.close();
  };
}

/** The global setup with default options: `globalSetup: ["pix-sandbox/vitest/setup"]`. */
export default sandboxSetup();
