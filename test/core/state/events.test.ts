import { describe, expect, it } from "vitest";
import { concerns, Events, type SandboxEvent } from "../../../src/core/state/events.ts";
import { StorageError } from "../../../src/core/state/ports.ts";
import {
  createGateway,
  delivery,
  eventsAfter,
  HeldStore,
  payin,
  payinCall,
  turns,
  watch,
  createPayin,
} from "../../support/core.ts";
import { say } from "../../../src/text/message.ts";

const MOST = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;

function created(number: number, integration = "shop"): SandboxEvent {
  return { kind: "payin", integration, record: payin({ id: `${number}`, integration }).record };
}

function ringOf(count: number, start = 0): Events {
  const events = new Events(start);
  for (let number = 1; number <= count; number++) events.add(created(number));
  return events;
}

/** What a reader after a number gets: the number of each event, and `missed`. */
async function readAfter(events: Events, id: number): Promise<(number | string)[]> {
  const read = await eventsAfter(events, id);
  return read.map(({ id: one, event }) => (event.kind === "missed" ? `missed ${one}` : one));
}

describe("the ring of events", () => {
  it("gives each reader what comes after its place, in order, without gaps or repeats", async () => {
    const events = ringOf(250, 7000);
    for (const place of [7000, 7001, 7099, 7100, 7101, 7249, 7250]) {
      const expected = Array.from({ length: 7250 - place }, (_, index) => place + 1 + index);
      expect(await readAfter(events, place)).toEqual(expected);
    }
  });

  it.each([
    ["of an earlier process", 41],
    ["of a later one", 9_000_000],
  ])(
    "tells a reader with a place %s that it missed events, then gives it all",
    async (_, place) => {
      const read = await readAfter(ringOf(3, 7000), place);
      expect(read).toEqual(["missed 7000", 7001, 7002, 7003]);
    },
  );

  it("holds the newest 10,000", async () => {
    const events = ringOf(MOST + 2);
    expect(await readAfter(events, 2)).toHaveLength(MOST);
    const late = await readAfter(events, 1);
    expect(late).toHaveLength(MOST + 1);
    expect(late.slice(0, 2)).toEqual(["missed 2", 3]);
  });

  it.each<[string, (text: string) => SandboxEvent]>([
    ["webhooks", (body) => ({ kind: "delivery", integration: "a", delivery: delivery({ body }) })],
    [
      "payins",
      (description) => ({ kind: "payin", integration: "a", record: payin({ description }).record }),
    ],
    [
      "requests",
      ({ length }) => ({ kind: "request", integration: "a", size: length, toWire: () => ({}) }),
    ],
  ])("holds at most 16 MB of %s", async (_kind, toEvent) => {
    const events = new Events();
    const event = toEvent("x".repeat(1024 * 1024));
    for (let count = 0; count < 20; count++) events.add(event);
    const read = await readAfter(events, 0);
    expect(read).toEqual(["missed 5", ...Array.from({ length: 15 }, (_, index) => 6 + index)]);
    events.add(toEvent("x".repeat(MOST_BYTES)));
    expect(await readAfter(events, 0)).toEqual(["missed 21"]);
  });

  it("gives a reader nothing of another integration", async () => {
    const events = new Events();
    for (const integration of ["other", "shop", "other"]) events.add(created(1, integration));
    const own = await eventsAfter(events, 0, "shop");
    expect(own.map(({ id }) => id)).toEqual([2]);
  });

  it("buffers nothing for a slow reader, which is told what it missed", async () => {
    const events = ringOf(1);
    const over = new AbortController();
    const reader = events.after(0, null, over.signal);
    expect((await reader.next()).value).toMatchObject([{ id: 1 }]);
    for (let number = 2; number <= MOST + 3; number++) events.add(created(number));
    const { value = [] } = await reader.next();
    expect(value[0]).toMatchObject({ id: 3, event: { kind: "missed" } });
    expect(value[1]).toMatchObject({ id: 4 });
    over.abort();
  });

  it("lets a reader wait for more, until it is over", async () => {
    const events = ringOf(0);
    const over = new AbortController();
    const reader = events.after(0, null, over.signal);
    const first = watch(reader.next());
    await turns();
    expect(first.isSettled).toBe(false);
    events.add(created(1));
    await turns();
    expect(first.isSettled).toBe(true);
    const end = reader.next();
    over.abort();
    expect(await end).toEqual({ done: true, value: undefined });
  });
});

describe("an event", () => {
  it.each<[kind: "clock" | "request", owner: string | null, readers: (string | null)[]]>([
    ["clock", "shop", ["shop", null]],
    ["clock", null, ["shop", "other", null]],
    ["request", "shop", ["shop", null]],
    ["request", null, [null]],
  ])("of the kind %s and of %s concerns %j", (kind, integration, readers) => {
    const event: SandboxEvent = { kind, integration, toWire: () => ({}) };
    const all = ["shop", "other", null];
    expect(all.filter((reader) => concerns(event, reader))).toEqual(readers);
  });

  it("appears when it is durable, and never after a rollback", async () => {
    const store = new HeldStore();
    const { gateway } = createGateway({ store });
    store.hold();
    const kept = Promise.resolve(createPayin(gateway, payinCall()));
    await turns();
    expect(gateway.events.last).toBe(0);
    store.release();
    const { record } = await kept;
    expect(await eventsAfter(gateway.events)).toMatchObject([
      { id: 1, event: { kind: "payin", record: { id: record.id } } },
    ]);
    const lost = Promise.resolve(createPayin(gateway, payinCall()));
    await turns();
    store.fail(new StorageError(say`The disk is full.`));
    await expect(lost).rejects.toThrow("The disk is full.");
    await turns();
    expect(gateway.events.last).toBe(1);
  });
});
