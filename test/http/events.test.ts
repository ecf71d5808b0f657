import { call, control, type Json } from "../support/gateway.ts";
import { describe, expect, it } from "vitest";
import { readEventStream } from "../../src/wire/server-sent-events.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/server/start.ts";
import { BUYER } from "../support/calls.ts";
import { startMerchant } from "../support/merchant.ts";

const NOON = "2026-11-21T12:00:00.000Z";
const NOWHERE = "http://127.0.0.1:9/hook";

interface Event {
  readonly id: string | undefined;
  readonly kind: string;
  readonly data: Json;
}

describe("the event stream", () => {
  it("numbers all events, and resumes after any of them without a gap or a repeat", async () => {
    await using sandbox = await start();
    const stream = await follow(sandbox);
    const { id } = await createPayin(sandbox, "shop");
    await control(sandbox, undefined, `POST /payins/${String(id)}/pay`);
    await control(sandbox, undefined, "POST /settle");
    await control(sandbox, undefined, "PUT /snapshots/end");
    const events = await stream.until(({ kind }) => kind === "snapshot");
    const order = ["payin", "request", "payin", "delivery", "sent", "attempt", "snapshot"];
    expect(events.map(({ kind }) => kind)).toEqual(order);
    const ids = events.map((event) => Number(event.id));
    expect(ids).toEqual(ids.map((_, index) => Number(ids[0]) + index));
    for (const [index, { id: place }] of events.slice(0, -1).entries()) {
      const resumed = await follow(sandbox, undefined, place);
      const rest = await resumed.until(({ kind }) => kind === "snapshot");
      expect(rest).toEqual(events.slice(index + 1));
    }
  });

  it("names itself first, and tells a reader from another process that it missed events", async () => {
    await using first = await start();
    const { stream, place } = await follow(first);
    await using second = await start();
    const later = await follow(second, undefined, place);
    expect(later.stream).not.toBe(stream);
    await createPayin(second, "shop");
    const events = await later.until(({ kind }) => kind === "payin");
    expect(events.map(({ kind }) => kind)).toEqual(["missed", "clock", "payin"]);
  });

  it("shows an integration nothing of another's", async () => {
    await using sandbox = await start();
    const stream = await follow(sandbox, "mine");
    await createPayin(sandbox, "yours");
    const mine = await createPayin(sandbox, "mine");
    const [event, ...others] = await stream.until(({ kind }) => kind === "payin");
    expect(event?.data["id"]).toBe(mine["id"]);
    expect(others).toEqual([]);
  });

  it("forges no event from a text with line breaks", async () => {
    await using sandbox = await start();
    const stream = await follow(sandbox);
    const buyer_name = "Maria\n\nid: 99\nevent: attempt\ndata: {}\n\n";
    await createPayin(sandbox, "shop", { buyer_name });
    const events = await stream.until(({ kind }) => kind === "request");
    expect(events.map(({ kind }) => kind)).toEqual(["payin", "request"]);
    expect(events[0]?.data["buyer_name"]).toBe(buyer_name);
  });

  it("ends with the sandbox, after all earlier events", async () => {
    await using sandbox = await start();
    const stream = await follow(sandbox);
    for (let count = 0; count < 300; count++) await createPayin(sandbox, "shop");
    const closed = sandbox.close();
    const kinds = (await stream.rest()).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "payin")).toHaveLength(300);
    await closed;
  });

  it("reports a fault when it is created, used and removed, as GET /faults shows it", async () => {
    await using sandbox = await start();
    const stream = await follow(sandbox);
    const created = await control(sandbox, undefined, "POST /faults", {
      on: "payins.create",
      effect: "error=NOT_PROCESSABLE",
      times: 2,
    });
    const path = `/faults/${String(created["id"])}`;
    await createPayin(sandbox, "shop");
    const used = await control(sandbox, undefined, `GET ${path}`);
    await control(sandbox, undefined, `DELETE ${path}`);
    await control(sandbox, undefined, "POST /faults", { on: "webhook", effect: "duplicate" });
    await control(sandbox, undefined, "DELETE /faults");

    const events = await stream.until(({ kind, data }) => kind === "fault" && isEnd(data));
    expect(events.map(({ kind, data }) => [kind, data["change"]])).toEqual([
      ["fault", "created"],
      ["fault", "used"],
      ["request", undefined],
      ["fault", "removed"],
      ["fault", "created"],
      ["fault", "removed"],
    ]);
    expect(events[0]?.data["fault"]).toEqual(created);
    expect(events[1]?.data["fault"]).toEqual(used);
    expect(used).toMatchObject({ times: 1, used: 1 });

    function isEnd({ change, fault }: Json): boolean {
      return change === "removed" && (fault as Json)["effect"] === "duplicate";
    }
  });

  it("reports the clock when a user changes it, after what that caused, and not as time passes", async () => {
    await using sandbox = await start();
    await createPayin(sandbox, "shop", { expiration: 30 });
    const stream = await follow(sandbox);
    await control(sandbox, undefined, "POST /clock/advance", { seconds: 60 });
    await control(sandbox, undefined, "POST /clock/set", { now: "2026-11-21T13:00:00Z" });
    await control(sandbox, undefined, "POST /clock/resume");
    await control(sandbox, undefined, "POST /clock/freeze");
    await control(sandbox, undefined, "POST /reset");
    await control(sandbox, undefined, "PATCH /assumptions", { "payout.rival": "allow" });

    const events = await stream.until(({ kind }) => kind === "assumptions");
    const later = expect.stringMatching(/^2026-11-21T13:00:/);
    expect(events.map(({ kind, data }) => [kind, data["now"], data["mode"]])).toEqual([
      ["payin", undefined, undefined],
      ["clock", "2026-11-21T12:01:00.000Z", "frozen"],
      ["clock", "2026-11-21T13:00:00.000Z", "frozen"],
      ["clock", later, "real"],
      ["clock", later, "frozen"],
      ["reset", undefined, undefined],
      ["clock", NOON, "frozen"],
      ["assumptions", undefined, undefined],
    ]);
  });

  it("reports changed assumptions, those of the change only", async () => {
    await using sandbox = await start();
    const stream = await follow(sandbox);
    await control(sandbox, "shop", "PATCH /assumptions", { "payout.rival": "allow" });
    await control(sandbox, "shop", "PATCH /assumptions", { "webhook.timeout_seconds": 5 });
    await control(sandbox, undefined, "PATCH /assumptions", { "payout.rival": "reject" });

    const events = await stream.until(({ data }) => data["integration"] === null);
    expect(withoutIds(events)).toEqual([
      about("assumptions", { integration: "shop", changes: { "payout.rival": "allow" } }),
      about("assumptions", { integration: "shop", changes: { "webhook.timeout_seconds": 5 } }),
      about("assumptions", { integration: null, changes: { "payout.rival": "reject" } }),
    ]);
  });

  it("reports snapshots as they are listed, a restored one after its reset", async () => {
    await using sandbox = await start();
    const stream = await follow(sandbox);
    const snapshot = await control(sandbox, "shop", "PUT /snapshots/empty");
    await control(sandbox, "shop", "POST /snapshots/empty/restore");
    await control(sandbox, "shop", "DELETE /snapshots/empty");

    const events = await stream.until(({ data }) => data["change"] === "deleted");
    expect(withoutIds(events)).toEqual([
      about("snapshot", { change: "saved", snapshot }),
      about("reset", { integration: "shop" }),
      about("snapshot", { change: "restored", snapshot }),
      about("snapshot", {
        change: "deleted",
        snapshot: { name: "empty", integration: "shop" },
      }),
    ]);
  });

  it("reports an attempt as it begins, and the webhook in the sandbox's own receiver, before it ends", async () => {
    await using sandbox = await start();
    const stream = await follow(sandbox);
    const webhook_url = `${sandbox.url}/_sandbox/sink/order-1`;
    const { id } = await createPayin(sandbox, "shop", { webhook_url });
    await control(sandbox, undefined, `POST /payins/${String(id)}/pay`);
    const events = await stream.until(({ kind }) => kind === "attempt");

    expect(events.map(({ kind }) => kind)).toEqual([
      "payin",
      "request",
      "payin",
      "delivery",
      "sent",
      "sink",
      "attempt",
    ]);
    const [, , , delivery, sent, sink, attempt] = events.map(({ data }) => data);
    expect(sent).toEqual({
      delivery_id: delivery?.["id"],
      type: "payin.paid",
      transaction_id: id,
      url: webhook_url,
      attempt_number: attempt?.["attempt_number"],
      resend: false,
      at: expect.any(String),
      sandbox_at: "2026-11-21T12:00:00.000Z",
      integration: "shop",
    });
    const { data } = await control(sandbox, undefined, "GET /sink");
    expect([sink]).toEqual(data);
  });

  it("numbers the attempts that begin as those that end", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    await using sandbox = await start();
    const stream = await follow(sandbox);
    const { id } = await createPayin(sandbox, "shop", { webhook_url: merchant.url });
    await control(sandbox, undefined, "POST /faults", {
      on: "webhook",
      effect: "duplicate_at_once",
    });
    await control(sandbox, undefined, `POST /payins/${String(id)}/pay`);
    await control(sandbox, undefined, "POST /clock/advance", { seconds: 60 });
    const { data } = await control(sandbox, undefined, "GET /deliveries");
    const [{ id: delivery }] = data as [Json];
    await control(sandbox, undefined, `POST /deliveries/${String(delivery)}/resend`);

    const events = await stream.until(({ data: one }) => one["attempt_number"] === 6);
    const rest = await stream.until(({ kind }) => kind === "attempt");
    const numbers = (kind: string): unknown[] =>
      [...events, ...rest]
        .filter((one) => one.kind === kind)
        .map(({ data: one }) => one["attempt_number"]);
    expect(numbers("sent").toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(numbers("attempt")).toEqual([1, 2, 3, 4, 5, 6]);
    expect([...events, ...rest].findLast(({ kind }) => kind === "sent")?.data["resend"]).toBe(true);
  });
});

function start(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox({ clock: "frozen", now: new Date(NOON), ...options });
}

function about(kind: string, data: Json): Pick<Event, "kind" | "data"> {
  return { kind, data };
}

function withoutIds(events: readonly Event[]): Pick<Event, "kind" | "data">[] {
  return events.map(({ kind, data }) => about(kind, data));
}

/** Opens the stream in this process: nothing of it is buffered that is not read. */
async function follow(
  sandbox: Sandbox,
  token?: string,
  place?: string,
): Promise<{
  /** The name of the stream, and the reader's place. */
  readonly stream: unknown;
  readonly place: string | undefined;
  /** All events up to the one that is meant. */
  until(isLast: (event: Event) => boolean): Promise<Event[]>;
  /** All events until it ends. */
  rest(): Promise<Event[]>;
}> {
  const headers = {
    ...(token !== undefined && { "x-api-token": token }),
    ...(place !== undefined && { "last-event-id": place }),
  };
  const { body } = await sandbox.fetch("/_sandbox/events", { headers });
  const text = (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream());
  const messages = readEventStream(text);
  const { value: connected } = await messages.next();
  const read = async (isLast: (event: Event) => boolean): Promise<Event[]> => {
    const events: Event[] = [];
    for (;;) {
      const { done, value } = await messages.next();
      if (done) return events;
      const event = { id: value.id, kind: value.event, data: JSON.parse(value.data) as Json };
      events.push(event);
      if (isLast(event)) return events;
    }
  };
  return {
    stream: connected && (JSON.parse(connected.data) as Json)["stream"],
    place: connected?.id,
    until: read,
    rest: () => read(() => false),
  };
}

async function createPayin(sandbox: Sandbox, token?: string, members?: Json): Promise<Json> {
  const body = { ...BUYER, webhook_url: NOWHERE, ...members };
  const key = crypto.randomUUID();
  const headers = { "x-api-token": token, "x-idempotency-key": key };
  const { json } = await call(sandbox, { path: "/v1/payins", headers, body });
  return json as Json;
}
