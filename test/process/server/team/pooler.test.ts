import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Member, startMember } from "../../../../src/server/team/member.ts";
import { callsTo } from "../../../support/calls.ts";
import { startPgBouncer } from "../../../support/pgbouncer.ts";
import { type Postgres, startPostgres } from "../../../support/postgres.ts";
import { english } from "../../../../src/text/languages.ts";
import { lacks } from "../../../support/lacks.ts";

/** As many as a process uses at the same time. */
const CONNECTIONS = 5;
const PAYINS = 100;
/** Long, since a busy machine may hold the event loop. */
const LEASE = "?sandbox=shop&lease=30";

describe.skipIf(lacks("postgresql", "pgbouncer"))("processes behind PgBouncer", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each([
    // In session mode each process has its connections for itself.
    { mode: "session", size: 2 * CONNECTIONS },
    { mode: "transaction", size: CONNECTIONS },
  ] as const)("work in $mode mode", { timeout: 60_000 }, async (pool) => {
    const database = await server.createDatabase();
    await using pooler = await startPgBouncer(server, pool);
    const stateFile = `${pooler.url(database)}${LEASE}`;
    const reports: string[] = [];
    const start = async (): Promise<Member> => {
      const member = await startMember({ stateFile }, (text) => reports.push(english(text)));
      await member.first();
      return member;
    };
    const leader = await start();
    const standby = await start();
    const { createPayin } = callsTo(leader.url);
    const created = await Promise.all(
      Array.from({ length: PAYINS }, () =>
        createPayin({ webhook_url: `${leader.url}/_sandbox/sink/order` }),
      ),
    );
    expect(new Set(created.map(({ status }) => status))).toEqual(new Set([200]));
    // Each is a transaction of several statements, in another session.
    for (let time = 1; time <= CONNECTIONS; time++) {
      const saved = await fetch(`${leader.url}/_sandbox/snapshots/one`, { method: "PUT" });
      expect(saved.status).toBe(200);
    }
    expect([leader.role, standby.role]).toEqual(["leader", "standby"]);
    await leader.close();
    const next = await standby.leading();
    expect(next.count().payins).toBe(created.length);
    await standby.close();
    expect(reports).toEqual([]);
  });

  it.each(["session", "transaction"] as const)(
    "say so in %s mode if the pool is too small for one of them",
    async (mode) => {
      const database = await server.createDatabase();
      await using pooler = await startPgBouncer(server, { mode, size: 2 });
      const stateFile = `${pooler.url(database)}?connect_timeout=1`;
      await expect(startMember({ stateFile }, () => undefined)).rejects.toThrow(
        `gave 2 of the ${CONNECTIONS} connections that a process uses at the same time. Raise the size`,
      );
    },
  );

  it("say so if others have the whole pool", async () => {
    const database = await server.createDatabase();
    await using pooler = await startPgBouncer(server, { mode: "session", size: CONNECTIONS });
    const stateFile = `${pooler.url(database)}${LEASE}&connect_timeout=1`;
    const first = await startMember({ stateFile }, () => undefined);
    await first.leading();
    await expect(startMember({ stateFile }, () => undefined)).rejects.toThrow(
      /gave [0-4] of the 5 connections/,
    );
    await first.close();
  });
});
