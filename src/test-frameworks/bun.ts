import { afterAll, beforeAll, beforeEach } from "bun:test";
import { type SandboxInUse, type SandboxOptions, useInSuite } from "./in-use.ts";

export type { Integration, SandboxInUse, SandboxOptions, TestSandbox } from "./in-use.ts";

/**
 * Gives the tests of a file, or of the `describe` in which it is called, a sandbox and each test an integration. The
 * sandbox closes after the last test. If `PIX_SANDBOX_URL` is set, uses the sandbox at that address.
 * @param options start a sandbox of the suite's own, for instance with a clock that no other suite moves
 */
export function useSandbox(options?: SandboxOptions): SandboxInUse {
  return useInSuite({ beforeAll, beforeEach, afterAll }, options);
}
