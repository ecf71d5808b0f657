/// <reference types="jest" />
import { freshIntegration, SandboxError } from "pix-sandbox/jest";
import { sandboxSetup } from "pix-sandbox/jest/setup";
import { startSandbox } from "pix-sandbox";

export const setup: () => Promise<void> = sandboxSetup({ clock: "frozen" });
export const refusals: readonly (typeof SandboxError)[] = [SandboxError];
// @ts-expect-error a port is a number
export const sandbox = startSandbox({ port: "7490" });

test("is typed", async () => {
  const { id } = await (await freshIntegration()).payins.create();
  const told: Promise<void> = expect(id).toHaveBeenDelivered("payin.paid", { timeoutMs: 10 });
  await told;
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
});
