import { type ConnectedSandbox, connectTo } from "../client/connect.ts";
import { startSandbox } from "../client/start.ts";
import type { Integration } from "../client/view.ts";
import type { SandboxOptions } from "../server/options/options.ts";
import { readVariables, setVariables } from "./open-sandbox.ts";

/** A suite's hooks: those of node:test or mocha, or in bun `{ before: beforeAll, beforeEach, after: afterAll }`. */
export interface SuiteHooks {
  before(run: () => Promise<void>): unknown;
  beforeEach(run: () => void): unknown;
  after(run: () => Promise<void>): unknown;
}

/** What hooks and tests read. */
export interface SandboxInUse {
  /** Started in this process, or the one at `PIX_SANDBOX_URL`. */
  readonly sandbox: Omit<ConnectedSandbox, "signing">;
  /** A new `x-api-token` for each test. Tests that run at the same time call `sandbox.integration(name)`. */
  readonly integration: Integration;
}

/** The sandbox of one or more suites. */
interface Opened {
  readonly sandbox: SandboxInUse["sandbox"];
  newIntegration(): Integration;
  close(): Promise<void>;
}

/** The first start in a process may take longer than mocha's two seconds on a busy machine. */
const START_TIMEOUT_MS = 30_000;

/** The sandbox that the suites of this process share; it closes when no suite uses it. */
let shared: { readonly opened: Promise<Opened>; users: number } | undefined;

/**
 * Gives a suite a sandbox from before its first test until after its last, and each test an integration. The suite is
 * the file, or the `describe` in which this is called. It uses the sandbox at `PIX_SANDBOX_URL`; without this variable
 * all suites of the process share one, and the tests get the variables that `exec` sets.
 * @param options start a sandbox of the suite's own, for instance with a clock that no other suite moves
 */
export function useSandbox(hooks: SuiteHooks, options?: SandboxOptions): SandboxInUse {
  for (const name of ["before", "beforeEach", "after"] as const)
    if (typeof (hooks as Partial<SuiteHooks> | undefined)?.[name] !== "function")
      throw new TypeError(
        `useSandbox() needs the hook "${name}" of your suite: useSandbox({ before, beforeEach, after }).`,
      );
  let used: Opened | undefined;
  let integration: Integration | undefined;
  hooks.before(async function start(this: unknown) {
    const { timeout } = (this ?? {}) as { timeout?: unknown };
    if (typeof timeout === "function") timeout.call(this, START_TIMEOUT_MS);
    if (options) return void (used = await open(options));
    const joined = (shared ??= { opened: open(), users: 0 });
    joined.users += 1;
    used = await joined.opened.catch((error: unknown) => {
      if (shared === joined) shared = undefined;
      throw error;
    });
  });
  hooks.beforeEach(() => {
    integration = used?.newIntegration();
  });
  hooks.after(async () => {
    if (!used || (!options && shared && (shared.users -= 1) > 0)) return;
    if (!options) shared = undefined;
    await used.close();
  });
  const ready = <Value>(value: Value | undefined, name: string, place: string): Value => {
    if (value !== undefined) return value;
    throw new Error(
      `There is no ${name} yet. Store the result of useSandbox() and read its member "${name}" in ${place}.`,
    );
  };
  return {
    get sandbox() {
      return ready(used?.sandbox, "sandbox", "a hook or a test");
    },
    get integration() {
      return ready(integration, "integration", "a beforeEach hook or a test");
    },
  };
}

async function open(options?: SandboxOptions): Promise<Opened> {
  const url = options ? undefined : process.env["PIX_SANDBOX_URL"];
  const sandbox = url ? await connectTo(url) : await startSandbox(options);
  const restore = options ? undefined : setVariables(await readVariables(sandbox.url));
  // Other processes may use a given sandbox: the tokens differ from theirs. With a seed, the same test gets the same ids.
  const prefix = url ? `test-${crypto.randomUUID().slice(0, 8)}` : "test";
  let tests = 0;
  return {
    sandbox,
    newIntegration: () => sandbox.integration(`${prefix}-${(tests += 1)}`),
    async close() {
      restore?.();
      if ("close" in sandbox) await sandbox.close();
    },
  };
}
