import { describe, expect, it } from "vitest";
import { assertEventType } from "../../src/client/event-type.ts";
import { assertAllUsed, assertNoneRefused } from "../../src/client/expectations.ts";
import { expectReceived, type GatewayCall, isReceived } from "../../src/client/received.ts";
import type { Fault, LoggedRequest } from "../../src/client/records.ts";

const request = (members: Partial<LoggedRequest> = {}): LoggedRequest =>
  ({
    method: "POST",
    path: "/v1/payins",
    body: null,
    status: 200,
    response: "{}",
    code: null,
    message: null,
    errors: [],
    ...members,
  }) as LoggedRequest;
const fault = (members: Partial<Fault>): Fault =>
  ({ id: "flt_1", on: "payins.create", effect: "hold", used: 0, ...members }) as Fault;
const messageOf = (call: () => void): string => {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};

describe("the message of expectNoUnusedFaults", () => {
  it("names faults that are never used, or not as often as they can be", () => {
    expect(
      messageOf(() =>
        assertAllUsed([
          fault({ used: 1 }),
          fault({ used: 2, times: 0 }),
          fault({ id: "flt_2" }),
          fault({ id: "flt_3", used: 1, times: 2, match: { value: 1 } }),
          fault({ id: "flt_4", times: 1, on: "webhook", effect: "duplicate" }),
        ]),
      ).split("\n"),
    ).toEqual([
      "Faults are left that no call or webhook has used:",
      "  flt_2: hold on payins.create, never used",
      '  flt_3: hold on payins.create where {"value":1}, used 1 of 3 times',
      "  flt_4: duplicate on webhook, used 0 of 1 times",
    ]);
  });
});

describe("the message of expectNoRefusedCalls", () => {
  it("names each refused call with its code, its fields and its message", () => {
    const errors = [
      { field: "value", code: "INVALID_VALUE", message: "" },
      { field: "buyer_cpf", code: "REQUIRED_VALUE", message: "" },
    ];
    const refusal = { code: "VALIDATION_ERROR", message: "Check these fields.", errors };
    const refused = [request({ status: 399 }), request({ status: 400, ...refusal })];
    expect(messageOf(() => assertNoneRefused(refused)).split("\n")).toEqual([
      "The gateway refused 1 of 2 calls:",
      "  POST /v1/payins: 400 VALIDATION_ERROR value INVALID_VALUE, buyer_cpf REQUIRED_VALUE. Check these fields.",
    ]);
  });

  it.each([
    [10, 11],
    [11, 12],
  ])("lists ten at most: %i refused calls take %i lines", (count, lines) => {
    const refused = Array.from({ length: count }, () => request({ status: 400 }));
    expect(messageOf(() => assertNoneRefused(refused)).split("\n")).toHaveLength(lines);
  });
});

describe("the message of expectReceived", () => {
  const wait = (requests: readonly LoggedRequest[], call: GatewayCall, body?: object) =>
    expectReceived(() => Promise.resolve(requests), call, body as never, { timeoutMs: 0 });

  it("shows each request on one line, long bodies cut", async () => {
    const [short, long] = ["x".repeat(300), "x".repeat(301)];
    await expect(
      wait(
        [
          request({ body: short }),
          request({ body: long, status: 400 }),
          request({ method: "GET" }),
        ],
        "PUT /v1/webhooks",
      ),
    ).rejects.toThrow(
      new Error(
        [
          "The gateway received no PUT /v1/webhooks within 0 ms. It received:",
          `  POST /v1/payins ${short} (status 200)`,
          `  POST /v1/payins ${short}… (status 400)`,
          "  GET /v1/payins (status 200)",
        ].join("\n"),
      ),
    );
  });

  it.each([
    [10, 11],
    [11, 12],
  ])("lists ten at most: %i requests take %i lines", async (count, lines) => {
    const requests = Array.from({ length: count }, () => request());
    const error: unknown = await wait(requests, "GET /v1/webhooks").catch((one: unknown) => one);
    expect((error as Error).message.split("\n")).toHaveLength(lines);
  });

  it("finds no member in a body that is no JSON object", async () => {
    for (const body of [null, "{", "5", "null", '"text"'])
      await expect(wait([request({ body })], "POST /v1/payins", { value: 1 })).rejects.toThrow(
        'received no POST /v1/payins with {"value":1}',
      );
    await expect(wait([request({ body: "{" })], "POST /v1/payins")).resolves.toBeDefined();
  });

  it("is that of toHaveReceived, which says with `not` what was received", async () => {
    const requests = { list: () => Promise.resolve([request({ body: '{"value":1}' })]) };
    const has = (call: GatewayCall, isNot: boolean) =>
      isReceived({ requests }, call, undefined, { isNot, timeoutMs: 0 });
    const [yes, not] = [await has("POST /v1/payins", false), await has("POST /v1/payins", true)];
    expect([yes.pass, yes.message()]).toEqual([
      true,
      'Received POST /v1/payins {"value":1} (status 200).',
    ]);
    expect([not.pass, not.message()]).toEqual([
      true,
      'Expected no POST /v1/payins; received POST /v1/payins {"value":1} (status 200).',
    ]);
    const [none, missing] = [
      await has("GET /v1/webhooks", true),
      await has("GET /v1/webhooks", false),
    ];
    expect([none.pass, none.message()]).toEqual([
      false,
      "Expected no GET /v1/webhooks; received nothing.",
    ]);
    expect([missing.pass, missing.message()]).toEqual([
      false,
      'The gateway received no GET /v1/webhooks within 0 ms. It received:\n  POST /v1/payins {"value":1} (status 200)',
    ]);
  });
});

describe("the message of an unknown event type", () => {
  it("suggests a type that is nearly the same, and only then", () => {
    const types =
      "payin.paid, payin.expired, payout.completed, payout.canceled, payment.received, payment.failed";
    const refusal = (type: unknown) => messageOf(() => assertEventType("on()", type));
    expect(refusal(undefined)).toBe("");
    expect(refusal("payin.paid")).toBe("");
    expect(refusal("payout.canceld")).toBe(
      `on() takes one of ${types}, not "payout.canceld". Did you mean "payout.canceled"?`,
    );
    expect(refusal("something else")).toBe(`on() takes one of ${types}, not "something else".`);
    expect(refusal(["payin.paid"])).toBe(`on() takes one of ${types}, not ["payin.paid"].`);
  });
});
