import { afterAll, beforeAll, describe } from "vitest";
import { Records } from "../../../src/core/state/records.ts";
import {
  type JournalTables,
  type Links,
  PostgresTables,
  PURPOSES,
} from "../../../src/store/postgres/journal-tables.ts";
import { Link } from "../../../src/store/postgres/link.ts";
import { migrate } from "../../../src/store/postgres/migrations.ts";
import { PostgresJournal } from "../../../src/store/postgres/postgres-journal.ts";
import { NO_POSTGRES, type Postgres, startPostgres } from "../../support/postgres.ts";
import { type AppendFailure, testJournal } from "../journal-contract.ts";
import { testSnapshots } from "../snapshots-contract.ts";

describe.skipIf(NO_POSTGRES !== "")(`PostgreSQL${NO_POSTGRES}`, () => {
  let server: Postgres;

  beforeAll(async () => {
    server = await startPostgres();
  });

  afterAll(() => server[Symbol.asyncDispose]());

  async function prepareDatabase(): Promise<() => Link> {
    const url = server.url(await server.createDatabase());
    const link = (): Link => new Link({ url, name: "test" });
    const starting = link();
    await starting.run(migrate, 10_000);
    starting.close();
    return link;
  }

  testSnapshots("PostgreSQL", async () => {
    const link = await prepareDatabase();
    const links = linksBy(link);
    const tables = new PostgresTables("shop", links);
    await tables.prepare();
    const journal = new PostgresJournal({ tables, mayRetry: () => false });
    await journal.start({ records: new Records(), sequence: 0 });
    return {
      snapshots: journal.snapshots(),
      async [Symbol.asyncDispose]() {
        tables.close();
      },
    };
  });

  testJournal("PostgreSQL", async () => {
    const link = await prepareDatabase();
    const opened: PostgresTables[] = [];
    let tables: FailingTables;
    return {
      canBeTakenOver: true,
      async open() {
        const links = linksBy(link);
        const real = new PostgresTables("shop", links);
        opened.push(real);
        await real.prepare();
        tables = new FailingTables(real);
        return new PostgresJournal({ tables, mayRetry: (passedMs) => passedMs < 200 });
      },
      failAppend(how) {
        tables.next = how;
      },
      async [Symbol.asyncDispose]() {
        for (const one of opened) one.close();
      },
    };
  });
});

function linksBy(link: () => Link): Links {
  return Object.fromEntries(PURPOSES.map((purpose) => [purpose, link()])) as Links;
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

  prepare = (): Promise<void> => this.#tables.prepare();
  linesFrom = (...args: Parameters<JournalTables["linesFrom"]>) => this.#tables.linesFrom(...args);
  readBase = (...args: Parameters<JournalTables["readBase"]>) => this.#tables.readBase(...args);
  claim = (...args: Parameters<JournalTables["claim"]>) => this.#tables.claim(...args);
  replaceDocument = (...args: Parameters<JournalTables["replaceDocument"]>) =>
    this.#tables.replaceDocument(...args);
  readDocument = (document: string) => this.#tables.readDocument(document);
  documentsNamed = (prefix: string) => this.#tables.documentsNamed(prefix);
  notify = (): Promise<void> => this.#tables.notify();
  listen = (onHint: () => void): Promise<void> => this.#tables.listen(onHint);
  close = (): void => this.#tables.close();

  #mend(): void {
    this.next = undefined;
    this.#isCut = false;
  }
}
