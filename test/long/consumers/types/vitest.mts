import { test } from "pix-sandbox/vitest";
import { sandboxSetup } from "pix-sandbox/vitest/setup";
import { expect, inject } from "vitest";

export default sandboxSetup({ clock: "frozen" });

test("is typed", async ({ sandbox, integration }) => {
  const { id }: { id: string } = await integration.payins.create();
  await expect(id).toHaveBeenDelivered("payin.paid", { timeoutMs: 10 });
  await expect(id).not.toHaveBeenDelivered();
  await expect(integration).toHaveReceived("POST /v1/payins", { value: 10.5 }, { timeoutMs: 10 });
  // @ts-expect-error a path without its method
  await expect(integration).not.toHaveReceived("/v1/payins");
  // @ts-expect-error a type of webhook that there is not
  await expect(id).toHaveBeenDelivered("payin.payed");
  const texts: string[] = [sandbox.baseUrl, inject("pixSandbox").secret];
  expect(texts).toContain(integration.token);
});
