import { mkdir } from "node:fs/promises";
import path from "node:path";
import { Low } from "lowdb";
import { JSONFile } from "lowdb/node";
import * as z from "zod";
import { type Store, StorageError } from "../core/ports.ts";
import { type Change, Records } from "../core/records.ts";
import { StateFileError } from "./state-file-error.ts";

/** What stands in the file beside the records themselves. */
interface Document extends Change {
  readonly format: typeof FORMAT;
  readonly version: number;
  readonly lastEventNumber: number;
}

const FORMAT = "pix-sandbox";
const VERSION = 1;

const rows = (...keys: string[]) =>
  z.array(z.looseObject(Object.fromEntries(keys.map((key) => [key, z.string()]))));

const documentSchema = z.looseObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  lastEventNumber: z.int().min(0),
  payins: rows("id", "integration", "status"),
  payouts: rows("id", "integration", "status"),
  deliveries: rows("id", "integration", "status", "body"),
  keys: rows("integration", "key", "recordId", "request"),
  webhookConfigurations: rows("integration", "webhookUrl"),
  changedAssumptions: z.array(z.looseObject({})),
  identity: z.looseObject({ seed: z.string(), secret: z.string() }),
});

/**
 * Opens the JSON file that lowdb keeps, or begins one.
 * @throws StateFileError where what is there is no state of this sandbox.
 */
export async function openStateFile(file: string): Promise<Store> {
  // Built in the open: lowdb's preset turns into a memory store wherever NODE_ENV is "test".
  const db = new Low<Document | null>(new JSONFile(file), null);
  await mkdir(path.dirname(file), { recursive: true });
  await db.read().catch((error: Error) => {
    throw new StateFileError(
      `The state file ${file} cannot be read: ${error.message}. ${WHAT_TO_DO}`,
    );
  });
  const records = new Records();
  if (db.data !== null) restore(records, db.data, file);
  return new StateFile(db, records);
}

const WHAT_TO_DO = "Move or remove it, or name another with --state.";

function restore(records: Records, document: Document, file: string): void {
  const { success } = documentSchema.safeParse(document);
  if (!success)
    throw new StateFileError(
      `The file ${file} is no state of this version of pix-sandbox. ${WHAT_TO_DO}`,
    );
  records.apply(document);
  records.continueAfter(document.lastEventNumber);
}

/** One write at a time; whatever is decided while one runs goes into the next. */
class StateFile implements Store {
  readonly records: Records;
  readonly #db: Low<Document | null>;
  #hasChanged = false;
  #next: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(db: Low<Document | null>, records: Records) {
    this.#db = db;
    this.records = records;
  }

  commit(change: Change): void {
    this.records.apply(change);
    this.#hasChanged = true;
    this.durable().catch(() => undefined);
  }

  durable(): Promise<void> {
    if (!this.#hasChanged) return this.#writing;
    this.#next ??= this.#writing.catch(() => undefined).then(() => this.#write());
    return this.#next;
  }

  async close(): Promise<void> {
    await this.durable();
  }

  #write(): Promise<void> {
    this.#next = undefined;
    this.#hasChanged = false;
    this.#db.data = {
      format: FORMAT,
      version: VERSION,
      lastEventNumber: this.records.lastEventNumber,
      ...this.records.toChange(),
    };
    this.#writing = this.#db.write().catch((error: Error) => {
      this.#hasChanged = true;
      throw new StorageError(`The state file cannot be written: ${error.message}.`);
    });
    this.#writing.catch(() => undefined);
    return this.#writing;
  }
}
