import { acquireSandbox, type SandboxInUse, type SandboxOptions } from "./in-use.ts";

export type { Integration, SandboxInUse, SandboxOptions, TestSandbox } from "./in-use.ts";

/** The part of node:test's context that `useSandbox` needs. */
export interface TestContext {
  after(run: () => Promise<void>): void;
}

/**
 * Gives a test of node:test a sandbox and an integration of its own. Tests that run at the same time share one
 * sandbox, which closes when the last of them ends. If `PIX_SANDBOX_URL` is set, uses the sandbox at that address.
 * @param options start a sandbox of the test's own, for instance with a clock that no other test moves
 */
export async function useSandbox(t: TestContext, options?: SandboxOptions): Promise<SandboxInUse> {
  if (typeof (t as Partial<TestContext> | undefined)?.after !== "function")
    throw new TypeError(
      "Call useSandbox(t) in a test, with the context that node:test passes to it.",
    );
  const { sandbox, newIntegration, release } = await acquireSandbox(options);
  t.after(release);
  return { sandbox, integration: newIntegration() };
}
