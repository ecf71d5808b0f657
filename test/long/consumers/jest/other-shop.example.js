import { expect, test } from "@jest/globals";
import { connectedSandbox, freshIntegration, workerIntegration } from "pix-sandbox/jest";

test("uses the sandbox of all workers, as an integration of its own", async () => {
  const integration = await freshIntegration();
  await integration.payins.create({ value: 30.25 });
  expect(await integration.payins.list()).toMatchObject([{ value: 30.25 }]);
  expect(integration.token).toBe(`worker-${process.env.JEST_WORKER_ID}`);
  expect((await workerIntegration()).token).toBe(integration.token);

  const { url, secret } = await connectedSandbox();
  const { PIX_SANDBOX_URL, PIX_SANDBOX_BASE_URL, PIX_SANDBOX_SECRET } = process.env;
  expect({ url, baseUrl: `${url}/v1`, secret }).toEqual({
    url: PIX_SANDBOX_URL,
    baseUrl: PIX_SANDBOX_BASE_URL,
    secret: PIX_SANDBOX_SECRET,
  });
});
