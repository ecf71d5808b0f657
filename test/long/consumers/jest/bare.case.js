import http from "node:http";
import { expect, test } from "@jest/globals";
import { createClient, startSandbox } from "pix-sandbox";

test("needs no global fetch", async () => {
  expect([typeof fetch, typeof Response, typeof setImmediate]).toEqual(Array(3).fill("undefined"));
  const sandbox = await startSandbox();
  const client = createClient({ baseUrl: sandbox.baseUrl });
  const receiver = http.createServer((_request, response) => response.end());
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", () => resolve()));
  const webhookUrl = `http://127.0.0.1:${receiver.address().port}/`;
  const { id } = await client.payins.create({ webhookUrl, generateQrcode: true });
  await sandbox.payins.pay(id);
  await client.webhooks.waitFor({ type: "payin.paid", transactionId: id });
  expect(await (await sandbox.fetch("/_sandbox/health")).json()).toMatchObject({ status: "ok" });
  await sandbox.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});
