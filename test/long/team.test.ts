import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { pause } from "../../src/platform/pause.ts";
import type { CutMoment } from "../support/cutting-proxy.ts";
import { startMerchant, type Merchant } from "../support/merchant.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { Clients } from "../team/clients.ts";
import { Crew } from "../team/crew.ts";
import { lacks } from "../support/lacks.ts";

/** The figures of a run with PIX_TEAM_ROUNDS=n rounds are printed. */
const { PIX_TEAM_ROUNDS, PIX_TEST_LONG } = process.env;
const ROUNDS = Number(PIX_TEAM_ROUNDS ?? (PIX_TEST_LONG === "short" ? 10 : 100));
const PROCESSES = 3;
/** How many changes are confirmed before a failure, and after it. */
const CHANGES = 60;
const LEASE_MS = 2000;
/** Longer than all retries take. */
const LONG_SECONDS = 3600;

const POLL_MS = 10;
const READ_MS = 1_000;

/** What a failure concerns. */
interface Scene {
  readonly crew: Crew;
  readonly server: Postgres;
  readonly clients: Clients;
}

/** What happens to the team. Each resolves when somebody leads again, and everybody runs. */
const FAILURES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async "kill -9"({ crew }) {
    const leader = await crew.leader();
    leader.serving.process.kill("SIGKILL");
    await crew.leader(leader);
    await crew.remove(leader);
    await crew.add();
  },
  async "SIGSTOP and SIGCONT"({ crew, clients }) {
    const leader = await crew.leader();
    await clients.avoid(leader.serving.url);
    leader.serving.process.kill("SIGSTOP");
    await crew.leader(leader);
    // What the stopped process does not know is confirmed meanwhile, and asked of it as well.
    await clients.progress(CHANGES);
    leader.serving.process.kill("SIGCONT");
    await clients.progress(CHANGES);
    await clients.avoid("");
  },
  async "SIGCONT at once"({ crew }) {
    const { process } = (await crew.leader()).serving;
    process.kill("SIGSTOP");
    process.kill("SIGCONT");
  },
  async "terminated sessions"({ crew, server }) {
    await server.query(
      "postgres",
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'pix-sandbox%'",
    );
    await crew.leader();
  },
  async "PostgreSQL stopped at once"({ crew, server }) {
    await server.stop("immediate");
    await server.start();
    await crew.leader();
  },
  "cut before a commit": ({ crew }) => cut(crew, "before"),
  "cut during a commit": ({ crew }) => cut(crew, "during"),
  "cut after a commit": ({ crew }) => cut(crew, "after"),
  "cut after a response": ({ crew }) => cut(crew, "answered"),
  async "retry of a commit refused"({ crew, server, clients }) {
    const leader = await crew.leader();
    await clients.rest(async (create) => {
      const key = randomUUID();
      await server.query(crew.database, refuseAfter(key));
      const lost = leader.proxy.cutAppend("after", key);
      const created = create(key);
      await lost;
      // Until every standby has read a line that the leader withdraws as soon as it can.
      await pause(READ_MS);
      const health = `${leader.serving.url}/_sandbox/health`;
      await until(async () => (await fetch(health)).status === 503);
      // The table first, as an append does: otherwise each could wait for what the other has locked.
      await server.query(
        crew.database,
        "LOCK TABLE pix_sandbox_journal; DROP SCHEMA refusing CASCADE",
      );
      await created;
    });
    await FAILURES["kill -9"]?.({ crew, server, clients });
  },
  async "network hangs"({ crew, clients }) {
    const leader = await crew.leader();
    await clients.avoid(leader.serving.url);
    leader.proxy.hang();
    await crew.leader(leader);
    await clients.progress(CHANGES);
    leader.proxy.resume();
    await clients.avoid("");
  },
};

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
    CREATE TRIGGER refuse BEFORE INSERT ON pix_sandbox_journal
      FOR EACH STATEMENT EXECUTE FUNCTION refusing.refuse();
    CREATE TRIGGER note AFTER INSERT ON pix_sandbox_journal
      FOR EACH ROW WHEN (NEW.line LIKE '%${text}%') EXECUTE FUNCTION refusing.note();`;
}

async function until(isCase: () => Promise<boolean>): Promise<void> {
  while (!(await isCase())) await pause(POLL_MS);
}

async function cut(crew: Crew, moment: CutMoment): Promise<void> {
  await (await crew.leader()).proxy.cutAppend(moment);
  await crew.leader();
}

describe.skipIf(lacks("postgresql"))("a team whose processes and network fail", () => {
  it(
    "forgets nothing that it confirmed, does nothing twice, and never has two leaders that answer",
    { timeout: 120_000 + ROUNDS * 20_000 },
    async () => {
      await using server = await startPostgres();
      await using merchant = await startMerchant();
      answerUnreliably(merchant);
      await using crew = await Crew.start(server, { count: PROCESSES });
      const clients = new Clients(() => crew.urls, merchant.url);
      clients.start();
      const gaps = new Map<string, number[]>();
      const kinds = Object.keys(FAILURES);
      for (let round = 0; round < ROUNDS; round++) {
        const kind = kinds[round % kinds.length] ?? "";
        await clients.progress(CHANGES);
        crew.takeGap();
        await FAILURES[kind]?.({ crew, server, clients });
        await clients.progress(CHANGES);
        gaps.set(kind, [...(gaps.get(kind) ?? []), crew.takeGap()]);
      }
      await clients.stop();

      expect(clients.violations()).toEqual([]);
      await checkRecords(crew, clients);
      await checkWebhooks(crew, merchant);
      if (PIX_TEAM_ROUNDS !== undefined) print(clients, merchant, gaps);
      const longest = (kind: string): number => Math.max(0, ...(gaps.get(kind) ?? []));
      expect(longest("kill -9")).toBeLessThan(3000 + SLACK_MS);
      expect(longest("SIGSTOP and SIGCONT")).toBeLessThan(LEASE_MS + 2000 + SLACK_MS);
    },
  );
});

/** A test on a busy machine does not fail because of the machine; the figures are printed. */
const SLACK_MS = 10_000;

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly description: string;
}

/** All payins, as the leader lists them. A busy machine may take the lease away from it meanwhile. */
async function listAll(crew: Crew): Promise<readonly Listed[]> {
  for (;;) {
    const all = await listAt((await crew.leader()).serving.url);
    if (all) return all;
  }
}

/** Undefined if the process does not lead any more. */
async function listAt(url: string): Promise<readonly Listed[] | undefined> {
  const all: Listed[] = [];
  let after: string | null = "";
  while (after !== null) {
    const query: string = after === "" ? "" : `&after=${after}`;
    const response = await fetch(`${url}/_sandbox/payins?limit=1000${query}`);
    if (response.status === 503) return undefined;
    const page = (await response.json()) as { data: Listed[]; next: string | null };
    all.push(...page.data);
    after = page.next;
  }
  return all;
}

async function checkRecords(crew: Crew, clients: Clients): Promise<void> {
  const records = new Map((await listAll(crew)).map((record) => [record.id, record]));
  const lost = [...clients.created].filter(([id, key]) => records.get(id)?.description !== key);
  expect(lost).toEqual([]);
  const undone = [...clients.completed].filter((id) => records.get(id)?.status !== "completed");
  expect(undone).toEqual([]);
  const keys = [...records.values()].map(({ description }) => description);
  expect(keys).toHaveLength(new Set(keys).size);
}

async function checkWebhooks(crew: Crew, merchant: Merchant): Promise<void> {
  merchant.answerWith(200);
  await until(async () => {
    const { serving } = await crew.leader();
    const { status } = await fetch(`${serving.url}/_sandbox/clock/advance`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ seconds: LONG_SECONDS }),
    });
    expect(status).toBeOneOf([200, 503]);
    return status === 200;
  });
  const bodies = new Map<string, string>();
  const ids = new Map<string, string>();
  for (const { headers, body } of merchant.received) {
    const webhookId = headers["webhook-id"] ?? "";
    expect(bodies.get(webhookId) ?? body).toBe(body);
    bodies.set(webhookId, body);
    const { type, data } = JSON.parse(body) as { type: string; data: { id: string } };
    const event = `${type} ${data.id}`;
    expect(ids.get(event) ?? webhookId).toBe(webhookId);
    ids.set(event, webhookId);
  }
  const completed = (await listAll(crew)).filter(({ status }) => status === "completed");
  expect(completed.filter(({ id }) => !ids.has(`payin.paid ${id}`))).toEqual([]);
}

/** Some attempts fail, so that the next leader has to repeat them. */
function answerUnreliably(merchant: Merchant): void {
  merchant.answerWith((_, index) => (index % 7 === 0 ? 500 : 200));
}

function print(
  clients: Clients,
  merchant: Merchant,
  gaps: ReadonlyMap<string, readonly number[]>,
): void {
  const lines = [...gaps].map(
    ([kind, all]) => `${kind.padEnd(28)} ${all.length} rounds, longest ${Math.max(...all)} ms`,
  );
  process.stdout.write(
    `${[
      `${ROUNDS} rounds, ${clients.operations} operations, ${clients.created.size} records, ${clients.completed.size} completed, ${merchant.received.length} webhook attempts`,
      "Time without a leader:",
      ...lines,
    ].join("\n")}\n`,
  );
}
