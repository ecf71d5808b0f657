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

  it("has no line for events that concern the page alone", () => {
    for (const kind of ["connected", "missed", "dropped", "sent"])
      expect(activityOf({ kind, data: {} } as PageEvent, "", 0)).toBeUndefined();
  });
});
