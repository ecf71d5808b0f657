import { describe, expect, it } from "vitest";
import { concerns, Events, eventsOf, type SandboxEvent } from "../../../src/core/state/events.ts";
import { StorageError } from "../../../src/core/state/ports.ts";
import { type Change, Records } from "../../../src/core/state/records.ts";
import {
  attempt,
  createGateway,
  createPayin,
  delivery,
  eventsAfter,
  HeldStore,
  payin,
  payinCall,
  turns,
  watch,
} from "../../support/core.ts";
import { say } from "../../../src/text/message.ts";

const MOST = 10_000;

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

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe("the ring of events", () => {
  it.each<[title: string, count: number, place: number, read: (number | string)[]]>([
    ["all that comes after its place", 250, 7000, numbers(7001, 7250)],
    ["the rest after a batch", 250, 7100, numbers(7101, 7250)],
    ["nothing after the newest", 250, 7250, []],
    ["all, if its place is of an earlier process", 3, 41, ["missed 7000", 7001, 7002, 7003]],
    ["all, if its place is of a later one", 3, 9e6, ["missed 7000", 7001, 7002, 7003]],
    ["the newest 10,000", MOST + 2, 7002, numbers(7003, MOST + 7002)],
    ["that it missed others", MOST + 2, 7001, ["missed 7002", ...numbers(7003, MOST + 7002)]],
  ])("gives a reader %s", async (_title, count, place, read) => {
    expect(await readAfter(ringOf(count, 7000), place)).toEqual(read);
  });

  it.each<[string, (text: string) => Change]>([
    ["webhooks", (body) => [["deliveries", delivery({ body })]]],
    [
      "responses",
      (text) => [["deliveries", delivery({ attempts: [attempt({ response: text })] })]],
    ],
    ["payins", (request) => [["transactions", { ...payin(), request }]]],
  ])("holds at most 16 MB of %s", async (_kind, toChange) => {
    const events = new Events();
    const add = (length: number) =>
      events.add(eventsOf(toChange("x".repeat(length)), new Records())[0] as never);
    for (let count = 0; count < 20; count++) add(1 << 20);
    expect(await readAfter(events, 0)).toEqual(["missed 5", ...numbers(6, 20)]);
    add(16 << 20);
    expect(await readAfter(events, 0)).toEqual(["missed 21"]);
  });

  it("buffers nothing for a slow reader, and lets it wait for more until it is over", async () => {
    const events = ringOf(1);
    const over = new AbortController();
    const reader = events.after(0, null, over.signal);
    expect((await reader.next()).value).toMatchObject([{ id: 1 }]);
    for (let number = 2; number <= MOST + 3; number++) events.add(created(number));
    const { value = [] } = await reader.next();
    expect(value.slice(0, 2)).toMatchObject([{ id: 3, event: { kind: "missed" } }, { id: 4 }]);
    let last = value.at(-1)?.id;
    while (last !== MOST + 3) last = (await reader.next()).value?.at(-1)?.id;

    const next = watch(reader.next());
    await turns();
    expect(next.isSettled).toBe(false);
    events.add(created(1));
    await turns();
    expect(next.isSettled).toBe(true);
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
  ])("of the kind %s and of %s concerns %j", async (kind, integration, readers) => {
    const event: SandboxEvent = { kind, integration, toWire: () => ({}) };
    const all = ["shop", "other", null];
    expect(all.filter((reader) => concerns(event, reader))).toEqual(readers);
    const events = new Events();
    events.add(event);
    for (const reader of all)
      expect(await eventsAfter(events, 0, reader)).toHaveLength(Number(readers.includes(reader)));
  });

  it("appears when it is durable, and never after a rollback", async () => {
    const store = new HeldStore();
    const { gateway } = createGateway({ store });
    store.hold();
    const kept = createPayin(gateway, payinCall());
    await turns();
    expect(gateway.events.last).toBe(0);
    store.release();
    const { record } = await kept;
    expect(await eventsAfter(gateway.events)).toMatchObject([
      { id: 1, event: { kind: "payin", record: { id: record.id } } },
    ]);
    const lost = createPayin(gateway, payinCall());
    await turns();
    store.fail(new StorageError(say`The disk is full.`));
    await expect(lost).rejects.toThrow("The disk is full.");
    await turns();
    expect(gateway.events.last).toBe(1);
  });
});
