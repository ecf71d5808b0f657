import type { Sql } from "postgres";
import { StateFileError } from "../errors.ts";
import { say } from "../../text/message.ts";

/**
 * The tables, by version: each statement leads from the version before it to its own. Applied ones are never changed.
 *
 * - `pix_sandbox_journal`: a line for each commit. The key is the position that the leader expects.
 * - `pix_sandbox_base`: the state of the last compaction, and the number of processes that have written the journal.
 * - `pix_sandbox_document`: the texts of compacted states and snapshots, in parts.
 * - `pix_sandbox_lease`: who leads, and until when by the database's clock.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE pix_sandbox_journal (
     sandbox text NOT NULL,
     sequence bigint NOT NULL,
     line text NOT NULL,
     PRIMARY KEY (sandbox, sequence)
   );
   CREATE TABLE pix_sandbox_base (
     sandbox text PRIMARY KEY,
     sequence bigint NOT NULL DEFAULT 0,
     bytes bigint NOT NULL DEFAULT 0,
     writer bigint NOT NULL DEFAULT 0
   );
   CREATE TABLE pix_sandbox_document (
     sandbox text NOT NULL,
     document text NOT NULL,
     part integer NOT NULL,
     text text NOT NULL,
     PRIMARY KEY (sandbox, document, part)
   );
   ALTER TABLE pix_sandbox_document ALTER COLUMN text SET STORAGE EXTERNAL;
   CREATE TABLE pix_sandbox_lease (
     sandbox text PRIMARY KEY,
     holder text,
     address text,
     expires_at timestamptz NOT NULL DEFAULT 'epoch'
   )`,
];

/** Serializes the migrations of processes that start at the same time. */
const MIGRATION_LOCK = 7_490_001;

/**
 * Creates the tables, or brings those of an older version up to date, in one transaction.
 * @throws StateFileError if a later version of pix-sandbox has changed them, or the database's encoding is not UTF-8
 */
export async function migrate(sql: Sql): Promise<void> {
  await sql.begin(async (inside) => {
    const [{ server_encoding: encoding } = { server_encoding: "" }] = await inside<
      [{ server_encoding: string }]
    >`SHOW server_encoding`;
    if (encoding !== "UTF8") throw wrongEncoding(encoding);
    await inside`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    // CREATE TABLE IF NOT EXISTS needs the right to create tables even if this one exists.
    const [found] =
      await inside`SELECT FROM pg_class WHERE oid = to_regclass('pix_sandbox_migration')`;
    if (!found)
      await inside`CREATE TABLE pix_sandbox_migration (
        version integer PRIMARY KEY,
        applied_at timestamptz NOT NULL DEFAULT now()
      )`;
    const [{ last } = { last: 0 }] = await inside<[{ last: number }]>`
      SELECT coalesce(max(version), 0)::int AS last FROM pix_sandbox_migration`;
    if (last > MIGRATIONS.length) throw laterVersion(last);
    for (const [index, statements] of MIGRATIONS.slice(last).entries()) {
      await inside.unsafe(statements);
      await inside`INSERT INTO pix_sandbox_migration (version) VALUES (${last + index + 1})`;
    }
  });
}

function wrongEncoding(encoding: string): StateFileError {
  return new StateFileError(
    say`The database has the encoding ${encoding}, which cannot store every text. Use a database with the encoding UTF8: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0.`,
  );
}

function laterVersion(version: number): StateFileError {
  return new StateFileError(
    say`The tables in the database are of version ${version}, and this version of pix-sandbox knows ${MIGRATIONS.length}. Use the version of pix-sandbox that has changed them, or a later one.`,
  );
}
