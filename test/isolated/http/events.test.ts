import { once } from "node:events";
import http from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readEventStream, type ServerSentEvent } from "../../../src/wire/server-sent-events.ts";
import { StorageError, type Store } from "../../../src/core/state/ports.ts";
import { ClockDriver } from "../../../src/core/operations/clock-driver.ts";
import type { Context } from "../../../src/http/context/context.ts";
import { listenerOf } from "../../../src/http/faces/node.ts";
import { ReachedHosts } from "../../../src/http/context/origin.ts";
import { RateLimit } from "../../../src/http/context/rate-limit.ts";
import { Reviewer } from "../../../src/review/reviewer.ts";
import { RequestLog } from "../../../src/http/context/request-log.ts";
import { Sink } from "../../../src/http/context/sink.ts";
import { listen } from "../../../src/http/faces/listen.ts";
import { startSandbox } from "../../../src/server/start.ts";
import { MemorySnapshots, MemoryStore } from "../../../src/store/memory.ts";
import {
  attemptResult,
  createGateway,
  FakeAlarm,
  FakeCourier,
  HeldStore,
  payinCall,
  type TestGateway,
  turns,
} from "../../support/core.ts";
import { type Calls, callsTo } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";
import { say } from "../../../src/text/message.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

const NOWHERE = "http://127.0.0.1:9/hook";
const RECORDS = new Set(["payin", "payout", "delivery", "attempt"]);

/** An event as a reader gets it. */
interface Told {
  readonly number: number;
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe("GET /_sandbox/events", { timeout: 60_000 }, () => {
  it("reports every event, numbered without a gap and in order", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox();
    await using stream = await openStream(sandbox.url);
    const [payinId, payoutId] = await payBoth(callsTo(sandbox.url), merchant.url);
    const events = await stream.take(8);

    expect(events.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const about = events.map(({ kind, data }) => [kind, data["transaction_id"] ?? data["id"]]);
    for (const [noun, id] of [
      ["payin", payinId],
      ["payout", payoutId],
    ]) {
      const own = about.filter(([, whose]) => whose === id).map(([kind]) => kind);
      expect(own).toEqual([noun, noun, "delivery", "attempt"]);
    }
  });

  it("begins with the name of the stream and the reader's position", async () => {
    await using sandbox = await startSandbox();
    await callsTo(sandbox.url).createPayin({ webhook_url: NOWHERE });
    const connected: unknown[] = [];
    for (let time = 0; time < 2; time++) {
      await using stream = await openStream(sandbox.url);
      connected.push(stream.connected);
    }

    expect(connected[0]).toMatchObject({ id: "1", event: "connected" });
    expect(connected[0]).toHaveProperty("data", expect.stringMatching(/^\{"stream":"\w+"\}$/));
    expect(connected[1]).toEqual(connected[0]);
  });

  it.each([
    ["last-event-id", (place: number) => ({ lastEventId: String(place) })],
    ["since", (place: number) => ({ query: `?since=${place}` })],
  ])("goes on behind any event that %s names", async (_title, at) => {
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox();
    await payBoth(callsTo(sandbox.url), merchant.url);
    await callsTo(sandbox.url).control("POST", "/settle");
    await using whole = await openStream(sandbox.url, { query: "?since=all" });
    // Of the payin and the payout the latest alone is told: two of eight are gone.
    const events = await whole.take(6);
    for (let place = 0; place < 8; place++) {
      const behind = events.filter(({ number }) => number > place);
      await using stream = await openStream(sandbox.url, at(place));
      expect(await stream.take(behind.length)).toEqual(behind);
    }
  });

  it("begins now by default", async () => {
    await using sandbox = await startSandbox();
    const calls = callsTo(sandbox.url);
    await calls.createPayin({ webhook_url: NOWHERE });
    await using stream = await openStream(sandbox.url);
    const { body } = await calls.createPayin({ webhook_url: NOWHERE });

    expect(await stream.take(1)).toMatchObject([{ number: 2, data: { id: body.id } }]);
  });

  it("begins after the first attempt of a webhook that since names", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox();
    const calls = callsTo(sandbox.url);
    for (let count = 0; count < 3; count++) await payOne(calls, merchant.url);
    await calls.control("POST", "/settle");
    const [, second, third] = await calls.deliveries();
    await using stream = await openStream(sandbox.url, { query: `?since=${second?.id}` });

    const attempts = await stream.take(1, ({ kind }) => kind === "attempt");
    expect(attempts).toMatchObject([{ data: { id: third?.id, attempt_number: 1 } }]);
  });

  it("sends everything to a reader with a position in another stream", async () => {
    await using sandbox = await startSandbox();
    const calls = callsTo(sandbox.url);
    for (let count = 0; count < 3; count++) await calls.createPayin({ webhook_url: NOWHERE });
    await using own = await openStream(sandbox.url);
    const { stream } = JSON.parse(own.connected.data) as { stream: string };

    await using same = await openStream(sandbox.url, { query: `?stream=${stream}&since=2` });
    expect(await same.take(1)).toMatchObject([{ number: 3 }]);
    await using other = await openStream(sandbox.url, { query: "?stream=0123&since=2" });
    expect((await other.take(3)).map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(other.connected.id).toBe("0");
    // A place that is not reached yet can only be another stream's.
    await using beyond = await openStream(sandbox.url, { lastEventId: "4" });
    expect((await beyond.take(3)).map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  it("shows an integration nothing of another's", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox();
    await using stream = await openStream(sandbox.url, { token: "mine" });
    const yours = await payOne(callsTo(sandbox.url, "yours"), merchant.url);
    await callsTo(sandbox.url).control("POST", "/settle");
    const [{ id } = { id: "" }] = await callsTo(sandbox.url).deliveries();
    const mine = await payOne(callsTo(sandbox.url, "mine"), merchant.url);
    const events = await stream.take(4);

    expect(new Set(events.map(({ data }) => data["integration"]))).toEqual(new Set(["mine"]));
    expect(JSON.stringify(events)).toContain(mine);
    expect(JSON.stringify(events)).not.toContain(yours);
    const behind = await fetch(`${sandbox.url}/_sandbox/events?since=${id}`, {
      headers: { "x-api-token": "mine" },
    });
    expect(behind.status).toBe(404);
    await using fromStart = await openStream(sandbox.url, { token: "mine", query: "?since=all" });
    expect(JSON.stringify(await fromStart.take(3))).not.toContain(yours);
  });

  it("forges no event from a text with line breaks", async () => {
    await using sandbox = await startSandbox();
    await using stream = await openStream(sandbox.url);
    const buyer_name = "Maria\n\nid: 99\nevent: attempt\ndata: {}\n\n";
    await callsTo(sandbox.url).createPayin({ webhook_url: NOWHERE, buyer_name });

    expect(await stream.take(1)).toMatchObject([
      { number: 1, kind: "payin", data: { buyer_name } },
    ]);
  });

  it("ends with the sandbox, after all earlier events", async () => {
    await using sandbox = await startSandbox();
    const calls = callsTo(sandbox.url);
    const create = () => calls.createPayin({ webhook_url: NOWHERE });
    await Promise.all(Array.from({ length: 300 }, create));
    await using stream = await openStream(sandbox.url, { query: "?since=all" });
    const closing = sandbox.close();

    expect(await stream.rest()).toHaveLength(300);
    await closing;
  });
});

describe("a reader of events that does not read for long", { timeout: 60_000 }, () => {
  it("receives every webhook and attempt once and in order, and the gap that it missed", async () => {
    await using server = await startServer();
    const { gateway, records } = server;
    await using stream = await openStream(server.url);
    const count = 4000;
    // Each of them makes four events of some kilobytes: more than any connection holds unread.
    const webhookUrl = `http://127.0.0.1:9/${"x".repeat(1000)}`;
    for (let done = 0; done < count; done += 100)
      await Promise.all(
        Array.from({ length: 100 }, async () => {
          const { record } = await gateway.createPayin(payinCall({ draft: { webhookUrl } }));
          await gateway.simulatePayin("shop", record.id, "completed");
        }),
      );
    await server.idle();
    const last = gateway.lastEventNumber;
    expect(last).toBe(4 * count);

    const missed: { after: number; up_to: number }[] = [];
    const events = await stream.until(({ number }) => number === last, missed);
    const numbers = events.map(({ number }) => number);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
    const idsOf = (kind: string): unknown[] =>
      events.filter((event) => event.kind === kind).map(({ data }) => data["id"]);
    const ids = records.deliveries.all().map(({ id }) => id);
    expect(idsOf("delivery").toSorted()).toEqual(ids.toSorted());
    expect(idsOf("attempt").toSorted()).toEqual(ids.toSorted());
    const completed = events.filter(({ data }) => data["status"] === "completed");
    expect(completed).toHaveLength(count);

    // What is left out are earlier states of payins, and it was said where.
    expect(missed.length).toBeGreaterThan(0);
    const told = new Set(numbers);
    const isSaid = (number: number): boolean =>
      missed.some(({ after, up_to }) => number > after && number <= up_to);
    const unsaid = Array.from({ length: last }, (_, index) => index + 1).filter(
      (number) => !told.has(number) && !isSaid(number),
    );
    expect(unsaid).toEqual([]);
    // From there on it is told what happens as it happens.
    const { record } = await gateway.createPayin(payinCall());
    expect(await stream.take(1)).toMatchObject([{ number: last + 1, data: { id: record.id } }]);
  });
});

describe("a reader of events that a store could not keep", { timeout: 60_000 }, () => {
  afterEach(() => void vi.useRealTimers());

  it("receives none of them: its stream ends, and the sandbox continues", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const store = new HeldStore();
    await using server = await startServer(store);
    await using stream = await openStream(server.url);
    store.hold();
    const creating = Promise.resolve(server.gateway.createPayin(payinCall()));
    creating.catch(() => undefined);
    const broken = stream.rest();
    broken.catch(() => undefined);
    await turns(20);
    store.fail(new StorageError(say`The disk is full.`));

    await expect(broken).rejects.toThrow("aborted");
    // What keeps an idle connection alive is not written to one that is broken.
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    expect((await fetch(`${server.url}/_sandbox/health`)).status).toBe(200);
  });
});

/** A stream that is open, of which nothing more is read than is taken. */
interface OpenStream extends AsyncDisposable {
  readonly connected: ServerSentEvent;
  take(count: number, isMeant?: (event: Told) => boolean): Promise<readonly Told[]>;
  /** All up to the one that is meant; where events were missed is put into `missed`. */
  until(
    isLast: (event: Told) => boolean,
    missed: { after: number; up_to: number }[],
  ): Promise<readonly Told[]>;
  /** All that come until the stream ends. */
  rest(): Promise<readonly Told[]>;
}

async function openStream(
  url: string,
  { query = "", lastEventId, token }: { query?: string; lastEventId?: string; token?: string } = {},
): Promise<OpenStream> {
  const request = http.get(`${url}/_sandbox/events${query}`, {
    agent: false,
    headers: {
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
      ...(token !== undefined && { "x-api-token": token }),
    },
  });
  const [answer] = (await once(request, "response")) as [http.IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`The stream answers ${answer.statusCode}.`);
  const messages = readEventStream(answer);
  const first = await messages.next();
  const read = async (
    isEnough: (events: readonly Told[]) => boolean,
    missed: { after: number; up_to: number }[] = [],
  ): Promise<readonly Told[]> => {
    const events: Told[] = [];
    while (!isEnough(events)) {
      const { done, value } = await messages.next();
      if (done) break;
      const data = JSON.parse(value.data) as Told["data"];
      if (value.event === "missed") missed.push(data as { after: number; up_to: number });
      if (RECORDS.has(value.event))
        events.push({ number: Number(value.id), kind: value.event, data });
    }
    return events;
  };
  return {
    connected: first.value as ServerSentEvent,
    take: async (count, isMeant = () => true) =>
      (await read((events) => events.filter(isMeant).length >= count)).filter(isMeant),
    until: (isLast, missed) =>
      read((events) => {
        const newest = events.at(-1);
        return newest !== undefined && isLast(newest);
      }, missed),
    rest: () => read(() => false),
    async [Symbol.asyncDispose]() {
      request.destroy();
    },
  };
}

/** The routes on a real port, before a gateway that the test drives itself: no merchant is as quick. */
async function startServer(
  store: Store = new MemoryStore(),
): Promise<AsyncDisposable & TestGateway & { readonly url: string; idle(): Promise<void> }> {
  const parts: TestGateway = createGateway({
    store,
    startDelivery: (delivery) => sender.start(delivery),
  });
  const { gateway, clock, dueQueue } = parts;
  const sender = new FakeCourier(() => parts);
  sender.answer = () => attemptResult();
  const closing = new AbortController();
  const context: Context = {
    gateway,
    clock,
    clockDriver: new ClockDriver({ clock, dueQueue, gateway, sender, timer: new FakeAlarm() }),
    sender,
    snapshots: new MemorySnapshots(),
    rateLimit: new RateLimit(),
    requests: new RequestLog(0),
    reviewer: new Reviewer({ nowMs: () => clock.nowMs(), realMs: () => clock.nowMs() }),
    sink: new Sink({
      keep: 0,
      sandboxNowMs: () => 0,
      integrationOf: () => null,
      verify: () => null,
    }),
    isOwnControlRoute: () => false,
    writeTrace: () => Promise.reject(new Error("Not used.")),
    credentials: new Map(),
    secretOf: () => "whsec_c2VjcmV0",
    seed: "42",
    magic: false,
    stream: "0123456789abcdef",
    explain: false,
    origins: { allowedHosts: [], corsOrigins: [] },
    reachedHosts: new ReachedHosts(),
    about: () => {
      throw new Error("Not used.");
    },
    describeApi: () => Promise.reject(new Error("Not used.")),
    closing: closing.signal,
    report: (error) => {
      throw error;
    },
  };
  const listening = await listen(listenerOf(context), { host: "127.0.0.1", port: 0, https: false });
  return {
    ...parts,
    url: listening.url,
    async idle() {
      gateway.catchUp.run();
      await sender.idle(null);
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await listening.close(0);
    },
  };
}

async function payOne(calls: Calls, webhookUrl: string): Promise<string> {
  const { body } = await calls.createPayin({ webhook_url: webhookUrl });
  await calls.simulate("payin", body.id);
  return body.id;
}

async function payBoth(calls: Calls, webhook_url: string): Promise<readonly [string, string]> {
  const payinId = await payOne(calls, webhook_url);
  const { body } = await calls.createPayout({ webhook_url });
  await calls.simulate("payout", body.id);
  return [payinId, body.id];
}
