import { readFile, writeFile } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import {
  sandboxSetup as jestSetup,
  sandboxTeardown,
} from "../../src/test-frameworks/jest-setup.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/server/start.ts";
import vitestSetup from "../../src/test-frameworks/vitest-setup.ts";
import { toCamelCase } from "../../src/text/plain/camel-case.ts";
import { createFolder } from "../support/folder.ts";
import { control, type Json, recordsOf } from "../support/gateway.ts";
import { BUYER, callsTo, RECEIVER } from "../support/calls.ts";

const NOW = "2026-11-21T12:00:00.000Z";
/** A frozen clock, so that only the draw keeps end-to-end ids apart. */
const FROZEN = { clock: "frozen", now: NOW } satisfies SandboxOptions;
const NOWHERE = "http://127.0.0.1:9/hook";
const FIXTURES = toCamelCase({
  payins: [{ ...BUYER, token: "shop", webhook_url: NOWHERE }],
  payouts: [{ ...RECEIVER, token: "shop", webhook_url: NOWHERE }],
  faults: [{ token: "shop", on: "payouts.simulate", effect: "error=EXTERNAL_ERROR", times: 1 }],
}) as NonNullable<SandboxOptions["fixtures"]>[number];

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Ways to begin again, each on the running sandbox. */
const RENEWALS: readonly (readonly [string, string | undefined, string])[] = [
  ["a reset", undefined, "POST /reset"],
  ["a reset of the integration", "shop", "POST /reset"],
  ["a restore", undefined, "POST /snapshots/start/restore"],
  ["a restore of the integration", "shop", "POST /snapshots/start/restore"],
];

describe("without a given seed", { timeout: 60_000 }, () => {
  it.each(RENEWALS)("no id repeats after %s", async (_what, token, route) => {
    const sandbox = await start({ ...FROZEN, fixtures: [FIXTURES] });
    await control(sandbox, token, "PUT /snapshots/start");
    const restored = route.endsWith("restore") ? await idsIn(sandbox) : [];
    const seen = new Set<string>();
    for (let round = 0; round < 3; round++) {
      await live(sandbox);
      const ids = await idsIn(sandbox);
      // A restore brings back what the fixtures made; a reset makes other records of them.
      expect(ids).toHaveLength(IDS_OF_FIXTURES + IDS_OF_ONE_LIFE);
      expect(ids).toEqual(expect.arrayContaining(restored));
      const fresh = ids.filter((id) => !restored.includes(id));
      expect(fresh.filter((id) => seen.has(id))).toEqual([]);
      for (const id of fresh) seen.add(id);
      await control(sandbox, token, route);
    }
  });

  it("a record that a restore brings back is paid with a new event and a new end-to-end id", async () => {
    const sandbox = await start(FROZEN);
    const { body } = await callsTo(sandbox.url, "shop").createPayin({ webhook_url: NOWHERE });
    await control(sandbox, undefined, "PUT /snapshots/start");
    const seen: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      const paid = await control(sandbox, "shop", `POST /payins/${body.id}/pay`);
      const { data } = await control(sandbox, "shop", "GET /deliveries");
      seen.push(paid["end_to_end_id"], (data as Json[])[0]?.["id"]);
      await control(sandbox, undefined, "POST /snapshots/start/restore");
    }
    expect(new Set(seen).size).toBe(6);
  });

  it.each([
    ["as it was left", {}],
    ["emptied by hand", { transactions: [], deliveries: [], faults: [], faultOrdinals: [] }],
  ])("no id repeats after a start on a state %s", async (_how, edited) => {
    await using folder = await createFolder();
    const stateFile = folder.at("state.json");
    const seen = new Set<string>();
    for (let life = 0; life < 3; life++) {
      const sandbox = await startSandbox({ ...FROZEN, stateFile, report: () => undefined });
      const before = new Set(await idsIn(sandbox));
      await live(sandbox);
      const fresh = (await idsIn(sandbox)).filter((id) => !before.has(id));
      expect(fresh).toHaveLength(IDS_OF_ONE_LIFE);
      expect(fresh.filter((id) => seen.has(id))).toEqual([]);
      for (const id of fresh) seen.add(id);
      await sandbox.close();
      const state = JSON.parse(await readFile(stateFile, "utf8")) as Json;
      await writeFile(stateFile, JSON.stringify({ ...state, ...edited }));
    }
  });

  it("the keys of headers() do not repeat after a reset", async () => {
    const sandbox = await start(FROZEN);
    const keys: (string | undefined)[] = [];
    for (let round = 0; round < 3; round++) {
      keys.push(sandbox.headers("shop")["x-idempotency-key"]);
      await control(sandbox, undefined, "POST /reset");
    }
    expect(new Set(keys).size).toBe(3);
  });

  it("the drawn seed replays the run up to its first reset", async () => {
    const first = await start({ ...FROZEN, fixtures: [FIXTURES] });
    const replay = await start({ ...FROZEN, fixtures: [FIXTURES], seed: first.seed });
    await live(first);
    await live(replay);
    expect(await idsIn(replay)).toEqual(await idsIn(first));
    expect(replay.secret).toBe(first.secret);
  });
});

describe("with a given seed", { timeout: 60_000 }, () => {
  it.each(RENEWALS)("ids repeat after %s", async (_what, token, route) => {
    const sandbox = await start({ ...FROZEN, seed: "42", fixtures: [FIXTURES] });
    await control(sandbox, token, "PUT /snapshots/start");
    await live(sandbox);
    const first = await idsIn(sandbox);
    await control(sandbox, token, route);
    await live(sandbox);
    expect(await idsIn(sandbox)).toEqual(first);
  });

  it("the state remembers it: ids go on as if the sandbox had not stopped", async () => {
    await using folder = await createFolder();
    const stateFile = folder.at("state.json");
    const whole = await start({ ...FROZEN, seed: "42" });
    for (let count = 0; count < 2; count++) await live(whole);
    for (const seed of ["42", undefined]) {
      const part = await startSandbox({ ...FROZEN, stateFile, seed });
      await live(part);
      await part.close();
    }
    const kept = await start({ ...FROZEN, stateFile });
    expect(await idsIn(kept)).toEqual(await idsIn(whole));
    expect(kept.seed).toBe("42");
  });
});

describe("a test runner's set-up", { timeout: 60_000 }, () => {
  const viaVitest = async (): Promise<string> => {
    let drawn = "";
    const close = await vitestSetup({ provide: (_name, { seed }) => void (drawn = seed) });
    await close();
    return drawn;
  };
  const viaJest = async (): Promise<string> => {
    await jestSetup()();
    const answer = await fetch(`${process.env["PIX_SANDBOX_URL"]}/_sandbox/secret`);
    await sandboxTeardown();
    return ((await answer.json()) as { seed: string }).seed;
  };

  it.each([viaVitest, viaJest])("gives no seed: %o", async (setUp) => {
    const first = await setUp();
    expect(first).not.toBe("");
    expect(await setUp()).not.toBe(first);
  });
});

async function start(options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  closing.push(() => sandbox.close());
  return sandbox;
}

/** Of the payin that `live` makes 4 and of the payout 2, of their events 2, of the fault 1. */
const IDS_OF_ONE_LIFE = 9;
/** Of a payin 3, of a payout 1, of a fault 1. */
const IDS_OF_FIXTURES = 5;

/** A payin that is paid, a payout that is completed, and a fault. */
async function live(sandbox: Sandbox, token = "shop"): Promise<void> {
  const calls = callsTo(sandbox.url, token);
  const payin = await calls.createPayin({ webhook_url: NOWHERE });
  await control(sandbox, token, `POST /payins/${payin.body.id}/pay`);
  const payout = await calls.createPayout({ webhook_url: NOWHERE, receiver_cpf: "98765432100" });
  await control(sandbox, token, `POST /payouts/${payout.body.id}/complete`);
  await control(sandbox, token, "POST /faults", { on: "webhook", effect: "duplicate", times: 1 });
}

/** Every id that the sandbox has given by now, of what there still is. */
async function idsIn(sandbox: Sandbox): Promise<string[]> {
  const rows = [
    ...(await recordsOf(sandbox, undefined, "payins")),
    ...(await recordsOf(sandbox, undefined, "payouts")),
    ...((await control(sandbox, undefined, "GET /deliveries")) as { data: Json[] }).data,
    ...((await control(sandbox, undefined, "GET /faults")) as { data: Json[] }).data,
  ];
  const names = ["id", "pix_id", "acquirer_id", "end_to_end_id"];
  return rows.flatMap((row) =>
    names.map((name) => row[name]).filter((id) => typeof id === "string"),
  );
}
