import type { ParameterOrFragment, RowList, Sql, TransactionSql } from "postgres";
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
import { begin, connect, createTables, LEASE_MS } from "./connection.ts";

/** What a process counts on: clocks run differently fast. */
const HELD_MS = LEASE_MS * 0.9;
const RENEW_EVERY_MS = 1000;
const CLAIM_EVERY_MS = 250;
/** How long a statement may take. A network that loses everything reports nothing. */
const STATEMENT_MS = 5000;
const PARTS_AT_ONCE = 4;
const ROWS_AT_ONCE = 1000;

type Part = Readonly<Record<"text" | "version", string>>;

const TAKEN_OVER = say`Another process uses this state now, and this one can store nothing more. Call the other one, or start this one again.`;
const OUT_OF_REACH = say`The database could not be reached in time, so the outcome is unknown. Repeat the call with the same idempotency key.`;

/**
 * A state in PostgreSQL. One process writes it, with a number that the next one replaces: each statement that changes
 * something asks for that number and locks its row, so that nothing of a process that was replaced is stored any more.
 * The number is also the right to answer, which runs out unless it is renewed. A process waits, writes, and ends.
 */
export class Database implements Storage, Lease {
  readonly lease = this;
  #onReplaced!: () => void;
  /** Resolves if another process has taken over. */
  readonly replaced = new Promise<void>((resolve) => (this.#onReplaced = resolve));
  readonly #address: PostgresAddress;
  readonly #sandbox: string;
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
  #isClosed = false;
  onRegained: (() => void) | undefined;

  private constructor(address: PostgresAddress) {
    this.#address = address;
    this.#sandbox = address.sandbox;
    this.#sql = connect(address);
  }

  /**
   * Connects, creates what is missing, and waits until no other process writes.
   * @param onWait called if it has to wait; an error that it throws ends the waiting
   * @param isSource whether it is only read: then nothing is created
   * @throws PostgresAddressError, StateFileError if the database cannot be used
   */
  static async open(text: string, onWait: (text: Message) => void, isSource = false) {
    const address = parseAddress(text);
    const database = new Database(address);
    try {
      const timeoutMs = Math.max(STATEMENT_MS, address.connectTimeout * 1000 + 1000);
      await database.#inTime(createTables(database.#sql, address, isSource), timeoutMs);
      let isHeld = await database.#claim();
      if (!isHeld) onWait(say`Another sandbox uses ${address.place}.`);
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
    return document === STATE ? this.#address.place : `${document} (${this.#address.place})`;
  }

  async read(document: string): Promise<AsyncIterable<Buffer> | undefined> {
    const [first] = await this.#partsOf(document, 0);
    return first && this.#read(document, first);
  }

  /** Some parts at a time: a cursor would need a session. */
  async *#read(document: string, { version }: Part): AsyncGenerator<Buffer> {
    for (let number = 0; ; number += PARTS_AT_ONCE) {
      const parts = await this.#partsOf(document, number);
      if (parts.some((part) => part.version !== version))
        throw new LocalizedError(say`it was replaced meanwhile`);
      for (const { text } of parts) yield Buffer.from(text);
      if (parts.length < PARTS_AT_ONCE) return;
    }
  }

  #partsOf(document: string, from: number): Promise<readonly Part[]> {
    return this.#query<Part>`
      SELECT text, xmin::text AS version FROM pix_sandbox_document
      WHERE sandbox = ${this.#sandbox} AND document = ${document} AND part >= ${from}
      ORDER BY part LIMIT ${PARTS_AT_ONCE}`;
  }

  async write(document: string, pieces: Iterable<Buffer>, untilSafe?: Promise<void>) {
    // It may be rejected before it is awaited.
    untilSafe?.catch(() => undefined);
    let bytes = 0;
    await this.#change(async (sql) => {
      await this.#delete(sql, document);
      let part = 0;
      for (const piece of pieces) {
        await sql`
          INSERT INTO pix_sandbox_document
          VALUES (${this.#sandbox}, ${document}, ${part++}, ${piece.toString()})`;
        bytes += piece.length;
      }
      await untilSafe;
    });
    return bytes;
  }

  remove(document: string): Promise<boolean> {
    return this.#change(async (sql) => (await this.#delete(sql, document)).count > 0);
  }

  #delete(sql: TransactionSql, document: string) {
    return sql`
      DELETE FROM pix_sandbox_document
      WHERE sandbox = ${this.#sandbox} AND document = ${document}`;
  }

  async documents(): Promise<readonly string[]> {
    const rows = await this.#query<{ document: string }>`
      SELECT document FROM pix_sandbox_document
      WHERE sandbox = ${this.#sandbox} AND document <> ${STATE} AND part = 0`;
    return rows.map(({ document }) => document);
  }

  async readLog(after: number, onEntry: OnEntry): Promise<void> {
    for (let next = after + 1, isMore = true; isMore;) {
      const rows = await this.#query<{ line: string }>`
        SELECT line FROM pix_sandbox_log WHERE sandbox = ${this.#sandbox} AND position >= ${next}
        ORDER BY position LIMIT ${ROWS_AT_ONCE}`;
      for (const { line } of rows) {
        const entry = readLine(Buffer.from(line), next);
        if ("reason" in entry)
          throw new StateFileError(
            say`The state cannot be opened: the line at position ${next} of the table pix_sandbox_log in ${this.#address.place} is damaged or missing. Nothing was changed. Restore a backup, or choose another name with ?sandbox=NAME.`,
          );
        onEntry(entry, line.length);
        next++;
      }
      isMore = rows.length === ROWS_AT_ONCE;
    }
  }

  async startLog(position: number): Promise<void> {
    const started = begin(this.#sql, async (sql) => {
      const [row] = await sql<[{ log: number }?]>`
        UPDATE pix_sandbox SET log = log + 1
        WHERE sandbox = ${this.#sandbox} AND writer = ${this.#writer}
        RETURNING log::float8 AS log`;
      if (!row) throw this.#replace();
      await sql`
        DELETE FROM pix_sandbox_log WHERE sandbox = ${this.#sandbox} AND position > ${position}`;
      return row.log;
    });
    this.#log = await this.#inTime(started);
    this.#position = position;
  }

  async append(lines: Buffer, count: number): Promise<void> {
    const text = lines.toString("utf8", 0, lines.length - 1);
    try {
      const { count: added } = await this.#query`
        WITH me AS MATERIALIZED (
          SELECT FROM pix_sandbox
          WHERE sandbox = ${this.#sandbox} AND writer = ${this.#writer} AND log = ${this.#log}
          FOR SHARE
        )
        INSERT INTO pix_sandbox_log
        SELECT ${this.#sandbox}, ${this.#position}::bigint + number, line
        FROM me, unnest(string_to_array(${text}, E'\\n')) WITH ORDINALITY AS added (line, number)`;
      if (added !== count) {
        await this.#renew();
        // A call of `startLog` took effect, but its response was lost.
        throw new LocalizedError(say`the log was begun again`);
      }
    } catch (error) {
      if (error instanceof NotLeadingError) throw error;
      const { place } = this.#address;
      throw new LocalizedError(say`The database ${place} cannot be written: ${reasonOf(error)}.`);
    }
    this.#position += count;
  }

  async dropLog(to: number): Promise<void> {
    await this.#sql`
      DELETE FROM pix_sandbox_log WHERE sandbox = ${this.#sandbox} AND position <= ${to}`;
  }

  /** Lets another process lead at once. The number changes, so that a renewal under way has no effect. */
  async close(): Promise<void> {
    clearInterval(this.#renewing);
    this.#isClosed = true;
    this.#heldUntilMs = Number.NEGATIVE_INFINITY;
    if (this.#writer > 0) {
      const released = this.#sql`
        UPDATE pix_sandbox SET writer = writer + 1, free_at = clock_timestamp()
        WHERE sandbox = ${this.#sandbox} AND writer = ${this.#writer}`;
      await this.#inTime(released, RENEW_EVERY_MS).catch(() => undefined);
    }
    await this.#sql.end({ timeout: 1 }).catch(() => undefined);
  }

  /** @returns whether this process writes from now on */
  async #claim(): Promise<boolean> {
    const sentAtMs = monotonicNowMs();
    const [row] = await this.#query<{ writer: number }>`
      UPDATE pix_sandbox
      SET writer = writer + 1, free_at = clock_timestamp() + ${`${LEASE_MS} ms`}::interval
      WHERE sandbox = ${this.#sandbox} AND free_at <= clock_timestamp()
      RETURNING writer::float8 AS writer`;
    if (!row) return false;
    this.#writer = row.writer;
    this.#heldUntilMs = sentAtMs + HELD_MS;
    const renew = (): unknown => this.#renew().catch(() => undefined);
    this.#renewing = setInterval(renew, RENEW_EVERY_MS).unref();
    return true;
  }

  async #renew(): Promise<void> {
    const sentAtMs = monotonicNowMs();
    const { count } = await this.#query`
      UPDATE pix_sandbox SET free_at = clock_timestamp() + ${`${LEASE_MS} ms`}::interval
      WHERE sandbox = ${this.#sandbox} AND writer = ${this.#writer}`;
    if (this.#isClosed) return;
    if (count === 0) throw this.#replace();
    const hadRunOut = !this.isHeld;
    this.#heldUntilMs = Math.max(this.#heldUntilMs, sentAtMs + HELD_MS);
    if (hadRunOut && this.isHeld) this.onRegained?.();
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
    const change = async (sql: TransactionSql): Promise<Result> => {
      const result = await work(sql);
      const rows = await sql`
        SELECT FROM pix_sandbox
        WHERE sandbox = ${this.#sandbox} AND writer = ${this.#writer} FOR SHARE`;
      if (rows.length === 0) throw this.#replace();
      return result;
    };
    const changed = this.#changed.then(() => begin(this.#sql, change));
    this.#changed = changed.catch(() => undefined);
    return changed;
  }

  #query<Row extends object>(
    text: TemplateStringsArray,
    ...values: readonly ParameterOrFragment<never>[]
  ): Promise<RowList<Row[]>> {
    return this.#inTime(this.#sql<Row[]>(text, ...values));
  }

  /** @param timeoutMs after which the connections are replaced by new ones */
  async #inTime<Result>(work: Promise<Result>, timeoutMs = STATEMENT_MS): Promise<Result> {
    const sql = this.#sql;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new LocalizedError(say`no response within ${timeoutMs / 1000} s`));
        if (this.#sql === sql) this.#sql = connect(this.#address);
        sql.end({ timeout: 0 }).catch(() => undefined);
      }, timeoutMs);
    });
    return Promise.race([work, late]).finally(() => clearTimeout(timer));
  }
}
