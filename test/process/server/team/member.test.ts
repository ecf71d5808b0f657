import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../../../src/server/options/options.ts";
import { startSandbox } from "../../../../src/server/start.ts";
import { type Member, startMember } from "../../../../src/server/team/member.ts";
import { type Postgres, startPostgres } from "../../../support/postgres.ts";
import { inWords } from "../../../support/words.ts";
import { english } from "../../../../src/text/languages.ts";
import type { Message } from "../../../../src/text/message.ts";
import { lacks } from "../../../support/lacks.ts";

const PAYIN = {
  value: 10.5,
  buyer_cpf: "52998224725",
  buyer_name: "Maria da Silva",
  buyer_email: "maria@example.com",
  webhook_url: "http://127.0.0.1:9/hook",
};
/** For a machine that is busy. */
const LONG = { timeout: 30_000 };
const IDENTITY = { "x-provider-id": "4182", "x-provider": "Loja", "x-country-code": "BR" };

describe.skipIf(lacks("postgresql"))("processes that share a state", () => {
  let server: Postgres;
  let database: string;
  const members: Member[] = [];
  const reports: Message[] = [];

  beforeAll(async () => {
    server = await startPostgres();
  });

  afterAll(() => server[Symbol.asyncDispose]());

  beforeEach(async () => {
    database = await server.createDatabase();
    reports.length = 0;
  });

  afterEach(async () => {
    await Promise.all(members.splice(0).map((member) => member.close()));
  });

  // Long, since a busy machine may hold the event loop; most tests never wait for its end.
  const addressOf = (sandbox = "shop", lease = 10): string =>
    `${server.url(database)}?sandbox=${sandbox}&lease=${lease}`;

  async function start(options: SandboxOptions = {}): Promise<Member> {
    const member = await startMember({ stateFile: addressOf(), ...options }, (text) =>
      reports.push(text),
    );
    members.push(member);
    await member.first();
    return member;
  }

  async function create(url: string, key: string): Promise<{ status: number; id?: string }> {
    const response = await fetch(`${url}/v1/payins`, {
      method: "POST",
      headers: {
        ...IDENTITY,
        "content-type": "application/json",
        "x-api-token": "shop",
        "x-idempotency-key": key,
      },
      body: JSON.stringify(PAYIN),
    });
    return { status: response.status, ...((await response.json()) as { id?: string }) };
  }

  async function get(url: string, path: string): Promise<{ status: number; json: unknown }> {
    const response = await fetch(`${url}${path}`);
    return { status: response.status, json: await response.json() };
  }

  it("have one leader, which answers", async () => {
    const leader = await start();
    expect(leader.role).toBe("leader");
    expect(await get(leader.url, "/_sandbox/health")).toMatchObject({
      status: 200,
      json: { status: "ok", role: "leader" },
    });
    expect(await get(leader.url, "/_sandbox/ready")).toMatchObject({
      status: 200,
      json: { ready: true, role: "leader" },
    });
    expect((await create(leader.url, "one")).status).toBe(200);
  });

  it("have standbys, which name the leader", async () => {
    const leader = await start();
    const { url, role } = await start();
    expect(role).toBe("standby");
    expect(await get(url, "/_sandbox/health")).toMatchObject({
      status: 200,
      json: { status: "ok", role: "standby" },
    });
    expect(await get(url, "/_sandbox/ready")).toMatchObject({
      status: 503,
      json: { ready: false, role: "standby" },
    });
    const refusal = {
      status: 503,
      json: { code: "EXTERNAL_ERROR", message: expect.stringContaining(leader.url), errors: [] },
    };
    expect(await get(url, "/_sandbox/payins")).toEqual(refusal);
    expect(await get(url, "/v1/webhooks")).toEqual(refusal);
    expect(await get(url, "/v2/payins")).toMatchObject({
      status: 503,
      json: { status: 503, code: "EXTERNAL_ERROR" },
    });
    expect(await create(url, "one")).toMatchObject({ status: 503 });
    const foreign = await fetch(`${url}/_sandbox/payins`, {
      headers: { origin: "http://evil.test" },
    });
    expect(foreign.status).toBe(403);
  });

  it("pass calls on to the leader if they are told to", async () => {
    const leader = await start();
    const standby = await start({ standbyForward: true });
    const { status, id } = await create(standby.url, "one");
    expect(status).toBe(200);
    expect(await get(leader.url, `/_sandbox/payins/${id}`)).toMatchObject({ status: 200 });
    expect(await get(standby.url, `/_sandbox/payins/${id}`)).toEqual(
      await get(leader.url, `/_sandbox/payins/${id}`),
    );
    // A load balancer must not take the leader's readiness for the standby's.
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(`${standby.url}/_sandbox/${path}`, { method: "HEAD" })).status;
    expect(await statusOf("ready")).toBe(503);
    expect(await statusOf("health")).toBe(200);
    const malformed = await fetch(`${standby.url}/v1/payins`, { method: "POST", body: "{" });
    expect(malformed.status).toBe(415);
  });

  it("hand everything over when the leader stops: records, keys, the secret and snapshots", async () => {
    const first = await start();
    const { id } = await create(first.url, "one");
    const saved = await fetch(`${first.url}/_sandbox/snapshots/before`, { method: "PUT" });
    expect(saved.status).toBe(200);
    const before = {
      record: await get(first.url, `/_sandbox/payins/${id}`),
      secret: await get(first.url, "/_sandbox/secret"),
      snapshots: await get(first.url, "/_sandbox/snapshots"),
    };
    const second = await start();
    await first.close();
    const { url } = await second.leading();
    expect({
      record: await get(url, `/_sandbox/payins/${id}`),
      secret: await get(url, "/_sandbox/secret"),
      snapshots: await get(url, "/_sandbox/snapshots"),
    }).toEqual(before);
    expect(await create(url, "one")).toMatchObject({ status: 200, id });
  });

  it("do not see the records of another sandbox in the same database", async () => {
    const one = await start();
    const other = await start({ stateFile: addressOf("other") });
    const { id } = await create(one.url, "one");
    expect([one.role, other.role]).toEqual(["leader", "leader"]);
    expect((await get(other.url, `/_sandbox/payins/${id}`)).status).toBe(404);
  });

  it("go on after the sessions of the leader were ended", async () => {
    const leader = await start();
    const { id } = await create(leader.url, "one");
    await server.query(
      "postgres",
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
    );
    const { url } = await leader.leading();
    expect(await create(url, "one")).toMatchObject({ status: 200, id });
    expect((await create(url, "two")).status).toBe(200);
  });

  it("refuse calls with 503 while the database is gone, and go on when it is back", async () => {
    const leader = await start({ stateFile: addressOf("shop", 1) });
    // The first call loads code, for longer than this lease on a busy machine.
    await expect.poll(async () => (await create(leader.url, "one")).status, LONG).toBe(200);
    await server.stop("immediate");
    // It has no outcome until the lease has run out.
    expect((await create(leader.url, "two")).status).toBe(503);
    expect((await get(leader.url, "/_sandbox/ready")).status).toBe(503);
    expect((await get(leader.url, "/_sandbox/health")).status).toBe(200);
    await server.start();
    await expect.poll(async () => (await create(leader.url, "two")).status, LONG).toBe(200);
    const listed = async (): Promise<unknown> => (await get(leader.url, "/_sandbox/payins")).json;
    await expect.poll(listed, LONG).toMatchObject({ data: [{}, {}] });
  });

  it("fail with a clear sentence if a line of the journal is damaged", async () => {
    const leader = await start();
    await create(leader.url, "one");
    await leader.close();
    await server.query(
      database,
      "UPDATE pix_sandbox_journal SET line = replace(line, 'Maria', 'Mario') WHERE line LIKE '%Maria%'",
    );
    const damaged = startMember({ stateFile: addressOf() }, () => undefined);
    members.push(await damaged);
    await expect((await damaged).first()).rejects.toThrow(
      /^(Line \d+ of the journal in the database is damaged: its checksum does not match|The compacted state)/,
    );
  });

  it("fail with a clear sentence if the lines of the journal are missing", async () => {
    const leader = await start();
    await leader.close();
    await server.query(database, "DELETE FROM pix_sandbox_journal");
    const member = await startMember({ stateFile: addressOf() }, () => undefined);
    members.push(member);
    await expect(member.first()).rejects.toThrow(
      /^Line 0 of the journal in the database, or a later one, is missing\./,
    );
  });

  it("say so if two of them have the same address", async () => {
    const advertise = "http://sandbox.test:7490";
    // Short, since the second process waits for a renewal.
    const stateFile = addressOf("shop", 2);
    await start({ stateFile, advertise });
    const { role, leaderAddress } = await start({ stateFile, advertise });
    expect({ role, leaderAddress }).toEqual({ role: "standby", leaderAddress: advertise });
    expect(reports).toEqual([
      inWords({ en: expect.stringContaining("Give each process its own address") }),
    ]);
  });

  it("lead one after the other, and disturb no session, when a leader stops", async () => {
    const leader = await start();
    const others = [await start(), await start()];
    const next = Promise.race(others.map((other) => other.leading()));
    await leader.close();
    await next;
    expect(reports).toEqual([]);
  });

  it("report that the row of the lease is missing", async () => {
    await start();
    const standby = await start();
    await server.query(database, "DELETE FROM pix_sandbox_lease");
    await expect
      .poll(() => reports.map((text) => english(text)).join(" "))
      .toContain("the row of the sandbox shop");
    expect(standby.role).toBe("standby");
  });

  it("refuse calls if the leader's address in the database is not one", async () => {
    await start();
    const standby = await start({ standbyForward: true });
    await server.query(database, "UPDATE pix_sandbox_lease SET address = 'nonsense'");
    await expect.poll(() => standby.leaderAddress).toBe("nonsense");
    expect(await get(standby.url, "/v1/webhooks")).toMatchObject({
      status: 503,
      json: { message: expect.stringContaining("Call the leader: nonsense") },
    });
  });

  it("refuse tables of a later version, and a database that cannot be reached", async () => {
    await (await start()).close();
    await server.query(database, "INSERT INTO pix_sandbox_migration (version) VALUES (99)");
    await expect(startMember({ stateFile: addressOf() }, () => undefined)).rejects.toThrow(
      "The tables in the database are of version 99",
    );
    const nowhere = "postgres://me:secret@127.0.0.1:1/nothing";
    const failure = await startMember({ stateFile: nowhere }, () => undefined).catch(String);
    expect(failure).toContain("postgres://me:***@127.0.0.1:1/nothing");
    expect(failure).not.toContain("secret");
  });

  it("start with a user who cannot create tables if the tables are current", async () => {
    await (await start()).close();
    await server.query(
      database,
      "CREATE ROLE clerk LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk",
    );
    const stateFile = addressOf().replace("postgres@", "clerk@");
    const { url, role } = await start({ stateFile });
    expect(role).toBe("leader");
    expect((await create(url, "one")).status).toBe(200);
    const foreign = addressOf().replace("postgres@", "clerk@").replace(database, "postgres");
    await expect(start({ stateFile: foreign })).rejects.toThrow("permission denied");
  });

  it("give a test a sandbox that leads", async () => {
    await using sandbox = await startSandbox({ stateFile: addressOf() });
    expect((await create(sandbox.url, "one")).status).toBe(200);
    expect(sandbox.count()).toEqual({ payins: 1, payouts: 0 });
  });
});
