import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { CommandClient } from "../../src/cli/command-client.ts";
import { readSummary } from "../../src/cli/review/summary.ts";

it("counts what happened when the last webhooks have been sent, and not before", async () => {
  const asked: string[] = [];
  const sandbox = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split("?")[0]}`);
    response.setHeader("content-type", "application/json");
    response.end('{"data":[],"next":null}');
  });
  await new Promise<void>((resolve) => sandbox.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = sandbox.address() as AddressInfo;
    await readSummary(new CommandClient({ url: `http://127.0.0.1:${port}` }));
  } finally {
    sandbox.close();
    sandbox.closeAllConnections();
  }
  expect(asked[0]).toBe("POST /_sandbox/settle");
  expect(asked.slice(1).toSorted()).toEqual([
    "GET /_sandbox/deliveries",
    "GET /_sandbox/payins",
    "GET /_sandbox/payouts",
    "GET /_sandbox/requests",
  ]);
});
