// Each worker runs a copy of this, as worker-1.example.js and so on.
import http from "node:http";
import { test } from "pix-sandbox/vitest";
import { afterAll, beforeAll, expect } from "vitest";

/** @type {string[]} */
const received = [];
const merchant = http.createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  received.push(JSON.parse(text).data.id);
  response.end();
});
beforeAll(async () => {
  await new Promise((resolve) => merchant.listen(0, "127.0.0.1", () => resolve(undefined)));
});
afterAll(() => merchant.closeAllConnections());
afterAll(() => merchant.close());

const count = Number(process.env["TESTS_PER_WORKER"]);

test.for(Array.from({ length: count }, (_, index) => index))(
  "test %i sees what is its own and nothing else",
  async (index, { integration }) => {
    const { payins, payouts, webhooks, requests, faults, assumptions } = integration;
    const lists = { payins, payouts, webhooks, requests, faults };
    for (const [name, { list }] of Object.entries(lists))
      expect([name, await list()]).toEqual([name, []]);
    const rival = async () =>
      (await assumptions.list()).find(({ name }) => name === "payout.rival")?.choice;
    expect(await rival()).toBe("cancel");
    if (index % 2 === 0) await assumptions.change({ "payout.rival": "reject" });

    const webhookUrl = `http://127.0.0.1:${merchant.address().port}/${index}`;
    await faults.once("payins.create", "error=EXTERNAL_ERROR");
    await expect(payins.create({ webhookUrl })).rejects.toMatchObject({ code: "EXTERNAL_ERROR" });
    const { id } = await payins.create({ webhookUrl, value: index + 1 });
    await payins.pay(id);
    await expect(id).toHaveBeenDelivered("payin.paid");
    await payouts.create({ webhookUrl });

    expect(await rival()).toBe(index % 2 === 0 ? "reject" : "cancel");
    expect(await payins.list()).toMatchObject([{ id, status: "paid", value: index + 1 }]);
    expect(await payouts.list()).toMatchObject([{ status: "waiting" }]);
    expect(await webhooks.list()).toMatchObject([{ transactionId: id, url: webhookUrl }]);
    expect(await faults.list()).toMatchObject([{ used: 1 }]);
    expect((await requests.list()).map(({ status }) => status)).toEqual([502, 200, 200]);
    expect(received.splice(0)).toEqual([id]);
  },
);
