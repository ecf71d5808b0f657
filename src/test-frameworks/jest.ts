import { afterEach, expect } from "@jest/globals";
import { type ConnectedSandbox, connectTo } from "../client/connect.ts";
import { type DeliveredOptions, isDelivered } from "../client/delivered.ts";
import {
  type BodySubset,
  type GatewayCall,
  isReceived,
  type ReceivedOptions,
} from "../client/received.ts";
import type { Integration } from "../client/view.ts";
import type { EventType } from "../core/records/transaction.ts";

import { currentTest, tracesFolder, writeTrace } from "./failed-test.ts";

// A CommonJS test cannot load "pix-sandbox" itself: jest's require cannot load an ES module.
export { SandboxError } from "../client/calls.ts";
export { WaitTimeoutError } from "../client/wait-timeout.ts";
export type { ConnectedSandbox, DeliveredOptions, EventType, Integration };

/** The additional matchers of `expect`. */
export interface SandboxMatchers {
  /**
   * Waits for a webhook of the given payin or payout (the record or its id). With `not`, waits until no webhook is in flight
   * or due. Await the result.
   */
  toHaveBeenDelivered(type?: EventType, options?: DeliveredOptions): Promise<void>;
  /**
   * Waits until the gateway has received a request of the given integration or sandbox, such as `POST /v1/payins`,
   * whose JSON body has the given members. With `not`, checks the requests so far. Await the result.
   */
  toHaveReceived(call: GatewayCall, body?: BodySubset, options?: ReceivedOptions): Promise<void>;
}

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
  connected ??= connectTo(url);
  return connected;
}

/** The test that runs, with the integration that it uses. */
let running: { readonly name: string; readonly integration: Integration } | undefined;

/** The integration of this worker. Parallel workers have other ones. */
export async function workerIntegration(): Promise<Integration> {
  const sandbox = await connectedSandbox();
  const token = `worker-${process.env["JEST_WORKER_ID"] ?? "1"}`;
  const name = currentTest(expect.getState());
  if (name === undefined) return sandbox.integration(token);
  if (running?.name !== name || running.integration.token !== token)
    running = { name, integration: sandbox.integration(token) };
  return running.integration;
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
    if (!connected || !hasFailed()) return;
    const name = currentTest(expect.getState()) ?? "";
    const view = running?.name === name ? running.integration : await connected;
    await writeTrace(view, tracesFolder("."), name);
  });
} catch {
  // Loaded by a test that runs already: no trace then.
}

expect.extend({
  async toHaveBeenDelivered(received: unknown, type?: EventType, options: DeliveredOptions = {}) {
    const sandbox = await connectedSandbox();
    return isDelivered(sandbox, received, type, { ...options, isNot: this.isNot ?? false });
  },
  async toHaveReceived(
    received: unknown,
    call: GatewayCall,
    body?: BodySubset,
    options: ReceivedOptions = {},
  ) {
    return isReceived(received, call, body, { ...options, isNot: this.isNot ?? false });
  },
});
