import { expect as baseExpect, test as base, type TestInfo } from "@playwright/test";
import type { ConnectedSandbox } from "../client/connect.ts";
import type { DeliveredOptions } from "../client/delivered.ts";
import type { Integration } from "../client/view.ts";
import type { EventType } from "../core/records/transaction.ts";
import type { SandboxOptions } from "../server/options/options.ts";
import { openSandbox, setVariables } from "./open-sandbox.ts";
import { toMatchers, TRACES_VARIABLE, tracesFolder, useIntegration, writeTrace } from "./worker.ts";

export type { ConnectedSandbox, DeliveredOptions, EventType, Integration, SandboxOptions };

/** The fixtures of a test. */
export interface SandboxFixtures {
  /** Writes the trace of a test that fails. */
  readonly pixSandboxTrace: void;
  /** Reset at the start of each test that uses it. */
  readonly integration: Integration;
}

/** The fixtures of a worker. */
export interface SandboxWorkerFixtures {
  /** The sandbox at `PIX_SANDBOX_URL`, or else the worker's own. */
  readonly sandbox: ConnectedSandbox;
  /** The `x-api-token` that the app under test calls with. Default: one for each worker. */
  readonly sandboxToken: string;
  /** With options, such as a frozen clock, the worker starts a sandbox of its own. */
  readonly sandboxOptions: SandboxOptions | undefined;
}

let current: ConnectedSandbox | undefined;

/* oxlint-disable no-empty-pattern -- playwright reads from the pattern which fixtures one needs: none. */
/** Playwright's `test`, with a sandbox and an integration. */
export const test = base.extend<SandboxFixtures, SandboxWorkerFixtures>({
  sandboxToken: ["", { option: true, scope: "worker" }],
  sandboxOptions: [undefined, { option: true, scope: "worker" }],
  sandbox: [
    async ({ sandboxOptions }, use) => {
      const { sandbox, variables, close } = await openSandbox(sandboxOptions);
      const restore = setVariables(variables);
      current = sandbox;
      await use(sandbox);
      restore();
      await close();
    },
    { scope: "worker" },
  ],
  integration: async ({ sandbox, sandboxToken }, use, testInfo) => {
    const token = sandboxToken || `worker-${testInfo.parallelIndex}`;
    const integration = useIntegration(nameOf(testInfo), sandbox.integration(token));
    await integration.reset();
    await use(integration);
  },
  pixSandboxTrace: [
    async ({}, use, testInfo) => {
      await use();
      if (testInfo.status === testInfo.expectedStatus) return;
      // Playwright's own folder of the test is removed at the next run.
      const folder = process.env[TRACES_VARIABLE] ? tracesFolder("") : testInfo.outputDir;
      const path = await writeTrace(current, folder, nameOf(testInfo));
      // attach() would copy it.
      if (path !== undefined)
        testInfo.attachments.push({ name: "pix-sandbox", path, contentType: "text/html" });
    },
    { auto: true },
  ],
});

function nameOf({ project, titlePath }: Pick<TestInfo, "project" | "titlePath">): string {
  return [project.name, ...titlePath].filter(Boolean).join(" > ");
}
/* oxlint-enable no-empty-pattern */

/** Playwright's `expect`, with matchers for webhooks and for calls of the gateway. */
export const expect = baseExpect.extend(
  toMatchers(async () => {
    if (current) return current;
    throw new Error("No sandbox is used; let the test take sandbox or integration.");
  }),
);
