import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Link } from "../../../../src/store/postgres/link.ts";
import { type Postgres, startPostgres } from "../../../support/postgres.ts";
import { lacks } from "../../../support/lacks.ts";

describe.skipIf(lacks("postgresql"))("a link to PostgreSQL", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("listens again after its connections were replaced", async () => {
    const link = new Link({ url: server.url("postgres"), name: "test" });
    let hints = 0;
    link.listen("news", () => hints++);
    await expect.poll(() => hints).toBe(1);
    const late = link.run((sql) => sql`SELECT pg_sleep(60)`, 1);
    await expect(late).rejects.toThrow("no response within 1 ms");
    await link.run((sql) => sql`SELECT`, 10_000);
    await expect.poll(() => hints).toBe(2);
    await server.query("postgres", "NOTIFY news");
    await expect.poll(() => hints).toBe(3);
    link.close();
  });
});
