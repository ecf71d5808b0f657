import { expect, test } from "@jest/globals";
import { connectedSandbox, freshIntegration } from "pix-sandbox/jest";
import { leaveRecords, sellInPrivate } from "./private.js";

async function sell() {
  const [sandbox, integration] = [await connectedSandbox(), await freshIntegration()];
  return { sandbox, integration, id: await sellInPrivate(sandbox, integration) };
}

test("a sale", async () => {
  const { integration } = await sell();
  expect(await integration.payins.list()).toHaveLength(2);
});

test("the charge of a customer is paid", async () => {
  const { sandbox, integration, id } = await sell();
  await leaveRecords(sandbox, integration, id);
  expect(await integration.payins.get(id)).toMatchObject({ status: "paid" });
});

test("another sale", async () => {
  const { integration } = await sell();
  expect(await integration.payins.list()).toHaveLength(2);
});
