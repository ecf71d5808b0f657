import { expect, it, vi } from "vitest";
import { Records } from "../../../src/core/state/records.ts";
import type { JournalTables } from "../../../src/store/postgres/journal-tables.ts";
import { PostgresJournal } from "../../../src/store/postgres/postgres-journal.ts";
import { TakenOverError } from "../../../src/store/postgres/taken-over.ts";

const refused = Object.assign(new Error("permission denied"), {
  name: "PostgresError",
  code: "42501",
});

/** A journal that leads, in tables of which only some methods respond. */
async function leadingJournal(tables: Partial<JournalTables>) {
  const onTakenOver = vi.fn<() => void>();
  const journal = new PostgresJournal({
    tables: {
      claim: async () => 1,
      notify: async () => undefined,
      ...tables,
    } as JournalTables,
    mayRetry: () => false,
    onTakenOver,
  });
  const state = { records: new Records(), sequence: 0 };
  await journal.start(state);
  return { journal, state, onTakenOver, append: () => journal.append(1, lineOf(journal)) };
}

function lineOf(journal: PostgresJournal) {
  const batch = journal.createBatch();
  batch.add({ sequence: 2, lastEventNumber: 0, change: {} });
  return batch;
}

it("another process at its position ends its use of the journal for good", async () => {
  const { journal, state, onTakenOver, append } = await leadingJournal({
    append: async () => false,
    linesFrom: async () => [],
  });
  await expect(append()).rejects.toThrow(TakenOverError);
  expect(onTakenOver).toHaveBeenCalledOnce();
  expect(await journal.rollBack()).toBe(false);
  await expect(journal.recover(state)).rejects.toThrow(TakenOverError);
});

it("does not recover if another process has become the writer since an append was refused", async () => {
  const { journal, state, onTakenOver, append } = await leadingJournal({
    append: () => Promise.reject(refused),
    confirm: async () => false,
  });
  await expect(append()).rejects.not.toThrow(TakenOverError);
  await expect(journal.recover(state)).rejects.toThrow(TakenOverError);
  expect(onTakenOver).toHaveBeenCalledOnce();
  await expect(append()).rejects.toThrow("appending has failed");
});
