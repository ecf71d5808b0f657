import { checkServerIdentity, type PeerCertificate } from "node:tls";
import postgres, { type Sql, type TransactionSql } from "postgres";
import { LocalizedError } from "../../core/records/errors.ts";
import { type JournalEntry, type Lease, NotLeadingError } from "../../core/state/ports.ts";
import { pause } from "../../platform/pause.ts";
import {
  clearInterval,
  clearTimeout,
  monotonicNowMs,
  setInterval,
  setTimeout,
} from "../../platform/real-time.ts";
import { reasonOf, StateFileError, StateInUseError } from "../errors.ts";
import { StoredSnapshots } from "../snapshots.ts";
import { type OpenedState, STATE, type Storage } from "../storage.ts";
import { openStore, type StoreOptions } from "../store.ts";
import { readLine } from "../text/journal-line.ts";
import { type Message, say } from "../../text/message.ts";
import { parseAddress, type PostgresAddress } from "./address.ts";

/**
 * - `pix_sandbox`: a row for each sandbox: the number of the process that writes it, until when no other one may, and
 *   how often the log was begun.
 * - `pix_sandbox_log`: a line for each commit.
 * - `pix_sandbox_document`: the state and its snapshots, in parts.
 */
const TABLES = ["pix_sandbox", "pix_sandbox_log", "pix_sandbox_document"];
const CREATE_TABLES = `
  CREATE TABLE IF NOT EXISTS pix_sandbox (
    sandbox text PRIMARY KEY,
    writer bigint NOT NULL DEFAULT 0,
    log bigint NOT NULL DEFAULT 0,
    free_at timestamptz NOT NULL DEFAULT 'epoch'
  );
  CREATE TABLE IF NOT EXISTS pix_sandbox_log (
    sandbox text NOT NULL,
    position bigint NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (sandbox, position)
  );
  CREATE TABLE IF NOT EXISTS pix_sandbox_document (
    sandbox text NOT NULL,
    document text NOT NULL,
    part integer NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (sandbox, document, part)
  );
  ALTER TABLE pix_sandbox_document ALTER COLUMN text SET STORAGE EXTERNAL`;
/** A table of the version before, which was never published. */
const OLD_TABLE = "pix_sandbox_migration";
/** Of processes that start at the same time, one creates the tables. */
const CREATION_LOCK = 7_490_001;

/** A process that was killed keeps the state for so long. */
const LEASE_MS = 5000;
/** What a process counts on: clocks run differently fast. */
const HELD_MS = LEASE_MS * 0.9;
const RENEW_EVERY_MS = 1000;
const CLAIM_EVERY_MS = 250;
/** How long a statement may take. A network that loses everything reports nothing. */
const STATEMENT_MS = 5000;
/** How long the start may take: another process may be creating the tables. */
const START_MS = 15_000;
/** How long a stopped process may keep the row of a sandbox locked, and its documents. */
const IDLE_MS = 1000;
const IDLE_DOCUMENT_MS = 10_000;
/** Fewer and larger parts are faster, but hold the event loop longer. */
const PART_CHARACTERS = 1 << 18;
const ROWS_AT_ONCE = 1000;
const MISSING_TABLE = "42P01";
/** PostgreSQL's class of errors about missing rights and names. */
const WRONG_STATEMENT = "42";

/**
 * Opens a state in a database, and waits until no other process uses it.
 * @throws PostgresAddressError, StateFileError
 */
export async function openDatabaseState(
  address: string,
  options: StoreOptions,
): Promise<OpenedState> {
  const { report } = options;
  const database = await Database.open(address, {
    onWait: (text) => report?.(say`${text} This process waits until it ends.`),
  });
  try {
    const store = await openStore(database, options);
    return { store, snapshots: new StoredSnapshots(database), lease: database };
  } catch (error) {
    await database.close();
    throw unusable(parseAddress(address), error);
  }
}

/**
 * A state in PostgreSQL. One process writes it, with a number that the next one replaces: each statement that changes
 * something asks for that number and locks its row, so that nothing of a process that was replaced is stored any more.
 * The number is also the right to answer, which runs out unless it is renewed. A process has one life: it waits until it
 * may write, writes, and ends. Nothing belongs to a session, so that a pooler may be in between.
 */
export class Database implements Storage, Lease {
  readonly isMergedAtRest = false;
  /** Resolves if another process has taken over. */
  readonly replaced: Promise<void>;
  readonly #address: PostgresAddress;
  #sql: Sql;
  #writer = 0;
  /** The number of the log: an append with an older one, whose connection was lost, can no longer arrive. */
  #logNumber = 0;
  #position = 0;
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  #renewing: NodeJS.Timeout | undefined;
  /** Resolves when no document is being changed. */
  #changed: Promise<unknown> = Promise.resolve();
  #isReplaced = false;
  #onReplaced: () => void = () => undefined;

  private constructor(address: PostgresAddress) {
    this.#address = address;
    this.#sql = connect(address);
    this.replaced = new Promise((resolve) => {
      this.#onReplaced = resolve;
    });
  }

  /**
   * Connects, creates what is missing, and waits until no other process writes.
   * @param options.onWait called if it has to wait
   * @param options.mayWait default: true
   * @param options.mayCreate whether the sandbox is created if it does not exist (default: true)
   * @throws PostgresAddressError, StateFileError if the database cannot be used
   */
  static async open(
    text: string,
    {
      onWait = () => undefined,
      mayWait = true,
      mayCreate = true,
    }: { onWait?: (text: Message) => void; mayWait?: boolean; mayCreate?: boolean } = {},
  ): Promise<Database> {
    const database = new Database(parseAddress(text));
    try {
      await database.#prepare(mayCreate);
      await database.#untilClaimed(mayWait ? onWait : inUse);
      return database;
    } catch (error) {
      await database.close();
      throw unusable(database.#address, error);
    }
  }

  get isHeld(): boolean {
    return monotonicNowMs() < this.#heldUntilMs;
  }

  async guard<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    if (!this.isHeld) throw this.#notLeading();
    const result = await work();
    // It may have been stopped meanwhile: the outcome is unknown.
    if (!this.isHeld) throw this.#notLeading();
    return result;
  }

  placeOf(document: string): string {
    const { place } = this.#address;
    return document === STATE ? place : `${document.replace(/\.snapshot$/, "")} (${place})`;
  }

  async read(document: string): Promise<AsyncIterable<Buffer> | undefined> {
    const { sandbox } = this.#address;
    const [part] = await this.#run(
      (sql) => sql`
        SELECT FROM pix_sandbox_document
        WHERE sandbox = ${sandbox} AND document = ${document} LIMIT 1`,
    );
    return part && this.#parts(document);
  }

  /** Part by part: a cursor would need a session. */
  async *#parts(document: string): AsyncGenerator<Buffer> {
    const { sandbox } = this.#address;
    let first: string | null | undefined;
    for (let number = 0; ; number++) {
      const [part] = await this.#run(
        (sql) => sql<[{ text: string | null; version: string | null }?]>`
          SELECT
            (SELECT text FROM pix_sandbox_document
             WHERE sandbox = ${sandbox} AND document = ${document} AND part = ${number}) AS text,
            (SELECT xmin::text FROM pix_sandbox_document
             WHERE sandbox = ${sandbox} AND document = ${document} AND part = 0) AS version`,
      );
      first ??= part?.version;
      if (part?.version !== first) throw new LocalizedError(say`it was replaced meanwhile`);
      if (typeof part?.text !== "string") return;
      yield Buffer.from(part.text);
    }
  }

  async write(
    document: string,
    pieces: Iterable<Buffer>,
    untilSafe: Promise<void> = Promise.resolve(),
  ): Promise<number> {
    const { sandbox } = this.#address;
    // It may be rejected before it is awaited.
    untilSafe.catch(() => undefined);
    let bytes = 0;
    await this.#change(async (sql) => {
      await sql`
        DELETE FROM pix_sandbox_document WHERE sandbox = ${sandbox} AND document = ${document}`;
      let part = 0;
      for (const text of inParts(pieces)) {
        await sql`INSERT INTO pix_sandbox_document VALUES (${sandbox}, ${document}, ${part}, ${text})`;
        bytes += Buffer.byteLength(text);
        part++;
      }
      await untilSafe;
    });
    return bytes;
  }

  remove(document: string): Promise<boolean> {
    return this.#change(async (sql) => {
      const { count } = await sql`
        DELETE FROM pix_sandbox_document
        WHERE sandbox = ${this.#address.sandbox} AND document = ${document}`;
      return count > 0;
    });
  }

  async documents(): Promise<readonly string[]> {
    const rows = await this.#run(
      (sql) => sql<{ document: string }[]>`
        SELECT DISTINCT document FROM pix_sandbox_document
        WHERE sandbox = ${this.#address.sandbox} AND document <> ${STATE}`,
    );
    return rows.map(({ document }) => document);
  }

  async readLog(after: number, onEntry: (entry: JournalEntry) => void): Promise<number> {
    const { sandbox, place } = this.#address;
    let next = after + 1;
    let bytes = 0;
    for (;;) {
      const rows = await this.#run(
        (sql) => sql<{ position: number; line: string }[]>`
          SELECT position::float8 AS position, line FROM pix_sandbox_log
          WHERE sandbox = ${sandbox} AND position >= ${next}
          ORDER BY position LIMIT ${ROWS_AT_ONCE}`,
      );
      for (const { position, line } of rows) {
        bytes += line.length;
        const entry = readLine(Buffer.from(line));
        if (position !== next || "reason" in entry || entry.sequence !== position)
          throw new StateFileError(
            say`The state cannot be opened: the line at position ${next} of the table pix_sandbox_log in ${place} is damaged or missing. Nothing was changed. Restore a backup, or choose another name with ?sandbox=NAME.`,
          );
        onEntry(entry);
        next++;
      }
      if (rows.length < ROWS_AT_ONCE) return bytes;
    }
  }

  async startLog(position: number): Promise<void> {
    const { sandbox } = this.#address;
    this.#logNumber = await this.#run((sql) =>
      sql.begin(async (inside) => {
        await endIfIdle(inside, IDLE_MS);
        const [row] = await inside<[{ log: number }?]>`
          UPDATE pix_sandbox SET log = log + 1
          WHERE sandbox = ${sandbox} AND writer = ${this.#writer}
          RETURNING log::float8 AS log`;
        if (!row) throw this.#replacedError();
        await inside`
          DELETE FROM pix_sandbox_log WHERE sandbox = ${sandbox} AND position > ${position}`;
        return row.log;
      }),
    );
    this.#position = position;
  }

  async append(lines: Buffer, count: number): Promise<void> {
    const { sandbox, place } = this.#address;
    const text = lines.toString("utf8", 0, lines.length - 1);
    try {
      const { count: added } = await this.#run(
        (sql) => sql`
          WITH me AS MATERIALIZED (
            SELECT FROM pix_sandbox
            WHERE sandbox = ${sandbox} AND writer = ${this.#writer} AND log = ${this.#logNumber}
            FOR SHARE
          )
          INSERT INTO pix_sandbox_log
          SELECT ${sandbox}, ${this.#position}::bigint + number, line
          FROM me, unnest(string_to_array(${text}, E'\\n')) WITH ORDINALITY AS added (line, number)`,
      );
      if (added !== count) {
        await this.#renew();
        // A call of `startLog` took effect, but its response was lost.
        throw new LocalizedError(say`the log was begun again`);
      }
    } catch (error) {
      if (error instanceof NotLeadingError) throw error;
      const reason = reasonOf(error);
      throw new LocalizedError(say`The database ${place} cannot be written: ${reason}.`);
    }
    this.#position += count;
  }

  async dropLog(to: number): Promise<void> {
    await this.#run(
      (sql) => sql`
        DELETE FROM pix_sandbox_log
        WHERE sandbox = ${this.#address.sandbox} AND position <= ${to}`,
      Number.POSITIVE_INFINITY,
    );
  }

  /** Lets another process lead at once. The number changes, so that a renewal under way has no effect any more. */
  async close(): Promise<void> {
    clearInterval(this.#renewing);
    this.#heldUntilMs = Number.NEGATIVE_INFINITY;
    if (this.#writer > 0)
      await this.#run(
        (sql) => sql`
          UPDATE pix_sandbox SET writer = writer + 1, free_at = clock_timestamp()
          WHERE sandbox = ${this.#address.sandbox} AND writer = ${this.#writer}`,
        IDLE_MS,
      ).catch(() => undefined);
    await this.#sql.end({ timeout: 1 }).catch(() => undefined);
  }

  async #prepare(mayCreate: boolean): Promise<void> {
    const { sandbox, place } = this.#address;
    if (mayCreate)
      return this.#run(async (sql) => {
        await createTables(sql, this.#address);
        await sql`INSERT INTO pix_sandbox (sandbox) VALUES (${sandbox}) ON CONFLICT DO NOTHING`;
      }, START_MS);
    const pieces = await this.read(STATE).catch((error: unknown) => {
      if ((error as { readonly code?: string }).code !== MISSING_TABLE) throw error;
    });
    if (!pieces) throw new StateFileError(say`There is no sandbox "${sandbox}" in ${place}.`);
  }

  /** @param onWait what it throws ends the waiting */
  async #untilClaimed(onWait: (text: Message) => void): Promise<void> {
    const { place } = this.#address;
    for (let tries = 0; ; tries++) {
      if (await this.#claim().catch(unlessRefused)) return;
      if (tries === 0) onWait(say`Another sandbox uses ${place}.`);
      await pause(CLAIM_EVERY_MS);
    }
  }

  /** @returns whether this process writes from now on */
  async #claim(): Promise<boolean> {
    const sentAtMs = monotonicNowMs();
    const [row] = await this.#run(
      (sql) => sql<[{ writer: number }?]>`
        UPDATE pix_sandbox
        SET writer = writer + 1, free_at = clock_timestamp() + ${`${LEASE_MS} ms`}::interval
        WHERE sandbox = ${this.#address.sandbox} AND free_at <= clock_timestamp()
        RETURNING writer::float8 AS writer`,
    );
    if (!row) return false;
    this.#writer = row.writer;
    this.#heldUntilMs = sentAtMs + HELD_MS;
    this.#renewing = setInterval(
      () => void this.#renew().catch(() => undefined),
      RENEW_EVERY_MS,
    ).unref();
    return true;
  }

  async #renew(): Promise<void> {
    const sentAtMs = monotonicNowMs();
    const { count } = await this.#run(
      (sql) => sql`
        UPDATE pix_sandbox SET free_at = clock_timestamp() + ${`${LEASE_MS} ms`}::interval
        WHERE sandbox = ${this.#address.sandbox} AND writer = ${this.#writer}`,
    );
    if (count === 0) throw this.#replacedError();
    this.#heldUntilMs = Math.max(this.#heldUntilMs, sentAtMs + HELD_MS);
  }

  #replacedError(): NotLeadingError {
    clearInterval(this.#renewing);
    this.#heldUntilMs = Number.NEGATIVE_INFINITY;
    this.#isReplaced = true;
    this.#onReplaced();
    return this.#notLeading();
  }

  #notLeading(): NotLeadingError {
    return new NotLeadingError(this.#isReplaced ? TAKEN_OVER : OUT_OF_REACH);
  }

  /**
   * Changes a document, in a transaction that nothing of a process that was replaced outlasts. One follows the other:
   * otherwise they could use all connections, and appending would wait for them.
   */
  #change<Result>(work: (sql: TransactionSql) => Promise<Result>): Promise<Result> {
    const { sandbox } = this.#address;
    const change = async (sql: TransactionSql): Promise<Result> => {
      await endIfIdle(sql, IDLE_DOCUMENT_MS);
      const result = await work(sql);
      await endIfIdle(sql, IDLE_MS);
      const rows = await sql`
        SELECT FROM pix_sandbox WHERE sandbox = ${sandbox} AND writer = ${this.#writer} FOR SHARE`;
      if (rows.length === 0) throw this.#replacedError();
      return result;
    };
    const changed = this.#changed.then(() =>
      this.#run((sql) => sql.begin(change) as Promise<Result>, Number.POSITIVE_INFINITY),
    );
    this.#changed = changed.catch(() => undefined);
    return changed;
  }

  /** @param timeoutMs after which the connections are replaced by new ones */
  async #run<Result>(
    work: (sql: Sql) => Promise<Result>,
    timeoutMs = STATEMENT_MS,
  ): Promise<Result> {
    const sql = this.#sql;
    if (timeoutMs === Number.POSITIVE_INFINITY) return work(sql);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        if (this.#sql === sql) this.#sql = connect(this.#address);
        sql.end({ timeout: 0 }).catch(() => undefined);
        reject(new LocalizedError(say`no response within ${timeoutMs / 1000} s`));
      }, timeoutMs);
    });
    try {
      return await Promise.race([work(sql), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const TAKEN_OVER = say`Another process uses this state now, and this one can store nothing more. Call the other one, or start this one again.`;
const OUT_OF_REACH = say`The database could not be reached in time, so the outcome is unknown. Repeat the call with the same idempotency key.`;

function connect(address: PostgresAddress): Sql {
  const { url, host, port, database, connectTimeout, sslmode } = address;
  return postgres(url, {
    host,
    port,
    database,
    max: 4,
    // A statement with a name belongs to a session.
    prepare: false,
    fetch_types: false,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: connectTimeout,
    backoff: () => 0.05,
    onnotice: () => undefined,
    connection: { application_name: "pix-sandbox" },
    ...(sslmode && { ssl: tlsOf(sslmode, host) }),
  });
}

/** NODE_EXTRA_CA_CERTS names private authorities. */
function tlsOf(sslmode: NonNullable<PostgresAddress["sslmode"]>, host: string) {
  if (sslmode === "disable") return false;
  return {
    rejectUnauthorized: sslmode === "verify-full",
    // The driver passes no name on for an IP address: Node.js would then check the name `localhost`.
    checkServerIdentity: (_name: string, certificate: PeerCertificate) =>
      sslmode === "verify-full" ? checkServerIdentity(host, certificate) : undefined,
  };
}

/** @throws StateFileError for tables of another version, or a database with another encoding than UTF-8 */
async function createTables(sql: Sql, { place }: PostgresAddress): Promise<void> {
  const [{ encoding } = { encoding: "" }] = await sql<[{ encoding: string }?]>`
    SELECT current_setting('server_encoding') AS encoding`;
  if (encoding !== "UTF8")
    throw new StateFileError(
      say`The database has the encoding ${encoding}, which cannot store every text. Use a database with the encoding UTF8: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0.`,
    );
  const known = await sql<{ name: string }[]>`
    SELECT name FROM unnest(string_to_array(${[...TABLES, OLD_TABLE].join()}, ',')) AS known (name)
    WHERE to_regclass(name) IS NOT NULL`;
  const names = new Set(known.map(({ name }) => name));
  if (names.has(OLD_TABLE))
    throw new StateFileError(
      say`${place} has tables of another version of pix-sandbox. Use another database, or drop its tables: DROP TABLE IF EXISTS pix_sandbox_migration, pix_sandbox_journal, pix_sandbox_base, pix_sandbox_document, pix_sandbox_lease.`,
    );
  // An administrator may have created them for a user who may not.
  if (TABLES.every((name) => names.has(name))) return;
  await sql.begin(async (inside) => {
    await inside`SELECT pg_advisory_xact_lock(${CREATION_LOCK})`;
    await inside.unsafe(CREATE_TABLES);
  });
}

/** Ends the transaction of a process that was stopped: it has locked rows that the next one needs. */
async function endIfIdle(sql: TransactionSql, idleMs: number): Promise<void> {
  await sql`SELECT set_config('idle_in_transaction_session_timeout', ${String(idleMs)}, true)`;
}

/** While the database cannot be reached, a process waits, but not for a right that it lacks. */
function unlessRefused(error: unknown): false {
  const { code = "" } = error as { readonly code?: string };
  if (code.startsWith(WRONG_STATEMENT)) throw error;
  return false;
}

function* inParts(pieces: Iterable<Buffer>): Generator<string> {
  let part = "";
  for (const piece of pieces) {
    part += piece.toString();
    if (part.length < PART_CHARACTERS) continue;
    yield part;
    part = "";
  }
  if (part !== "") yield part;
}

function inUse(text: Message): never {
  throw new StateInUseError(text);
}

function unusable({ place }: PostgresAddress, error: unknown): LocalizedError {
  if (error instanceof StateFileError || error instanceof StateInUseError) return error;
  if (error instanceof NotLeadingError) return new StateInUseError(error.text);
  const reason = reasonOf(error);
  return new StateFileError(
    say`The database ${place} cannot be used: ${reason}. Check the address, the user's rights, and whether PostgreSQL runs.`,
  );
}
