import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Records } from "../../../../src/core/state/records.ts";
import {
  type JournalTables,
  type Links,
  PostgresTables,
  PURPOSES,
} from "../../../../src/store/postgres/journal-tables.ts";
import { Link } from "../../../../src/store/postgres/link.ts";
import { migrate } from "../../../../src/store/postgres/migrations.ts";
import { BehindError, PostgresJournal } from "../../../../src/store/postgres/postgres-journal.ts";
import { readAll } from "../../../../src/store/journaled/read-all.ts";
import { payin } from "../../../support/core.ts";
import { type Postgres, startPostgres } from "../../../support/postgres.ts";
import { type AppendFailure, testJournal } from "../../../store/journal-contract.ts";
import { testSnapshots } from "../../../store/snapshots-contract.ts";
import { lacks } from "../../../support/lacks.ts";

describe.skipIf(lacks("postgresql"))("PostgreSQL", () => {
  let server: Postgres;
  let database: string;
  let sandboxes = 0;
  const opened: PostgresTables[] = [];
  const closeAll = (): void => opened.splice(0).forEach((tables) => tables.close());

  beforeAll(async () => {
    server = await startPostgres();
    database = await server.createDatabase();
    const link = new Link({ url: server.url(database), name: "test" });
    await link.run(migrate, 10_000);
    link.close();
  });

  afterAll(() => server[Symbol.asyncDispose]());

  /** A sandbox of its own, and its connections. */
  async function prepareSandbox(): Promise<() => Promise<PostgresTables>> {
    const url = server.url(database);
    const sandbox = `shop-${++sandboxes}`;
    return async () => {
      const links = PURPOSES.map((purpose) => [purpose, new Link({ url, name: "test" })]);
      const tables = new PostgresTables(sandbox, Object.fromEntries(links) as Links);
      opened.push(tables);
      await tables.prepare();
      return tables;
    };
  }

  testSnapshots("PostgreSQL", async () => {
    const connect = await prepareSandbox();
    const tables = await connect();
    const journal = new PostgresJournal({ tables, mayRetry: () => false });
    await journal.start({ records: new Records(), sequence: 0 });
    return {
      snapshots: journal.snapshots(),
      async [Symbol.asyncDispose]() {
        closeAll();
      },
    };
  });

  testJournal("PostgreSQL", { canBeTakenOver: true, canDie: true }, async () => {
    const connect = await prepareSandbox();
    let tables: FailingTables;
    let death: Death | undefined;
    let hasDied = false;
    return {
      async open() {
        const real = await connect();
        const mine = death;
        death = undefined;
        tables = new FailingTables(mine ? mortal(real, mine, () => (hasDied = true)) : real);
        return new PostgresJournal({ tables, mayRetry: (passedMs) => passedMs < 200 });
      },
      failAppend(how) {
        tables.next = how;
      },
      die(at, moment) {
        death = { at, moment };
      },
      isDead: () => hasDied,
      isBehind: (error) => error instanceof BehindError,
      async [Symbol.asyncDispose]() {
        closeAll();
      },
    };
  });

  it("lets no other process continue after a line that was withdrawn", async () => {
    const connect = await prepareSandbox();
    const failing = new FailingTables(await connect());
    const leader = new PostgresJournal({ tables: failing, mayRetry: () => false });
    const state = { records: new Records(), sequence: 0 };
    await leader.start(state);
    const batch = leader.createBatch();
    batch.add({ sequence: 2, lastEventNumber: 0, change: { payins: [payin({ id: "lost" })] } });
    failing.next = "unacknowledged";
    await expect(leader.append(1, batch)).rejects.toThrow(Error);
    const standby = new PostgresJournal({ tables: await connect(), mayRetry: () => false });
    const read = await readAll(standby);
    expect(read.records.payins.size).toBe(1);
    // What the commit queue does after a failed append.
    state.sequence = (await leader.rollBack()) ? 1 : 2;
    await leader.recover(state);
    await expect(standby.read(read.sequence, () => undefined)).rejects.toThrow(BehindError);
    expect((await readAll(standby)).records.payins.size).toBe(0);
    closeAll();
  });

  it("reads no more of a large state once its compaction is canceled", async () => {
    const connect = await prepareSandbox();
    const tables = await connect();
    const abort = new AbortController();
    let read = 0;
    const replaceBase: JournalTables["replaceBase"] = (writer, base) => {
      function* canceling(): Generator<string> {
        for (const text of base.texts) {
          read++;
          abort.abort(new Error("canceled"));
          yield text;
        }
      }
      return tables.replaceBase(writer, { ...base, texts: canceling() });
    };
    const journal = new PostgresJournal({
      tables: withMethod(tables, { replaceBase }),
      mayRetry: () => false,
    });
    const state = { records: new Records(), sequence: 0 };
    await journal.start(state);
    const payins = Array.from({ length: 1000 }, (_, index) => payin({ id: `${index}` }));
    state.records.apply({ payins });
    const durable = (): Promise<void> => Promise.resolve();
    await expect(journal.compact(state, { durable, signal: abort.signal })).rejects.toThrow(
      "canceled",
    );
    expect(read).toBe(1);
    closeAll();
  });

  it("drops the lines of an append that was under way when a state replaced all lines", async () => {
    const connect = await prepareSandbox();
    const tables = await connect();
    const sandbox = `shop-${sandboxes}`;
    const writer = await tables.claim(0, "claim\n");
    const sql = postgres(server.url(database), { max: 1 });
    let commit: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let onAdded: () => void = () => undefined;
    const added = new Promise<void>((resolve) => {
      onAdded = resolve;
    });
    const appending = sql.begin(async (inside) => {
      await inside`SELECT FROM pix_sandbox_journal WHERE sandbox = ${sandbox} AND sequence = 1 FOR KEY SHARE`;
      await inside`INSERT INTO pix_sandbox_journal (sandbox, sequence, line) VALUES (${sandbox}, 2, 'lost')`;
      onAdded();
      await waiting;
    });
    await added;
    const replacing = tables.replaceBase(writer ?? 0, {
      sequence: 4,
      texts: ["state"],
      beforeLast: () => Promise.resolve(),
      line: "marker",
    });
    await expect
      .poll(() => server.query(database, "SELECT FROM pg_locks WHERE NOT granted"))
      .toHaveLength(1);
    commit();
    await appending;
    expect(await replacing).toEqual({ sequence: 4, bytes: 5 });
    expect(
      await server.query(
        database,
        `SELECT sequence::int, line FROM pix_sandbox_journal WHERE sandbox = '${sandbox}'`,
      ),
    ).toEqual([{ sequence: 4, line: "marker" }]);
    await sql.end();
    closeAll();
  });
});

/** Tables of which one method is another. */
function withMethod(tables: JournalTables, other: Partial<JournalTables>): JournalTables {
  return new Proxy(tables, {
    get(target, name) {
      if (name in other) return Reflect.get(other, name) as unknown;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

interface Death {
  readonly at: number;
  readonly moment: "before" | "after";
}

/** Tables whose process dies at one of its calls, and notices nothing. */
function mortal(tables: JournalTables, { at, moment }: Death, onDeath: () => void): JournalTables {
  let calls = 0;
  return new Proxy(tables, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name === "close") return () => target.close();
      return async (...args: unknown[]): Promise<unknown> => {
        calls++;
        if (calls > at || (calls === at && moment === "before")) {
          onDeath();
          return new Promise(() => undefined);
        }
        const result: unknown = await Reflect.apply(value, target, args);
        if (calls !== at) return result;
        onDeath();
        return new Promise(() => undefined);
      };
    },
  });
}

/** The tables of a database, of which the next append fails. */
class FailingTables implements JournalTables {
  readonly #tables: JournalTables;
  next: AppendFailure | undefined;
  /** Whether the network has failed: until the state is stored again. */
  #isCut = false;

  constructor(tables: JournalTables) {
    this.#tables = tables;
  }

  async append(...args: Parameters<JournalTables["append"]>): Promise<boolean> {
    if (this.next === "refused")
      throw Object.assign(new Error("no space left"), { name: "PostgresError", code: "53100" });
    if (this.next === "unacknowledged" && !this.#isCut) {
      await this.#tables.append(...args);
      this.#isCut = true;
    }
    if (this.#isCut) throw new Error("the connection was lost");
    return this.#tables.append(...args);
  }

  confirm(writer: number): Promise<boolean> {
    this.#mend();
    return this.#tables.confirm(writer);
  }

  replaceBase(
    ...args: Parameters<JournalTables["replaceBase"]>
  ): ReturnType<JournalTables["replaceBase"]> {
    this.#mend();
    return this.#tables.replaceBase(...args);
  }

  linesFrom = (...args: Parameters<JournalTables["linesFrom"]>) => this.#tables.linesFrom(...args);
  readBase = (...args: Parameters<JournalTables["readBase"]>) => this.#tables.readBase(...args);
  claim = (...args: Parameters<JournalTables["claim"]>) => this.#tables.claim(...args);
  replaceDocument = (...args: Parameters<JournalTables["replaceDocument"]>) =>
    this.#tables.replaceDocument(...args);
  readDocument = (document: string) => this.#tables.readDocument(document);
  documentsNamed = (prefix: string) => this.#tables.documentsNamed(prefix);
  notify = (): Promise<void> => this.#tables.notify();
  listen = (onHint: () => void): void => this.#tables.listen(onHint);
  close = (): void => this.#tables.close();

  #mend(): void {
    this.next = undefined;
    this.#isCut = false;
  }
}
