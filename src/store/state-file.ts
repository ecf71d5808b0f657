import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { Low } from "lowdb";
import { JSONFile } from "lowdb/node";
import * as z from "zod";
import { type Store, StorageError } from "../core/ports.ts";
import { type Change, Records } from "../core/records.ts";
import { StateFileError } from "./errors.ts";
import { lock } from "./lock.ts";

/** What stands in the file beside the records themselves. */
interface Document extends Change {
  readonly format: typeof FORMAT;
  readonly version: number;
  readonly lastEventNumber: number;
}

const FORMAT = "pix-sandbox";
const VERSION = 1;

const text = z.string();
const time = z.number();
const ownedBy = {
  id: text,
  integration: text,
  ordinal: z.int(),
  idempotencyKey: text,
  request: text,
  eventNumber: z.int(),
  createdAtMs: time,
};
const settled = {
  settledAtMs: time.nullable(),
  endToEndId: text.nullable(),
  valueCents: z.int(),
  webhookUrl: text,
};

const documentSchema = z.looseObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  lastEventNumber: z.int().min(0),
  payins: z.array(
    z.looseObject({
      ...ownedBy,
      ...settled,
      status: z.enum(["waiting", "paid", "completed", "canceled", "expired"]),
      buyerCpf: text,
      buyerName: text,
      buyerEmail: text,
      generateQrcode: z.boolean(),
      expirationSeconds: z.int(),
      pixId: text,
      acquirerId: text,
      qrCode: text,
      expiresAtMs: time,
    }),
  ),
  payouts: z.array(
    z.looseObject({
      ...ownedBy,
      ...settled,
      status: z.enum(["waiting", "completed", "canceled"]),
      receiverCpf: text,
      receiverName: text,
      receiverEmail: text,
      pixKey: text,
      pixKeyType: z.enum(["cpf", "email", "phone", "evp"]),
    }),
  ),
  deliveries: z.array(
    z.looseObject({
      id: text,
      integration: text,
      type: text,
      transactionId: text,
      url: z.url(),
      body: text,
      status: z.enum(["pending", "delivered", "failed"]),
      attempts: z.array(
        z.looseObject({
          atMs: time,
          durationMs: time,
          status: z.int().nullable(),
          error: text.nullable(),
          signature: text.nullable(),
          response: text.nullable(),
          eventNumber: z.int(),
        }),
      ),
      nextAttemptAtMs: time.nullable(),
      createdAtMs: time,
      eventNumber: z.int(),
    }),
  ),
  webhookConfigurations: z.array(
    z.looseObject({ integration: text, webhookUrl: z.url(), events: z.array(text) }),
  ),
  changedAssumptions: z.array(
    z.looseObject({ integration: text.nullable(), changes: z.record(text, z.unknown()) }),
  ),
  clock: z
    .union([
      z.looseObject({ mode: z.literal("real"), offsetMs: time }),
      z.looseObject({ mode: z.literal("frozen"), nowMs: time }),
    ])
    .optional(),
  identity: z.looseObject({ seed: text, secret: z.string().startsWith("whsec_") }),
});

/**
 * Opens the JSON file that lowdb keeps, or begins one.
 * @param onFailure hears of the write that fails; from then on changes are refused
 * @throws StateFileError where what is there is no state of this sandbox, StateInUseError where another has it.
 */
export async function openStateFile(
  file: string,
  onFailure: (error: StorageError) => void = () => undefined,
): Promise<Store> {
  // Built in the open: lowdb's preset turns into a memory store wherever NODE_ENV is "test".
  const db = new Low<Document | null>(new JSONFile(file), null);
  const unreadable = (error: Error): never => {
    throw new StateFileError(
      `The state file ${file} cannot be read: ${error.message}. ${WHAT_TO_DO}`,
    );
  };
  await mkdir(path.dirname(file), { recursive: true }).catch(unreadable);
  const unlock = await lock(file);
  try {
    const records = await read(db, file, unreadable);
    return new StateFile(db, records, unlock, onFailure);
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function read(
  db: Low<Document | null>,
  file: string,
  unreadable: (error: Error) => never,
): Promise<Records> {
  await db.read().catch(unreadable);
  // lowdb gives null for a file that is not there, and for one that says so.
  if (db.data === null && existsSync(file)) unreadable(new Error("it holds null"));
  const records = new Records();
  if (db.data !== null) restore(records, db.data, file);
  return records;
}

const WHAT_TO_DO = "Move or remove it, or name another with --state.";

function restore(records: Records, document: Document, file: string): void {
  const { success, error } = documentSchema.safeParse(document);
  if (!success) {
    const [issue] = error.issues;
    const where = issue?.path.length ? ` (${issue.path.join(".")}: ${issue.message})` : "";
    throw new StateFileError(
      `The file ${file} is no state of this version of pix-sandbox${where}. ${WHAT_TO_DO}`,
    );
  }
  records.apply(document);
  records.continueAfter(document.lastEventNumber);
}

/** One write at a time; whatever is decided while one runs goes into the next. After one that fails, changes are refused. */
class StateFile implements Store {
  readonly records: Records;
  readonly #db: Low<Document | null>;
  readonly #unlock: () => Promise<void>;
  readonly #onFailure: (error: StorageError) => void;
  #hasChanged = false;
  #next: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #failure: StorageError | undefined;
  /** What the file holds. */
  #kept: Change;

  constructor(
    db: Low<Document | null>,
    records: Records,
    unlock: () => Promise<void>,
    onFailure: (error: StorageError) => void,
  ) {
    this.#db = db;
    this.records = records;
    this.#unlock = unlock;
    this.#onFailure = onFailure;
    this.#kept = records.toChange();
  }

  commit(change: Change): void {
    if (this.#failure) throw this.#failure;
    this.records.apply(change);
    this.#hasChanged = true;
    this.durable().catch(() => undefined);
  }

  /** After a failure there is nothing more to wait for: what was kept is read, and changes are refused. */
  durable(): Promise<void> {
    if (this.#failure) return Promise.resolve();
    if (!this.#hasChanged) return this.#writing;
    this.#next ??= this.#writing.catch(() => undefined).then(() => this.#write());
    return this.#next;
  }

  async close(): Promise<void> {
    await this.durable().finally(this.#unlock);
  }

  async #write(): Promise<void> {
    this.#next = undefined;
    this.#hasChanged = false;
    if (this.#failure) throw this.#failure;
    const change = this.records.toChange();
    this.#db.data = {
      format: FORMAT,
      version: VERSION,
      lastEventNumber: this.records.lastEventNumber,
      ...change,
    };
    this.#writing = this.#db.write().catch((error: Error) => this.#fail(error));
    this.#writing.catch(() => undefined);
    await this.#writing;
    this.#kept = change;
  }

  #fail(error: Error): never {
    const sentence = `The state file cannot be written: ${error.message}.`;
    this.#failure ??= new StorageError(sentence);
    // What is not kept was never acknowledged, and is neither read, repeated nor told of from now on.
    this.records.replaceWith(this.#kept);
    this.#onFailure(this.#failure);
    throw this.#failure;
  }
}
