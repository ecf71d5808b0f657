import { expect, test } from "@jest/globals";
import { connectedSandbox, freshIntegration } from "pix-sandbox/jest";

test("a charge expires when the time that stands still is moved", async () => {
  const { clock } = await connectedSandbox();
  const integration = await freshIntegration();
  const { id, createdAt } = await integration.payins.create({ expiration: 60 });
  expect(createdAt).toBe("2026-12-24T12:00:00.000Z");
  await clock.advance({ minutes: 5 });
  expect(await integration.payins.get(id)).toMatchObject({ status: "expired" });
});
