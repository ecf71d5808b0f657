import { describe, expect, it } from "vitest";
import { JSON_HEADERS, toListAnswer } from "../../src/http/calls/answer.ts";
import { startSandbox } from "../../src/server/start.ts";
import { control } from "../support/gateway.ts";
import { BUYER, callsTo } from "../support/calls.ts";

describe("an answer with a list", () => {
  it.each([
    ["none", 0, 0],
    ["a short list, at once", 1000, 10],
    ["a long list, as it is read", 1000, 1000],
    ["one long item", 1, 1_000_000],
    ["a few long items", 3, 1_000_000],
  ])("holds the same JSON as one text: %s", async (_what, count, length) => {
    const items = Array.from({ length: count }, (_, place) => place);
    const toWire = (place: number) => ({ at: `ção ${place}`, "]}": "x".repeat(length) });
    const answer = toListAnswer({ now: "2026", data: items, next: null }, toWire);
    expect([answer.status, answer.headers]).toEqual([200, JSON_HEADERS]);
    const whole = { now: "2026", data: items.map(toWire), next: null };
    expect(await new Response(answer.body).text()).toBe(JSON.stringify(whole));
  });

  it("makes no more of a long list than has been read", async () => {
    const made: number[] = [];
    const toWire = (item: number) => {
      made.push(item);
      return "x".repeat(300_000);
    };
    const items = Array.from({ length: 100 }, (_, place) => place);
    const { body } = toListAnswer({ data: items, next: null }, toWire);
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    for (let count = 0; count < 5; count++) await reader.read();
    expect(made.length).toBeLessThan(10);
    await reader.cancel();
  });
});

describe("a list of long records", { timeout: 60_000 }, () => {
  it("is streamed by every route that lists them, and answers HEAD without a body", async () => {
    await using sandbox = await startSandbox({ clock: "frozen" });
    const calls = callsTo(sandbox.url);
    const long = { ...BUYER, buyer_name: "x".repeat(300_000), webhook_url: "http://[::1]:9/" };
    for (let count = 0; count < 4; count++) {
      const { body } = await calls.createPayin(long);
      await calls.control("POST", `/payins/${body.id}/pay`);
    }
    await calls.control("POST", "/settle");
    for (const path of ["/payins", "/deliveries"]) {
      const answer = await fetch(`${sandbox.url}/_sandbox${path}`);
      expect(answer.headers.get("content-length")).toBeNull();
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(await answer.json()).toMatchObject({ data: { length: 4 }, next: null });
      const head = await fetch(`${sandbox.url}/_sandbox${path}`, { method: "HEAD" });
      expect([head.status, await head.text()]).toEqual([200, ""]);
      const wrong = await fetch(`${sandbox.url}/_sandbox${path}?limit=0`);
      expect([wrong.status, await wrong.json()]).toMatchObject([400, { code: "VALIDATION_ERROR" }]);
    }
    const { data } = await control(sandbox, undefined, "POST /deliveries/resend");
    expect(data).toHaveLength(4);
  });
});
