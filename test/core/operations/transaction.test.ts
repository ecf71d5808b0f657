import { describe, expect, it } from "vitest";
import { Events } from "../../../src/core/state/events.ts";
import { StorageError } from "../../../src/core/state/ports.ts";
import { Transactions } from "../../../src/core/operations/transaction.ts";
import { attempt, delivery, HeldStore, turns, watch } from "../../support/core.ts";
import { say } from "../../../src/text/message.ts";
import { putsOf } from "../../../src/core/state/records.ts";

const FULL = say`full`;
const EARLY = "early" as const;

describe("a transaction", () => {
  it("runs due tasks first, then decides without a pause", async () => {
    const order: string[] = [];
    const { transactions } = create(() => order.push("due work"));
    const answer = transactions.transact(() => order.push("decision"));
    order.push("caller");
    await answer;
    expect(order).toEqual(["due work", "decision", "caller"]);
  });

  it("reads even if the store refuses due tasks, and fails if a due task throws", async () => {
    const refusing = create(() => {
      throw new StorageError(FULL);
    });
    await expect(refusing.transactions.transact(() => "read")).resolves.toBe("read");
    const wrong = create(() => {
      throw new TypeError("wrong");
    });
    await expect(wrong.transactions.transact(() => "read")).rejects.toThrow("wrong");
  });
});

describe("a response that is sent after its webhook", () => {
  const early = delivery({ fault: EARLY });
  const attempted = { ...early, attempts: [attempt()] };

  it("waits for the first attempt", async () => {
    const { transactions } = create();
    const answer = watch(
      transactions.transact(() => transactions.commit(putsOf({ deliveries: [early] }))),
    );
    await turns();
    expect(answer.isSettled).toBe(false);
    await transactions.transact(() => transactions.commit(putsOf({ deliveries: [attempted] })));
    await turns();
    expect(answer.isSettled).toBe(true);
  });

  it("waits no longer when the sandbox stops", async () => {
    const { transactions, closing } = create();
    const commit = () => transactions.commit(putsOf({ deliveries: [early] }));
    const answer = watch(transactions.transact(commit));
    await turns();
    expect(answer.isSettled).toBe(false);
    closing.abort();
    await turns();
    expect(answer.isSettled).toBe(true);
    await transactions.transact(commit);
  });

  it("is not delayed by webhooks of due tasks, of other transactions or without the fault", async () => {
    const { transactions } = create((commit) => commit(putsOf({ deliveries: [early] })));
    await transactions.transact(() =>
      transactions.commit(putsOf({ deliveries: [delivery({ id: "evt_plain" })] })),
    );
  });
});

function create(runDueWork: (commit: Transactions["commit"]) => unknown = () => undefined): {
  transactions: Transactions;
  store: HeldStore;
  closing: AbortController;
} {
  const closing = new AbortController();
  const store = new HeldStore();
  const due = {
    run: () => void runDueWork((change) => transactions.commit(change)),
    add: () => undefined,
  };
  const transactions = new Transactions({
    store,
    due,
    events: new Events(),
    closing: closing.signal,
  });
  return { transactions, store, closing };
}
