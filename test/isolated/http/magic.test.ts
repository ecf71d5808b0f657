import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { english } from "../../../src/text/languages.ts";
import { MAGIC, MAGIC_ROWS, type MagicName } from "../../../src/core/faults/magic.ts";
import { hasCpfCheckDigits } from "../../../src/core/records/checks.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../src/server/start.ts";
import { control, type Json } from "../../support/gateway.ts";
import { BUYER, RECEIVER } from "../../support/calls.ts";
import { type Merchant, startMerchant } from "../../support/merchant.ts";

/** What a slow call waits, as the table says, and how long it waits here. */
const SLOW_MS = 3000;
const SHORT_MS = 100;
vi.mock(import("../../../src/platform/real-time.ts"), async (importOriginal) => {
  const real = await importOriginal();
  const setTimeout = (act: () => void, ms?: number) =>
    real.setTimeout(act, ms === SLOW_MS ? SHORT_MS : ms);
  return { ...real, setTimeout: setTimeout as typeof real.setTimeout };
});

const START = new Date("2026-11-21T12:00:00Z");

/** The choice under which the fewest CPFs are valid. */
const STRICT = { "cpf.check": "check_digits" } as const;

/** Where a value means something, and the members of a call that put it there. */
const CASES = MAGIC_ROWS.flatMap((row) => [
  { name: row.name, noun: "payin" as const, place: "buyer_cpf", members: { buyer_cpf: row.cpf } },
  {
    name: row.name,
    noun: "payout" as const,
    place: "receiver_cpf",
    members: { receiver_cpf: row.cpf },
  },
  {
    name: row.name,
    noun: "payout" as const,
    place: "pix_key",
    members: { pix_key: row.cpf, pix_key_type: "cpf" },
  },
]);

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Json;
}

/** A sandbox, a merchant, and an integration between them that creates payins or payouts. */
interface World {
  readonly sandbox: Sandbox;
  readonly merchant: Merchant;
  /** Rejects where the connection dies. */
  create(members: Json, asked?: Asked): Promise<Answer>;
  records(): Promise<readonly Json[]>;
  advance(seconds: number): Promise<Json>;
}

interface Asked {
  readonly key?: string;
  readonly fault?: string;
  readonly path?: string;
}

/** What shows that a value means it, for each meaning. */
const PROOFS: Readonly<Record<string, (world: World, members: Json) => Promise<void>>> = {
  rejected: (world, members) => proveRefused(world, members, "rejected", [422, "NOT_PROCESSABLE"]),
  provider_down: (world, members) =>
    proveRefused(world, members, "provider_down", [502, "EXTERNAL_ERROR"]),
  slow: async ({ create, records }, members) => {
    const sentAtMs = Date.now();
    expect(await create(members)).toMatchObject({
      status: 200,
      headers: { "x-sandbox-magic": "slow" },
    });
    const [record] = await records();
    const waitedMs = Date.parse(String(record?.["created_at"])) - sentAtMs;
    // A timer may be early by its own rounding.
    expect(waitedMs).toBeGreaterThan(SHORT_MS - 2);
    expect(MAGIC.slow.effect).toBe(`latency_ms=${SLOW_MS}`);
  },
  lost_answer: async ({ create, records }, members) => {
    const key = "order-1";
    await expect(create(members, { key })).rejects.toMatchObject({ code: "ECONNRESET" });
    const made = await records();
    expect(made).toMatchObject([{ status: "waiting" }]);
    const retry = await create(members, { key });
    expect(retry).toMatchObject({ status: 200, body: { id: made[0]?.["id"] } });
    expect(retry.headers).toMatchObject({ "idempotent-replayed": "true" });
    expect(retry.headers).not.toHaveProperty("x-sandbox-magic");
  },
  canceled_later: async (world, members) => {
    const { create, records, advance, merchant, sandbox } = world;
    await control(sandbox, "shop", "PATCH /assumptions", { "payin.expiry_event": "webhook" });
    const created = await create({ ...members, expiration: 20 });
    expect(created).toMatchObject({
      status: 200,
      headers: { "x-sandbox-magic": "canceled_later" },
    });
    const { id } = created.body;
    expect((await advance(4.999))["happened"]).toEqual([]);
    expect(await records()).toMatchObject([{ id, status: "waiting" }]);
    await advance(0.001);

    const canceledAt = new Date(START.getTime() + 5000).toISOString();
    const canceled = { id, status: "canceled", settled_at: canceledAt, end_to_end_id: null };
    expect(await records()).toMatchObject([canceled]);
    // What it would have come to otherwise is over.
    await advance(3600);
    expect(await records()).toMatchObject([canceled]);
    const told = merchant.received.map(({ body }) => JSON.parse(body) as Json);
    const types = "pix_id" in created.body ? [] : ["payout.canceled"];
    expect(told).toMatchObject(
      [...types, "payment.failed"].map((type) => ({
        type,
        created_at: canceledAt,
        data: { id, status: "canceled" },
      })),
    );
  },
};

describe("the table of magic values", () => {
  it("has a proof for each meaning, and no proof has lost its meaning", () => {
    expect(Object.keys(PROOFS).toSorted()).toEqual(Object.keys(MAGIC).toSorted());
  });

  it("describes each effect, has no CPF twice, and none that could belong to a person", () => {
    const rows = MAGIC_ROWS;
    expect(new Set(rows.map(({ cpf }) => cpf)).size).toBe(rows.length);
    for (const { name, happens, cpf } of rows) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(english(happens)).toMatch(/\S.*\.$/);
      expect(hasCpfCheckDigits(cpf)).toBe(true);
      expect(cpf).toMatch(/^00000000/);
    }
  });
});

describe.concurrent("a magic value", { timeout: 60_000 }, () => {
  it.each(CASES)("means $name as $place of a $noun", async ({ name, noun, members }) => {
    // The wait of a slow call shows in the time of its record.
    const clock = name === "slow" ? { clock: "real", now: undefined } : {};
    await using world = await startWorld(noun, { magic: true, ...(clock as SandboxOptions) });
    await PROOFS[name]?.(world, members);
  });

  it.each(["payin", "payout"] as const)(
    "means nothing where nobody asked for magic: as any member of a %s",
    async (noun) => {
      await using world = await startWorld(noun, {
        assumptions: { ...STRICT, "payout.rival": "allow" },
      });
      const cases = CASES.filter((one) => one.noun === noun);
      for (const { members } of cases) {
        const { status, headers } = await world.create({ ...members, expiration: 172_800 });
        expect(status).toBe(200);
        expect(headers).not.toHaveProperty("x-sandbox-magic");
      }
      await world.advance(3600);
      expect(await world.records()).toMatchObject(cases.map(() => ({ status: "waiting" })));
    },
  );
});

describe("the effect of a magic value on a call", { timeout: 60_000 }, () => {
  it("comes from its header, or else from a stored fault, and only from one", async () => {
    await using world = await startWorld("payout", { magic: true });
    const members = { receiver_cpf: MAGIC.rejected.cpf };
    const asked = await world.create(members, { fault: "error=DUPLICATED_VALUE" });
    expect(asked.status).toBe(409);
    expect(asked.headers).not.toHaveProperty("x-sandbox-magic");
    const fault = { on: "payouts.create", effect: "error=VALIDATION_ERROR", times: 1 };
    await control(world.sandbox, "shop", "POST /faults", fault);
    expect((await world.create(members)).status).toBe(400);
    await control(world.sandbox, "shop", "POST /faults", { ...fault, effect: "latency_ms=1" });
    const late = await world.create(members);
    expect(late.status).toBe(200);
    expect(late.headers).not.toHaveProperty("x-sandbox-magic");
    expect((await world.create(members)).status).toBe(422);
    // A fault of its webhooks is beside it.
    const later = { receiver_cpf: MAGIC.canceled_later.cpf };
    expect((await world.create(later, { fault: "drop_attempts=1" })).status).toBe(200);
    await world.advance(5);
    expect(await world.records()).toMatchObject([{ status: "waiting" }, { status: "canceled" }]);
  });

  it("is what receiver_cpf means, or else pix_key", async () => {
    await using world = await startWorld("payout", { magic: true });
    const key = { pix_key: MAGIC.rejected.cpf, pix_key_type: "cpf" };
    const both = await world.create({ receiver_cpf: MAGIC.provider_down.cpf, ...key });
    expect(both.headers["x-sandbox-magic"]).toBe("provider_down" satisfies MagicName);
    expect((await world.create(key)).headers["x-sandbox-magic"]).toBe("rejected");
  });

  it("has no effect if its key was used before, or if the call is invalid", async () => {
    await using world = await startWorld("payin", { magic: true });
    const first = await world.create({}, { key: "order-1" });
    const members = { buyer_cpf: MAGIC.rejected.cpf };
    expect((await world.create(members, { key: "order-1" })).status).toBe(409);
    expect((await world.create({ ...members, value: -1 })).status).toBe(400);
    expect(await world.records()).toMatchObject([{ id: first.body["id"] }]);
  });

  it("is a problem document in version 2", async () => {
    await using world = await startWorld("payin", { magic: true });
    const answer = await world.create(
      { buyer_cpf: MAGIC.provider_down.cpf },
      { path: "/v2/payins" },
    );
    expect(answer).toMatchObject({
      status: 502,
      headers: {
        "content-type": "application/problem+json",
        "x-sandbox-magic": "provider_down",
      },
      body: { code: "EXTERNAL_ERROR", errors: [] },
    });
  });
});

describe("a record that is canceled later", { timeout: 60_000 }, () => {
  const LATER = MAGIC.canceled_later.cpf;

  it("is not canceled if it is final by then", async () => {
    await using world = await startWorld("payout", {
      magic: true,
      assumptions: { ...STRICT, "payout.auto": "complete_after:3" },
    });
    await world.create({ receiver_cpf: LATER });
    await world.advance(10);
    expect(await world.records()).toMatchObject([{ status: "completed" }]);
    const { sandbox } = world;
    await control(sandbox, "shop", "PATCH /assumptions", { "payout.auto": "complete_after:7" });
    await world.create({ receiver_cpf: LATER });
    await world.advance(10);
    expect(await world.records()).toMatchObject([{}, { status: "canceled" }]);
  });

  it("is canceled in due order among what else falls due, across a restart too", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-magic-"));
    try {
      const options = { magic: true, stateFile: path.join(folder, "state.json") };
      const ids: unknown[] = [];
      await using merchant = await startMerchant();
      {
        await using world = await startWorld("payin", options, merchant);
        for (const [members, seconds] of [
          [{ buyer_cpf: LATER }, 1],
          [{ expiration: 20 }, 15.5],
          [{ buyer_cpf: LATER }, 0],
        ] as const) {
          ids.push((await world.create(members)).body["id"]);
          await world.advance(seconds);
        }
        expect(await world.records()).toMatchObject([
          { status: "canceled" },
          { status: "waiting" },
          { status: "waiting" },
        ]);
      }
      await using world = await startWorld("payin", { ...options, now: undefined }, merchant);
      const { happened } = await world.advance(20);
      const [, expired, canceled] = ids;
      const moved = (happened as { kind: string; at: string; data: Json }[])
        .filter(({ kind }) => kind === "payin")
        .map(({ at, data }) => [at, data["id"], data["status"]]);
      expect(moved).toEqual([
        ["2026-11-21T12:00:21.000Z", expired, "expired"],
        ["2026-11-21T12:00:21.500Z", canceled, "canceled"],
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("is canceled again after each restore of a snapshot in which it waits", async () => {
    await using world = await startWorld("payin", { magic: true });
    await world.create({ buyer_cpf: LATER });
    await control(world.sandbox, undefined, "PUT /snapshots/waiting");
    for (let times = 0; times < 2; times++) {
      await world.advance(5);
      expect(await world.records()).toMatchObject([{ status: "canceled" }]);
      await control(world.sandbox, undefined, "POST /snapshots/waiting/restore");
      expect(await world.records()).toMatchObject([{ status: "waiting" }]);
    }
  });
});

/** Refused by its value alone: nothing is there, and the key is free for a call with another. */
async function proveRefused(
  { create, records }: World,
  members: Json,
  name: MagicName,
  [status, code]: readonly [number, string],
): Promise<void> {
  const key = "order-1";
  const refused = await create(members, { key });
  expect(refused).toMatchObject({ status, headers: { "x-sandbox-magic": name } });
  const message = expect.stringContaining(`means ${name}`) as string;
  expect(refused.body).toEqual({ code, message, errors: [] });
  expect(await records()).toEqual([]);
  const ordinary = await create({}, { key });
  expect(ordinary.status).toBe(200);
  for (const header of ["x-sandbox-magic", "idempotent-replayed"])
    expect(ordinary.headers).not.toHaveProperty(header);
}

async function startWorld(
  noun: "payin" | "payout",
  options: SandboxOptions,
  already?: Merchant,
): Promise<World & AsyncDisposable> {
  const merchant = already ?? (await startMerchant());
  const sandbox = await startSandbox({
    clock: "frozen",
    now: START,
    assumptions: STRICT,
    ...options,
  });
  const token = "shop";
  const webhook_url = merchant.url;
  const configuration = { webhook_url, events: ["payment.received", "payment.failed"] };
  await fetch(`${sandbox.baseUrl}/webhooks`, {
    method: "PUT",
    headers: sandbox.headers(token),
    body: JSON.stringify(configuration),
  });
  const sample: Json = noun === "payin" ? BUYER : RECEIVER;
  return {
    sandbox,
    merchant,
    create: (members, { key, fault, path: route = `/v1/${noun}s` } = {}) =>
      post(
        `${sandbox.url}${route}`,
        { ...sample, webhook_url, ...members },
        {
          ...sandbox.headers(token),
          ...(key !== undefined && { "x-idempotency-key": key }),
          ...(fault !== undefined && { "x-sandbox-fault": fault }),
        },
      ),
    records: async () => (await control(sandbox, token, `GET /${noun}s`))["data"] as Json[],
    advance: (seconds) => control(sandbox, undefined, "POST /clock/advance", { seconds }),
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
      if (!already) await merchant.close();
    },
  };
}

/** A connection of its own, so that one that dies takes no other call with it. */
function post(url: string, body: Json, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: "POST", agent: false, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      answer.once("error", reject);
      answer.once("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers as Answer["headers"],
          body: JSON.parse(text) as Json,
        }),
      );
    });
    request.once("error", reject);
    request.end(JSON.stringify(body));
  });
}
