import { after, before, beforeEach, test } from "node:test";
import { type SandboxInUse, useSandbox } from "pix-sandbox";

const used: SandboxInUse = useSandbox({ before, beforeEach, after }, { seed: "42" });
// @ts-expect-error an option that there is not
useSandbox({ before, beforeEach, after }, { clocks: "frozen" });
// @ts-expect-error a suite's hooks are needed
useSandbox();

void test("is typed", async () => {
  const { sandbox, integration } = used;
  const urls: string[] = [sandbox.url, sandbox.baseUrl, sandbox.secret, integration.token];
  await sandbox.clock.advance({ minutes: urls.length });
});
