import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NotLeadingError } from "../../../src/core/state/ports.ts";
import { startSandbox } from "../../../src/server/start.ts";
import { StateFileError, StateInUseError } from "../../../src/store/errors.ts";
import { Database } from "../../../src/store/postgres/database.ts";
import { STATE } from "../../../src/store/storage.ts";
import { toLine } from "../../../src/store/text/lines.ts";
import { lacks } from "../../support/lacks.ts";
import { startCuttingProxy } from "../../support/cutting-proxy.ts";
import { startPgBouncer } from "../../support/pgbouncer.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";

const SANDBOX = "a".repeat(64);
const TABLES = ["pix_sandbox", "pix_sandbox_log", "pix_sandbox_document"];
const LARGE = "é".repeat(300_000);

describe.skipIf(lacks("postgresql", "pgbouncer"))("a state in PostgreSQL", () => {
  let server: Postgres;
  let database: string;
  const opened: Database[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    database = await server.createDatabase();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  const open = async (
    url = `${server.url(database)}?sandbox=${SANDBOX}`,
    mayWait = true,
  ): Promise<Database> => {
    const one = await Database.open(url, (text) => {
      if (!mayWait) throw new StateInUseError(text);
    });
    opened.push(one);
    return one;
  };
  const query = (statement: string) => server.query<Record<string, unknown>>(database, statement);
  /** Lets the next process lead, although this one has not ended: as after a lease that ran out. */
  const free = () => query("UPDATE pix_sandbox SET free_at = 'epoch'");

  describe.each(["directly", "in session mode", "in transaction mode"])("%s", (way) => {
    it("has documents that are replaced as a whole, and a log that is read in order", async () => {
      const mode = way === "in session mode" ? "session" : "transaction";
      await using pooler =
        way === "directly" ? undefined : await startPgBouncer(server, { mode, size: 5 });
      const url = `${(pooler ?? server).url(database)}?sandbox=${SANDBOX}`;
      const storage = await open(url);
      await storage.startLog(0);
      expect([await storage.read(STATE), await storage.documents()]).toEqual([undefined, []]);
      expect(await storage.write(STATE, pieces(LARGE, "\n", LARGE))).toBe(1_200_001);
      await Promise.all(
        ["one", "two", "three", "four", "five"].map((name) => storage.write(name, pieces(LARGE))),
      );
      await storage.write("one", pieces("short"));
      await expect(
        storage.write("one", pieces("x"), Promise.reject(new Error("no"))),
      ).rejects.toThrow("no");
      await append(storage, 1, 2);
      await append(storage, 3, 1);
      expect([await storage.remove("two"), await storage.remove("two")]).toEqual([true, false]);
      await storage.close();

      const next = await open(url, false);
      expect(await textOf(next, STATE)).toBe(`${LARGE}\n${LARGE}`);
      expect(await textOf(next, "one")).toBe("short");
      expect((await next.documents()).toSorted()).toEqual(["five", "four", "one", "three"]);
      expect([await sequences(next, 0), await sequences(next, 2)]).toEqual([[1, 2, 3], [3]]);
      await next.startLog(2);
      expect(await sequences(next, 0)).toEqual([1, 2]);
      await append(next, 3, 2);
      await next.dropLog(3);
      expect(await sequences(next, 3)).toEqual([4]);
      await expect(sequences(next, 0)).rejects.toThrow("the line at position 1 of the table");
    });
  });

  it("refuses everything of a process that was replaced", async () => {
    const first = await open();
    await first.startLog(0);
    await append(first, 1, 1);
    await free();
    const second = await open();
    // Also before the next one begins its log: it may have read everything.
    await expect(append(first, 2, 1)).rejects.toThrow(NotLeadingError);
    await second.startLog(1);
    await expect(append(first, 2, 1)).rejects.toThrow(NotLeadingError);
    await expect(first.write(STATE, pieces("old"))).rejects.toThrow(NotLeadingError);
    await expect(first.remove(STATE)).rejects.toThrow(NotLeadingError);
    await expect(first.startLog(0)).rejects.toThrow(NotLeadingError);
    await expect(first.guard(() => "done")).rejects.toThrow("Another process uses this state now");
    await first.close();
    await append(second, 2, 1);
    expect([await sequences(second, 0), await second.read(STATE)]).toEqual([[1, 2], undefined]);
    expect([first.isHeld, second.isHeld]).toEqual([false, true]);
    await expect(open(undefined, false)).rejects.toThrow(StateInUseError);
  });

  it("notices that it was replaced when it renews its lease", async () => {
    const first = await open();
    await free();
    await open();
    await first.replaced;
    expect(first.isHeld).toBe(false);
  });

  it("voids an append of unknown outcome when the log begins again", async () => {
    await using proxy = await startCuttingProxy(server.port);
    const url = `postgres://postgres@127.0.0.1:${proxy.port}/${database}`;
    const storage = await open(url);
    await storage.startLog(0);
    await append(storage, 1, 1);
    for (const moment of ["after", "before"] as const) {
      const cut = proxy.cutAppend(moment);
      await expect(append(storage, 2, 3)).rejects.toThrow(/^The database .* cannot be written: /);
      await cut;
      await storage.startLog(1);
      expect(await sequences(storage, 0)).toEqual([1]);
    }
    // A call of startLog took effect, but its response was lost: that is no takeover.
    await query("UPDATE pix_sandbox SET log = log + 1");
    const stale = append(storage, 2, 1);
    await expect(stale).rejects.toThrow("the log was begun again");
    await expect(stale).rejects.not.toThrow(NotLeadingError);
    expect(storage.isHeld).toBe(true);
    await storage.startLog(1);
    await append(storage, 2, 1);
    expect(await sequences(storage, 0)).toEqual([1, 2]);
  });

  it("fails a statement that gets no response, and goes on with new connections", async () => {
    await using proxy = await startCuttingProxy(server.port);
    const storage = await open(`postgres://postgres@127.0.0.1:${proxy.port}/${database}`);
    await storage.startLog(0);
    proxy.hang();
    await expect(append(storage, 1, 1)).rejects.toThrow("no response within 5 s");
    await expect(storage.guard(() => "done")).rejects.toThrow("could not be reached in time");
    proxy.resume();
    await storage.startLog(0);
    await append(storage, 1, 1);
    await expect.poll(() => storage.isHeld).toBe(true);
  });

  it("does not wait for ever for a process that was stopped while it wrote a document", async () => {
    const first = await open();
    await first.write("one", pieces("before"));
    const stopped = first.write("one", pieces("old"), new Promise(() => undefined));
    const outcome = stopped.catch(() => "refused");
    await free();
    const second = await open();
    await second.write("one", pieces("new"));
    expect(await outcome).toBe("refused");
    expect(await textOf(second, "one")).toBe("new");
  });

  it("reports a document that is replaced while it is read", async () => {
    const storage = await open();
    await storage.write("one", pieces("1", "2", "3", "4", "5"));
    const read = (await storage.read("one"))?.[Symbol.asyncIterator]();
    for (let part = 0; part < 4; part++) await read?.next();
    await storage.write("one", pieces("1", "2", "3", "4", "5"));
    await expect(read?.next()).rejects.toThrow("it was replaced meanwhile");
  });

  it("serves a user who may not create tables, once they exist", async () => {
    await (await open()).close();
    await query(`
      CREATE ROLE clerk LOGIN;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ${TABLES.join(", ")} TO clerk`);
    const url = server.url(database).replace("postgres@", "clerk@");
    const storage = await open(url);
    await storage.startLog(0);
    await append(storage, 1, 1);
    await storage.write(STATE, pieces("text"));
    await storage.close();
    await query("REVOKE UPDATE ON pix_sandbox FROM clerk");
    await expect(open(url)).rejects.toThrow(/permission denied for table pix_sandbox\. Check/);
    await query(`DROP TABLE ${TABLES.join(", ")}`);
    await expect(open(url)).rejects.toThrow("permission denied for schema public");
  });

  it("refuses another encoding than UTF-8, and creates nothing where it is only read", async () => {
    const latin = await server.createDatabase(
      "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
    );
    await expect(open(server.url(latin))).rejects.toThrow(
      /^The database has the encoding LATIN1, .* CREATE DATABASE name ENCODING 'UTF8'/,
    );
    await expect(Database.open(server.url(database), () => undefined, true)).rejects.toThrow(
      "There is no state at",
    );
    const tables = "SELECT FROM pg_tables WHERE tablename LIKE 'pix_sandbox%'";
    expect(await query(tables)).toHaveLength(0);
  });

  it("refuses tables of another version, and a server that is not there", async () => {
    await query("CREATE TABLE pix_sandbox_migration (version integer)");
    const refusal = await open().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StateFileError);
    const [, statement = ""] = /drop its tables: (.*)\.$/.exec(String(refusal)) ?? [];
    await query(statement);
    await open();
    const nowhere = "postgres://me:s3cret@127.0.0.1:1/nothing";
    const failure = await open(nowhere).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StateFileError);
    expect(String(failure)).toContain(
      "The database postgres://me:***@127.0.0.1:1/nothing cannot be used",
    );
  });

  it("is not waited for if a fixtures file is wrong", async () => {
    await open();
    const stateFile = `${server.url(database)}?sandbox=${SANDBOX}`;
    const starting = startSandbox({
      stateFile,
      fixtures: ["missing.json"],
      report: () => undefined,
    });
    await expect(starting).rejects.toThrow("The fixtures file missing.json cannot be read");
  });

  it("creates its tables once for processes that start at the same time", async () => {
    const url = (sandbox: number) => `${server.url(database)}?sandbox=${sandbox}`;
    const all = await Promise.all([1, 2, 3, 4].map((number) => open(url(number), false)));
    expect(all.map(({ isHeld }) => isHeld)).toEqual([true, true, true, true]);
  });
});

function pieces(...texts: readonly string[]): Buffer[] {
  return texts.map((text) => Buffer.from(text));
}

async function textOf(storage: Database, document: string): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of (await storage.read(document)) ?? []) parts.push(part);
  return Buffer.concat(parts).toString();
}

function append(storage: Database, first: number, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, index) =>
    toLine({ sequence: first + index, change: [] }),
  );
  return storage.append(Buffer.from(lines.join("")), count);
}

async function sequences(storage: Database, after: number): Promise<number[]> {
  const all: number[] = [];
  await storage.readLog(after, ({ sequence }) => all.push(sequence));
  return all;
}
