import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { STANDARD_ASSUMPTIONS } from "../../src/core/assumptions/table.ts";
import type { Transaction } from "../../src/core/records/transaction.ts";
import type { SeenCreation } from "../../src/review/observation.ts";
import { Reviewer } from "../../src/review/reviewer.ts";
import { toWireReview } from "../../src/review/report.ts";
import { attempt, delivery, payin } from "../support/core.ts";

const CALLS = 100_000;
const INTEGRATIONS = 20_000;

describe("the reviewer", () => {
  it("judges 100,000 calls and webhooks in less than 30 MB", () => {
    let newest: Transaction | undefined;
    const clock = { nowMs: () => 0, realMs: () => performance.now() };
    const reviewer = new Reviewer(clock, () => newest);
    const create = (record: Transaction): void => void (newest = record);
    const emptyBytes = heapBytes();
    fold(reviewer, create, 0);
    const afterFirstBytes = heapBytes();
    fold(reviewer, create, CALLS);
    const grownBytes = heapBytes() - afterFirstBytes;
    const report = JSON.stringify(
      toWireReview(
        reviewer.review(null, () => STANDARD_ASSUMPTIONS),
        "en",
        "npx pix-sandbox",
      ),
    );
    expect(report).toContain("Seen at least");
    expect(afterFirstBytes - emptyBytes).toBeLessThan(30 * 2 ** 20);
    expect(grownBytes).toBeLessThan(8 * 2 ** 20);
  }, 120_000);
});

/** Each charge has an equal one, each call after it is lost, and each webhook is refused. */
function fold(reviewer: Reviewer, create: (record: Transaction) => void, from: number): void {
  for (let index = from; index < from + CALLS; index++) {
    const integration = `shop ${index % INTEGRATIONS}`;
    const id = `id ${index}`;
    const key = `key ${index}`;
    const webhook_url = `http://127.0.0.1:9/${index % 3 ? "hook" : "a@b.example"}`;
    reviewer.used.namesOf(integration).add("value.unit");
    const record = payin({ id, integration, key: key, webhook_url });
    const call: SeenCreation = {
      noun: "payin",
      integration,
      requestId: `req_${index}`,
      method: "POST",
      path: "/v1/payins",
      atMs: 0,
      startedAtMs: index,
      endedAtMs: index,
      key,
      body: `{"receiver_cpf":"${String(index).padStart(11, "0")}"}`,
      status: 200,
      outcome: "known",
      keyUse: "new",
    };
    create(record);
    reviewer.see({ kind: "payin", integration, record: record.record });
    reviewer.seeCreation(call);
    const noun = index % 2 ? "payin" : "payout";
    reviewer.seeCreation({ ...call, noun, key: `lost ${key}`, status: 502, outcome: "failed" });
    const last = attempt({ status: index % 4 ? 401 : 204 });
    const made = delivery({ id: `evt ${index}`, integration, status: "failed", attempts: [last] });
    reviewer.see({ kind: "attempt", integration, delivery: made });
  }
}

function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
