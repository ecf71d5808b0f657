import { readFile } from "node:fs/promises";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { Sql } from "postgres";
import { LocalizedError } from "../../core/records/errors.ts";
import { reasonOf, StateFileError } from "../errors.ts";
import { type PostgresAddress, type PostgresTls, parseAddress } from "./address.ts";
import { type Links, PostgresTables, PURPOSES } from "./journal-tables.ts";
import { Leadership } from "./leadership.ts";
import { PostgresLease } from "./lease-table.ts";
import { LateError, Link } from "./link.ts";
import { migrate } from "./migrations.ts";
import { PostgresJournal } from "./postgres-journal.ts";
import { say } from "../../text/message.ts";

/** A state in a database, which several processes share. */
export interface SharedState {
  readonly leadership: Leadership;
  /**
   * A journal with connections of its own, which closing it closes.
   * @param parts.isOver whether this process may not write any more: an append is then not tried again
   * @param parts.onHint called when there may be new entries
   */
  openJournal(parts: {
    isOver: () => boolean;
    onTakenOver: () => void;
    onHint: () => void;
  }): PostgresJournal;
}

/**
 * Opens the state at an address; creates the tables, and the sandbox in them, if they do not exist.
 * @throws PostgresAddressError for an address that cannot be used, StateFileError if the database cannot be reached, has
 * other tables or too few connections.
 */
export async function openSharedState(
  state: string,
  callbacks: Omit<ConstructorParameters<typeof Leadership>[0], "table" | "leaseMs">,
): Promise<SharedState> {
  const address = parseAddress(state);
  const { sandbox, leaseMs } = address;
  const driver = await driverOptions(address);
  const link = linkOf(address, { ...driver, max: CONNECTIONS }, "start");
  try {
    const isPooled = await probe(link, address);
    await link.run(migrate, START_MS);
    await new PostgresTables(sandbox, sharing(link)).prepare();
    await new PostgresLease(sandbox, link, START_MS).prepare();
    const connect = (name: string): Link =>
      linkOf(address, { ...driver, prepare: !isPooled }, name);
    const table = new PostgresLease(sandbox, connect("lease"), leaseMs);
    const leadership = new Leadership({ table, leaseMs, ...callbacks });
    return {
      leadership,
      openJournal({ isOver, onTakenOver, onHint }) {
        const links = PURPOSES.map((purpose) => [purpose, connect(purpose)]);
        const tables = new PostgresTables(sandbox, Object.fromEntries(links) as Links);
        // Behind a pooler, no session belongs to this process.
        if (!isPooled) tables.listen(onHint);
        return new PostgresJournal({ tables, mayRetry: () => !isOver(), onTakenOver });
      },
    };
  } catch (error) {
    throw error instanceof StateFileError ? error : unreachable(address, error);
  } finally {
    link.close();
  }
}

/** How many connections a process may use at the same time, apart from that for notifications: each has one purpose. */
const CONNECTIONS = PURPOSES.length + 1;
/** The driver reports first that a connection cannot be made. */
const MARGIN_MS = 100;

/**
 * Uses all connections at the same time, as they are used later: a pooler lets a process wait for a connection without
 * an error.
 * @returns whether a pooler such as PgBouncer is in between: it makes up the number that a connection gets at its start
 * @throws StateFileError if there are too few connections
 */
async function probe(link: Link, { masked }: PostgresAddress): Promise<boolean> {
  let opened = 0;
  let isPooled = false;
  let go: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    go = resolve;
  });
  const open = (sql: Sql): Promise<void> =>
    sql.begin(async (inside) => {
      const rows = await inside<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`;
      isPooled = rows.state.pid !== rows[0].pid;
      opened++;
      if (opened === CONNECTIONS) go();
      await all;
    });
  try {
    await link.run(
      (sql) => Promise.all(Array.from({ length: CONNECTIONS }, () => open(sql))),
      link.connectMs + MARGIN_MS,
    );
  } catch (error) {
    if (error instanceof LateError) throw tooFewConnections(masked, opened, link.connectMs / 1000);
    throw error;
  }
  return isPooled;
}

/**
 * Works with the tables of an address, over one connection.
 * @param options.isNew whether the tables are created, or brought up to date
 * @throws StateFileError if the database cannot be used
 */
export async function withTables<Result>(
  state: string,
  { isNew }: { readonly isNew: boolean },
  work: (tables: PostgresTables) => Promise<Result>,
): Promise<Result> {
  const address = parseAddress(state);
  const link = linkOf(address, await driverOptions(address), "copy");
  try {
    if (isNew) await link.run(migrate, START_MS);
    return await work(new PostgresTables(address.sandbox, sharing(link)));
  } catch (error) {
    throw error instanceof LocalizedError ? error : unreachable(address, error);
  } finally {
    link.close();
  }
}

/** The sandbox of an address, and the address without the password. */
export function labelled(state: string): { readonly place: string; readonly sandbox: string } {
  const { masked, sandbox } = parseAddress(state);
  return { place: masked, sandbox };
}

/** One connection for every purpose. */
function sharing(link: Link): Links {
  return Object.fromEntries(PURPOSES.map((purpose) => [purpose, link])) as Links;
}

/** How long the start may take with the database: another process may be changing the tables. */
const START_MS = 15_000;

function linkOf(
  { url, host, port, database }: PostgresAddress,
  driver: object,
  name: string,
): Link {
  return new Link({
    url,
    // Unless it is known that no pooler is in between, a statement has no name: names belong to a session.
    driver: { prepare: false, ...driver, host, port, database },
    name: `pix-sandbox ${name}`,
  });
}

async function driverOptions({
  host,
  tls,
}: PostgresAddress): Promise<Readonly<Record<string, unknown>>> {
  return tls === undefined ? {} : { ssl: await readTls(tls, host) };
}

/** The driver's options of TLS, with the meaning that libpq gives each mode. */
async function readTls(
  { mode, rootCertFile, certFile, keyFile }: PostgresTls,
  host: string,
): Promise<unknown> {
  if (mode === "disable") return false;
  if (mode === "prefer") return "prefer";
  const ca = await readIfGiven(rootCertFile);
  const isVerified = mode !== "require" || ca !== undefined;
  return {
    rejectUnauthorized: isVerified,
    // The driver passes no name on for an IP address: Node.js would then check the name `localhost`.
    checkServerIdentity: (_name: string, certificate: PeerCertificate) =>
      mode === "verify-full" ? checkServerIdentity(host, certificate) : undefined,
    ca,
    cert: await readIfGiven(certFile),
    key: await readIfGiven(keyFile),
  };
}

async function readIfGiven(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { message } = error as Error;
    throw new StateFileError(
      say`The file ${file} in the address of the database cannot be read: ${message}.`,
    );
  }
}

function tooFewConnections(masked: string, opened: number, seconds: number): StateFileError {
  return new StateFileError(
    say`Within ${seconds} s, the database ${masked} gave ${opened} of the ${CONNECTIONS} connections that a process uses at the same time. Raise the size of the pool (in PgBouncer: default_pool_size), or let fewer programs share it.`,
  );
}

function unreachable({ masked }: PostgresAddress, error: unknown): LocalizedError {
  const reason = reasonOf(error);
  return new StateFileError(
    say`The database ${masked} cannot be used: ${reason}. Check the address, the user's rights, and whether PostgreSQL runs.`,
  );
}
