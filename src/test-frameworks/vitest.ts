import { expect, inject, test as base } from "vitest";
import { connect, type ConnectedSandbox } from "../client/connect.ts";
import type { DeliveredOptions } from "../client/delivered.ts";
import type { Integration } from "../client/view.ts";
import type { EventType } from "../core/records/transaction.ts";
import { openSandbox, setVariables } from "./open-sandbox.ts";
import type { SandboxAddress } from "./vitest-setup.ts";
import {
  currentTest,
  type SandboxMatchers,
  toMatchers,
  tracesFolder,
  useIntegration,
  writeTrace,
} from "./worker.ts";

export type { ConnectedSandbox, DeliveredOptions, EventType, Integration, SandboxAddress };

declare module "vitest" {
  // The name and parameter must equal those of vitest's interface. `Matchers` exists from vitest 3.2 on only.
  // oxlint-disable-next-line typescript/no-explicit-any
  interface Assertion<T = any> extends SandboxMatchers {}
}

let connected: Promise<ConnectedSandbox> | undefined;
let traces: string | undefined;

/** The sandbox of the global setup; without it, the one at `PIX_SANDBOX_URL`, or one that ends with this worker. */
const connectedSandbox = (): Promise<ConnectedSandbox> => (connected ??= open());

async function open(): Promise<ConnectedSandbox> {
  // Undefined if the project does not use the global setup.
  const address = inject("pixSandbox") as SandboxAddress | undefined;
  traces = address ? address.traces : tracesFolder("");
  if (address) return connect(address);
  const { sandbox, variables } = await openSandbox();
  setVariables(variables);
  return sandbox;
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
    // Parallel workers have other ones.
    const token = `worker-${process.env["VITEST_POOL_ID"] ?? "1"}`;
    const integration = (await connectedSandbox()).integration(token);
    useIntegration(currentTest(expect.getState()), integration);
    await integration.reset();
    await use(integration);
  },
  pixSandboxTrace: [
    async ({ onTestFailed }, use) => {
      onTestFailed(
        async () =>
          void (await writeTrace(await connected, traces, currentTest(expect.getState()))),
      );
      await use();
    },
    { auto: true },
  ],
});
/* oxlint-enable no-empty-pattern */
export { test as it };

expect.extend(toMatchers(connectedSandbox));
