import { type ConnectedSandbox, connectTo } from "../client/connect.ts";
import { type Sandbox, startSandbox } from "../client/start.ts";
import type { Integration } from "../client/view.ts";
import type { SandboxOptions } from "../server/options/options.ts";
import { readVariables, setVariables } from "./variables.ts";

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
interface Acquired {
  readonly sandbox: SandboxInUse["sandbox"];
  newIntegration(): Integration;
  release(): Promise<void>;
}

/** The first start in a process may take longer than mocha's two seconds on a busy machine. */
const START_TIMEOUT_MS = 30_000;

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
  let acquired: Acquired | undefined;
  let integration: Integration | undefined;
  hooks.before(async function start(this: unknown) {
    const { timeout } = (this ?? {}) as { timeout?: unknown };
    if (typeof timeout === "function") timeout.call(this, START_TIMEOUT_MS);
    acquired = await (options ? startOwn(options) : acquireShared());
  });
  hooks.beforeEach(() => {
    integration = acquired?.newIntegration();
  });
  hooks.after(async () => acquired?.release());
  const ready = <Value>(value: Value | undefined, name: string, place: string): Value => {
    if (value !== undefined) return value;
    throw new Error(
      `There is no ${name} yet. Store the result of useSandbox() and read its member "${name}" in ${place}.`,
    );
  };
  return {
    get sandbox() {
      return ready(acquired?.sandbox, "sandbox", "a hook or a test");
    },
    get integration() {
      return ready(integration, "integration", "a beforeEach hook or a test");
    },
  };
}

let shared: { readonly opened: Promise<Acquired>; users: number } | undefined;

/** The sandbox that all suites of this process share; it closes when no suite uses it. */
async function acquireShared(): Promise<Acquired> {
  const url = process.env["PIX_SANDBOX_URL"];
  const used = (shared ??= { opened: url ? connectToGiven(url) : startShared(), users: 0 });
  used.users += 1;
  try {
    const opened = await used.opened;
    const release = async (): Promise<void> => {
      used.users -= 1;
      if (used.users > 0) return;
      shared = undefined;
      await opened.release();
    };
    return { ...opened, release };
  } catch (error) {
    if (shared === used) shared = undefined;
    throw error;
  }
}

async function startShared(): Promise<Acquired> {
  const own = await startOwn({});
  const restore = setVariables(await readVariables(own.sandbox.url));
  const release = async (): Promise<void> => {
    restore();
    await own.release();
  };
  return { ...own, release };
}

async function startOwn(
  options: SandboxOptions,
): Promise<Acquired & { readonly sandbox: Sandbox }> {
  const sandbox = await startSandbox(options);
  // With a seed, the same test gets the same ids in each run.
  return { sandbox, newIntegration: numbered(sandbox, "test"), release: () => sandbox.close() };
}

async function connectToGiven(url: string): Promise<Acquired> {
  const sandbox = await connectTo(url);
  const restore = setVariables(await readVariables(sandbox.url));
  // Other processes may use the same sandbox: the tokens differ from theirs.
  const newIntegration = numbered(sandbox, `test-${crypto.randomUUID().slice(0, 8)}`);
  return { sandbox, newIntegration, release: async () => restore() };
}

function numbered(sandbox: SandboxInUse["sandbox"], prefix: string): () => Integration {
  let count = 0;
  return () => sandbox.integration(`${prefix}-${(count += 1)}`);
}
