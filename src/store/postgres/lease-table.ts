import { hash } from "node:crypto";
import { LocalizedError } from "../../core/errors.ts";
import type { Link } from "./link.ts";

/** What a process that does not lead sees. */
export interface SeenLease {
  /** Whether this process's session has the lock, which only the next leader has. */
  readonly hasLock: boolean;
  /** The address of the leader; null if no process has led yet, or the last leader has released its lease. */
  readonly address: string | null;
  /** How long the lease still runs, by the database's clock; negative after its end. */
  readonly remainingMs: number;
  /** When it ends, by the database's clock: it changes with each renewal. */
  readonly endsAt: string;
}

/** Who leads. A process asks over one session, whose lock ends with it. */
export interface LeaseTable {
  /** Adds the row of a sandbox that does not exist yet. */
  prepare(): Promise<void>;
  /** Looks at the lease. @param isCandidate whether it also tries to get the lock */
  look(isCandidate: boolean): Promise<SeenLease>;
  /**
   * Takes a lease that has run out; only the session with the lock should try.
   * @param holder names this leadership, and no other
   * @returns whether it was taken
   */
  take(holder: string, address: string, leaseMs: number): Promise<boolean>;
  /**
   * Extends the lease from now on. A session that lost its connection gets the lock again, unless another process has it.
   * @returns whether `holder` still leads
   */
  renew(holder: string, leaseMs: number): Promise<boolean>;
  /**
   * Ends the lease at once, and frees the lock. The lease ends now and not earlier: of those who wait, one gets the lock,
   * and the others leave it the time to take the lease.
   */
  release(holder: string): Promise<void>;
  /** Ends the session that has the lock: its process has stopped without losing its connection. */
  evict(): Promise<void>;
  close(): void;
}

interface SeenRow {
  readonly has: boolean;
  readonly pid: number;
  readonly address: string | null;
  readonly remaining: number;
  readonly endsAt: string;
}

/** The row is not added again: another process may still hold a lease that the row contained. */
function missingRow(sandbox: string): LocalizedError {
  return new LocalizedError({
    en: `the row of the sandbox ${sandbox} in the table pix_sandbox_lease is missing. Stop all its processes, and start them again`,
    pt: `falta a linha do sandbox ${sandbox} na tabela pix_sandbox_lease. Pare todos os processos dele e inicie-os de novo`,
  });
}

/** The table in PostgreSQL, and a session's advisory lock. */
export class PostgresLease implements LeaseTable {
  readonly #sandbox: string;
  readonly #link: Link;
  readonly #timeoutMs: number;
  /** The two halves of the lock's number, as `pg_locks` shows them. */
  readonly #key: { readonly high: number; readonly low: number; readonly text: string };
  /** The process of the database that serves the session with the lock. */
  #pid: number | undefined;

  /** @param timeoutMs for each statement */
  constructor(sandbox: string, link: Link, timeoutMs: number) {
    this.#sandbox = sandbox;
    this.#link = link;
    this.#timeoutMs = timeoutMs;
    const digest = hash("sha256", `pix-sandbox ${sandbox}`, "buffer");
    this.#key = {
      high: digest.readUInt32BE(0),
      low: digest.readUInt32BE(4),
      text: digest.readBigInt64BE(0).toString(),
    };
  }

  async prepare(): Promise<void> {
    await this.#link.run(
      (sql) =>
        sql`INSERT INTO pix_sandbox_lease (sandbox, expires_at) VALUES (${this.#sandbox}, clock_timestamp())
          ON CONFLICT DO NOTHING`,
      this.#timeoutMs,
    );
  }

  async look(isCandidate: boolean): Promise<SeenLease> {
    const [row] = await this.#link.run(
      (sql) => sql<SeenRow[]>`
        SELECT (${isCandidate} AND pg_try_advisory_lock(${this.#key.text}::bigint)) AS has, pg_backend_pid() AS pid,
          address, expires_at::text AS "endsAt", (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS remaining
        FROM pix_sandbox_lease WHERE sandbox = ${this.#sandbox}`,
      this.#timeoutMs,
    );
    if (!row) throw missingRow(this.#sandbox);
    const { has, pid, address, remaining, endsAt } = row;
    this.#pid = has ? pid : undefined;
    return { hasLock: has, address, remainingMs: remaining, endsAt };
  }

  async take(holder: string, address: string, leaseMs: number): Promise<boolean> {
    const { count } = await this.#link.run(
      (sql) => sql`
        UPDATE pix_sandbox_lease
        SET holder = ${holder}, address = ${address}, expires_at = clock_timestamp() + ${leaseMs / 1000} * interval '1 second'
        WHERE sandbox = ${this.#sandbox} AND expires_at <= clock_timestamp()`,
      this.#timeoutMs,
    );
    return count > 0;
  }

  async renew(holder: string, leaseMs: number): Promise<boolean> {
    const [row] = await this.#link.run(
      (sql) => sql<[{ has: boolean; pid: number; renewed: boolean }]>`
        WITH session AS MATERIALIZED (
          SELECT pg_try_advisory_lock(${this.#key.text}::bigint) AS has, pg_backend_pid() AS pid
        ), renewed AS (
          UPDATE pix_sandbox_lease
          SET expires_at = clock_timestamp() + ${leaseMs / 1000} * interval '1 second'
          FROM session
          WHERE sandbox = ${this.#sandbox} AND holder = ${holder} AND session.has
          RETURNING holder
        )
        SELECT has, pid, EXISTS (SELECT FROM renewed) AS renewed FROM session`,
      this.#timeoutMs,
    );
    if (row.has) this.#pid = row.pid;
    if (row.renewed) return true;
    // The network lost the session before, but the database has not noticed yet.
    if (!row.has && this.#pid !== undefined && (await this.#endSession(this.#pid))) {
      this.#pid = undefined;
      return this.renew(holder, leaseMs);
    }
    return false;
  }

  async release(holder: string): Promise<void> {
    await this.#link.run(
      (sql) => sql`
        WITH released AS (
          UPDATE pix_sandbox_lease SET holder = NULL, address = NULL, expires_at = clock_timestamp()
          WHERE sandbox = ${this.#sandbox} AND holder = ${holder}
        )
        SELECT pg_advisory_unlock_all()`,
      this.#timeoutMs,
    );
  }

  async evict(): Promise<void> {
    await this.#endSession(null);
  }

  close(): void {
    this.#link.close();
  }

  /**
   * Ends a session that has the lock: that of one process of the database, or any but this one.
   * @returns whether there was one
   */
  async #endSession(pid: number | null): Promise<boolean> {
    const ended = await this.#link.run(
      (sql) => sql`
        SELECT pg_terminate_backend(pid) FROM pg_locks
        WHERE locktype = 'advisory' AND granted AND objsubid = 1
          AND classid::bigint = ${this.#key.high} AND objid::bigint = ${this.#key.low}
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND pid <> pg_backend_pid() AND (${pid}::int IS NULL OR pid = ${pid}::int)`,
      this.#timeoutMs,
    );
    return ended.length > 0;
  }
}
