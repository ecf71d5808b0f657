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

  it("gives a reader that names a later event than the newest its place with `missed`", async () => {
    await using sandbox = await start();
    const { place } = await follow(sandbox);
    const later = await follow(sandbox, undefined, String(Number(place) + 5));
    expect(later.place).toBeUndefined();
    const [missed] = await later.until(({ kind }) => kind === "missed");
    expect(Number(missed?.id)).toBeLessThanOrEqual(Number(place));
  });

  it("shows an integration nothing of another's, and forges no event from a text", async () => {
    await using sandbox = await start();
    const stream = await follow(sandbox, "mine");
    await createPayin(sandbox, "yours");
    const buyer_name = "Maria\n\nid: 99\nevent: attempt\ndata: {}\n\n";
    const { id } = await createPayin(sandbox, "mine", { buyer_name });
    const events = await stream.until(({ kind }) => kind === "request");
    expect(events).toMatchObject([
      { kind: "payin", data: { id, buyer_name } },
      { kind: "request" },
    ]);
  });

  it("answers a HEAD, and leaves no stream behind", async () => {
    await using sandbox = await start();
    const answer = await fetch(`${sandbox.url}/_sandbox/events`, { method: "HEAD" });
    const type = answer.headers.get("content-type");
    expect([answer.status, type, await answer.text()]).toEqual([200, "text/event-stream", ""]);
  });

  it("ends with the sandbox, after all earlier events", async () => {
    await using sandbox = await start();
    const stream = await follow(sandbox);
    for (let count = 0; count < 300; count++) await createPayin(sandbox, "shop");
    const closed = sandbox.close();
    const kinds = (await stream.until(() => false)).map(({ kind }) => kind);
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
    await createPayin(sandbox, "shop");
    const used = await control(sandbox, undefined, `GET /faults/${String(created["id"])}`);
    await control(sandbox, undefined, "DELETE /faults");

    const events = await stream.until(({ data }) => data["change"] === "removed");
    expect(events.map(({ kind, data }) => [kind, data["change"]])).toEqual([
      ["fault", "created"],
      ["fault", "used"],
      ["request", undefined],
      ["fault", "removed"],
    ]);
    expect([events[0]?.data["fault"], events[1]?.data["fault"]]).toEqual([created, used]);
    expect(used).toMatchObject({ times: 1, used: 1 });
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

  it("reports changed assumptions, those of the change only, and snapshots as they are listed", async () => {
    await using sandbox = await start();
    const stream = await follow(sandbox);
    const own = { "payout.rival": "allow" };
    await control(sandbox, "shop", "PATCH /assumptions", own);
    const timeout = { "webhook.timeout_seconds": 5 };
    await control(sandbox, "shop", "PATCH /assumptions", timeout);
    await control(sandbox, undefined, "PATCH /assumptions", own);
    const snapshot = await control(sandbox, "shop", "PUT /snapshots/empty");
    await control(sandbox, "shop", "POST /snapshots/empty/restore");
    await control(sandbox, "shop", "DELETE /snapshots/empty");

    const events = await stream.until(({ data }) => data["change"] === "deleted");
    expect(events.map(({ kind, data }) => [kind, data])).toEqual([
      ["assumptions", { integration: "shop", changes: own }],
      ["assumptions", { integration: "shop", changes: timeout }],
      ["assumptions", { integration: null, changes: own }],
      ["snapshot", { change: "saved", snapshot }],
      ["reset", { integration: "shop" }],
      ["snapshot", { change: "restored", snapshot }],
      ["snapshot", { change: "deleted", snapshot: { name: "empty", integration: "shop" } }],
    ]);
  });

  it("reports an attempt as it begins, and the webhook in the sandbox's own receiver, before it ends", async () => {
    await using sandbox = await start();
    const stream = await follow(sandbox);
    const webhook_url = `${sandbox.url}/_sandbox/sink/order-1`;
    const { id } = await createPayin(sandbox, "shop", { webhook_url });
    await control(sandbox, undefined, `POST /payins/${String(id)}/pay`);
    const events = await stream.until(({ kind }) => kind === "attempt");

    const order = ["payin", "request", "payin", "delivery", "sent", "sink", "attempt"];
    expect(events.map(({ kind }) => kind)).toEqual(order);
    const [, , , delivery, sent, sink] = events.map(({ data }) => data);
    expect(sent).toEqual({
      delivery_id: delivery?.["id"],
      type: "payin.paid",
      transaction_id: id,
      url: webhook_url,
      attempt_number: 1,
      resend: false,
      at: expect.any(String),
      sandbox_at: NOON,
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
    const fault = { on: "webhook", effect: "duplicate_at_once" };
    await control(sandbox, undefined, "POST /faults", fault);
    await control(sandbox, undefined, `POST /payins/${String(id)}/pay`);
    await control(sandbox, undefined, "POST /clock/advance", { seconds: 60 });
    await control(sandbox, undefined, "POST /deliveries/resend", { transaction_id: id });
    await control(sandbox, undefined, "PUT /snapshots/end");

    const events = await stream.until(({ kind }) => kind === "snapshot");
    const numbers = (kind: string): unknown[] =>
      events.filter((one) => one.kind === kind).map(({ data }) => data["attempt_number"]);
    expect(numbers("sent").toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(numbers("attempt")).toEqual([1, 2, 3, 4, 5, 6]);
    expect(events.findLast(({ kind }) => kind === "sent")?.data["resend"]).toBe(true);
  });
});

function start(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox({ clock: "frozen", now: new Date(NOON), ...options });
}

/** Opens the stream in this process: nothing of it is buffered that is not read. */
async function follow(sandbox: Sandbox, token?: string, place?: string) {
  const headers = {
    ...(token !== undefined && { "x-api-token": token }),
    ...(place !== undefined && { "last-event-id": place }),
  };
  const { body } = await sandbox.fetch("/_sandbox/events", { headers });
  const text = (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream());
  const messages = readEventStream(text);
  const { value: connected } = await messages.next();
  return {
    /** The name of the stream, and the reader's place. */
    stream: connected && (JSON.parse(connected.data) as Json)["stream"],
    place: connected?.id,
    /** All events up to the one that is meant, or to the end. */
    async until(isLast: (event: Event) => boolean): Promise<Event[]> {
      const events: Event[] = [];
      for (;;) {
        const { done, value } = await messages.next();
        if (done) return events;
        const event = { id: value.id, kind: value.event, data: JSON.parse(value.data) as Json };
        events.push(event);
        if (isLast(event)) return events;
      }
    },
  };
}

async function createPayin(sandbox: Sandbox, token?: string, members?: Json): Promise<Json> {
  const body = { ...BUYER, webhook_url: NOWHERE, ...members };
  const key = crypto.randomUUID();
  const headers = { "x-api-token": token, "x-idempotency-key": key };
  const { json } = await call(sandbox, { path: "/v1/payins", headers, body });
  return json as Json;
}
