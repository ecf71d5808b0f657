import { expect, it } from "vitest";
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
