import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/server/start.ts";
import { deferred } from "../support/core.ts";
import { createFolder } from "../support/folder.ts";
import { control, type Json } from "../support/gateway.ts";
import { verified } from "../support/merchant.ts";
import {
  add,
  advance,
  createPayin,
  createPayout,
  deliveries,
  idOf,
  merchant,
  paid,
  replaceSandbox,
  sandbox,
  settle,
  show,
  simulate,
  token,
  useFaults,
} from "./faults.ts";

const attemptsOf = (delivery: Json | undefined) => delivery?.["attempts"] as Json[];
/** The payins whose webhooks the merchant has received, in their order. */
const received = () =>
  merchant.received.map(({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id);
/** What each attempt says of its fault. */
const faultsOf = (delivery: Json | undefined) =>
  attemptsOf(delivery).map(({ fault }) => (fault as { effect: string } | null)?.effect);

useFaults();

describe("a fault on a webhook", () => {
  it("sends it once more, only once it was received", async () => {
    merchant.answerWith((_, index) => (index === 0 ? 500 : 200));
    await add({ on: "webhook", effect: "duplicate", times: 1 });
    await paid();
    await settle();
    expect(merchant.received).toHaveLength(1);
    await advance(1);
    await settle();
    const sent = merchant.received.map(({ body, headers }) => [body, headers["webhook-id"]]);
    expect(sent).toEqual([sent[0], sent[0], sent[0]]);
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({ status: "delivered", next_attempt_at: null });
    expect(attemptsOf(delivery).map(({ status }) => status)).toEqual([500, 200, 200]);
    expect(faultsOf(delivery)).toEqual([undefined, undefined, "duplicate"]);
    await paid();
    await settle();
    expect(merchant.received).toHaveLength(4);
  });

  it("sends it twice at the same time", async () => {
    const { promise: both, resolve } = deferred();
    merchant.answerWith(async (_, index) => {
      if (index === 1) resolve();
      await both; // Neither is answered before both are there.
      return 200;
    });
    await paid({ fault: "duplicate_at_once" });
    await settle();
    const [delivery] = await deliveries();
    expect(new Set(merchant.received.map(({ body }) => body)).size).toBe(1);
    expect(faultsOf(delivery)).toEqual(["duplicate_at_once", "duplicate_at_once"]);
  });

  it.each([
    ["delay_ms=5000", 5],
    ["reorder", 30],
  ])("delays it: %s, if no other comes, by %i s", async (fault, seconds) => {
    await paid({ fault });
    await settle();
    await advance(seconds - 1);
    expect(merchant.received).toEqual([]);
    await advance(1);
    expect(merchant.received).toHaveLength(1);
  });

  it("swaps it with the next of its integration to its address, and no other", async () => {
    await add({ on: "webhook", effect: "reorder", times: 1 });
    const elsewhere = merchant.at("/elsewhere");
    const first = await paid();
    const other = idOf(await createPayin({ members: { webhook_url: elsewhere } }));
    await simulate("payin", other);
    const foreign = idOf(await createPayin({ token: "other" }));
    await simulate("payin", foreign, { token: "other" });
    await settle();
    const second = await paid();
    await settle();
    const third = await paid();
    await settle();
    expect(received()).toEqual([other, foreign, second, first, third]);
  });

  it("swaps each two, if it applies always", async () => {
    await add({ on: "webhook", effect: "reorder" });
    const [one, two, three, four] = [await paid(), await paid(), await paid(), await paid()];
    await settle();
    expect(received()).toEqual([two, one, four, three]);
  });

  it("swaps it with the next to its address, though both are overdue where a sandbox starts", async () => {
    await using folder = await createFolder();
    const options = { stateFile: folder.at("state.json"), clock: "frozen" } as const;
    await sandbox.close();
    replaceSandbox(await startSandbox(options));
    await control(sandbox, token, "PATCH /assumptions", { "payin.expiry_event": "webhook" });
    const next = idOf(await createPayin({ members: { expiration: 20 } }));
    const waiting = await paid({ fault: "reorder" });
    const now = new Date(sandbox.clock.nowMs() + 60_000);
    await sandbox.close();

    replaceSandbox(await startSandbox({ ...options, now }));
    await settle();
    expect(received()).toEqual([next, waiting]);
    await sandbox.close();
  });

  it.each(["drop_attempts=1", "bad_signature", "reorder"])(
    "swaps it with the next, which keeps the fault %s that its own call asks for",
    async (fault) => {
      const [first, second] = [await paid({ fault: "reorder" }), await paid({ fault })];
      // Two that have traded places have nothing more to do.
      const kept = fault === "reorder" ? undefined : fault;
      expect((await deliveries()).map((one) => one["fault"])).toEqual(["reorder", kept]);
      await settle();
      await advance(1);
      expect(received()).toEqual(fault === "drop_attempts=1" ? [first, second] : [second, first]);
    },
  );

  it("drops the first attempts, and records them as dropped", async () => {
    await paid({ fault: "drop_attempts=2" });
    await settle();
    await advance(1);
    expect(merchant.received).toEqual([]);
    await advance(5);
    const [delivery] = await deliveries();
    expect(merchant.received).toHaveLength(1);
    expect(delivery).toMatchObject({ status: "delivered", fault: "drop_attempts=2" });
    // Nothing was sent: it took no time, and has neither an answer nor a signature.
    const notSent = (sandbox_at: string) => ({
      at: expect.any(String) as string,
      sandbox_at,
      error: "not sent: the fault drop_attempts=2 drops this attempt",
      duration_ms: 0,
      fault: { id: null, effect: "drop_attempts=2" },
      headers: { "content-type": "application/json" },
    });
    expect(attemptsOf(delivery)).toEqual([
      notSent("2026-11-21T12:00:00.000Z"),
      notSent("2026-11-21T12:00:01.000Z"),
      expect.objectContaining({ status: 200, fault: null }),
    ]);
  });

  it("signs other bytes than it sends", async () => {
    const bad = await paid({ fault: "bad_signature" });
    await paid();
    await settle();
    const [first, next] = merchant.received;
    expect(first?.body).toContain(bad);
    expect(() => first && verified(first, sandbox.secret)).toThrow("No matching signature");
    expect(next && verified(next, sandbox.secret).type).toBe("payin.paid");
  });

  it("lets the call that caused it be answered only after its first attempt", async () => {
    await add({ on: "webhook", effect: "early" });
    const answered: string[] = [];
    merchant.answerWith(() => {
      answered.push("merchant");
      return 500;
    });
    await simulate("payin", idOf(await createPayin()));
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
    expect((await deliveries()).at(-1)).toMatchObject({
      type: "payout.canceled",
      fault: "drop_attempts=1",
    });
  });
});
