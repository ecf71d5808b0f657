import { expect, test } from "@jest/globals";
import {
  type ConnectedSandbox,
  connectedSandbox,
  freshIntegration,
  SandboxError,
  workerIntegration,
} from "pix-sandbox/jest";
import { sandboxSetup } from "pix-sandbox/jest/setup";
import teardown from "pix-sandbox/jest/teardown";

export default sandboxSetup({ clock: "frozen" });
export const ended: Promise<void> = teardown();

// @ts-expect-error an option that there is not
sandboxSetup({ clocks: "frozen" });

test("is typed", async () => {
  const integration = await freshIntegration();
  const { id }: { id: string } = await integration.payins.create();
  const told: Promise<void> = expect(id).toHaveBeenDelivered("payin.paid", { timeoutMs: 10 });
  await expect(told).rejects.toBeInstanceOf(SandboxError);
  await expect(id).not.toHaveBeenDelivered();
  await expect(await freshIntegration()).toHaveReceived(
    "POST /v1/payins",
    { value: 10.5 },
    { timeoutMs: 10 },
  );
  // @ts-expect-error a path without its method
  await expect(await freshIntegration()).not.toHaveReceived("/v1/payins");
  // @ts-expect-error a type of webhook that there is not
  await expect(id).toHaveBeenDelivered("payin.payed");
  const sandbox: ConnectedSandbox = await connectedSandbox();
  expect([sandbox.baseUrl, sandbox.secret, sandbox.seed]).toContain(
    (await workerIntegration()).token,
  );
});
