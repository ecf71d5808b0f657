import { useSandbox as useInBun } from "pix-sandbox/bun";
import { type SandboxInUse, useSandbox as useInMocha } from "pix-sandbox/mocha";
import { useSandbox } from "pix-sandbox/node-test";
import { test } from "node:test";

export const suites: SandboxInUse[] = [useInMocha(), useInBun({ clock: "frozen" })];
// @ts-expect-error an option that there is not
useInMocha({ clocks: "frozen" });

void test("is typed", async (t) => {
  const { sandbox, integration } = await useSandbox(t, { seed: "42" });
  const urls: string[] = [sandbox.url, sandbox.baseUrl, sandbox.secret, integration.token];
  await sandbox.clock.advance({ minutes: urls.length });
  // @ts-expect-error a test's context is needed
  await useSandbox();
});
