import { createServer } from "node:http";
import { afterEach, expect, jest, test } from "@jest/globals";
import { startSandbox } from "pix-sandbox";

const fakes = { modern: {}, legacy: { legacyFakeTimers: true } };

afterEach(() => void jest.useRealTimers());

// The configuration has installed fakes before the package was imported.
test("a sandbox works under the fakes of the configuration", story);

test.each(Object.keys(fakes))("a sandbox works under %s fake timers", async (kind) => {
  jest.useFakeTimers(fakes[kind]);
  await story();
});

async function story() {
  const shop = createServer((_request, response) => response.end());
  await new Promise((resolve) => shop.listen(0, "127.0.0.1", resolve));
  const sandbox = await startSandbox();
  const webhookUrl = `http://127.0.0.1:${shop.address().port}`;
  const { id } = await sandbox.payins.create({ webhookUrl });
  await sandbox.payins.pay(id);
  const delivery = await sandbox.webhooks.waitFor({ transactionId: id });
  expect(delivery).toMatchObject({ type: "payin.paid", status: "delivered" });
  await sandbox.payins.create();
  expect((await sandbox.clock.advance({ minutes: 5 })).happened).toHaveLength(1);
  await sandbox.close();
  shop.closeAllConnections();
  await new Promise((resolve) => shop.close(resolve));
}
