import { describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import { createFolder } from "../support/folder.ts";
import { callsTo } from "../support/calls.ts";
import { startMerchant } from "../support/merchant.ts";

const START = "2026-11-21T12:00:00.000Z";
const NOWHERE = "http://127.0.0.1:9/hook";

interface WireClock {
  readonly now: string;
  readonly mode: string;
  readonly happened: readonly {
    readonly at: string;
    readonly kind: string;
    readonly data: { readonly id: string; readonly status: string };
  }[];
}

describe("POST /_sandbox/clock/set", () => {
  it("moves time forward to an instant, whatever its zone", async () => {
    await using sandbox = await startFrozen();
    const { status, body } = await post(sandbox, "/set", { now: "2026-11-21T18:00:00-03:00" });

    expect([status, body]).toEqual([
      200,
      { now: "2026-11-21T21:00:00.000Z", mode: "frozen", happened: [] },
    ]);
    expect(await clockOf(sandbox)).toEqual({ ...body, next: null });
  });

  it("lists what happened on the way, each with the time at which it was due", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    await using sandbox = await startFrozen();
    const calls = callsTo(sandbox.url);
    const paid = (await calls.createPayin({ webhook_url: merchant.url })).body.id;
    const waiting = (await calls.createPayin({ webhook_url: NOWHERE, expiration: 20 })).body.id;
    await calls.simulate("payin", paid);
    await calls.control("POST", "/settle");
    const { body } = await post(sandbox, "/set", { now: "2026-11-21T12:01:00Z" });

    const [{ id } = { id: "" }] = await calls.deliveries();
    expect(body.happened.map(({ at, kind, data }) => [at, kind, data.id, data.status])).toEqual([
      ["2026-11-21T12:00:01.000Z", "attempt", id, "pending"],
      ["2026-11-21T12:00:06.000Z", "attempt", id, "pending"],
      ["2026-11-21T12:00:20.000Z", "payin", waiting, "expired"],
      ["2026-11-21T12:00:31.000Z", "attempt", id, "failed"],
    ]);
  });

  it("does not go back", async () => {
    await using sandbox = await startFrozen();
    const { status, body } = await post(sandbox, "/set", { now: "2026-11-21T11:59:59.999Z" });

    expect(status).toBe(422);
    expect(body).toMatchObject({ code: "NOT_PROCESSABLE", errors: [{ field: "now" }] });
    expect((await clockOf(sandbox)).now).toBe(START);
  });

  it.each([
    [{ now: "tomorrow" }],
    [{ now: "2026-11-22" }],
    [{ now: "2026-11-22T12:00:00" }],
    [{ now: "2027-02-30T12:00:00Z" }],
    [{ now: 1_800_000_000_000 }],
    [{ now: null }],
    [{}],
  ])("refuses %j", async (body) => {
    await using sandbox = await startFrozen();
    expect(await post(sandbox, "/set", body)).toMatchObject({
      status: 400,
      body: { code: "VALIDATION_ERROR", errors: [{ field: "now" }] },
    });
    expect((await clockOf(sandbox)).now).toBe(START);
  });
});

describe("GET /_sandbox/clock", () => {
  it("shows what happens next, to all or to an integration", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    await using sandbox = await startFrozen();
    expect(await nextOf(sandbox)).toBeNull();
    const [one, other] = [callsTo(sandbox.url, "one"), callsTo(sandbox.url, "other")];
    const members = { webhook_url: merchant.url };
    const paid = (await one.createPayin({ ...members, expiration: 20 })).body.id;
    const waiting = (await other.createPayin({ ...members, expiration: 60 })).body.id;
    const expires = (id: string, at: string, integration: string) => ({
      at: `2026-11-21T12:${at}.000Z`,
      kind: "payin_expires",
      id,
      integration,
    });
    expect(await nextOf(sandbox)).toEqual(expires(paid, "00:20", "one"));
    expect(await nextOf(sandbox, "other")).toEqual(expires(waiting, "01:00", "other"));
    expect(await nextOf(sandbox, "third")).toBeNull();

    await one.simulate("payin", paid);
    await one.control("POST", "/settle");
    const [{ id } = { id: "" }] = await one.deliveries();
    const retry = { at: "2026-11-21T12:00:01.000Z", kind: "attempt", id, integration: "one" };
    expect(await nextOf(sandbox)).toEqual(retry);
    expect(await nextOf(sandbox, "one")).toEqual(retry);

    await post(sandbox, "/set", { now: "2026-11-21T12:00:59Z" });
    expect(await nextOf(sandbox)).toEqual(expires(waiting, "01:00", "other"));
    expect(await nextOf(sandbox, "one")).toBeNull();
  });
});

it("a payout that would complete after the end of time never does", async () => {
  await using sandbox = await startSandbox({
    clock: "frozen",
    assumptions: { "payout.auto": "complete_after:9999999999999" },
  });
  await callsTo(sandbox.url).createPayout({ webhook_url: NOWHERE });
  expect(await nextOf(sandbox)).toBeNull();
});

describe("POST /_sandbox/clock/advance", () => {
  it("ends before the year 9000, whose times still have four digits", async () => {
    await using sandbox = await startFrozen();
    await post(sandbox, "/set", { now: "8999-12-31T23:59:00Z" });
    expect((await post(sandbox, "/advance", { seconds: 60 })).status).toBe(422);
    const { status, body } = await post(sandbox, "/advance", { seconds: 59 });
    expect([status, body.now]).toEqual([200, "8999-12-31T23:59:59.000Z"]);
  });

  it.each([[{ seconds: -1 }, 422] as const, [{ seconds: "5" }, 400], [{ seconds: 1e9 }, 400]])(
    "refuses %j with %i",
    async (body, status) => {
      await using sandbox = await startFrozen();
      expect(await post(sandbox, "/advance", body)).toMatchObject({
        status,
        body: { errors: [{ field: "seconds" }] },
      });
    },
  );
});

describe("POST /_sandbox/clock/freeze", () => {
  it("freezes time", async () => {
    await using sandbox = await startSandbox();
    const before = sandbox.clock.nowMs();
    const { status, body } = await post(sandbox, "/freeze");

    expect([status, body.mode]).toEqual([200, "frozen"]);
    expect(Date.parse(body.now)).toBeGreaterThanOrEqual(before);
    const { body: payin } = await callsTo(sandbox.url).createPayin({ webhook_url: NOWHERE });
    expect(await clockOf(sandbox)).toMatchObject({ ...body, happened: [] });
    expect(await callsTo(sandbox.url).control("GET", `/payins/${payin.id}`)).toMatchObject({
      status: "waiting",
      created_at: body.now,
    });
  });
});

describe("POST /_sandbox/clock/resume", () => {
  it("takes no body that is no JSON object", async () => {
    await using sandbox = await startFrozen();
    const answer = await fetch(`${sandbox.url}/_sandbox/clock/resume`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    });
    expect(answer.status).toBe(400);
    expect((await clockOf(sandbox)).mode).toBe("frozen");
  });
});

describe("the clock of a state file, after a restart", () => {
  const LATER = "2100-01-01T00:00:00.000Z";

  it("stays where it was frozen if the next start is frozen too", async () => {
    await using folder = await createFolder();
    const stateFile = folder.at("state.json");
    {
      await using sandbox = await startSandbox({ stateFile });
      await post(sandbox, "/set", { now: LATER });
      await post(sandbox, "/freeze");
    }
    await using sandbox = await startSandbox({ stateFile, clock: "frozen" });
    const { now } = await clockOf(sandbox);
    expect(Date.parse(now)).toBeGreaterThanOrEqual(Date.parse(LATER));
    expect(Date.parse(now)).toBeLessThan(Date.parse(LATER) + 600_000);
    expect((await clockOf(sandbox)).now).toBe(now);
  });
});

function startFrozen(): Promise<Sandbox> {
  return startSandbox({ clock: "frozen", now: new Date(START) });
}

async function clockOf(sandbox: Sandbox): Promise<WireClock> {
  return callsTo(sandbox.url).control<WireClock>("GET", "/clock");
}

async function nextOf(sandbox: Sandbox, token?: string): Promise<unknown> {
  const headers = token === undefined ? {} : { "x-api-token": token };
  const answer = await fetch(`${sandbox.url}/_sandbox/clock`, { headers });
  return ((await answer.json()) as { next: unknown }).next;
}

async function post(
  sandbox: Sandbox,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: WireClock }> {
  const answer = await fetch(`${sandbox.url}/_sandbox/clock${path}`, {
    method: "POST",
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  return { status: answer.status, body: (await answer.json()) as WireClock };
}
