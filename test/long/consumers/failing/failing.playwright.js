import { expect, test } from "pix-sandbox/playwright";
import { leaveRecords, sellInPrivate } from "./private.js";

test("a sale", async ({ sandbox, integration }) => {
  await sellInPrivate(sandbox, integration);
  expect(await integration.payins.list()).toHaveLength(2);
});

test("the charge of a customer is paid", async ({ sandbox, integration }) => {
  const id = await sellInPrivate(sandbox, integration);
  await leaveRecords(sandbox, integration, id);
  expect(await integration.payins.get(id)).toMatchObject({ status: "paid" });
});

test("another sale", async ({ sandbox, integration }) => {
  await sellInPrivate(sandbox, integration);
  expect(await integration.payins.list()).toHaveLength(2);
});
