import { checkServerIdentity, type PeerCertificate } from "node:tls";
import postgres, { type Sql, type TransactionSql } from "postgres";
import { noState, StateFileError } from "../errors.ts";
import { say } from "../../text/message.ts";
import type { PostgresAddress } from "./address.ts";

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

/** A process that was stopped keeps the rows for so long that it has locked: the next one needs them. */
export const LEASE_MS = 5000;

/** Connects when the first statement is run. Nothing belongs to a session, so that a pooler may be in between. */
export function connect({ url, host, database, connectTimeout, sslmode }: PostgresAddress): Sql {
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
    // As lists, which its types do not know: the driver takes an IPv6 host alone for a name with a port.
    ...({ host: [host], port: [Number(new URL(url).port || 5432)] } as object),
    database,
    max: 4,
    // A statement with a name belongs to a session.
    prepare: false,
    fetch_types: false,
    connect_timeout: connectTimeout,
    backoff: () => 0.05,
    onnotice: () => undefined,
    connection: { application_name: "pix-sandbox" },
    ...(sslmode && { ssl: ssl[sslmode] }),
  });
}

/**
 * Creates what is missing.
 * @param isSource whether the state is only read: then nothing is created
 * @throws StateFileError for tables of the version before, another encoding than UTF-8, and a source without a state
 */
export async function createTables(
  sql: Sql,
  { place, sandbox }: PostgresAddress,
  isSource: boolean,
): Promise<void> {
  const [found] = await sql<[{ encoding: string; old: string | null; own: string | null }]>`
    SELECT to_regclass('pix_sandbox_migration') AS old, to_regclass('pix_sandbox') AS own,
      current_setting('server_encoding') AS encoding`;
  if (found.encoding !== "UTF8")
    throw new StateFileError(
      say`The database has the encoding ${found.encoding}, which cannot store every text. Use a database with the encoding UTF8: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0.`,
    );
  if (found.old)
    throw new StateFileError(
      say`${place} has tables of another version of pix-sandbox. Use another database, or drop its tables: DROP TABLE IF EXISTS pix_sandbox_migration, pix_sandbox_journal, pix_sandbox_base, pix_sandbox_document, pix_sandbox_lease.`,
    );
  const rows = found.own ? await sql`SELECT FROM pix_sandbox WHERE sandbox = ${sandbox}` : [];
  if (rows.length > 0) return;
  if (isSource) throw noState(place);
  // An administrator may have created them for a user who may not.
  if (!found.own)
    await sql.begin(async (inside) => {
      // Of processes that start at the same time, one creates the tables.
      await inside`SELECT pg_advisory_xact_lock(7490001)`;
      await inside.unsafe(CREATE_TABLES);
    });
  await sql`INSERT INTO pix_sandbox (sandbox) VALUES (${sandbox}) ON CONFLICT DO NOTHING`;
}

/** Runs a transaction, which ends if this process is stopped: it locks rows that the next one needs. */
export function begin<Result>(
  sql: Sql,
  work: (sql: TransactionSql) => Promise<Result>,
): Promise<Result> {
  return sql.begin(async (inside) => {
    await inside`SET LOCAL idle_in_transaction_session_timeout = ${inside.unsafe(String(LEASE_MS))}`;
    return work(inside);
  }) as Promise<Result>;
}
