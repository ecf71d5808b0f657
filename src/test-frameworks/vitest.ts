import { expect, inject, test as base } from "vitest";
import { connect, type ConnectedSandbox } from "../client/connect.ts";
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
import { openSandbox } from "./open-sandbox.ts";
import { setVariables } from "./variables.ts";
import type { SandboxAddress } from "./vitest-setup.ts";

export type { ConnectedSandbox, DeliveredOptions, EventType, Integration, SandboxAddress };

declare module "vitest" {
  // The name and parameter must equal those of vitest's interface. `Matchers` exists from vitest 3.2 on only.
  // oxlint-disable-next-line typescript/no-explicit-any
  interface Assertion<T = any> {
    /**
     * Waits for a webhook of the given payin or payout (the record or its id). With `not`, waits until no webhook is in
     * flight or due. Await the result.
     */
    toHaveBeenDelivered(type?: EventType, options?: DeliveredOptions): Promise<void>;
    /**
     * Waits until the gateway has received a request of the given integration or sandbox, such as `POST /v1/payins`,
     * whose JSON body has the given members. With `not`, checks the requests so far. Await the result.
     */
    toHaveReceived(call: GatewayCall, body?: BodySubset, options?: ReceivedOptions): Promise<void>;
  }
}

let connected: Promise<ConnectedSandbox> | undefined;
let traces: string | undefined;
/** The test that runs, with the integration that it uses. */
let running: { readonly name: string; readonly integration: Integration } | undefined;

/** The sandbox of the global setup; without it, the one at `PIX_SANDBOX_URL`, or one that ends with this worker. */
function connectedSandbox(): Promise<ConnectedSandbox> {
  return (connected ??= open());
}

async function open(): Promise<ConnectedSandbox> {
  // Undefined if the project does not use the global setup.
  const address = inject("pixSandbox") as SandboxAddress | undefined;
  traces = address ? address.traces : tracesFolder("");
  if (address) return connect(address);
  const { sandbox, variables } = await openSandbox();
  setVariables(variables);
  return sandbox;
}

/** The integration of this worker. Parallel workers have other ones. */
async function workerIntegration(): Promise<Integration> {
  const sandbox = await connectedSandbox();
  const token = `worker-${process.env["VITEST_POOL_ID"] ?? "1"}`;
  const name = currentTest(expect.getState());
  if (name === undefined) return sandbox.integration(token);
  if (running?.name !== name || running.integration.token !== token)
    running = { name, integration: sandbox.integration(token) };
  return running.integration;
}

/* oxlint-disable no-empty-pattern -- vitest reads from the pattern which fixtures one needs: none. */
/**
 * vitest's `test` with the sandbox and the worker's integration, which is reset at the start of each test that
 * uses it. All workers share the clock. A test that fails leaves its trace.
 */
export const test = base.extend<{
  sandbox: ConnectedSandbox;
  integration: Integration;
  pixSandboxTrace: void;
}>({
  sandbox: async ({}, use) => use(await connectedSandbox()),
  integration: async ({}, use) => {
    const integration = await workerIntegration();
    await integration.reset();
    await use(integration);
  },
  pixSandboxTrace: [
    async ({ onTestFailed }, use) => {
      onTestFailed(async () => {
        const name = currentTest(expect.getState()) ?? "";
        const view = running?.name === name ? running.integration : await connected;
        if (view) await writeTrace(view, traces, name);
      });
      await use();
    },
    { auto: true },
  ],
});
/* oxlint-enable no-empty-pattern */
export { test as it };

expect.extend({
  async toHaveBeenDelivered(
    this: { readonly isNot: boolean },
    received: unknown,
    type?: EventType,
    options: DeliveredOptions = {},
  ) {
    return isDelivered(await connectedSandbox(), received, type, { ...options, isNot: this.isNot });
  },
  async toHaveReceived(
    this: { readonly isNot: boolean },
    received: unknown,
    call: GatewayCall,
    body?: BodySubset,
    options: ReceivedOptions = {},
  ) {
    return isReceived(received, call, body, { ...options, isNot: this.isNot });
  },
});
