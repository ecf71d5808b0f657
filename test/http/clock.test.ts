import { describe, expect, it } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/server/start.ts";
import { createFolder } from "../support/folder.ts";
import { callsTo } from "../support/calls.ts";
import { call, control, type Json } from "../support/gateway.ts";
import { startMerchant } from "../support/merchant.ts";

const START = "2026-11-21T12:00:00.000Z";
const NOWHERE = "http://127.0.0.1:9/hook";

interface Happened {
  readonly at: string;
  readonly kind: string;
  readonly data: { readonly id: string; readonly status: string };
}

describe("POST /_sandbox/clock", () => {
  it("moves time forward to an instant, whatever its zone", async () => {
    await using sandbox = await startFrozen();
    const { status, json } = await post(sandbox, "set", { now: "2026-11-21T18:00:00-03:00" });
    const moved = { now: "2026-11-21T21:00:00.000Z", mode: "frozen", happened: [] };
    expect([status, json]).toEqual([200, moved]);
    expect(await clockOf(sandbox)).toEqual({ ...moved, next: null });
  });

  it("lists what happened on the way, each with the time at which it was due", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    await using sandbox = await startFrozen();
    const calls = callsTo(sandbox.url);
    const paid = (await calls.createPayin({ webhook_url: merchant.url })).body.id;
    const waiting = (await calls.createPayin({ webhook_url: NOWHERE, expiration: 20 })).body.id;
    await calls.simulate("payin", paid);
    await calls.control("POST", "/settle");
    const { json } = await post(sandbox, "set", { now: "2026-11-21T12:01:00Z" });

    const [{ id } = { id: "" }] = await calls.deliveries();
    const happened = (json as Json)["happened"] as Happened[];
    expect(
      happened.map(({ at, kind, data }) => [at.slice(17, 19), kind, data.id, data.status]),
    ).toEqual([
      ["01", "attempt", id, "pending"],
      ["06", "attempt", id, "pending"],
      ["20", "payin", waiting, "expired"],
      ["31", "attempt", id, "failed"],
    ]);
  });

  it.each<[route: string, body: unknown, status: number]>([
    ["set", { now: "2026-11-21T11:59:59.999Z" }, 422],
    ["set", { now: "tomorrow" }, 400],
    ["set", { now: "2026-11-22" }, 400],
    ["set", { now: "2026-11-22T12:00:00" }, 400],
    ["set", { now: "2027-02-30T12:00:00Z" }, 400],
    ["set", { now: 1_800_000_000_000 }, 400],
    ["set", { now: null }, 400],
    ["set", {}, 400],
    ["advance", { seconds: -1 }, 422],
    ["advance", { seconds: "5" }, 400],
    ["advance", { seconds: 1e9 }, 400],
    ["resume", "{", 400],
  ])("refuses %s %j with %i, and moves nothing", async (route, body, status) => {
    await using sandbox = await startFrozen();
    const answer = await post(sandbox, route, body);
    expect(answer.status).toBe(status);
    if (typeof body === "object")
      expect(answer.json).toMatchObject({
        errors: [{ field: route === "set" ? "now" : "seconds" }],
      });
    expect(await clockOf(sandbox)).toMatchObject({ now: START, mode: "frozen" });
  });

  it("ends before the year 9000, whose times still have four digits", async () => {
    await using sandbox = await startFrozen();
    await post(sandbox, "set", { now: "8999-12-31T23:59:00Z" });
    expect((await post(sandbox, "advance", { seconds: 60 })).status).toBe(422);
    const { status, json } = await post(sandbox, "advance", { seconds: 59 });
    expect([status, json]).toMatchObject([200, { now: "8999-12-31T23:59:59.000Z" }]);
  });

  it("freezes time", async () => {
    await using sandbox = await startSandbox();
    const before = sandbox.clock.nowMs();
    const { json } = await post(sandbox, "freeze");
    const { now } = json as { now: string };
    expect(Date.parse(now)).toBeGreaterThanOrEqual(before);
    const { body: payin } = await callsTo(sandbox.url).createPayin({ webhook_url: NOWHERE });
    expect(await clockOf(sandbox)).toMatchObject({ now, mode: "frozen", happened: [] });
    const shown = await control(sandbox, undefined, `GET /payins/${payin.id}`);
    expect(shown).toMatchObject({ status: "waiting", created_at: now });
  });
});

describe("GET /_sandbox/clock", () => {
  it("shows what happens next, to all or to an integration", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    await using sandbox = await startFrozen();
    const nextOf = async (token?: string) => (await clockOf(sandbox, token))["next"];
    expect(await nextOf()).toBeNull();
    const [one, other] = [callsTo(sandbox.url, "one"), callsTo(sandbox.url, "other")];
    const members = { webhook_url: merchant.url };
    const paid = (await one.createPayin({ ...members, expiration: 20 })).body.id;
    const waiting = (await other.createPayin({ ...members, expiration: 60 })).body.id;
    const at = (time: string) => `2026-11-21T12:${time}.000Z`;
    const expires = { at: at("00:20"), kind: "payin_expires", id: paid, integration: "one" };
    const last = { ...expires, at: at("01:00"), id: waiting, integration: "other" };
    expect([await nextOf(), await nextOf("other"), await nextOf("third")]).toEqual([
      expires,
      last,
      null,
    ]);

    await one.simulate("payin", paid);
    await one.control("POST", "/settle");
    const [{ id } = { id: "" }] = await one.deliveries();
    const retry = { at: at("00:01"), kind: "attempt", id, integration: "one" };
    expect([await nextOf(), await nextOf("one")]).toEqual([retry, retry]);

    await post(sandbox, "set", { now: "2026-11-21T12:00:59Z" });
    expect([await nextOf(), await nextOf("one")]).toEqual([last, null]);
    // An integration that moves the clock is shown nothing of another.
    const moved = await control(sandbox, "one", "POST /clock/advance", { seconds: 300 });
    expect(JSON.stringify(moved["happened"])).not.toContain(waiting);
    expect(await clockOf(sandbox)).toMatchObject({ next: null });
  });

  it("shows no payout that would complete after the end of time", async () => {
    const assumptions = { "payout.auto": "complete_after:9999999999999" } as const;
    await using sandbox = await startFrozen({ assumptions });
    await callsTo(sandbox.url).createPayout({ webhook_url: NOWHERE });
    expect(await clockOf(sandbox)).toMatchObject({ next: null });
  });

  it("shows the frozen time of before after a restart that is frozen too", async () => {
    await using folder = await createFolder();
    const stateFile = folder.at("state.json");
    {
      await using sandbox = await startSandbox({ stateFile });
      await post(sandbox, "set", { now: "2100-01-01T00:00:00.000Z" });
      await post(sandbox, "freeze");
    }
    await using sandbox = await startSandbox({ stateFile, clock: "frozen" });
    const { now } = await clockOf(sandbox);
    expect(now).toMatch(/^2100-01-01T00:0/);
    expect((await clockOf(sandbox))["now"]).toBe(now);
  });
});

function startFrozen(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox({ clock: "frozen", now: new Date(START), ...options });
}

function clockOf(sandbox: Sandbox, token?: string): Promise<Json> {
  return control(sandbox, token, "GET /clock");
}

function post(sandbox: Sandbox, route: string, body?: unknown) {
  return call(sandbox, {
    path: `/_sandbox/clock/${route}`,
    headers: { "x-api-token": undefined },
    body,
  });
}
