import { expect } from "@jest/globals";
import { type ConnectedSandbox, connectTo } from "../api/connect.ts";
import { type DeliveredOptions, isDelivered } from "../api/delivered.ts";
import type { Integration } from "../api/view.ts";
import type { EventType } from "../core/webhooks/delivery.ts";

// A CommonJS test cannot load "pix-sandbox" itself: jest's own require takes no ES module.
export { SandboxError } from "../api/wire-client.ts";
export { WaitTimeoutError } from "../api/wait-timeout.ts";
export type { ConnectedSandbox, DeliveredOptions, EventType, Integration };

/** What `expect` can do beside. */
export interface SandboxMatchers {
  /**
   * Of a payin or payout, or the id of one: waits for its webhook, which `not` does not; that lets what is
   * under way end. To be awaited.
   */
  toHaveBeenDelivered(type?: EventType, options?: DeliveredOptions): Promise<void>;
}

// A compiler passes over what is added to a package that a project does not have.
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

/** The sandbox that the global set-up has started, or where there is none the one at `PIX_SANDBOX_URL`. */
export async function connectedSandbox(): Promise<ConnectedSandbox> {
  const url = process.env["PIX_SANDBOX_URL"];
  if (!url)
    throw new Error(
      'No sandbox was started; add "pix-sandbox/jest/setup" as globalSetup and "pix-sandbox/jest/teardown" as globalTeardown.',
    );
  connected ??= connectTo(url);
  return connected;
}

/** The integration of this worker: tests that run at the same time have others. */
export async function workerIntegration(): Promise<Integration> {
  const sandbox = await connectedSandbox();
  return sandbox.integration(`worker-${process.env["JEST_WORKER_ID"] ?? "1"}`);
}

/** The same, as new: for the start of a test. What is the server's, the clock, all workers share. */
export async function freshIntegration(): Promise<Integration> {
  const integration = await workerIntegration();
  await integration.reset();
  return integration;
}

expect.extend({
  async toHaveBeenDelivered(received: unknown, type?: EventType, options: DeliveredOptions = {}) {
    const sandbox = await connectedSandbox();
    return isDelivered(sandbox, received, type, { ...options, isNot: this.isNot ?? false });
  },
});
