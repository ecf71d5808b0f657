import { beforeEach, describe, expect, it } from "vitest";
import { type Store, StorageError, type Timer } from "../../../src/core/state/ports.ts";
import type { StoreLimits } from "../../../src/store/format/limits.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { openJournaledStore } from "../../../src/store/journaled/journaled-store.ts";
import { payin, randomFrom } from "../../support/core.ts";
import { type Failure, MemoryJournal, Storage } from "../memory-journal.ts";
import { inWords, wordsOf } from "../../support/words.ts";
import type { Message } from "../../../src/text/message.ts";

/** The failures that end. */
const FAILURES: readonly Failure[] = ["refused", "unacknowledged"];

/** A timer that a test fires. */
class ManualTimer implements Timer {
  delayMs: number | undefined;
  #ring: () => void = () => undefined;

  set(delayMs: number, ring: () => void): void {
    this.delayMs = delayMs;
    this.#ring = ring;
  }

  clear(): void {
    this.delayMs = undefined;
    this.#ring = () => undefined;
  }

  fire(): void {
    this.delayMs = undefined;
    this.#ring();
  }
}

let storage: Storage;
let journal: MemoryJournal;
let timer: ManualTimer;
let reports: Message[];
let store: Store;

beforeEach(async () => {
  storage = new Storage();
  await open();
});

describe("a store on a journal", () => {
  it("appends the commits of one turn together, and reads them again", async () => {
    commit("one");
    commit("two");
    await store.durable();
    commit("three");
    await store.durable();

    expect(journal.batches).toEqual([2, 1]);
    expect(storage.entries.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    await open();
    expect(ids()).toEqual(["one", "two", "three"]);
  });

  it("forms the next batch while one is being written", async () => {
    const { promise, resolve } = withResolvers();
    journal.gate = promise;
    commit("one");
    void store.durable();
    await turn();
    commit("two");
    commit("three");
    const durable = store.durable();
    resolve();
    await durable;

    expect(journal.batches).toEqual([1, 2]);
  });

  it("is durable at once where nothing is pending, as a store in memory always is", async () => {
    expect(new MemoryStore().isDurable).toBe(true);
    const { promise, resolve } = withResolvers();
    journal.gate = promise;
    expect(store.isDurable).toBe(true);
    commit("one");
    expect(store.isDurable).toBe(false);
    const durable = store.durable();
    await turn();
    expect(store.isDurable).toBe(false);
    resolve();
    await durable;
    expect(store.isDurable).toBe(true);
  });

  it("appends commits that no caller waits for after a pause", async () => {
    await open({ pauseMs: 1 });
    commit("one");
    await expect.poll(() => journal.batches).toEqual([1]);
  });

  it("appends the commits of that pause together, and ends it as soon as a caller waits, or the store is closed", async () => {
    await open({ pauseMs: 3_600_000 });
    for (const id of ["one", "two", "three"]) {
      commit(id);
      await turn();
      if (id !== "one") await store.durable();
    }
    expect(journal.batches).toEqual([2, 1]);
    commit("four");
    await turn();
    await store.close();
    expect(journal.batches).toEqual([2, 1, 1]);
  });

  it("compacts the journal when it is idle, and before it is closed", async () => {
    commit("one");
    await store.durable();
    await turn();
    expect(timer.delayMs).toBe(1000);
    timer.fire();
    await turn();
    expect(storage).toMatchObject({ compactions: 1, entries: [], state: { sequence: 1 } });

    commit("two");
    await store.close();
    expect(storage).toMatchObject({ compactions: 2, entries: [], state: { sequence: 2 } });
    expect(journal.isClosed).toBe(true);
    await open();
    expect(ids()).toEqual(["one", "two"]);
  });

  it("reports a compaction that fails, loses nothing and tries again later", async () => {
    journal.isDown = true;
    commit("one");
    await store.durable();
    await turn();
    timer.fire();
    await turn();

    expect(reports).toEqual([inWords({ en: "the journal is down", pt: "the journal is down" })]);
    expect(timer.delayMs).toBe(60_000);
    expect(store.isDegraded).toBe(false);
    journal.isDown = false;
    timer.fire();
    await turn();
    expect(storage.state.sequence).toBe(1);
  });

  it("refuses a change that cannot be encoded, and rolls back that one alone", async () => {
    commit("one");
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const change = { changedAssumptions: [{ integration: "shop", changes: cyclic as object }] };
    expect(() => store.commit(change)).toThrow(StorageError);
    expect(store.records.changedAssumptions.size).toBe(0);
    await store.durable();
    expect(storage.entries.length).toBe(1);
  });
});

describe.each(FAILURES)("a store whose append fails: %s", (failure) => {
  let rollbacks: string[][];
  let outcomes: PromiseSettledResult<void>[];

  beforeEach(async () => {
    rollbacks = [];
    store.onRollback = () => rollbacks.push(ids());
    commit("durable");
    await store.durable();
    journal.nextFailure = failure;
    const { promise, resolve } = withResolvers();
    journal.gate = promise;
    commit("lost");
    const lost = store.durable();
    await turn();
    commit("lost too");
    const lostToo = store.durable();
    resolve();
    outcomes = await Promise.allSettled([lost, lostToo]);
  });

  it("rejects every commit that is not durable", () => {
    const refused = { status: "rejected", reason: expect.any(StorageError) as unknown };
    expect(outcomes).toEqual([refused, refused]);
  });

  it("rolls back what is not durable, the last change first, and reports it", () => {
    expect(rollbacks).toEqual([["durable"]]);
    expect(reports.length).toBe(1);
    expect(wordsOf(reports[0])).toContain("Changes are refused until writing works again.");
    expect(wordsOf(reports[0], "pt")).toContain("As alterações são recusadas");
  });

  it("refuses changes and still reads, until the journal can be written again", async () => {
    journal.isDown = true;
    expect(store.isDegraded).toBe(true);
    expect(() => commit("refused")).toThrow(StorageError);
    await expect(store.durable()).resolves.toBeUndefined();
    await turn();
    expect([store.isDegraded, ids()]).toEqual([true, ["durable"]]);

    journal.isDown = false;
    let recoveries = 0;
    store.onRecovered = () => recoveries++;
    timer.fire();
    await turn();
    expect([store.isDegraded, recoveries]).toEqual([false, 1]);
    commit("after");
    await store.durable();
    await open();
    expect(ids()).toEqual(["durable", "after"]);
  });

  it("retries after longer and longer pauses, and after the first one again once it has recovered", async () => {
    const failAgain = async (): Promise<number | undefined> => {
      timer.fire();
      await turn();
      return timer.delayMs;
    };
    journal.isDown = true;
    const first = timer.delayMs;
    expect([await failAgain(), await failAgain()]).toEqual([(first ?? 0) * 2, (first ?? 0) * 4]);

    journal.isDown = false;
    timer.fire();
    await turn();
    commit("after");
    await store.durable();
    journal.nextFailure = "refused";
    commit("refused");
    await expect(store.durable()).rejects.toThrow(StorageError);
    expect(timer.delayMs).toBe(first);
  });

  it("recovers at a change as well, which is refused itself", async () => {
    expect(() => commit("refused")).toThrow(StorageError);
    await turn();
    commit("after");
    await store.close();
    await open();
    expect(ids()).toEqual(["durable", "after"]);
  });

  it("stores the rolled back state when it is closed", async () => {
    await store.close();
    await open();
    expect(ids()).toEqual(["durable"]);
  });
});

describe("a store whose journal is still rolling an append back", () => {
  let rolledBack: () => void;

  beforeEach(async () => {
    const { promise, resolve } = withResolvers();
    rolledBack = resolve;
    journal.rollBackGate = promise;
    journal.nextFailure = "refused";
    commit("lost");
    store.durable().catch(() => undefined);
    await turn();
  });

  it("closes the journal when that has ended, and not before", async () => {
    const closed = store.close();
    await turn();
    expect(journal.isClosed).toBe(false);
    rolledBack();
    await closed;
    expect(journal.isClosed).toBe(true);
  });

  it("accepts changes when that has ended, and not before", async () => {
    timer.fire();
    await turn();
    expect(store.isDegraded).toBe(true);
    expect(() => commit("refused")).toThrow(StorageError);
    rolledBack();
    await turn();
    commit("after");
    await store.durable();
    await open();
    expect(ids()).toEqual(["after"]);
  });
});

describe("a store whose journal another process has taken over", () => {
  it("rolls back, reads, and never writes again", async () => {
    commit("durable");
    await store.durable();
    journal.nextFailure = "conflict";
    commit("lost");
    await expect(store.durable()).rejects.toThrow(StorageError);
    expect([store.isDegraded, ids()]).toEqual([true, ["durable"]]);

    timer.fire();
    await turn();
    expect(() => commit("refused")).toThrow(StorageError);
    await turn();
    expect(store.isDegraded).toBe(true);
    const { entries } = storage;
    await store.close();
    expect([storage.entries, storage.compactions]).toEqual([entries, 0]);
    expect(entries.length).toBe(2);
  });
});

describe("a store whose journal fails at random", () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed))(
    "has every acknowledged commit after a restart, and no refused one: seed %d",
    async (seed) => {
      const random = randomFrom(seed);
      const acknowledged: string[] = [];
      for (let step = 0; step < 60; step++) {
        const choice = random();
        if (choice < 0.15) journal.nextFailure = FAILURES[Math.floor(random() * 2)];
        else if (choice < 0.3) journal.isDown = !journal.isDown;
        else if (choice < 0.45) timer.fire();
        else if (choice < 0.5) {
          journal.isDown = false;
          await store.close();
          await open();
          expect(ids()).toEqual(acknowledged);
        } else await tryToCommit(`${step}`, acknowledged);
        await turn();
        expect(ids()).toEqual(acknowledged);
      }
    },
  );
});

async function open(limits?: Partial<StoreLimits>): Promise<void> {
  journal = new MemoryJournal(storage);
  timer = new ManualTimer();
  reports = [];
  store = await openJournaledStore(journal, {
    timer,
    report: (text) => reports.push(text),
    limits,
  });
}

function commit(id: string): void {
  store.commit({ payins: [payin({ id, idempotencyKey: id })] });
}

async function tryToCommit(id: string, acknowledged: string[]): Promise<void> {
  try {
    commit(id);
    await store.durable();
    acknowledged.push(id);
  } catch (error) {
    expect(error).toBeInstanceOf(StorageError);
  }
}

function ids(): string[] {
  return store.records.payins.all().map(({ id }) => id);
}

/** Lets everything that needs no timer happen. */
async function turn(): Promise<void> {
  for (let count = 0; count < 3; count++)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
