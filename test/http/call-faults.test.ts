import { once } from "node:events";
import http from "node:http";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/server/start.ts";
import { type Answer, call, control, type Json, recordsOf } from "../support/gateway.ts";
import { BUYER } from "../support/calls.ts";
import { createFolder } from "../support/folder.ts";
import {
  add,
  createPayin,
  createPayout,
  deliveries,
  dropped,
  idOf,
  merchant,
  paid,
  replaceSandbox,
  sandbox,
  settle,
  show,
  simulate,
  suffered,
  token,
  useFaults,
} from "./faults.ts";

/** A call whose answer is cut off. */
const expectLost = (sent: Promise<Answer>) =>
  expect(sent).rejects.toMatchObject({ code: "ECONNRESET" });

/** The calls that a fault holds, once so many calls of the test suffer. */
const untilHeld = async (id: unknown, count: number): Promise<Json[]> => {
  await suffered.until(count);
  return (await show(id))["held"] as Json[];
};

useFaults();

it("an id of a fault that is gone is given to no other, after a restart either", async () => {
  await using folder = await createFolder();
  // With a seed, so that ids depend on nothing but how many there were.
  const options = { stateFile: folder.at("state.json"), seed: "42" };
  const addFor = async (whose: string | null) =>
    (await add({ on: "webhook", effect: "early" }, whose))["id"];
  await sandbox.close();
  replaceSandbox(await startSandbox(options));
  const gone: unknown[] = [];
  for (const whose of [token, null, token]) gone.push(await addFor(whose));
  const held = createPayin({ fault: "hold" });
  await suffered.until(1);
  const { data } = await control(sandbox, token, "GET /faults");
  gone.push((data as Json[]).at(-1)?.["id"]);
  await control(sandbox, undefined, "DELETE /faults");
  await held;
  await sandbox.close();

  replaceSandbox(await startSandbox(options));
  expect(await control(sandbox, undefined, "GET /faults")).toMatchObject({ data: [] });
  for (const whose of [token, null]) gone.push(await addFor(whose));
  expect(new Set(gone).size).toBe(6);
  await sandbox.close();
});

describe("a fault on a call", () => {
  // test/http/openapi-answers has each code at each operation of both versions.
  it("refuses it with nothing done and the key unused", async () => {
    const fault = "error=NOT_PROCESSABLE";
    expect(await createPayout({ key: "order-1", fault })).toMatchObject({ status: 422 });
    expect(await recordsOf(sandbox, token, "payouts")).toEqual([]);
    const created = await createPayout({ key: "order-1" });
    expect(created.status).toBe(200);
    expect(created.headers["idempotent-replayed"]).toBeUndefined();
    // What made a record is repeated, whatever fault there is.
    const again = await createPayout({ key: "order-1", fault });
    expect([again.text, again.headers["idempotent-replayed"]]).toEqual([created.text, "true"]);
  });

  it("refuses a simulation that is well-formed, which moves nothing", async () => {
    const id = idOf(await createPayin());
    const effect = "error=NOT_PROCESSABLE";
    const fault = await add({ on: "payins.simulate", effect, times: 1 });
    expect((await simulate("payin", id, { members: { status: "paid" } })).status).toBe(400);
    expect(await show(fault["id"])).toMatchObject({ used: 0 });
    expect((await simulate("payin", id)).status).toBe(422);
    expect(await control(sandbox, token, `GET /payins/${id}`)).toMatchObject({ status: "waiting" });
    expect((await simulate("payin", id)).status).toBe(200);
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

  it("loses no refusal, and is used up by it", async () => {
    const fault = await add({ on: "payins.simulate", effect: "lost_answer", times: 1 });
    expect((await simulate("payin", "nobody")).status).toBe(422);
    expect(await show(fault["id"])).toMatchObject({ used: 1, times: 0 });
  });

  it("holds two payouts to one receiver, and lets them go in the order of their arrival", async () => {
    const fault = await add({ on: "payouts.create", effect: "hold", times: 2 });
    const first = createPayout({ key: "first" });
    await untilHeld(fault["id"], 1);
    const second = createPayout({ key: "second" });
    expect(await untilHeld(fault["id"], 2)).toEqual([
      { idempotency_key: "first" },
      { idempotency_key: "second" },
    ]);
    expect(await recordsOf(sandbox, token, "payouts")).toEqual([]);
    const released = await control(sandbox, token, `POST /faults/${String(fault["id"])}/release`);
    expect(released).toMatchObject({ used: 2, times: 0, held: [] });
    // The calls have committed when the release responds.
    const payouts = await recordsOf(sandbox, token, "payouts");
    expect(payouts).toMatchObject([{ status: "waiting" }, { status: "canceled" }]);
    expect([idOf(await first), idOf(await second)]).toEqual(payouts.map(({ id }) => id));
  });

  it.each(["POST /faults/{id}/release", "DELETE /faults/{id}"])(
    "holds a call that requests it until %s, which ends the fault",
    async (route) => {
      const held = createPayin({ key: "order-1", fault: "hold" });
      await suffered.until(1);
      const [fault] = (await control(sandbox, token, "GET /faults"))["data"] as Json[];
      expect(fault).toMatchObject({ held: [{ idempotency_key: "order-1" }] });
      await control(sandbox, undefined, route.replace("{id}", String(fault?.["id"])));
      expect((await held).status).toBe(200);
      expect(await control(sandbox, token, "GET /faults")).toMatchObject({ data: [] });
    },
  );

  it("holds a call at most until a reset of its integration, which ends no other's", async () => {
    const fault = await add({ on: "payins.create", effect: "hold" }, null);
    const held = createPayin();
    const delayed = createPayin({ fault: "latency_ms=600000" });
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

  it("forgets a held call whose client goes away", async () => {
    const fault = await add({ on: "payins.create", effect: "hold" });
    const headers = sandbox.headers(token);
    const outgoing = http.request(`${sandbox.baseUrl}/payins`, { method: "POST", headers });
    outgoing.on("error", () => undefined);
    outgoing.end(JSON.stringify({ ...BUYER, webhook_url: merchant.url }));
    await untilHeld(fault["id"], 1);
    outgoing.destroy();
    await dropped.until(1);
    expect(await show(fault["id"])).toMatchObject({ held: [] });
    await control(sandbox, token, "DELETE /faults");
    expect(await recordsOf(sandbox, token, "payins")).toEqual([]);
  });

  it("ends the calls that it holds or delays when the sandbox stops", async () => {
    const fault = await add({ on: "payouts.create", effect: "hold" });
    const waiting = createPayin({ fault: "latency_ms=600000" });
    const held = createPayout({ fault: "hold" });
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
    const code = "INVALID_VALUE";
    const message = expect.stringContaining("lost_answer") as string;
    expect({ status, json }).toMatchObject({
      status: 400,
      json: {
        errors: [
          { field: "x-sandbox-fault", code, message },
          { field: "value", code },
        ],
      },
    });
  });

  it("requests a webhook's fault only with a call that causes one", async () => {
    expect((await createPayin({ fault: "duplicate" })).status).toBe(400);
    const id = await paid({ fault: "delay_ms=1000" });
    expect(await deliveries()).toMatchObject([{ transaction_id: id, fault: "delay_ms=1000" }]);
    const webhooks = { path: "/v1/webhooks", token, headers: { "x-sandbox-fault": "hold" } };
    const body = { webhook_url: merchant.url, events: ["payment.received"] };
    for (const request of [{ method: "PUT", body }, { method: "GET" }])
      expect((await call(sandbox, { ...webhooks, ...request })).status).toBe(400);
  });
});
