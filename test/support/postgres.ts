import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import postgres from "postgres";
import { freePort } from "./process.ts";

const DEBIAN = "/usr/lib/postgresql";

/** The folder of PostgreSQL's programs: Debian does not put them all in the path. Undefined if it is not installed. */
export function postgresPrograms(): string | undefined {
  const found = spawnSync("sh", ["-c", "command -v initdb"], { encoding: "utf8" }).stdout.trim();
  if (found !== "") return path.dirname(realpathSync(found));
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted(byNumber) : [];
  return versions
    .map((version) => path.join(DEBIAN, version, "bin"))
    .findLast((folder) => existsSync(path.join(folder, "initdb")));
}

/** A real PostgreSQL in a temporary folder, which syncs as in production. */
export interface Postgres extends AsyncDisposable {
  readonly port: number;
  /** The address of a database, such as that of a new one. */
  url(database: string): string;
  /** Creates an empty database. @returns its name */
  createDatabase(options?: string): Promise<string>;
  /** Runs a statement in a database. */
  query<Row extends object>(database: string, statement: string): Promise<readonly Row[]>;
  /** Runs a statement in a transaction that stays open until it is disposed of, as do its locks. */
  transaction(database: string, statement: string): Promise<AsyncDisposable>;
  /** `immediate` is as a crash. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  start(): Promise<void>;
}

export async function startPostgres(): Promise<Postgres> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error("PostgreSQL is not installed.");
  const user = unprivilegedUser();
  const folder = mkdtempSync(path.join(os.tmpdir(), "pix-pg-"));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid ?? user.uid);
  const data = path.join(folder, "data");
  const port = await freePort();
  execFileSync(
    path.join(programs, "initdb"),
    // The server syncs what it writes; its beginnings are not worth it.
    ["-D", data, "--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale", "C"],
    { ...user, cwd: folder, stdio: "ignore" },
  );
  let server: ChildProcess | undefined;
  const url = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const query = async <Row extends object>(
    database: string,
    statement: string,
  ): Promise<readonly Row[]> => {
    const sql = postgres(url(database), { max: 1, onnotice: () => undefined });
    try {
      return await sql.unsafe<Row[]>(statement);
    } finally {
      await sql.end({ timeout: 0 });
    }
  };
  const transaction = async (database: string, statement: string): Promise<AsyncDisposable> => {
    const sql = postgres(url(database), { max: 1, onnotice: () => undefined });
    const session = await sql.reserve();
    await session.unsafe(`BEGIN; ${statement}`);
    return {
      [Symbol.asyncDispose]: async () => {
        await session`ROLLBACK`;
        session.release();
        await sql.end({ timeout: 0 });
      },
    };
  };
  const start = async (): Promise<void> => {
    const args = ["-D", data, "-p", String(port), "-k", folder, "-h", "127.0.0.1"];
    const started = spawn(path.join(programs, "postgres"), args, {
      ...user,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    server = started;
    await new Promise<void>((resolve, reject) => {
      let log = "";
      started.stderr.on("data", (piece: Buffer) => {
        log += piece.toString();
        if (log.includes("ready to accept connections")) resolve();
      });
      started.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}: ${log}`)));
    });
  };
  const stop = async (mode: "fast" | "immediate"): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server?.once("exit", resolve));
    server.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
  };
  await start();
  let created = 0;
  return {
    port,
    url,
    query,
    transaction,
    start,
    stop,
    async createDatabase(options = "") {
      const name = `test${++created}`;
      await query("postgres", `CREATE DATABASE ${name} ${options}`);
      return name;
    },
    async [Symbol.asyncDispose]() {
      await stop("immediate");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL and PgBouncer refuse to run as root. */
export function unprivilegedUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string, name: string): number =>
    Number(spawnSync("id", [flag, name], { encoding: "utf8" }).stdout);
  const name = spawnSync("id", ["postgres"]).status === 0 ? "postgres" : "nobody";
  return { uid: idOf("-u", name), gid: idOf("-g", name) };
}

function byNumber(one: string, other: string): number {
  return Number(one) - Number(other);
}
