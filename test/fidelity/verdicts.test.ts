import { expect, it } from "vitest";
import { receiveWebhooks } from "../../src/cli/fidelity/http-target.ts";
import { withModel } from "../../src/cli/fidelity/model-sandbox.ts";
import { newObserved } from "../../src/fidelity/runner.ts";
import { judge } from "../../src/fidelity/verdicts.ts";

it.each([
  [[1990], 2],
  [[1450], 2],
  [[2150], 2],
  [[2300], null],
  [[1750, 1980], 2],
  [[1100, 1980], null],
  [[900], 1],
  [[], null],
])(
  "says after how many seconds a webhook times out that was held for %j ms",
  async (held, choice) => {
    const observed = newObserved("http://gateway.example/v1");
    observed.finished.push("webhook_hanging");
    observed.webhooks["webhook_hanging"] = [undefined, ...held].map((heldMs) => ({
      atMs: 0,
      method: "POST",
      headers: {},
      body: "{}",
      ...(heldMs !== undefined && { heldMs }),
    }));
    const verdicts = await withModel({ callers: [] }, (model) => judge(observed, model));
    const found = verdicts.find(({ name }) => name === "webhook.timeout_seconds");
    expect(found?.choice).toBe(choice);
  },
);

it("does not say that a response was enough for a webhook that never came", async () => {
  const observed = newObserved("http://gateway.example/v1");
  observed.finished.push("webhook", "webhook_refused");
  const seen = { atMs: 0, method: "POST", headers: {}, body: "{}" };
  observed.webhooks["webhook_refused"] = [seen, seen];
  const choice = async () => {
    const verdicts = await withModel({ callers: [] }, (model) => judge(observed, model));
    return verdicts.find(({ name }) => name === "webhook.success")?.choice;
  };
  expect(await choice()).toBe(null);
  observed.webhooks["webhook"] = [seen];
  expect(await choice()).toBe("2xx");
});

it("does not take its own end for the gateway's timeout", async () => {
  const observed = newObserved("http://gateway.example/v1");
  observed.attempts["webhook_hanging"] = "attempt";
  const receiver = await receiveWebhooks(0, observed, Date.now);
  const send = (signal: AbortSignal) =>
    fetch(`http://127.0.0.1:${receiver.port}/webhook_hanging/attempt`, { method: "POST", signal });
  const seen = () => observed.webhooks["webhook_hanging"] ?? [];
  const impatient = new AbortController();
  const left = send(impatient.signal).catch(() => "closed");
  await expect.poll(() => seen().length).toBe(1);
  const held = send(new AbortController().signal).catch(() => "closed");
  await expect.poll(() => seen().length).toBe(2);
  impatient.abort();
  await expect.poll(() => seen()[0]?.heldMs).toBeGreaterThanOrEqual(0);
  await receiver[Symbol.asyncDispose]();
  expect(await Promise.all([left, held])).toEqual(["closed", "closed"]);
  // The response closes in a later turn than the client's end.
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(seen()[1]?.heldMs).toBe(undefined);
});
