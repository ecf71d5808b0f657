import { type ConnectedSandbox, connectTo } from "../client/connect.ts";
import type { Integration } from "../client/view.ts";
import type { SandboxOptions } from "../server/options/options.ts";

export type { Integration, SandboxOptions };

/** The sandbox of a test: started in this process, or the one at `PIX_SANDBOX_URL`. */
export type TestSandbox = Omit<ConnectedSandbox, "signing">;

/** What a test uses. */
export interface SandboxInUse {
  readonly sandbox: TestSandbox;
  /** A new `x-api-token`, which no other test has. */
  readonly integration: Integration;
}

/** A sandbox that the caller releases after use. */
export interface AcquiredSandbox {
  readonly sandbox: TestSandbox;
  readonly newIntegration: () => Integration;
  readonly release: () => Promise<void>;
}

let shared: { readonly opened: Promise<AcquiredSandbox>; users: number } | undefined;

/**
 * Acquires the sandbox that all tests of this process share; it closes when no test uses it. With options, starts
 * a sandbox of the caller's own.
 */
export async function acquireSandbox(options?: SandboxOptions): Promise<AcquiredSandbox> {
  if (options) return startOwn(options);
  const url = process.env["PIX_SANDBOX_URL"];
  const used = (shared ??= { opened: url ? connectToGiven(url) : startOwn({}), users: 0 });
  used.users += 1;
  const release = async (): Promise<void> => {
    used.users -= 1;
    if (used.users > 0) return;
    if (shared === used) shared = undefined;
    await (await used.opened).release();
  };
  try {
    return { ...(await used.opened), release };
  } catch (error) {
    if (shared === used) shared = undefined;
    throw error;
  }
}

async function startOwn(options: SandboxOptions): Promise<AcquiredSandbox> {
  const { startSandbox } = await import("../client/start.ts");
  const sandbox = await startSandbox(options);
  // With a seed, the same test gets the same ids in each run.
  const newIntegration = numbered(sandbox, "test");
  return { sandbox, newIntegration, release: () => sandbox.close() };
}

async function connectToGiven(url: string): Promise<AcquiredSandbox> {
  const sandbox = await connectTo(url);
  // Other processes may use the same sandbox: the tokens differ from theirs.
  const newIntegration = numbered(sandbox, `test-${crypto.randomUUID().slice(0, 8)}`);
  return { sandbox, newIntegration, release: async () => undefined };
}

function numbered(sandbox: TestSandbox, prefix: string): () => Integration {
  let count = 0;
  return () => sandbox.integration(`${prefix}-${(count += 1)}`);
}

/** The hooks of a test framework, which apply to the suite or file that is being defined. */
export interface SuiteHooks {
  readonly beforeAll: (run: () => Promise<void>) => void;
  readonly beforeEach: (run: () => void) => void;
  readonly afterAll: (run: () => Promise<void>) => void;
}

/** Acquires a sandbox for a suite and gives each of its tests an integration. */
export function useInSuite(hooks: SuiteHooks, options?: SandboxOptions): SandboxInUse {
  let acquired: AcquiredSandbox | undefined;
  let integration: Integration | undefined;
  hooks.beforeAll(async () => {
    acquired = await acquireSandbox(options);
  });
  hooks.beforeEach(() => {
    integration = acquired?.newIntegration();
  });
  hooks.afterAll(async () => acquired?.release());
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
