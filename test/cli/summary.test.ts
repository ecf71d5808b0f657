import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { commandClient } from "../../src/cli/client/command-client.ts";
import { readSummary, renderSummary } from "../../src/cli/review/summary.ts";
import { inLanguage } from "../../src/cli/terminal/language.ts";
import { startSandbox } from "../../src/index.ts";
import { callsTo } from "../support/calls.ts";

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
    await readSummary(commandClient({ url: `http://127.0.0.1:${port}` }));
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

it("shows the records by status, and the most frequent refusals first", async () => {
  await using sandbox = await startSandbox({ port: 0 });
  const shop = sandbox.integration("shop");
  const { id } = await shop.payins.create();
  await shop.payins.create();
  await shop.payins.pay(id);
  await shop.payouts.create();
  const calls = callsTo(sandbox.url);
  const webhook_url = "http://127.0.0.1:9/";
  await calls.createPayin({ webhook_url, value: 0 });
  for (let count = 0; count < 2; count++) await calls.simulate("payin", "none");
  const summary = await readSummary(commandClient({ url: sandbox.url }));
  expect(summary).toMatchObject({
    type: "report",
    payins: { total: 2, waiting: 1, paid: 1 },
    payouts: { total: 1, waiting: 1 },
    webhooks: { total: 1, delivered: 1 },
    requests: { total: 6, refused: 3 },
    refusals: [
      { method: "POST", status: 422, count: 2 },
      { method: "POST", path: "/v1/payins", status: 400, count: 1 },
    ],
  });
  const [payins, payouts, webhooks, requests, ...refusals] = renderSummary(summary).split("\n");
  expect(payins).toMatch(/^payins +2 {3}(?=.*1 waiting)(?=.*1 paid)/);
  expect([payouts, webhooks, requests]).toEqual([
    expect.stringMatching(/^payouts +1 {3}1 waiting$/),
    expect.stringMatching(/^webhooks +1 {3}1 delivered$/),
    expect.stringMatching(/^requests +6 {3}3 refused$/),
  ]);
  expect(refusals).toHaveLength(2);
  expect(refusals[0]).toMatch(/^ {2}2 × POST \/v1\/payins\/simulations {2}422 {2}\S/);
  expect(inLanguage("pt-BR", () => renderSummary(summary))).toMatch(
    /^requisições +6 {3}3 recusadas$/m,
  );
});

it("shows ten kinds of refusals, and that there are more", () => {
  const none = { total: 0 };
  const refusalsOf = (count: number) =>
    renderSummary({
      type: "report",
      payins: none,
      payouts: none,
      webhooks: none,
      requests: { total: count, refused: count },
      refusals: Array.from({ length: count }, (_, index) => ({
        method: "POST",
        path: `/v1/${index}`,
        status: 400,
        message: "a\u001b[31m",
        count: 1,
      })),
    })
      .split("\n")
      .slice(4);
  expect(refusalsOf(10)).toHaveLength(10);
  expect(refusalsOf(11)).toHaveLength(11);
  expect(refusalsOf(11).at(-1)).toBe("  …");
  expect(refusalsOf(1)[0]).not.toContain("\u001b");
});
