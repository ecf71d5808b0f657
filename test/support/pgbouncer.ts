import { spawn } from "node:child_process";
import { chownSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createFolder } from "./folder.ts";
import { type Postgres, unprivilegedUser } from "./postgres.ts";
import { freePort } from "./process.ts";

/** A real PgBouncer in front of a PostgreSQL. */
export interface PgBouncer extends AsyncDisposable {
  /** The address of a database. */
  url(database: string): string;
}

/** Starts a PgBouncer. @param pool.size the connections to each database */
export async function startPgBouncer(
  server: Postgres,
  pool: { readonly mode: "session" | "transaction"; readonly size: number },
): Promise<PgBouncer> {
  const folder = await createFolder();
  const file = path.join(folder.path, "pgbouncer.ini");
  const port = await freePort();
  const settings = [
    "[databases]",
    `* = host=127.0.0.1 port=${server.port} user=postgres`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${pool.mode}`,
    `default_pool_size = ${pool.size}`,
    // The next transaction gets another session, also when there is little to do.
    "server_round_robin = 1",
  ];
  writeFileSync(file, settings.join("\n"));
  const user = unprivilegedUser();
  if (user.uid !== undefined)
    for (const each of [folder.path, file]) chownSync(each, user.uid, user.gid ?? user.uid);
  const child = spawn("pgbouncer", [file], { ...user, stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await new Promise<void>((resolve, reject) => {
    let log = "";
    child.stderr.on("data", (piece: Buffer) => {
      log += piece.toString();
      if (log.includes("process up")) resolve();
    });
    child.once("exit", (code) => reject(new Error(`PgBouncer ended with ${code}: ${log}`)));
  });
  return {
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}
