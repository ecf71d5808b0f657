import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/index.ts";
import { activityOf, activityOfLists } from "../../src/inspector/state/activity.ts";
import type {
  Page,
  PageEvent,
  WireDelivery,
  WirePayin,
  WirePayout,
  WireRequest,
} from "../../src/inspector/state/wire.ts";

describe("the activity of lists", () => {
  it("has the lines in the order in which they happened, with the keys of the streamed events", async () => {
    await using sandbox = await startSandbox({ seed: "1" });
    const shop = sandbox.integration("shop");
    const hook = await shop.receiver();
    const payin = await shop.payins.create({ value: 10.5, webhookUrl: hook.url });
    await shop.payins.pay(payin.id);
    await hook.next("payin.paid");
    await sandbox.settled();
    const read = async <Row>(name: string): Promise<readonly Row[]> => {
      const response = await sandbox.fetch(`/_sandbox/${name}`);
      return ((await response.json()) as Page<Row>).data;
    };
    const lines = activityOfLists({
      payins: await read<WirePayin>("payins"),
      payouts: await read<WirePayout>("payouts"),
      deliveries: await read<WireDelivery>("deliveries"),
      requests: await read<WireRequest>("requests"),
      others: [],
    });
    const [delivery] = await read<WireDelivery>("deliveries");
    expect(lines.map(({ key }) => key)).toEqual([
      "req_1",
      `${payin.id} waiting`,
      `${payin.id} paid`,
      delivery?.id,
      `attempt ${delivery?.id} 1`,
    ]);

    const [paid] = await read<WirePayin>("payins");
    const streamed = { kind: "payin", data: paid } as PageEvent;
    expect(activityOf(streamed, "", 0)?.key).toBe(`${payin.id} paid`);
  });

  it("puts what is in no list at its time", () => {
    const at = (second: number): string => `2026-11-21T12:00:0${second}.000Z`;
    const request = (id: string, second: number) => ({ id, at: at(second) }) as WireRequest;
    const clock: PageEvent = { kind: "clock", data: { now: at(2), mode: "frozen" } };
    const moved = activityOf(clock, at(2), 7);
    const lines = activityOfLists({
      payins: [],
      payouts: [],
      deliveries: [],
      requests: [request("req_1", 1), request("req_2", 3)],
      others: moved ? [moved] : [],
    });
    expect(lines.map(({ event }) => event.kind)).toEqual(["request", "clock", "request"]);
  });

  it("has the times of a record's creation and end, of an attempt the real time too", () => {
    const at = (second: number): string => `2026-11-21T12:00:0${second}.000Z`;
    const payout = { id: "p1", status: "canceled", created_at: at(1), settled_at: at(3) };
    const attempts = [
      { at: at(9), sandbox_at: at(2), status: 500 },
      { at: at(9), sandbox_at: at(4), status: 200 },
    ];
    const delivery = { id: "evt_1", created_at: at(3), attempts };
    const lines = activityOfLists({
      payins: [],
      payouts: [payout as WirePayout],
      deliveries: [delivery as unknown as WireDelivery],
      requests: [{ id: "req_1", at: at(1) } as WireRequest],
      others: [
        { key: "clock", at: at(3), event: { kind: "clock", data: { now: at(3), mode: "real" } } },
      ],
    });
    expect(lines.map(({ event, ...line }) => [event.kind, line])).toEqual([
      ["request", { key: "req_1", at: at(1) }],
      ["payout", { key: "p1 waiting", at: at(1) }],
      ["payout", { key: "p1 canceled", at: at(3) }],
      ["delivery", { key: "evt_1", at: at(3) }],
      ["attempt", { key: "attempt evt_1 1", at: at(2), realAt: at(9) }],
      ["clock", { key: "clock", at: at(3) }],
      ["attempt", { key: "attempt evt_1 2", at: at(4), realAt: at(9) }],
    ]);
    expect(lines[1]?.event.data).toMatchObject({ status: "waiting", settled_at: null });
    expect(lines[6]?.event.data).toMatchObject({
      id: "evt_1",
      attempt_number: 2,
      attempt: attempts[1],
    });
  });

  it("has the same lines for streamed events", () => {
    const now = "2026-11-21T12:00:09.000Z";
    const lineOf = (kind: string, data: object) => {
      const { key, at, realAt } = activityOf({ kind, data } as PageEvent, now, 7) ?? {};
      return [key, at, realAt];
    };
    const attempt = { at: "real", sandbox_at: "sandbox", status: 200 };
    expect(lineOf("attempt", { id: "evt_1", attempt_number: 2, attempt })).toEqual([
      "attempt evt_1 2",
      "sandbox",
      "real",
    ]);
    expect(lineOf("delivery", { id: "evt_1", created_at: "then" })).toEqual([
      "evt_1",
      "then",
      undefined,
    ]);
    expect(lineOf("request", { id: "req_1", at: "then" })).toEqual(["req_1", "then", undefined]);
    expect(
      lineOf("payout", { id: "p1", status: "waiting", created_at: "then", settled_at: null }),
    ).toEqual(["p1 waiting", "then", undefined]);
    for (const kind of ["reset", "held", "released", "fault", "clock", "assumptions", "snapshot"])
      expect(lineOf(kind, {})).toEqual([`${kind} ${now} 7`, now, undefined]);
  });

  it("has no line for events that concern the page alone", () => {
    for (const kind of ["connected", "missed", "dropped", "sent"])
      expect(activityOf({ kind, data: {} } as PageEvent, "", 0)).toBeUndefined();
  });
});
