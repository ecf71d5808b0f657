import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { pause } from "../../src/platform/pause.ts";
import type { CutMoment } from "../support/cutting-proxy.ts";
import { lacks } from "../support/lacks.ts";
import { type Merchant, startMerchant } from "../support/merchant.ts";
import { startPgBouncer } from "../support/pgbouncer.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { Clients } from "../team/clients.ts";
import { Crew, type Mate } from "../team/crew.ts";

/** The figures of a run with PIX_TEAM_ROUNDS=n rounds are printed. */
const { PIX_TEAM_ROUNDS, PIX_TEST_LONG } = process.env;
const ROUNDS = Number(PIX_TEAM_ROUNDS ?? (PIX_TEST_LONG === "short" ? 5 : 100));
/** How many changes are confirmed before a failure, and after it. */
const CHANGES = 40;
/** Longer than all retries of webhooks take. */
const LONG_SECONDS = 3600;
const POLL_MS = 10;
/** The exit code of a process that another one has replaced. */
const REPLACED = 7;

interface Scene {
  readonly crew: Crew;
  readonly server: Postgres;
  readonly database: string;
  readonly clients: Clients;
}

/** What happens to the team. Each resolves when a process leads again. */
const FAILURES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async "kill -9"({ crew }) {
    const leader = await crew.leader();
    leader.program.process.kill("SIGKILL");
    await crew.leader();
  },
  async "SIGSTOP and SIGCONT"({ crew, clients }) {
    const leader = await crew.leader();
    const { program } = leader;
    program.process.kill("SIGSTOP");
    await crew.leader(leader);
    await clients.progress(CHANGES);
    program.process.kill("SIGCONT");
    expect(await program.ended).toMatchObject({ code: REPLACED });
  },
  "cut after a commit": (scene) => cut(scene, "after"),
  async "PostgreSQL stopped at once"({ crew, server }) {
    await server.stop("immediate");
    await server.start();
    await crew.leader();
  },
  async "statement refused after a lost response"({ crew, server, database, clients }) {
    const leader = await crew.leader();
    await clients.rest(async (create) => {
      const key = randomUUID();
      await server.query(database, refuseAfter(key));
      const lost = leader.proxy.cutAppend("after", key);
      const created = create(key);
      await lost;
      await until(async () => (await fetch(`${leader.url}/_sandbox/health`)).status === 503);
      // The table first, as an append does: otherwise each could wait for what the other has locked.
      await server.query(database, "LOCK TABLE pix_sandbox_log; DROP SCHEMA refusing CASCADE");
      await created;
    });
    leader.program.process.kill("SIGKILL");
    await crew.leader();
  },
  async "network hangs"({ crew, clients }) {
    const leader = await crew.leader();
    leader.proxy.hang();
    await crew.leader(leader);
    await clients.progress(CHANGES);
    const { ended } = leader.program;
    leader.proxy.resume();
    expect(await ended).toMatchObject({ code: REPLACED });
  },
  "cut before a commit": (scene) => cut(scene, "before"),
  async "SIGCONT at once"({ crew }) {
    const { process } = (await crew.leader()).program;
    process.kill("SIGSTOP");
    process.kill("SIGCONT");
  },
  "cut during a commit": (scene) => cut(scene, "during"),
  async SIGTERM({ crew }) {
    const { program } = await crew.leader();
    program.process.kill("SIGTERM");
    expect(await program.ended).toMatchObject({ code: 0 });
    await crew.leader();
  },
  "cut after a response": (scene) => cut(scene, "answered"),
  async "terminated sessions"({ crew, server }) {
    await server.query(
      "postgres",
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test%'",
    );
    await crew.leader();
  },
};

async function cut({ crew }: Scene, moment: CutMoment): Promise<void> {
  await (await crew.leader()).proxy.cutAppend(moment);
  await crew.leader();
}

/** Lets a database store a line that contains a text once, and refuse all lines after it, as with a full disk. */
function refuseAfter(text: string): string {
  // The state of a sequence is changed outside of transactions.
  return `
    CREATE SCHEMA refusing;
    CREATE SEQUENCE refusing.stored;
    CREATE FUNCTION refusing.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF (SELECT is_called FROM refusing.stored) THEN
        RAISE 'No space left on device' USING ERRCODE = 'disk_full';
      END IF;
      RETURN NULL;
    END $$;
    CREATE FUNCTION refusing.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM nextval('refusing.stored');
      RETURN NULL;
    END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON pix_sandbox_log
      FOR EACH STATEMENT EXECUTE FUNCTION refusing.refuse();
    CREATE TRIGGER note AFTER INSERT ON pix_sandbox_log
      FOR EACH ROW WHEN (NEW.line LIKE '%${text}%') EXECUTE FUNCTION refusing.note();`;
}

describe.skipIf(lacks("postgresql", "pgbouncer"))("processes that share a state", () => {
  it.each([
    { count: 2, way: "directly", rounds: Math.ceil(ROUNDS / 2) },
    { count: 3, way: "directly", rounds: Math.floor(ROUNDS / 2) },
    { count: 2, way: "through PgBouncer", rounds: Math.ceil(ROUNDS / 5) },
  ])(
    "lose nothing that they confirmed, and do nothing twice: $count, $way",
    { timeout: 120_000 + ROUNDS * 20_000 },
    async ({ count, way, rounds }) => {
      await using server = await startPostgres();
      await using merchant = await startMerchant();
      // Some attempts fail, so that the next process that leads has to repeat them.
      merchant.answerWith((_, index) => (index % 7 === 0 ? 500 : 200));
      const database = await server.createDatabase();
      await using pooler =
        way === "directly"
          ? undefined
          : await startPgBouncer(server, { mode: "transaction", size: 5 });
      await using crew = await Crew.start((pooler ?? server).url(database), count);
      const clients = new Clients(() => crew.urls, merchant.url);
      clients.start();
      const gaps = new Map<string, number[]>();
      const startMs = performance.now();
      for (let round = 0; round < rounds; round++) {
        const [kind, fail] = Object.entries(FAILURES)[round % Object.keys(FAILURES).length] ?? [];
        if (kind === undefined) break;
        await clients.progress(CHANGES);
        crew.takeGap();
        await fail?.({ crew, server, database, clients });
        await clients.progress(CHANGES);
        gaps.set(kind, [...(gaps.get(kind) ?? []), crew.takeGap()]);
      }
      await clients.stop();
      expect(clients.wrong).toEqual([]);
      const webhooks = await check(crew, clients, merchant);
      if (PIX_TEAM_ROUNDS === undefined) return;
      const seconds = Math.round((performance.now() - startMs) / 1000);
      const lines = [
        `${count} processes ${way}: ${rounds} rounds in ${seconds} s, ${clients.calls} calls, ${clients.created.size} records, ${clients.completed.size} completed, ${webhooks} webhooks, exit codes ${codesOf(crew.mates)}`,
        ...[...gaps].map(
          ([kind, all]) => `  ${kind}: ${all.length}, longest ${Math.max(...all)} ms`,
        ),
      ];
      process.stdout.write(`${lines.join("\n")}\n`);
    },
  );
});

function codesOf(mates: readonly Mate[]): string {
  const counts = new Map<string, number>();
  for (const code of mates.flatMap(({ codes }) => codes))
    counts.set(String(code), (counts.get(String(code)) ?? 0) + 1);
  return JSON.stringify(Object.fromEntries(counts));
}

/** @returns how many webhooks the merchant has received */
async function check(crew: Crew, clients: Clients, merchant: Merchant): Promise<number> {
  const records = await listAll(crew);
  const byId = new Map(records.map((record) => [record.id, record]));
  const lost = [...clients.created].filter(([id, key]) => byId.get(id)?.description !== key);
  expect(lost).toEqual([]);
  const undone = [...clients.completed].filter((id) => byId.get(id)?.status !== "completed");
  expect(undone).toEqual([]);
  const keys = records.map(({ description }) => description);
  expect(keys).toHaveLength(new Set(keys).size);

  merchant.answerWith(200);
  await until(async () => {
    const response = await fetch(`${(await crew.leader()).url}/_sandbox/clock/advance`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ seconds: LONG_SECONDS }),
    });
    return response.status === 200;
  });
  const bodies = new Map<string, string>();
  const ids = new Map<string, string>();
  for (const { headers, body } of merchant.received) {
    const id = headers["webhook-id"] ?? "";
    const { type, data } = JSON.parse(body) as { type: string; data: { id: string } };
    const event = `${type} ${data.id}`;
    expect([bodies.get(id) ?? body, ids.get(event) ?? id]).toEqual([body, id]);
    bodies.set(id, body);
    ids.set(event, id);
  }
  const paid = records.filter(({ status }) => status === "completed");
  expect(paid.filter(({ id }) => !ids.has(`payin.paid ${id}`))).toEqual([]);
  return bodies.size;
}

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly description: string;
}

/** All payins. A busy machine may take the lease away from the process meanwhile. */
async function listAll(crew: Crew): Promise<readonly Listed[]> {
  for (;;) {
    const { url } = await crew.leader();
    const all: Listed[] = [];
    let after: string | null = "";
    while (after !== null) {
      const query: string = after === "" ? "" : `&after=${after}`;
      const response = await fetch(`${url}/_sandbox/payins?limit=1000${query}`);
      if (response.status === 503) break;
      const page = (await response.json()) as { data: Listed[]; next: string | null };
      all.push(...page.data);
      after = page.next;
    }
    if (after === null) return all;
  }
}

async function until(isCase: () => Promise<boolean>): Promise<void> {
  while (!(await isCase())) await pause(POLL_MS);
}
