import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Journal, JournalEntry, State } from "../../src/core/state/ports.ts";
import type { Fault } from "../../src/core/faults/fault.ts";
import { type Change, Records } from "../../src/core/state/records.ts";
import { applyEntry, readAll } from "../../src/store/journaled/read-all.ts";
import { delivery, payin, payout, START_MS } from "../support/core.ts";

/** Where an implementation stores one journal. A test opens it several times. */
export interface JournalHome extends AsyncDisposable {
  /** Opens the journal as a new process does, when the previous one has closed it or died without closing it. */
  open(): Promise<Journal>;
  /** Makes the next append of the open journal fail. */
  failAppend(how: AppendFailure): Promise<void> | void;
  /**
   * Lets the process of the next journal die at a call of its storage, counted from 1 since it was opened: before the
   * call has an effect, or after. No later call ends. Absent if there is nothing that could be interrupted.
   */
  readonly die?: (at: number, moment: "before" | "after") => void;
  /** Whether that process has died. */
  readonly isDead?: () => boolean;
  /** Whether a reader met the compaction of another process, which reading again settles. Absent if it cannot happen. */
  readonly isBehind?: (error: unknown) => boolean;
}

/** Nothing is stored, or all of it is stored but not acknowledged. */
export type AppendFailure = "refused" | "unacknowledged";

/**
 * Tests what `Journal` promises; each implementation runs it.
 * @param canBeTakenOver whether a second process takes the journal over, instead of being refused
 * @param canDie whether a home has `die`
 */
export function testJournal(
  name: string,
  { canBeTakenOver, canDie }: { readonly canBeTakenOver: boolean; readonly canDie: boolean },
  createHome: () => Promise<JournalHome>,
): void {
  describe(`a journal in ${name}`, () => {
    let home: JournalHome;

    beforeEach(async () => {
      home = await createHome();
    });

    afterEach(() => home[Symbol.asyncDispose]());

    it("is empty at first", async () => {
      const { state } = await start(home);
      expect(textOf(state)).toEqual(textOf(emptyState()));
    });

    it("gives back what was appended, in order, after a process that died", async () => {
      const first = await start(home);
      const from = first.state.sequence;
      await append(first, CHANGES.slice(0, 2));
      await append(first, CHANGES.slice(2));
      const second = await home.open();
      const entries: JournalEntry[] = [];
      await second.readState(emptyState());
      await second.read(from + 1, (entry) => entries.push(entry));
      expect(entries.map(({ sequence, change }) => [sequence, plain(change)])).toEqual(
        CHANGES.map((change, index) => [from + index + 1, plain(change)]).slice(1),
      );
    });

    it("continues at the last position", async () => {
      await append(await start(home), CHANGES);
      const second = await start(home);
      await append(second, [LATER]);
      const third = await start(home);
      expect(textOf(third.state)).toEqual(textOf(second.state));
      // A start may append an entry of its own.
      expect(third.state.sequence - second.state.sequence).toBeOneOf([0, 1]);
    });

    it("leaves a batch unchanged by an entry that cannot be encoded", async () => {
      const one = await start(home);
      const batch = one.journal.createBatch();
      const position = one.state.sequence;
      batch.add({ sequence: position + 1, lastEventNumber: 0, change: LATER });
      const change = { changedAssumptions: [{ integration: "shop", changes: { no: 1n } }] };
      expect(() =>
        batch.add({
          sequence: position + 2,
          lastEventNumber: 0,
          change: change as unknown as Change,
        }),
      ).toThrow(Error);
      expect(batch.count).toBe(1);
      await one.journal.append(position, batch);
      const { records } = (await start(home)).state;
      expect(records.payins.size).toBe(1);
      batch.clear();
      expect(batch.count).toBe(0);
    });

    it("rejects an append at another position than the last, and stores nothing of it", async () => {
      const first = await start(home);
      await append(first, CHANGES);
      for (const difference of [-CHANGES.length, -1, 1]) {
        const { journal, state } = await start(home);
        const position = state.sequence + difference;
        const batch = journal.createBatch();
        batch.add({ sequence: position + 1, lastEventNumber: 0, change: LATER });
        await expect(journal.append(position, batch)).rejects.toThrow(Error);
      }
      expect(textOf((await start(home)).state)).toEqual(textOf(first.state));
    });

    it("gives back the whole compacted state, and drops its entries", async () => {
      const one = await start(home);
      await append(one, CHANGES);
      const { entryBytes } = one.journal.size;
      expect(one.journal.size.compactedTo).toBe(0);
      await compact(one);
      expect(one.journal.size.compactedTo).toBe(one.state.sequence);
      expect(one.journal.size.entryBytes).toBeLessThan(entryBytes);
      await append(one, [LATER]);

      const { state } = await start(home);
      expect(textOf(state)).toEqual(textOf(one.state));
      expect(state.records.lastFaultOrdinals).toEqual([["shop", 1]]);
      expect(state.records.lastEventNumber).toBe(40);
      const again = await home.open();
      const sequences: number[] = [];
      await again.readState(emptyState());
      await again.read(state.sequence - 1, ({ sequence }) => sequences.push(sequence));
      expect(sequences).toEqual([state.sequence]);
    });

    it("appends while it compacts", async () => {
      const one = await start(home);
      await append(one, CHANGES);
      const compacting = compact(one);
      await append(one, [LATER]);
      await compacting;
      expect(textOf((await start(home)).state)).toEqual(textOf(one.state));
    });

    it("replaces no state by one with commits that are not durable", async () => {
      const one = await start(home);
      await append(one, CHANGES);
      const before = textOf(one.state);
      const lost = new Error("the commits were rolled back");
      const undo = one.state.records.apply(LATER);
      one.state.sequence++;
      await expect(compact(one, { durable: () => Promise.reject(lost) })).rejects.toThrow(Error);
      undo();
      one.state.sequence--;
      expect(textOf((await start(home)).state)).toEqual(before);
    });

    it("replaces no state if the compaction was canceled before it began", async () => {
      const one = await start(home);
      await append(one, CHANGES);
      await expect(compact(one, { signal: AbortSignal.abort() })).rejects.toThrow(Error);
      expect(one.journal.size.compactedTo).toBe(0);
      expect(textOf((await start(home)).state)).toEqual(textOf(one.state));
    });

    it("replaces no state after the compaction was canceled", async () => {
      const one = await start(home);
      await append(one, CHANGES);
      const abort = new AbortController();
      const durable = async (): Promise<void> => {
        abort.abort(new Error("canceled"));
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      };
      await expect(compact(one, { durable, signal: abort.signal })).rejects.toThrow(Error);
      expect(one.journal.size.compactedTo).toBe(0);
      await append(one, [LATER]);
      expect(textOf((await start(home)).state)).toEqual(textOf(one.state));
    });

    it.each(["refused", "unacknowledged"] as const)(
      "recovers from an append that is %s, without its entries",
      async (how) => {
        const one = await start(home);
        await append(one, CHANGES);
        await failToAppend(home, one, how);
        const { journal, state } = one;
        // The position of entries that may remain is never used again.
        if (!(await journal.rollBack(state.sequence))) state.sequence++;
        await journal.recover(state);
        await append(one, [LATER]);
        expect(textOf((await start(home)).state)).toEqual(textOf(state));
      },
    );

    it.each(["refused", "unacknowledged"] as const)(
      "stores the state without the entries of an append that is %s when it is closed",
      async (how) => {
        const one = await start(home);
        await append(one, CHANGES);
        const before = textOf(one.state);
        await failToAppend(home, one, how);
        if (!(await one.journal.rollBack(one.state.sequence))) one.state.sequence++;
        await one.journal.close(one.state);
        expect(textOf((await start(home)).state)).toEqual(before);
      },
    );

    const another = canBeTakenOver ? ["another one"] : [];
    it.each(another)("is not written any more by a process that %s has replaced", async () => {
      const first = await start(home);
      await append(first, CHANGES);
      const { sequence } = first.state;
      const second = await start(home);
      await append(second, [LATER]);
      await expect(append(first, [LATER])).rejects.toThrow(Error);
      if (await first.journal.rollBack(sequence)) first.state.sequence = sequence;
      await expect(first.journal.recover(first.state)).rejects.toThrow(Error);
      await expect(compact(first)).rejects.toThrow(Error);
      await first.journal.close(first.state);
      expect(textOf((await start(home)).state)).toEqual(textOf(second.state));
    });

    it.each(canDie ? (["before", "after"] as const) : [])(
      "has every acknowledged entry, each as a whole, if its process dies %s any call of its storage",
      { timeout: 60_000 },
      async (moment) => {
        let at = 1;
        for (; ; at++) {
          await using own = await createHome();
          own.die?.(at, moment);
          const changes = [...CHANGES, LATER];
          let acknowledged = 0;
          const life = async (): Promise<void> => {
            const one = await start(own);
            for (const [index, change] of changes.entries()) {
              await append(one, [change]);
              acknowledged++;
              if (index === 1) await compact(one);
            }
            await one.journal.close(undefined);
          };
          await untilEither(life(), () => own.isDead?.() ?? true);
          const { state } = await start(own);
          const expected = [acknowledged, acknowledged + 1].map((count) =>
            textAfter(changes, count),
          );
          expect(expected, `call ${at}`).toContainEqual(textOf(state).change);
          if (!own.isDead?.()) break;
        }
        // It has died in every step, and lived in the last round.
        expect(at).toBeGreaterThan(5);
      },
    );

    it("is read again after it was closed", async () => {
      const one = await start(home);
      await append(one, CHANGES);
      await one.journal.close(undefined);
      expect(textOf((await start(home)).state)).toEqual(textOf(one.state));
    });
  });
}

/** Every kind of record, and a fault that is removed again: its ordinal is never reused. */
const FAULT: Fault = {
  id: "flt_1",
  integration: "shop",
  ordinal: 1,
  on: "webhook",
  effect: { kind: "delay_ms", ms: 500 },
  used: 0,
  drawn: 0,
};
const CHANGES: readonly Change[] = [
  {
    payins: [payin({ id: "one", description: 'Açaí 😀 \u2028 "quoted"', eventNumber: 1 })],
    faults: [FAULT],
  },
  {
    payouts: [payout({ id: "two", eventNumber: 2 })],
    deliveries: [delivery({ transactionId: "one", eventNumber: 3 })],
    removedFaults: ["flt_1"],
  },
  {
    webhookConfigurations: [
      { integration: "shop", webhookUrl: "http://localhost:3000/", events: ["payment.received"] },
    ],
    changedAssumptions: [{ integration: null, changes: { "error.language": "pt" } }],
    clock: { mode: "frozen", nowMs: START_MS },
    identity: { seed: "42", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
  },
];
const LATER: Change = { payins: [payin({ id: "later", idempotencyKey: "later", ordinal: 2 })] };

interface Started {
  readonly journal: Journal;
  readonly state: State;
}

async function start(home: JournalHome): Promise<Started> {
  for (;;) {
    const journal = await home.open();
    try {
      const state = await readAll(journal);
      await journal.start(state);
      return { journal, state };
    } catch (error) {
      // What a process that died had sent may still be carried out.
      if (!home.isBehind?.(error)) throw error;
    }
  }
}

/** Appends changes together, and applies them. */
async function append({ journal, state }: Started, changes: readonly Change[]): Promise<void> {
  const batch = journal.createBatch();
  const position = state.sequence;
  for (const [index, change] of changes.entries()) {
    // The number of an event that no record shows.
    const lastEventNumber = state.records.lastEventNumber + 10;
    const entry = { sequence: position + index + 1, lastEventNumber, change };
    batch.add(entry);
    applyEntry(state, entry);
  }
  await journal.append(position, batch);
}

async function failToAppend(
  home: JournalHome,
  { journal, state }: Started,
  how: AppendFailure,
): Promise<void> {
  await home.failAppend(how);
  const batch = journal.createBatch();
  const lost: Change = { payins: [payin({ id: "lost", idempotencyKey: "lost" })] };
  batch.add({ sequence: state.sequence + 1, lastEventNumber: 0, change: lost });
  await expect(journal.append(state.sequence, batch)).rejects.toThrow(Error);
}

/** Resolves when the work has ended, or its process has died, which the work does not notice. */
async function untilEither(work: Promise<void>, isDead: () => boolean): Promise<void> {
  const over = new AbortController();
  const ended = work.finally(() => over.abort());
  // A call that was under way at its death fails when its connection is closed; nobody waits for it.
  ended.catch(() => undefined);
  while (!over.signal.aborted && !isDead())
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  if (over.signal.aborted) await ended;
}

/** All records after the first changes. */
function textAfter(changes: readonly Change[], count: number): unknown {
  const records = new Records();
  for (const change of changes.slice(0, count)) records.apply(change);
  return plain(records.toChange());
}

function compact(
  { journal, state }: Started,
  {
    durable = () => Promise.resolve(),
    signal = new AbortController().signal,
  }: { durable?: () => Promise<void>; signal?: AbortSignal } = {},
): Promise<void> {
  return journal.compact(state, { durable, signal });
}

function emptyState(): State {
  return { records: new Records(), sequence: 0 };
}

/** Everything but the position, which a start may move on. */
function textOf({ records }: State) {
  return {
    lastEventNumber: records.lastEventNumber,
    change: plain(records.toChange()),
  };
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
