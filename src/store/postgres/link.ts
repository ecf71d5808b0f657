import postgres, { type Sql } from "postgres";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";

/** How a link reaches the database. */
export interface LinkOptions {
  /** The address, as the driver takes it. */
  readonly url: string;
  readonly driver?: Readonly<Record<string, unknown>> | undefined;
  /** The name that the database shows for the connections. */
  readonly name: string;
}

/** Connections to the database, which are made when they are needed. After a timeout they are replaced by new ones. */
export class Link {
  readonly #options: LinkOptions;
  #sql: Sql | undefined;
  #listener: { readonly channel: string; readonly onHint: () => void } | undefined;
  #isClosed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /**
   * Runs statements.
   * @param timeoutMs after which the connections are cut, since a network that loses everything reports nothing
   * @throws Error of the database, of the network, or of the timeout: see `isOutcomeUnknown`
   */
  async run<Result>(work: (sql: Sql) => Promise<Result>, timeoutMs: number): Promise<Result> {
    if (this.#isClosed) throw new Error("the connection is closed");
    const sql = (this.#sql ??= this.#connect());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      if (timeoutMs === Number.POSITIVE_INFINITY) return;
      timer = setTimeout(() => {
        this.#drop(sql);
        reject(new LateError(timeoutMs));
      }, timeoutMs);
    });
    try {
      return await Promise.race([work(sql), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** How long a connection may take to be made. */
  get connectMs(): number {
    const { searchParams } = new URL(this.#options.url);
    return Number(searchParams.get("connect_timeout") ?? CONNECT_SECONDS) * 1000;
  }

  /** Calls `onHint` at each notification of a channel, and after each reconnection. To be called before `run`. */
  listen(channel: string, onHint: () => void): void {
    this.#listener = { channel, onHint };
    this.#sql ??= this.#connect();
  }

  /** Closes the connections; statements under way fail. */
  close(): void {
    this.#isClosed = true;
    if (this.#sql) this.#drop(this.#sql);
  }

  #drop(sql: Sql): void {
    if (this.#sql === sql) this.#sql = undefined;
    sql.end({ timeout: 0 }).catch(() => undefined);
  }

  #connect(): Sql {
    const { url, driver, name } = this.#options;
    const sql = postgres(url, {
      max: 1,
      ...driver,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: this.connectMs / 1000,
      backoff: () => PAUSE_SECONDS,
      fetch_types: false,
      onnotice: () => undefined,
      connection: { application_name: name },
    });
    if (this.#listener) {
      const { channel, onHint } = this.#listener;
      // The driver tries again by itself after a failure.
      sql.listen(channel, onHint, onHint).catch(() => undefined);
    }
    return sql;
  }
}

/** Unless the address says otherwise. */
const CONNECT_SECONDS = 3;
/** Between two attempts to connect. */
const PAUSE_SECONDS = 0.05;

/** There was no response in time. */
export class LateError extends Error {
  constructor(timeoutMs: number) {
    super(`no response within ${timeoutMs} ms`);
  }
}

/** Whether a failed statement may have been executed all the same: its connection was lost, or the server failed or stopped. */
export function isOutcomeUnknown(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || /^(?:08|57|58|XX)/.test(code);
}

/** Whether a statement failed for a reason that can pass within a moment: too many connections, or a conflict of locks. */
export function isPassing(error: unknown): boolean {
  return /^(?:53300|40)/.test(codeOf(error) ?? "");
}

/** Whether the database refused a row because another one has its key. */
export function isConflict(error: unknown): boolean {
  return codeOf(error) === "23505";
}

export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === "42P01";
}

/** The SQLSTATE of an error that the database reported. The driver's and the network's errors have other codes. */
function codeOf(error: unknown): string | undefined {
  const { name, code } = error as { readonly name?: string; readonly code?: string };
  return name === "PostgresError" ? code : undefined;
}
