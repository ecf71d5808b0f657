import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readEventStream } from "../../src/wire/server-sent-events.ts";
import { HeldCall } from "../../src/core/operations/held-calls.ts";
import { FaultInjector } from "../../src/core/operations/injector.ts";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import { type Answer, type Call, call, control, type Json, recordsOf } from "../support/gateway.ts";
import { isLock } from "../support/lock.ts";
import { BUYER, RECEIVER } from "../support/calls.ts";
import { type Merchant, startMerchant, verified } from "../support/merchant.ts";

let merchant: Merchant;
let sandbox: Sandbox;
let token: string;
/** How many calls of this test have begun to suffer, and how many that were held have been given up. */
let suffered: Count;
let dropped: Count;
beforeEach(async () => {
  suffered = new Count();
  dropped = new Count();
  listenToFaults();
  token = "shop";
  merchant = await startMerchant();
  sandbox = await startSandbox({
    seed: "42",
    clock: "frozen",
    now: new Date("2026-11-21T12:00:00Z"),
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await sandbox.close();
  await merchant.close();
});

const add = (body: Json, whose: string | null = token): Promise<Json> =>
  control(sandbox, whose ?? undefined, "POST /faults", body);
const show = async (id: unknown): Promise<Json> =>
  control(sandbox, undefined, `GET /faults/${String(id)}`);
const settle = () => control(sandbox, undefined, "POST /settle");
const advance = (seconds: number) =>
  control(sandbox, undefined, "POST /clock/advance", { seconds });
const deliveries = async (): Promise<Json[]> =>
  (await control(sandbox, undefined, "GET /deliveries"))["data"] as Json[];
const attemptsOf = (delivery: Json | undefined) => delivery?.["attempts"] as Json[];

interface Sent extends Omit<Call, "path"> {
  readonly key?: string;
  readonly fault?: string;
  readonly members?: Json;
}

const send = (path: string, body: Json, { key, fault, members, headers, ...rest }: Sent = {}) =>
  call(sandbox, {
    path,
    token,
    ...rest,
    headers: {
      ...headers,
      ...(key !== undefined && { "x-idempotency-key": key }),
      ...(fault !== undefined && { "x-sandbox-fault": fault }),
    },
    body: { ...body, ...members },
  });
const createPayin = (sent?: Sent) =>
  send("/v1/payins", { ...BUYER, webhook_url: merchant.url }, sent);
const createPayout = (sent?: Sent) =>
  send("/v1/payouts", { ...RECEIVER, webhook_url: merchant.url }, sent);
const simulate = (noun: "payin" | "payout", id: unknown, sent?: Sent) =>
  send(`/v1/${noun}s/simulations`, { transaction_id: id, status: "completed" }, sent);
const idOf = ({ json }: Answer): string => (json as { id: string }).id;
const paid = async (sent?: Sent): Promise<string> => {
  const id = idOf(await createPayin());
  expect((await simulate("payin", id, sent)).status).toBe(200);
  return id;
};
/** A call whose answer is cut off. */
const expectLost = (sent: Promise<Answer>) =>
  expect(sent).rejects.toMatchObject({ code: "ECONNRESET" });
/** The calls that a fault holds, once so many calls of the test suffer. */
const untilHeld = async (id: unknown, count: number): Promise<Json[]> => {
  await suffered.until(count);
  return (await show(id))["held"] as Json[];
};
/** Errors of the sandbox's own are expected here, which `call` takes for mistakes. */
const statusOf = (sent: { path: string; body: Json; fault?: string }) =>
  new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
    const asked = sent.fault === undefined ? {} : { "x-sandbox-fault": sent.fault };
    const headers = { ...sandbox.headers(token), ...asked };
    const outgoing = http.request({
      port: sandbox.port,
      method: "POST",
      path: sent.path,
      headers,
    });
    outgoing.once("response", (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      incoming.once("end", () =>
        resolve({
          status: incoming.statusCode ?? 0,
          type: incoming.headers["content-type"] ?? "",
          text,
        }),
      );
    });
    outgoing.once("error", reject);
    outgoing.end(JSON.stringify(sent.body));
  });

describe("faults", () => {
  it("are created, listed with how often each was used, counted down and taken away", async () => {
    const fault = await add({
      on: "payins.create",
      effect: "error=NOT_PROCESSABLE",
      times: 2,
      match: { buyer_cpf: BUYER.buyer_cpf },
    });
    expect(fault).toEqual({
      id: expect.stringMatching(/^flt_[0-9a-f]{32}$/) as string,
      on: "payins.create",
      effect: "error=NOT_PROCESSABLE",
      match: { buyer_cpf: BUYER.buyer_cpf },
      times: 2,
      used: 0,
      integration: token,
    });
    expect((await createPayin({ members: { buyer_cpf: "98765432100" } })).status).toBe(200);
    const refused = await createPayin();
    expect(refused.status).toBe(422);
    expect(refused.json).toMatchObject({ code: "NOT_PROCESSABLE", errors: [] });
    expect((refused.json as Json)["message"]).toContain("fault of the sandbox");
    expect(await show(fault["id"])).toMatchObject({ times: 1, used: 1 });
    expect((await createPayin()).status).toBe(422);
    expect((await createPayin()).status).toBe(200);
    expect(await show(fault["id"])).toMatchObject({ times: 0, used: 2 });

    const other = await add({ on: "webhook", effect: "early" });
    const page = await control(sandbox, token, "GET /faults?limit=1");
    expect(page).toMatchObject({ data: [{ id: fault["id"] }], next: fault["id"] });
    const rest = await control(sandbox, token, `GET /faults?after=${String(page["next"])}`);
    expect(rest).toMatchObject({ data: [{ id: other["id"] }], next: null });
    expect(await control(sandbox, token, `DELETE /faults/${String(fault["id"])}`)).toMatchObject({
      id: fault["id"],
    });
    expect(await control(sandbox, token, "DELETE /faults")).toMatchObject({
      data: [{ id: other["id"] }],
    });
    expect(await control(sandbox, token, "GET /faults")).toEqual({ data: [], next: null });
  });

  it("are one integration's, or all integrations' without a token", async () => {
    const own = await add({ on: "payins.create", effect: "error=NOT_PROCESSABLE" });
    const everyones = await add({ on: "payouts.create", effect: "error=NOT_PROCESSABLE" }, null);
    const all = async (whose?: string) =>
      ((await control(sandbox, whose, "GET /faults"))["data"] as Json[]).map(({ id }) => id);
    expect(everyones["integration"]).toBeNull();
    expect(await all()).toEqual([own["id"], everyones["id"]]);
    expect(await all(token)).toEqual([own["id"]]);
    expect(await all("other")).toEqual([]);
    expect((await createPayin({ token: "other" })).status).toBe(200);
    expect((await createPayout({ token: "other" })).status).toBe(422);
    expect((await createPayout()).status).toBe(422);
    for (const [method, rest] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/release"],
    ] as const) {
      const answer = await call(sandbox, {
        method,
        path: `/_sandbox/faults/${String(own["id"])}${rest}`,
        headers: { "x-api-token": "other" },
      });
      expect(answer.status).toBe(404);
    }
    await control(sandbox, token, "DELETE /faults");
    expect(await all()).toEqual([everyones["id"]]);
    await control(sandbox, undefined, "DELETE /faults");
    expect(await all()).toEqual([]);
  });

  it.each([
    [{}, ["on REQUIRED_VALUE", "effect REQUIRED_VALUE"]],
    [{ on: "payments", effect: "hold" }, ["on INVALID_VALUE"]],
    [{ on: "webhook", effect: "hold" }, ["effect INVALID_VALUE"]],
    [{ on: "payins.create", effect: "duplicate" }, ["effect INVALID_VALUE"]],
    [{ on: "payins.create", effect: "error=TEAPOT" }, ["effect INVALID_VALUE"]],
    [{ on: "payins.create", effect: "hold", times: 0 }, ["times INVALID_VALUE"]],
    [
      { on: "payins.create", effect: "duplicate", times: "once" },
      ["times INVALID_VALUE", "effect INVALID_VALUE"],
    ],
    [{ on: "payins.create", effect: "hold", probability: 1.1 }, ["probability INVALID_VALUE"]],
    [{ on: "payins.create", effect: "hold", match: [] }, ["match INVALID_VALUE"]],
    [{ on: "payins.create", effect: "hold", time: 1 }, ["time INVALID_VALUE"]],
  ])("are refused where they make no sense: %j", async (body, expected) => {
    const { status, json } = await call(sandbox, { path: "/_sandbox/faults", body });
    const { errors } = json as { errors: { field: string; code: string }[] };
    expect(status).toBe(400);
    expect(errors.map(({ field, code }) => `${field} ${code}`)).toEqual(expected);
  });

  it("survive a restart, with how often they were used, and so do the faults of webhooks", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pix-sandbox-faults-"));
    try {
      const options = { stateFile: join(folder, "state.json"), clock: "frozen" } as const;
      await sandbox.close();
      sandbox = await startSandbox(options);
      const gone = await add({ on: "payins.create", effect: "hold" });
      const fault = await add({ on: "payouts.create", effect: "error=NOT_PROCESSABLE", times: 2 });
      await add({ on: "webhook", effect: "delay_ms=5000", times: 1 }, null);
      await control(sandbox, token, `DELETE /faults/${String(gone["id"])}`);
      expect((await createPayout()).status).toBe(422);
      const id = await paid();
      const before = await control(sandbox, undefined, "GET /faults");
      await sandbox.close();

      sandbox = await startSandbox(options);
      expect(await control(sandbox, undefined, "GET /faults")).toEqual(before);
      expect(await show(fault["id"])).toMatchObject({ times: 1, used: 1 });
      expect((await createPayout()).status).toBe(422);
      expect((await createPayout()).status).toBe(200);
      expect(merchant.received).toEqual([]);
      await advance(5);
      expect(await deliveries()).toMatchObject([
        { transaction_id: id, status: "delivered", fault: "delay_ms=5000" },
      ]);
    } finally {
      await sandbox.close();
      await rm(folder, { recursive: true });
    }
  });
});

describe("the id of a fault that is gone", () => {
  it.each(["was stopped", "died"])("is given to no other after its sandbox %s", async (how) => {
    const folder = await mkdtemp(join(tmpdir(), "pix-sandbox-faults-"));
    try {
      await sandbox.close();
      // With a seed, so that ids depend on nothing but how many there were.
      const start = async (name: string) =>
        startSandbox({ stateFile: join(folder, name, "state.json"), seed: "42" });
      sandbox = await start("before");
      const gone: unknown[] = [];
      for (const whose of [token, null, token])
        gone.push((await add({ on: "webhook", effect: "early" }, whose))["id"]);
      const held = createPayin({ fault: "hold" });
      await suffered.until(1);
      const { data } = await control(sandbox, token, "GET /faults");
      gone.push((data as Json[]).at(-1)?.["id"]);
      await control(sandbox, undefined, "DELETE /faults");
      await held;
      // What a killed process leaves behind: all that was answered is in the journal.
      if (how === "died")
        await cp(join(folder, "before"), join(folder, "after"), {
          recursive: true,
          filter: (name) => !isLock(basename(name)),
        });
      await sandbox.close();

      sandbox = await start(how === "died" ? "after" : "before");
      expect(await control(sandbox, undefined, "GET /faults")).toMatchObject({ data: [] });
      for (const whose of [token, null])
        gone.push((await add({ on: "webhook", effect: "early" }, whose))["id"]);
      expect(new Set(gone).size).toBe(6);
    } finally {
      await sandbox.close();
      await rm(folder, { recursive: true });
    }
  });
});

describe("a fault on a call", () => {
  it("refuses it with the given code, with nothing done and the key unused", async () => {
    for (const [code, status] of [
      ["VALIDATION_ERROR", 400],
      ["NO_ACTIVE_CREDENTIAL", 401],
      ["DUPLICATED_VALUE", 409],
      ["NOT_PROCESSABLE", 422],
    ] as const) {
      const answer = await createPayout({ key: "order-1", fault: `error=${code}` });
      expect([answer.status, (answer.json as Json)["code"]]).toEqual([status, code]);
    }
    expect(await recordsOf(sandbox, token, "payouts")).toEqual([]);
    const created = await createPayout({ key: "order-1" });
    expect(created.status).toBe(200);
    expect(created.headers["idempotent-replayed"]).toBeUndefined();
    // What made a record is repeated, whatever fault there is.
    const again = await createPayout({ key: "order-1", fault: "error=NOT_PROCESSABLE" });
    expect([again.text, again.headers["idempotent-replayed"]]).toEqual([created.text, "true"]);
  });

  it("has the provider down: 502 in the envelope, and a problem in version 2", async () => {
    const body = { ...BUYER, webhook_url: merchant.url };
    const one = await statusOf({ path: "/v1/payins", body, fault: "error=EXTERNAL_ERROR" });
    expect(one.status).toBe(502);
    expect(JSON.parse(one.text)).toMatchObject({ code: "EXTERNAL_ERROR", errors: [] });
    const two = await statusOf({ path: "/v2/payins", body, fault: "error=EXTERNAL_ERROR" });
    expect([two.status, two.type]).toEqual([502, "application/problem+json"]);
    expect(JSON.parse(two.text)).toMatchObject({ status: 502, code: "EXTERNAL_ERROR" });
  });

  it("refuses a simulation, which moves nothing", async () => {
    const id = idOf(await createPayin());
    await add({ on: "payins.simulate", effect: "error=NOT_PROCESSABLE", times: 1 });
    expect((await simulate("payin", id)).status).toBe(422);
    expect(await control(sandbox, token, `GET /payins/${id}`)).toMatchObject({ status: "waiting" });
    expect((await simulate("payin", id)).status).toBe(200);
  });

  it("matches a member of any name, and only calls that have it", async () => {
    const match = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Json;
    const fault = await add({ on: "payins.create", effect: "error=EXTERNAL_ERROR", match });
    expect(JSON.stringify((await show(fault["id"]))["match"])).toBe(JSON.stringify(match));
    const near = JSON.parse('{"__proto__":{"a":2},"constructor":2}') as Json;
    for (const members of [{}, near, { constructor: 2 }])
      expect((await createPayin({ members })).status).toBe(200);
    const body = { ...BUYER, webhook_url: merchant.url, ...match };
    expect(await statusOf({ path: "/v1/payins", body })).toMatchObject({ status: 502 });
    expect(await show(fault["id"])).toMatchObject({ used: 1 });
  });

  it("is looked for only in calls that are well-formed", async () => {
    const fault = await add({ on: "payins.create", effect: "error=NOT_PROCESSABLE" });
    expect((await createPayin({ members: { value: "1" } })).status).toBe(400);
    expect(await show(fault["id"])).toMatchObject({ used: 0 });
  });

  it("lets it wait in real time, then does the work", async () => {
    const fault = await add({ on: "payins.create", effect: "latency_ms=30", times: 1 });
    expect((await createPayin()).status).toBe(200);
    expect((await createPayin({ fault: "latency_ms=1" })).status).toBe(200);
    expect(await show(fault["id"])).toMatchObject({ used: 1, times: 0 });
    expect(await recordsOf(sandbox, token, "payins")).toHaveLength(2);
  });

  it("loses the answer once the work is done, and a retry with the same key is that answer", async () => {
    const fault = await add({ on: "payouts.create", effect: "lost_answer" });
    await expectLost(createPayout({ key: "order-1" }));
    const made = await recordsOf(sandbox, token, "payouts");
    expect(made).toMatchObject([{ status: "waiting" }]);
    const retry = await createPayout({ key: "order-1" });
    expect(retry.json).toEqual({ id: made[0]?.["id"], status: "waiting" });
    expect(retry.headers["idempotent-replayed"]).toBe("true");
    expect(await show(fault["id"])).toMatchObject({ used: 1 });

    await expectLost(simulate("payout", idOf(retry), { fault: "lost_answer" }));
    await settle();
    expect(await deliveries()).toMatchObject([{ type: "payout.completed", status: "delivered" }]);
  });

  it.each(["payin", "payout"] as const)(
    "is used up by a simulation of a %s that repeats a final status",
    async (noun) => {
      await control(sandbox, token, "PATCH /assumptions", { "simulation.final": "repeat" });
      const id = idOf(await (noun === "payin" ? createPayin() : createPayout()));
      expect((await simulate(noun, id)).status).toBe(200);
      const fault = await add({ on: `${noun}s.simulate`, effect: "lost_answer", times: 1 });
      await expectLost(simulate(noun, id));
      expect(await show(fault["id"])).toMatchObject({ used: 1, times: 0 });
      expect((await simulate(noun, id)).status).toBe(200);
      expect(await deliveries()).toHaveLength(1);
    },
  );

  it("loses no refusal", async () => {
    expect((await simulate("payin", "nobody", { fault: "lost_answer" })).status).toBe(422);
  });

  it("holds two payouts to one receiver, and lets them go in the other order", async () => {
    const fault = await add({ on: "payouts.create", effect: "hold", times: 2 });
    const first = createPayout({ key: "first" });
    await untilHeld(fault["id"], 1);
    const second = createPayout({ key: "second" });
    expect(await untilHeld(fault["id"], 2)).toEqual([
      { idempotency_key: "first" },
      { idempotency_key: "second" },
    ]);
    expect(await recordsOf(sandbox, token, "payouts")).toEqual([]);
    const released = await control(sandbox, token, `POST /faults/${String(fault["id"])}/release`, {
      order: [1, 0],
    });
    expect(released).toMatchObject({ used: 2, times: 0, held: [] });
    const [early, late] = [idOf(await second), idOf(await first)];
    expect(await recordsOf(sandbox, token, "payouts")).toMatchObject([
      { id: early, status: "waiting" },
      { id: late, status: "canceled" },
    ]);
  });

  it("holds a call that requests it, and releases calls by key", async () => {
    const held = createPayin({ key: "order-1", fault: "hold" });
    await suffered.until(1);
    const [fault] = (await control(sandbox, token, "GET /faults"))["data"] as Json[];
    expect(fault).toMatchObject({ held: [{ idempotency_key: "order-1" }] });
    const route = `POST /faults/${String(fault?.["id"])}/release`;
    const wrong = await call(sandbox, {
      path: `/_sandbox${route.slice(5)}`,
      headers: { "x-api-token": undefined },
      body: { order: ["order-2"] },
    });
    expect([wrong.status, (wrong.json as Json)["errors"]]).toMatchObject([
      400,
      [{ field: "order", code: "INVALID_VALUE" }],
    ]);
    await control(sandbox, undefined, route, { order: ["order-1"] });
    expect((await held).status).toBe(200);
  });

  it("is listed only while the call that requested it is held, and its id is used once", async () => {
    const listed = async (): Promise<Json[]> =>
      (await control(sandbox, token, "GET /faults"))["data"] as Json[];
    const ids = new Set<unknown>();
    const body = JSON.stringify({ ...BUYER, webhook_url: merchant.url });
    const abandoned = http.request({
      port: sandbox.port,
      method: "POST",
      path: "/v1/payins",
      headers: { ...sandbox.headers(token), "x-sandbox-fault": "hold" },
    });
    abandoned.on("error", () => undefined);
    abandoned.end(body);
    await suffered.until(1);
    const [first] = await listed();
    ids.add(first?.["id"]);
    abandoned.destroy();
    await dropped.until(1);
    expect(await listed()).toEqual([]);

    for (const [index, end] of ["release", "remove", "clear"].entries()) {
      const held = createPayin({ fault: "hold" });
      await suffered.until(index + 2);
      const [fault] = await listed();
      ids.add(fault?.["id"]);
      const path = `/faults/${String(fault?.["id"])}`;
      if (end === "release")
        expect(await control(sandbox, token, `POST ${path}/release`)).toMatchObject({
          id: fault?.["id"],
          used: 1,
        });
      else await control(sandbox, token, `DELETE ${end === "remove" ? path : "/faults"}`);
      expect(await listed()).toEqual([]);
      expect((await held).status).toBe(200);
    }
    expect(ids.size).toBe(4);
  });

  it("is in no snapshot if a call requests it", async () => {
    const body = { ...BUYER, webhook_url: merchant.url };
    const held = statusOf({ path: "/v1/payins", body, fault: "hold" });
    await suffered.until(1);
    await control(sandbox, token, "PUT /snapshots/held");
    await control(sandbox, token, "POST /snapshots/held/restore");
    expect(await held).toMatchObject({ status: 502 });
    expect(await control(sandbox, token, "GET /faults")).toMatchObject({ data: [] });
  });

  it("reports each held and released call in the event stream", async () => {
    const stream = http.get(`${sandbox.url}/_sandbox/events`, {
      headers: { "x-api-token": token },
    });
    const [answer] = (await once(stream, "response")) as [http.IncomingMessage];
    const told = holdsIn(answer);
    const fault = await add({ on: "payouts.create", effect: "hold" }, null);
    const calls = [
      createPayout({ key: "others", token: "other" }),
      ...["first", "second"].map((key) => createPayout({ key })),
    ];
    const event = (name: string, key: string | null, held: number) => [
      name,
      {
        fault_id: fault["id"],
        on: "payouts.create",
        idempotency_key: key,
        integration: "shop",
        held,
      },
    ];
    // Nothing but the stream says when both are there; the calls of others are not told.
    const arrived = [(await told.next()).value, (await told.next()).value] as [string, Json][];
    expect(arrived.map(([name]) => name)).toEqual(["held", "held"]);
    const keys = arrived.map(([, { idempotency_key: key }]) => key);
    expect(keys.toSorted()).toEqual(["first", "second"]);
    await suffered.until(3);
    const route = `POST /faults/${String(fault["id"])}/release`;
    await control(sandbox, undefined, route, { order: ["second", "first"] });
    expect((await told.next()).value).toEqual(event("released", "second", 2));
    expect((await told.next()).value).toEqual(event("released", "first", 1));
    await Promise.all(calls);

    const dies = statusOf({
      path: "/v1/payouts",
      body: { ...RECEIVER, webhook_url: merchant.url },
    });
    expect((await told.next()).value).toMatchObject(["held", { held: 1 }]);
    await control(sandbox, token, "POST /reset");
    expect((await told.next()).value).toMatchObject(["released", { held: 0 }]);
    expect((await dies).status).toBe(502);
    stream.destroy();
  });

  it.each(["shop", undefined])(
    "is gone after a reset by %s, and the calls that it holds end without their work",
    async (whose) => {
      const body = { ...BUYER, webhook_url: merchant.url };
      const held = statusOf({ path: "/v1/payins", body, fault: "hold" });
      await suffered.until(1);
      await control(sandbox, whose, "POST /reset");

      expect(await held).toMatchObject({ status: 502 });
      expect(await control(sandbox, token, "GET /faults")).toMatchObject({ data: [] });
      expect(await recordsOf(sandbox, token, "payins")).toEqual([]);
      expect((await createPayin()).status).toBe(200);
    },
  );

  it("holds a call at most until a reset of its integration, which ends no other's", async () => {
    const body = { ...BUYER, webhook_url: merchant.url };
    const fault = await add({ on: "payins.create", effect: "hold" }, null);
    const held = statusOf({ path: "/v1/payins", body });
    const delayed = statusOf({ path: "/v1/payins", body, fault: "latency_ms=600000" });
    const others = createPayin({ token: "other" });
    await suffered.until(3);
    await control(sandbox, token, "POST /reset");

    expect(await held).toMatchObject({ status: 502 });
    expect(await delayed).toMatchObject({ status: 502 });
    expect((await show(fault["id"]))["held"]).toHaveLength(1);
    await control(sandbox, undefined, "DELETE /faults");
    expect((await others).status).toBe(200);
    expect(await recordsOf(sandbox, token, "payins")).toEqual([]);
  });

  it("lets the calls that it holds go when it is taken away", async () => {
    const fault = await add({ on: "payins.create", effect: "hold" });
    const held = createPayin();
    await untilHeld(fault["id"], 1);
    await control(sandbox, token, "DELETE /faults");
    expect((await held).status).toBe(200);
  });

  it("forgets a held call whose client goes away", async () => {
    const fault = await add({ on: "payins.create", effect: "hold" });
    const body = JSON.stringify({ ...BUYER, webhook_url: merchant.url });
    const outgoing = http.request({
      port: sandbox.port,
      method: "POST",
      path: "/v1/payins",
      headers: sandbox.headers(token),
    });
    outgoing.on("error", () => undefined);
    outgoing.end(body);
    await untilHeld(fault["id"], 1);
    outgoing.destroy();
    await dropped.until(1);
    expect(await show(fault["id"])).toMatchObject({ held: [] });
    await control(sandbox, token, "DELETE /faults");
    expect(await recordsOf(sandbox, token, "payins")).toEqual([]);
  });

  it("ends the calls that it holds or delays when the sandbox stops", async () => {
    const body = { ...BUYER, webhook_url: merchant.url };
    const fault = await add({ on: "payouts.create", effect: "hold" });
    const waiting = statusOf({ path: "/v1/payins", body, fault: "latency_ms=600000" });
    const held = statusOf({
      path: "/v1/payouts",
      body: { ...RECEIVER, webhook_url: merchant.url },
      fault: "hold",
    });
    await suffered.until(2);
    expect((await show(fault["id"]))["used"]).toBe(0);
    await sandbox.close();
    expect((await held).status).toBe(503);
    expect((await waiting).status).toBe(503);
  });

  it.each(["hold", "latency_ms=600000"])(
    "answers a call at once that would wait for it as the sandbox stops: %s",
    async (fault) => {
      const body = JSON.stringify({ ...BUYER, webhook_url: merchant.url });
      const headers = {
        ...sandbox.headers(token),
        "x-sandbox-fault": fault,
        "content-length": Buffer.byteLength(body),
        expect: "100-continue",
      };
      const outgoing = http.request(`${sandbox.baseUrl}/payins`, { method: "POST", headers });
      outgoing.flushHeaders();
      await once(outgoing, "continue");
      const closed = sandbox.close();
      outgoing.end(body);
      const [answer] = (await once(outgoing, "response")) as [http.IncomingMessage];
      expect(answer.statusCode).toBe(503);
      const text = Buffer.concat(await answer.toArray()).toString();
      expect(JSON.parse(text)).toMatchObject({ message: "The sandbox is stopping." });
      await closed;
    },
  );
});

describe("x-sandbox-fault", () => {
  it("is refused if it is wrong, together with all other errors", async () => {
    const { status, json } = await createPayin({ fault: "teapot", members: { value: "1" } });
    const { errors } = json as { errors: { field: string; code: string; message: string }[] };
    expect(status).toBe(400);
    expect(errors.map(({ field, code }) => `${field} ${code}`)).toEqual([
      "x-sandbox-fault INVALID_VALUE",
      "value INVALID_VALUE",
    ]);
    expect(errors[0]?.message).toContain("lost_answer");
  });

  it("requests a webhook's fault only with a call that causes one", async () => {
    expect((await createPayin({ fault: "duplicate" })).status).toBe(400);
    const id = await paid({ fault: "delay_ms=1000" });
    expect(await deliveries()).toMatchObject([{ transaction_id: id, fault: "delay_ms=1000" }]);
    const configured = await send(
      "/v1/webhooks",
      { webhook_url: merchant.url, events: ["payment.received"] },
      { method: "PUT", fault: "hold" },
    );
    expect(configured.status).toBe(400);
    const headers = { "x-sandbox-fault": "hold" };
    const read = await call(sandbox, { method: "GET", path: "/v1/webhooks", token, headers });
    expect(read.status).toBe(400);
  });
});

describe("a fault on a webhook", () => {
  it("sends it once more when it was received", async () => {
    await add({ on: "webhook", effect: "duplicate", times: 1 });
    await paid();
    await settle();
    const [one, other] = merchant.received;
    expect(merchant.received).toHaveLength(2);
    expect([other?.body, other?.headers["webhook-id"]]).toEqual([
      one?.body,
      one?.headers["webhook-id"],
    ]);
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({ status: "delivered", next_attempt_at: null });
    expect(attemptsOf(delivery)).toMatchObject([{ status: 200 }, { status: 200, resend: true }]);
    await paid();
    await settle();
    expect(merchant.received).toHaveLength(3);
  });

  it("sends it once more only once it was received", async () => {
    merchant.answerWith((_, index) => (index === 0 ? 500 : 200));
    await add({ on: "webhook", effect: "duplicate" });
    await paid();
    await settle();
    expect(merchant.received).toHaveLength(1);
    await advance(1);
    await settle();
    expect(merchant.received).toHaveLength(3);
  });

  it("sends it twice at the same time", async () => {
    let arrived = 0;
    let letBothGo = (): void => undefined;
    const both = new Promise<void>((resolve) => (letBothGo = resolve));
    merchant.answerWith(async () => {
      arrived += 1;
      if (arrived === 2) letBothGo();
      await both; // Neither is answered before both are there.
      return 200;
    });
    await paid({ fault: "duplicate_at_once" });
    await settle();
    const [delivery] = await deliveries();
    expect(new Set(merchant.received.map(({ body }) => body)).size).toBe(1);
    expect(attemptsOf(delivery)).toMatchObject([{ status: 200 }, { status: 200, resend: true }]);
  });

  it("delays it in sandbox time", async () => {
    await paid({ fault: "delay_ms=5000" });
    await settle();
    await advance(4);
    expect(merchant.received).toEqual([]);
    await advance(1);
    expect(merchant.received).toHaveLength(1);
  });

  it("swaps it with the next to its address, and no other", async () => {
    await add({ on: "webhook", effect: "reorder", times: 1 });
    const elsewhere = merchant.at("/elsewhere");
    const first = await paid();
    const other = idOf(await createPayin({ members: { webhook_url: elsewhere } }));
    await simulate("payin", other);
    await settle();
    const second = await paid();
    await settle();
    const third = await paid();
    await settle();
    const order = merchant.received.map(
      ({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id,
    );
    expect(order).toEqual([other, second, first, third]);
  });

  it("swaps pair by pair where it goes on for ever", async () => {
    await add({ on: "webhook", effect: "reorder" });
    const ids: string[] = [];
    for (let index = 0; index < 4; index++) {
      ids.push(await paid());
      await settle();
    }
    const order = merchant.received.map(
      ({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id,
    );
    expect(order).toEqual([ids[1], ids[0], ids[3], ids[2]]);
  });

  it.each(["shop", undefined])(
    "lets nothing swap, after a reset by %s, with what waited before it",
    async (whose) => {
      await paid({ fault: "reorder" });
      await control(sandbox, whose, "POST /reset");

      const ids = [await paid({ fault: "reorder" }), await paid(), await paid()];
      await settle();
      const order = merchant.received.map(
        ({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id,
      );
      expect(order).toEqual([ids[1], ids[0], ids[2]]);
    },
  );

  it("swaps pair by pair among those that expire together, behind one that waits already", async () => {
    await control(sandbox, undefined, "PATCH /assumptions", { "payin.expiry_event": "webhook" });
    await add({ on: "webhook", effect: "reorder" });
    const first = await paid();
    const others: string[] = [];
    for (let index = 0; index < 3; index++)
      others.push(idOf(await createPayin({ members: { expiration: 20 } })));
    await advance(20);
    const order = merchant.received.map(
      ({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id,
    );
    expect(order).toEqual([others[0], first, others[2], others[1]]);
  });

  it("swaps with none of another integration's, though they expire together and go to one address", async () => {
    await control(sandbox, undefined, "PATCH /assumptions", { "payin.expiry_event": "webhook" });
    await add({ on: "webhook", effect: "reorder", times: 1 });
    await add({ on: "webhook", effect: "bad_signature" }, "other");
    await createPayin({ members: { expiration: 20 } });
    await createPayin({ token: "other", members: { expiration: 20 } });
    await createPayin({ members: { expiration: 20 } });
    await advance(20);
    expect((await deliveries()).map(({ integration, fault }) => [integration, fault])).toEqual([
      ["shop", "reorder"],
      ["other", "bad_signature"],
      ["shop", undefined],
    ]);
  });

  it("swaps it with the next to its address, though both are overdue where a sandbox starts", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pix-sandbox-faults-"));
    try {
      const options = { stateFile: join(folder, "state.json"), clock: "frozen" } as const;
      await sandbox.close();
      sandbox = await startSandbox(options);
      await control(sandbox, token, "PATCH /assumptions", { "payin.expiry_event": "webhook" });
      const next = idOf(await createPayin({ members: { expiration: 20 } }));
      const waiting = await paid({ fault: "reorder" });
      const now = new Date(sandbox.clock.nowMs() + 60_000);
      await sandbox.close();

      sandbox = await startSandbox({ ...options, now });
      await settle();
      const order = merchant.received.map(
        ({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id,
      );
      expect(order).toEqual([next, waiting]);
    } finally {
      await sandbox.close();
      await rm(folder, { recursive: true });
    }
  });

  it.each(["drop_attempts=1", "bad_signature", "reorder"])(
    "swaps it with the next, which keeps the fault %s that its own call asks for",
    async (fault) => {
      const first = await paid({ fault: "reorder" });
      const second = await paid({ fault });
      expect((await deliveries()).map((one) => one["fault"])).toEqual([
        "reorder",
        // The two have traded places: there is nothing more to do.
        fault === "reorder" ? undefined : fault,
      ]);
      await settle();
      await advance(1);
      const order = merchant.received.map(
        ({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id,
      );
      expect(order).toEqual(fault === "drop_attempts=1" ? [first, second] : [second, first]);
    },
  );

  it("waits not for ever for another to swap with", async () => {
    await paid({ fault: "reorder" });
    await advance(29);
    expect(merchant.received).toEqual([]);
    await advance(1);
    expect(merchant.received).toHaveLength(1);
  });

  it("drops the first attempts, and records them as dropped", async () => {
    const startedAt = Date.now();
    await paid({ fault: "drop_attempts=2" });
    await settle();
    await advance(1);
    expect(merchant.received).toEqual([]);
    await advance(5);
    const [delivery] = await deliveries();
    expect(merchant.received).toHaveLength(1);
    expect(delivery).toMatchObject({ status: "delivered", fault: "drop_attempts=2" });
    // Nothing was sent: it took no time, and has neither an answer nor a signature.
    const notSent = {
      at: expect.any(String) as string,
      sandbox_at: "2026-11-21T12:00:00.000Z",
      error: "not sent: the fault drop_attempts=2 drops this attempt",
      duration_ms: 0,
      headers: { "content-type": "application/json" },
    };
    const [first, second, third] = attemptsOf(delivery);
    expect([first, second]).toEqual([
      notSent,
      { ...notSent, sandbox_at: "2026-11-21T12:00:01.000Z" },
    ]);
    expect(third).toMatchObject({ status: 200 });
    expect(Date.parse(String(first?.["at"]))).toBeGreaterThanOrEqual(startedAt);
  });

  it("signs other bytes than it sends", async () => {
    const bad = await paid({ fault: "bad_signature" });
    await settle();
    const [received] = merchant.received;
    expect(received?.body).toContain(bad);
    expect(() => received && verified(received, sandbox.secret)).toThrow("No matching signature");
    await paid();
    await settle();
    const next = merchant.received[1];
    expect(next && verified(next, sandbox.secret).type).toBe("payin.paid");
  });

  it("lets the call that caused it be answered only after its first attempt", async () => {
    await add({ on: "webhook", effect: "early" });
    const answered: string[] = [];
    merchant.answerWith(() => {
      answered.push("merchant");
      return 500;
    });
    const id = idOf(await createPayin());
    await simulate("payin", id);
    answered.push("simulation");
    const other = idOf(await createPayin());
    await control(sandbox, token, `POST /payins/${other}/pay`);
    answered.push("payment");
    expect(answered).toEqual(["merchant", "simulation", "merchant", "payment"]);
  });

  it("answers a call at a stop, however long its first attempt takes", async () => {
    merchant.answerWith("hold");
    const id = idOf(await createPayin());
    const simulated = simulate("payin", id, { fault: "early" });
    await merchant.waitFor(1);
    await sandbox.close();
    expect((await simulated).status).toBe(200);
  });

  it("matches members of the event's data, and is counted", async () => {
    const fault = await add({
      on: "webhook",
      effect: "drop_attempts=1",
      match: { description: "one", value: 10.5 },
    });
    await paid();
    const id = idOf(await createPayin({ members: { description: "one" } }));
    await simulate("payin", id);
    await settle();
    const found = await deliveries();
    expect(found.map((one) => [one["transaction_id"] === id, one["fault"]])).toEqual([
      [false, undefined],
      [true, "drop_attempts=1"],
    ]);
    expect(await show(fault["id"])).toMatchObject({ used: 1 });
  });

  it("applies to an expiry, and to a cancelation by a rival", async () => {
    await control(sandbox, token, "PATCH /assumptions", { "payin.expiry_event": "webhook" });
    const fault = await add({ on: "webhook", effect: "delay_ms=1000", times: 2 });
    for (let index = 0; index < 3; index++) await createPayin({ members: { expiration: 20 } });
    await advance(20);
    expect(merchant.received).toHaveLength(1);
    expect(await show(fault["id"])).toMatchObject({ used: 2, times: 0 });
    await advance(1);
    expect(merchant.received).toHaveLength(3);
    await createPayout();
    await createPayout({ fault: "drop_attempts=1" });
    await settle();
    expect((await deliveries()).at(-1)).toMatchObject({
      type: "payout.canceled",
      fault: "drop_attempts=1",
    });
  });
});

/** Counts, and says when there were so many. */
class Count {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  add(): void {
    this.#count += 1;
    for (const look of this.#waiting) look();
  }

  until(count: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.#count >= count) resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}

/** The events of calls that are held and let go. */
async function* holdsIn(answer: http.IncomingMessage): AsyncGenerator<[string, unknown]> {
  for await (const { event, data } of readEventStream(answer))
    if (event === "held" || event === "released") yield [event, JSON.parse(data)];
}

/** No route reports when a call gets its fault or is dropped: these tests listen inside the sandbox. */
function listenToFaults(): void {
  const { take } = FaultInjector.prototype;
  vi.spyOn(FaultInjector.prototype, "take").mockImplementation(function (
    this: FaultInjector,
    sent,
  ) {
    const fault = take.call(this, sent);
    if (fault) suffered.add();
    return fault;
  });
  const { drop } = HeldCall.prototype;
  vi.spyOn(HeldCall.prototype, "drop").mockImplementation(function (this: HeldCall, reason) {
    drop.call(this, reason);
    dropped.add();
  });
}
