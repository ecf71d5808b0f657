import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PostgresLease } from "../../../../src/store/postgres/lease-table.ts";
import { Link } from "../../../../src/store/postgres/link.ts";
import { migrate } from "../../../../src/store/postgres/migrations.ts";
import { type Postgres, startPostgres } from "../../../support/postgres.ts";
import { lacks } from "../../../support/lacks.ts";

/** Longer than a test takes on a busy machine: it ends only where a test lets it end. */
const LEASE_MS = 60_000;
const ADDRESS = "http://127.0.0.1:7490";
const CANDIDATES = 8;

describe.skipIf(lacks("postgresql"))("the lease in PostgreSQL", () => {
  let server: Postgres;
  let leases: PostgresLease[];
  let sandboxes = 0;

  beforeAll(async () => {
    server = await startPostgres();
    const link = new Link({ url: server.url("postgres"), name: "test" });
    await link.run(migrate, 10_000);
    link.close();
  });

  afterAll(async () => {
    for (const lease of leases) lease.close();
    await server[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    const sandbox = `shop-${++sandboxes}`;
    const url = server.url("postgres");
    leases = Array.from(
      { length: CANDIDATES },
      () => new PostgresLease(sandbox, new Link({ url, name: "test" }), LEASE_MS),
    );
    await Promise.all(leases.map((lease) => lease.prepare()));
    return () => leases.forEach((lease) => lease.close());
  });

  /** Lets every process try to take the lease at once. @returns who has taken it */
  async function race(): Promise<number[]> {
    const taken = await Promise.all(
      leases.map((lease, index) => lease.take(`holder ${index}`, ADDRESS, LEASE_MS)),
    );
    return taken.flatMap((isTaken, index) => (isTaken ? [index] : []));
  }

  it("is taken by one of those who try at once, and by the next one after its end", async () => {
    const [first = -1, ...more] = await race();
    expect(more).toEqual([]);
    expect(await race()).toEqual([]);
    await leases[first]?.release(`holder ${first}`);
    expect(await race()).toHaveLength(1);
  });

  it("is renewed and released only by the process that holds it", async () => {
    const [first = -1] = await race();
    const other = (first + 1) % CANDIDATES;
    expect(await leases[other]?.renew(`holder ${other}`, LEASE_MS)).toBe(false);
    await leases[other]?.release(`holder ${other}`);
    expect(await leases[first]?.renew(`holder ${first}`, LEASE_MS)).toBe(true);
    expect(await leases[other]?.look()).toMatchObject({ address: ADDRESS });
  });

  it("is renewed after its end until another process has taken it", async () => {
    const [one, other] = leases;
    await one?.take("one", ADDRESS, 0);
    expect(await one?.renew("one", 0)).toBe(true);
    expect(await other?.take("other", ADDRESS, LEASE_MS)).toBe(true);
    expect(await one?.renew("one", LEASE_MS)).toBe(false);
  });
});
