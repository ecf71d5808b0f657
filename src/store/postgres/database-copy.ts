import { type Copy, readSnapshots } from "../journaled/copied-state.ts";
import { StateExistsError, StateFileError } from "../errors.ts";
import { JournalLines } from "../format/journal-line.ts";
import { piecesOf } from "../format/state-writer.ts";
import { readAll } from "../journaled/read-all.ts";
import { piecesOfSnapshot } from "../journaled/stored-snapshots.ts";
import { textsOf } from "./journal-tables.ts";
import { labelled, withTables } from "./shared-state.ts";
import { BehindError, missingLines, PostgresJournal } from "./postgres-journal.ts";
import { documentOf, SNAPSHOT_PREFIX } from "./snapshot-tables.ts";
import { say } from "../../text/message.ts";

/**
 * Reads a state in a database, and its snapshots. Changes nothing; a sandbox may use it meanwhile.
 * @throws StateFileError if it cannot be read
 */
export function readDatabaseCopy(address: string): Promise<Copy> {
  return withTables(address, { isNew: false }, async (tables) => {
    if (!(await tables.hasState())) throw noState(address);
    const journal = new PostgresJournal({ tables, mayRetry: () => false });
    for (let tries = 1; ; tries++) {
      try {
        const state = await readAll(journal);
        const { length } = await tables.documentsNamed(SNAPSHOT_PREFIX);
        return { state, snapshots: await readSnapshots(journal.snapshots(), length) };
      } catch (error) {
        if (!(error instanceof BehindError)) throw error;
        // A compaction has dropped lines meanwhile; it does not do so again and again.
        if (tries === MAX_TRIES) throw missingLines(journal.size.compactedTo + 1);
      }
    }
  });
}

const MAX_TRIES = 5;

/**
 * Stores a copy in a database, all of it or nothing. A process that starts meanwhile reads the copy, or prevents it.
 * @throws StateExistsError if there is a state already, StateFileError if the database cannot be used
 */
export function createDatabaseCopy(address: string, { state, snapshots }: Copy): Promise<void> {
  return withTables(address, { isNew: true }, async (tables) => {
    // No process may have read the empty sandbox up to this position.
    const sequence = Math.max(1, state.sequence);
    const last = new JournalLines();
    last.add({ sequence, lastEventNumber: state.records.lastEventNumber, change: {} });
    const isCreated = await tables.create({
      sequence,
      texts: textsOf(piecesOf({ ...state, sequence })),
      line: last.bytes.toString().trimEnd(),
      documents: snapshots.map(({ snapshot, rows }) => ({
        document: documentOf(snapshot),
        texts: textsOf(piecesOfSnapshot(snapshot, rows)),
      })),
    });
    if (!isCreated) throw exists(address);
  });
}

function noState(address: string): StateFileError {
  const { place, sandbox } = labelled(address);
  return new StateFileError(say`There is no sandbox "${sandbox}" in ${place}.`);
}

function exists(address: string): StateExistsError {
  const { place, sandbox } = labelled(address);
  return new StateExistsError(
    say`There is a sandbox "${sandbox}" in ${place}. Nothing was changed. Choose another name with ?sandbox=NAME.`,
  );
}
