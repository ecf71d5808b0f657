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

describe("the event stream, of what no record shows", () => {
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
    expect(events.every(({ id }) => id === undefined)).toBe(true);
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
    expect(events).toEqual([
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
    expect(events).toEqual([
      about("snapshot", { change: "saved", snapshot }),
      { ...about("reset", { integration: "shop" }), id: "1" },
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

  it("tells a slow reader how many it has lost, before the newest", async () => {
    await using sandbox = await start();
    const stream = await follow(sandbox);
    const count = 150;
    for (let seconds = 1; seconds <= count; seconds++)
      await control(sandbox, undefined, "POST /clock/advance", { seconds: 1 });
    await control(sandbox, undefined, "PUT /snapshots/end");

    const events = await stream.until(({ kind }) => kind === "snapshot");
    const kinds = events.map(({ kind }) => kind);
    const at = kinds.indexOf("dropped");
    const { data, id } = events[at] as Event;
    expect(id).toBeUndefined();
    expect(kinds.filter((kind) => kind === "dropped")).toHaveLength(1);
    // All that were published are either sent or counted.
    expect(kinds.filter((kind) => kind === "clock").length + Number(data["count"])).toBe(count);
    expect(kinds.slice(at)).toEqual(["dropped", ...Array<string>(99).fill("clock"), "snapshot"]);
    expect(events.at(-2)?.data["now"]).toBe("2026-11-21T12:02:30.000Z");
  });
});

function start(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox({ clock: "frozen", now: new Date(NOON), ...options });
}

function about(kind: string, data: Json): Event {
  return { id: undefined, kind, data };
}

/** Opens the stream in this process: nothing of it is buffered that is not read. */
async function follow(
  sandbox: Sandbox,
  token?: string,
): Promise<{
  /** All events up to the one that is meant. */
  until(isLast: (event: Event) => boolean): Promise<Event[]>;
}> {
  const headers = token === undefined ? {} : { "x-api-token": token };
  const { body } = await sandbox.fetch("/_sandbox/events", { headers });
  const text = (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream());
  const messages = readEventStream(text);
  await messages.next();
  return {
    until: async (isLast) => {
      const events: Event[] = [];
      for (;;) {
        const { done, value } = await messages.next();
        if (done) throw new Error("The stream has ended.");
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
