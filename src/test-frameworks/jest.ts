import { afterEach, expect } from "@jest/globals";
import { type ConnectedSandbox, connectTo } from "../client/connect.ts";
import type { DeliveredOptions } from "../client/delivered.ts";
import type { Integration } from "../client/view.ts";
import type { EventType } from "../core/records/transaction.ts";
import {
  currentTest,
  type SandboxMatchers,
  toMatchers,
  tracesFolder,
  useIntegration,
  writeTrace,
} from "./worker.ts";

// A CommonJS test cannot load "pix-sandbox" itself: jest's require cannot load an ES module.
export { SandboxError } from "../client/calls.ts";
export { WaitTimeoutError } from "../client/wait-timeout.ts";
export type { ConnectedSandbox, DeliveredOptions, EventType, Integration, SandboxMatchers };

// The compiler ignores an augmentation of a package that the project does not have.
/* oxlint-disable typescript/no-namespace -- there @types/jest has what its global `expect` can do, */
declare global {
  namespace jest {
    interface Matchers<R, T> extends SandboxMatchers {}
  }
}
/* oxlint-enable typescript/no-namespace */
// and here @jest/globals has it.
declare module "expect" {
  interface Matchers<R extends void | Promise<void>, T> extends SandboxMatchers {}
}

let connected: Promise<ConnectedSandbox> | undefined;

/** The sandbox of the global setup, or else the one at `PIX_SANDBOX_URL`. */
export async function connectedSandbox(): Promise<ConnectedSandbox> {
  const url = process.env["PIX_SANDBOX_URL"];
  if (!url)
    throw new Error(
      'No sandbox was started; add "pix-sandbox/jest/setup" as globalSetup and "pix-sandbox/jest/teardown" as globalTeardown.',
    );
  return (connected ??= connectTo(url));
}

/** The integration of this worker. Parallel workers have other ones. */
export async function workerIntegration(): Promise<Integration> {
  const token = `worker-${process.env["JEST_WORKER_ID"] ?? "1"}`;
  const integration = (await connectedSandbox()).integration(token);
  return useIntegration(currentTest(expect.getState()), integration);
}

/** Resets the integration, for the start of a test. All workers share the clock. */
export async function freshIntegration(): Promise<Integration> {
  const integration = await workerIntegration();
  await integration.reset();
  return integration;
}

/** The part of jest-circus's own state that shows whether a test has failed: hooks are not told. */
interface CircusState {
  readonly currentlyRunningTest?: { readonly errors: readonly unknown[] } | null;
}

function hasFailed(): boolean {
  const symbol = Object.getOwnPropertySymbols(globalThis).find(
    ({ description }) => description === "JEST_STATE_SYMBOL",
  );
  const state = symbol && (globalThis as unknown as Record<symbol, CircusState>)[symbol];
  return (state?.currentlyRunningTest?.errors.length ?? 0) > 0;
}

try {
  afterEach(async () => {
    if (hasFailed())
      await writeTrace(await connected, tracesFolder("."), currentTest(expect.getState()));
  });
} catch {
  // Loaded by a test that runs already: no trace then.
}

expect.extend(toMatchers(connectedSandbox));
