import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CutMoment, startCuttingProxy } from "../../support/cutting-proxy.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";
import { lacks } from "../../support/lacks.ts";

describe.skipIf(lacks("postgresql"))("the cutting proxy", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());

  it.each<[CutMoment, "stored" | "not stored", "known" | "lost"]>([
    ["before", "not stored", "lost"],
    ["during", "not stored", "lost"],
    ["after", "stored", "lost"],
    ["answered", "stored", "known"],
  ])("that cuts %s: the line is %s, the response is %s", async (moment, stored, response) => {
    const database = await server.createDatabase();
    await server.query(database, "CREATE TABLE lines (line text)");
    await using proxy = await startCuttingProxy(server.port);
    const sql = postgres(`postgres://postgres@127.0.0.1:${proxy.port}/${database}`, { max: 1 });
    const append = async (line: string): Promise<string> => {
      try {
        await sql`INSERT INTO lines VALUES (${line})`;
        return "known";
      } catch {
        return "lost";
      }
    };
    // The statement is prepared now, as it is in a leader that has been at work.
    expect(await append('{"crc32":"first"}')).toBe("known");
    const cut = proxy.cutAppend(moment);
    expect(await append('{"crc32":"second"}')).toBe(response);
    await cut;
    const rows = await server.query(database, "SELECT line FROM lines");
    expect(rows).toHaveLength(stored === "stored" ? 2 : 1);
    // The next connection is not cut.
    expect(await append('{"crc32":"third"}')).toBe("known");
    await sql.end({ timeout: 0 });
  });
});
