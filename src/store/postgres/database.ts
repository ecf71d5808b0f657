import { checkServerIdentity, type PeerCertificate } from "node:tls";
import postgres, { type Sql, type TransactionSql } from "postgres";
import { LocalizedError } from "../../core/records/errors.ts";
import { type Lease, NotLeadingError } from "../../core/state/ports.ts";
import { pause } from "../../platform/pause.ts";
import {
  clearInterval,
  clearTimeout,
  monotonicNowMs,
  setInterval,
  setTimeout,
} from "../../platform/real-time.ts";
import { reasonOf, StateFileError, StateInUseError } from "../errors.ts";
import { type OnEntry, STATE, type Storage } from "../storage.ts";
import { readLine } from "../text/lines.ts";
import { type Message, say } from "../../text/message.ts";
import { parseAddress, type PostgresAddress } from "./address.ts";

/**
 * - `pix_sandbox`: a row for each sandbox: the number of the process that writes it, until when no other one may, and
 *   how often the log was begun.
 * - `pix_sandbox_log`: a line for each commit.
 * - `pix_sandbox_document`: the state and its snapshots, in parts.
 */
const CREATE_TABLES = `
  CREATE TABLE IF NOT EXISTS pix_sandbox (
    sandbox text PRIMARY KEY, writer bigint NOT NULL DEFAULT 0, log bigint NOT NULL DEFAULT 0,
    free_at timestamptz NOT NULL DEFAULT 'epoch');
  CREATE TABLE IF NOT EXISTS pix_sandbox_log (
    sandbox text, position bigint, line text NOT NULL, PRIMARY KEY (sandbox, position));
  CREATE TABLE IF NOT EXISTS pix_sandbox_document (
    sandbox text, document text, part integer, text text NOT NULL,
    PRIMARY KEY (sandbox, document, part));
  ALTER TABLE pix_sandbox_document ALTER COLUMN text SET STORAGE EXTERNAL`;
/** Of processes that start at the same time, one creates the tables. */
const CREATION_LOCK = 7_490_001;

/** A process that was killed keeps the state for so long, and one that was stopped the rows that it has locked. */
const LEASE_MS = 5000;
/** What a process counts on: clocks run differently fast. */
const HELD_MS = LEASE_MS * 0.9;
const RENEW_EVERY_MS = 1000;
const CLAIM_EVERY_MS = 250;
/** How long a statement may take. A network that loses everything reports nothing. */
const STATEMENT_MS = 5000;
const PARTS_AT_ONCE = 4;
const ROWS_AT_ONCE = 1000;

const TAKEN_OVER = say`Another process uses this state now, and this one can store nothing more. Call the other one, or start this one again.`;
const OUT_OF_REACH = say`The database could not be reached in time, so the outcome is unknown. Repeat the call with the same idempotency key.`;

/**
 * A state in PostgreSQL. One process writes it, with a number that the next one replaces: each statement that changes
 * something asks for that number and locks its row, so that nothing of a process that was replaced is stored any more.
 * The number is also the right to answer, which runs out unless it is renewed. A process has one life: it waits until it
 * may write, writes, and ends. Nothing belongs to a session, so that a pooler may be in between.
 */
export class Database implements Storage, Lease {
  readonly lease = this;
  /** Resolves if another process has taken over. */
  readonly replaced: Promise<void>;
  readonly #address: PostgresAddress;
  #sql: Sql;
  #writer = 0;
  /** The number of the log: an append with an older one, whose connection was lost, can no longer arrive. */
  #log = 0;
  #position = 0;
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  #renewing: NodeJS.Timeout | undefined;
  /** Resolves when no document is being changed. */
  #changed: Promise<unknown> = Promise.resolve();
  #refusal = OUT_OF_REACH;
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
   * @param onWait called if it has to wait; an error that it throws ends the waiting
   * @throws PostgresAddressError, StateFileError if the database cannot be used
   */
  static async open(text: string, onWait: (text: Message) => void): Promise<Database> {
    const database = new Database(parseAddress(text));
    const { sandbox, place } = database.#address;
    try {
      await database.#run(async (sql) => {
        await createTables(sql, place);
        await sql`INSERT INTO pix_sandbox (sandbox) VALUES (${sandbox}) ON CONFLICT DO NOTHING`;
      });
      let isHeld = await database.#claim();
      if (!isHeld) onWait(say`Another sandbox uses ${place}.`);
      for (; !isHeld; isHeld = await database.#claim().catch(() => false))
        await pause(CLAIM_EVERY_MS);
      return database;
    } catch (error) {
      await database.close();
      throw database.explain(error);
    }
  }

  explain(error: unknown): Error {
    if (error instanceof StateFileError || error instanceof StateInUseError) return error;
    if (error instanceof NotLeadingError) return new StateInUseError(error.text);
    return new StateFileError(
      say`The database ${this.#address.place} cannot be used: ${reasonOf(error)}. Check the address, the user's rights, and whether PostgreSQL runs.`,
    );
  }

  get isHeld(): boolean {
    return monotonicNowMs() < this.#heldUntilMs;
  }

  async guard<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    if (!this.isHeld) throw new NotLeadingError(this.#refusal);
    const result = await work();
    // It may have been stopped meanwhile: the outcome is unknown.
    if (!this.isHeld) throw new NotLeadingError(this.#refusal);
    return result;
  }

  placeOf(document: string): string {
    const { place } = this.#address;
    return document === STATE ? place : `${document.replace(/\.snapshot$/, "")} (${place})`;
  }

  async read(document: string): Promise<AsyncIterable<Buffer> | undefined> {
    const { sandbox } = this.#address;
    const partsFrom = (number: number): Promise<readonly Part[]> =>
      this.#run(
        (sql) => sql<Part[]>`
          SELECT text, xmin::text AS version FROM pix_sandbox_document
          WHERE sandbox = ${sandbox} AND document = ${document} AND part >= ${number}
          ORDER BY part LIMIT ${PARTS_AT_ONCE}`,
      );
    const first = await partsFrom(0);
    return first.length > 0 ? allParts(first, partsFrom) : undefined;
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
      for (const piece of pieces) {
        await sql`
          INSERT INTO pix_sandbox_document
          VALUES (${sandbox}, ${document}, ${part++}, ${piece.toString()})`;
        bytes += piece.length;
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
        SELECT document FROM pix_sandbox_document
        WHERE sandbox = ${this.#address.sandbox} AND document <> ${STATE} AND part = 0`,
    );
    return rows.map(({ document }) => document);
  }

  async readLog(after: number, onEntry: OnEntry): Promise<void> {
    const { sandbox, place } = this.#address;
    for (let next = after + 1, isMore = true; isMore;) {
      const rows = await this.#run(
        (sql) => sql<{ line: string }[]>`
          SELECT line FROM pix_sandbox_log WHERE sandbox = ${sandbox} AND position >= ${next}
          ORDER BY position LIMIT ${ROWS_AT_ONCE}`,
      );
      for (const { line } of rows) {
        const entry = readLine(Buffer.from(line), next);
        if ("reason" in entry)
          throw new StateFileError(
            say`The state cannot be opened: the line at position ${next} of the table pix_sandbox_log in ${place} is damaged or missing. Nothing was changed. Restore a backup, or choose another name with ?sandbox=NAME.`,
          );
        onEntry(entry, line.length);
        next++;
      }
      isMore = rows.length === ROWS_AT_ONCE;
    }
  }

  async startLog(position: number): Promise<void> {
    const { sandbox } = this.#address;
    this.#log = await this.#run((sql) =>
      begin(sql, async (inside) => {
        const [row] = await inside<[{ log: number }?]>`
          UPDATE pix_sandbox SET log = log + 1
          WHERE sandbox = ${sandbox} AND writer = ${this.#writer}
          RETURNING log::float8 AS log`;
        if (!row) throw this.#replace();
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
            WHERE sandbox = ${sandbox} AND writer = ${this.#writer} AND log = ${this.#log}
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
      throw new LocalizedError(say`The database ${place} cannot be written: ${reasonOf(error)}.`);
    }
    this.#position += count;
  }

  async dropLog(to: number): Promise<void> {
    await this.#sql`
      DELETE FROM pix_sandbox_log
      WHERE sandbox = ${this.#address.sandbox} AND position <= ${to}`;
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
        RENEW_EVERY_MS,
      ).catch(() => undefined);
    await this.#sql.end({ timeout: 1 }).catch(() => undefined);
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
    const renew = (): unknown => this.#renew().catch(() => undefined);
    this.#renewing = setInterval(renew, RENEW_EVERY_MS).unref();
    return true;
  }

  async #renew(): Promise<void> {
    const sentAtMs = monotonicNowMs();
    const { count } = await this.#run(
      (sql) => sql`
        UPDATE pix_sandbox SET free_at = clock_timestamp() + ${`${LEASE_MS} ms`}::interval
        WHERE sandbox = ${this.#address.sandbox} AND writer = ${this.#writer}`,
    );
    if (count === 0) throw this.#replace();
    this.#heldUntilMs = Math.max(this.#heldUntilMs, sentAtMs + HELD_MS);
  }

  /** Ends the right to answer, for good. */
  #replace(): NotLeadingError {
    clearInterval(this.#renewing);
    this.#heldUntilMs = Number.NEGATIVE_INFINITY;
    this.#refusal = TAKEN_OVER;
    this.#onReplaced();
    return new NotLeadingError(TAKEN_OVER);
  }

  /**
   * Changes a document, in a transaction that nothing of a process that was replaced outlasts. One follows the other:
   * otherwise they could use all connections, and appending would wait for them.
   */
  #change<Result>(work: (sql: TransactionSql) => Promise<Result>): Promise<Result> {
    const { sandbox } = this.#address;
    const change = async (sql: TransactionSql): Promise<Result> => {
      const result = await work(sql);
      const rows = await sql`
        SELECT FROM pix_sandbox WHERE sandbox = ${sandbox} AND writer = ${this.#writer} FOR SHARE`;
      if (rows.length === 0) throw this.#replace();
      return result;
    };
    const changed = this.#changed.then(() => begin(this.#sql, change));
    this.#changed = changed.catch(() => undefined);
    return changed;
  }

  /** @param timeoutMs after which the connections are replaced by new ones */
  async #run<Result>(
    work: (sql: Sql) => Promise<Result>,
    timeoutMs = STATEMENT_MS,
  ): Promise<Result> {
    const sql = this.#sql;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        if (this.#sql === sql) this.#sql = connect(this.#address);
        sql.end({ timeout: 0 }).catch(() => undefined);
        reject(new LocalizedError(say`no response within ${timeoutMs / 1000} s`));
      }, timeoutMs);
    });
    return Promise.race([work(sql), late]).finally(() => clearTimeout(timer));
  }
}

interface Part {
  readonly text: string;
  readonly version: string;
}

/** Some parts at a time: a cursor would need a session. */
async function* allParts(
  first: readonly Part[],
  partsFrom: (number: number) => Promise<readonly Part[]>,
): AsyncGenerator<Buffer> {
  let number = 0;
  for (let parts = first; parts.length > 0; parts = await partsFrom(number))
    for (const { text, version } of parts) {
      if (version !== first[0]?.version) throw new LocalizedError(REPLACED);
      number++;
      yield Buffer.from(text);
    }
}

const REPLACED = say`it was replaced meanwhile`;
function connect({ url, host, database, connectTimeout, sslmode }: PostgresAddress): Sql {
  const ssl = {
    disable: false,
    require: "require" as const,
    // NODE_EXTRA_CA_CERTS names private authorities. The driver passes no name on for an IP address: Node.js would then
    // check the name `localhost`.
    "verify-full": {
      checkServerIdentity: (_name: string, certificate: PeerCertificate) =>
        checkServerIdentity(host, certificate),
    },
  };
  return postgres(url, {
    host,
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
    ...(sslmode && { ssl: ssl[sslmode] }),
  });
}

/** @throws StateFileError for tables of the version before */
async function createTables(sql: Sql, place: string): Promise<void> {
  const [found] = await sql<[{ old: string | null; own: string | null }]>`
    SELECT to_regclass('pix_sandbox_migration') AS old, to_regclass('pix_sandbox') AS own`;
  if (found.old)
    throw new StateFileError(
      say`${place} has tables of another version of pix-sandbox. Use another database, or drop its tables: DROP TABLE IF EXISTS pix_sandbox_migration, pix_sandbox_journal, pix_sandbox_base, pix_sandbox_document, pix_sandbox_lease.`,
    );
  // An administrator may have created them for a user who may not.
  if (found.own) return;
  await sql.begin(async (inside) => {
    await inside`SELECT pg_advisory_xact_lock(${CREATION_LOCK})`;
    await inside.unsafe(CREATE_TABLES);
  });
}

/** Runs a transaction, which ends if this process is stopped: it locks rows that the next one needs. */
function begin<Result>(sql: Sql, work: (sql: TransactionSql) => Promise<Result>): Promise<Result> {
  return sql.begin(async (inside) => {
    await inside`SET LOCAL idle_in_transaction_session_timeout = ${inside.unsafe(String(LEASE_MS))}`;
    return work(inside);
  }) as Promise<Result>;
}
