import type { Sql } from "postgres";
import { LocalizedError } from "../../core/records/errors.ts";
import type { Link } from "./link.ts";
import { say } from "../../text/message.ts";

/** What a process that does not lead sees. */
export interface SeenLease {
  /** The address of the leader; null if no process has led yet, or the last leader has released its lease. */
  readonly address: string | null;
  /** How long the lease still runs, by the database's clock; negative after its end. */
  readonly remainingMs: number;
  /** When it ends, by the database's clock: it changes with each renewal. */
  readonly endsAt: string;
}

/** Who leads. Each call is one statement about one row, so that of two processes only one takes a lease. */
export interface LeaseTable {
  look(): Promise<SeenLease>;
  /**
   * Takes a lease that has run out.
   * @param holder names this leadership, and no other
   * @returns whether it was taken
   */
  take(holder: string, address: string, leaseMs: number): Promise<boolean>;
  /**
   * Extends the lease from now on, even if it has run out and no other process has taken it.
   * @returns whether `holder` still leads
   */
  renew(holder: string, leaseMs: number): Promise<boolean>;
  release(holder: string): Promise<void>;
  close(): void;
}

/** The row is not added again: another process may still hold a lease that the row contained. */
function missingRow(sandbox: string): LocalizedError {
  return new LocalizedError(
    say`the row of the sandbox ${sandbox} in the table pix_sandbox_lease is missing. Stop all its processes, and start them again`,
  );
}

/** The table in PostgreSQL. */
export class PostgresLease implements LeaseTable {
  readonly #sandbox: string;
  readonly #link: Link;
  readonly #timeoutMs: number;

  /** @param timeoutMs for each statement */
  constructor(sandbox: string, link: Link, timeoutMs: number) {
    this.#sandbox = sandbox;
    this.#link = link;
    this.#timeoutMs = timeoutMs;
  }

  /** Adds the row of a sandbox that does not exist yet. */
  async prepare(): Promise<void> {
    await this.#run(
      (sql) => sql`
        INSERT INTO pix_sandbox_lease (sandbox, expires_at) VALUES (${this.#sandbox}, clock_timestamp())
        ON CONFLICT DO NOTHING`,
    );
  }

  async look(): Promise<SeenLease> {
    const [row] = await this.#run(
      (sql) => sql<SeenLease[]>`
        SELECT address, expires_at::text AS "endsAt",
          (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS "remainingMs"
        FROM pix_sandbox_lease WHERE sandbox = ${this.#sandbox}`,
    );
    if (!row) throw missingRow(this.#sandbox);
    return row;
  }

  async take(holder: string, address: string, leaseMs: number): Promise<boolean> {
    const { count } = await this.#run(
      (sql) => sql`
        UPDATE pix_sandbox_lease
        SET holder = ${holder}, address = ${address}, expires_at = clock_timestamp() + ${leaseMs / 1000} * interval '1 second'
        WHERE sandbox = ${this.#sandbox} AND expires_at <= clock_timestamp()`,
    );
    return count > 0;
  }

  async renew(holder: string, leaseMs: number): Promise<boolean> {
    const { count } = await this.#run(
      (sql) => sql`
        UPDATE pix_sandbox_lease SET expires_at = clock_timestamp() + ${leaseMs / 1000} * interval '1 second'
        WHERE sandbox = ${this.#sandbox} AND holder = ${holder}`,
    );
    return count > 0;
  }

  async release(holder: string): Promise<void> {
    await this.#run(
      (sql) => sql`
        UPDATE pix_sandbox_lease SET holder = NULL, address = NULL, expires_at = clock_timestamp()
        WHERE sandbox = ${this.#sandbox} AND holder = ${holder}`,
    );
  }

  close(): void {
    this.#link.close();
  }

  #run<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    return this.#link.run(work, this.#timeoutMs);
  }
}
