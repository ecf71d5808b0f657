import { describe, expect, it } from "vitest";
import type { SeenCreation } from "../../../src/review/observation.ts";
import type { LoggedRequest } from "../../../src/http/context/request-log.ts";
import { reviewRequest } from "../../../src/server/activity/review-request.ts";
import { START_MS } from "../../support/core.ts";

/** What the reviewer sees of a call; texts are keys of calls of the sandbox's own client. */
function seenOf(members: Partial<LoggedRequest>, answer: Partial<LoggedRequest["answer"]> = {}) {
  const seen: (SeenCreation | string)[] = [];
  const request = {
    number: 7,
    integration: "shop",
    method: "POST",
    path: "/v1/payins",
    atMs: START_MS,
    durationMs: 5,
    body: "{}",
    rawHeaders: ["X-Idempotency-Key", "one", "x-idempotency-key", "two"],
    isLost: false,
    answer: { status: 200, headers: {}, body: "{}", ...answer },
    ...members,
  } as unknown as LoggedRequest;
  reviewRequest(request, {
    realMs: 100,
    seeCreation: (creation: SeenCreation) => void seen.push(creation),
    seeOwnCreation: (integration: string, key: string) => void seen.push(`${integration} ${key}`),
  } as never);
  return seen;
}

const refused = (code: string, ...errors: object[]) => ({
  status: 422,
  body: JSON.stringify({ code, errors }),
});

describe("the reviewer", () => {
  it("sees each creation, with the first key, and when it began and ended", () => {
    expect(seenOf({})).toMatchObject([
      {
        noun: "payin",
        integration: "shop",
        method: "POST",
        path: "/v1/payins",
        atMs: START_MS,
        startedAtMs: 95,
        endedAtMs: 100,
        key: "one",
        body: "{}",
        status: 200,
        outcome: "known",
        keyUse: "new",
      },
    ]);
  });

  it.each([
    ["/v1/payins", "payin"],
    ["/v2/payins", "payin"],
    ["/v1/payins?trace=1", "payin"],
    ["/v1/payouts", "payout"],
  ])("sees POST %s as a %s", (path, noun) => {
    expect(seenOf({ path })).toMatchObject([{ noun }]);
  });

  it.each<Partial<LoggedRequest>>([
    { method: "GET" },
    { path: "/v1/payins/1" },
    { path: "/v2/payouts" },
    { integration: null },
    { rawHeaders: [] },
    { rawHeaders: ["x-idempotency-key", " "] },
  ])("sees nothing in %o", (members) => {
    expect(seenOf(members)).toEqual([]);
  });

  it("knows the calls of the sandbox's own client", () => {
    const rawHeaders = ["x-idempotency-key", "mine", "X-Sandbox-Client", "1"];
    expect(seenOf({ rawHeaders })).toEqual(["shop mine"]);
  });

  it.each([
    ["known", {}, {}],
    ["lost", { isLost: true }, {}],
    ["lost", {}, { isLost: true }],
    ["failed", {}, { status: 500 }],
    ["known", {}, { status: 499 }],
    ["failed", {}, refused("EXTERNAL_ERROR")],
    ["known", {}, refused("NOT_PROCESSABLE")],
    ["known", {}, { status: 400, body: "no JSON" }],
    ["known", {}, { status: 400, body: undefined }],
    ["known", {}, { status: 200, body: '{"code":"EXTERNAL_ERROR"}' }],
  ] as const)("sees the outcome %s of %o %o", (outcome, members, answer) => {
    expect(seenOf(members, answer as never)).toMatchObject([{ outcome }]);
  });

  it.each([
    ["new", {}],
    ["repeated", { headers: { "idempotent-replayed": "true" } }],
    [
      "refused",
      refused("DUPLICATED_VALUE", { code: "DUPLICATED_VALUE", field: "x-idempotency-key" }),
    ],
    [
      "refused",
      refused(
        "VALIDATION_ERROR",
        { code: "INVALID_VALUE", field: "value" },
        { code: "DUPLICATED_VALUE", field: "x-idempotency-key" },
      ),
    ],
    ["new", refused("VALIDATION_ERROR", { code: "INVALID_VALUE", field: "x-idempotency-key" })],
    ["new", refused("VALIDATION_ERROR")],
  ] as const)("sees the key as %s after %o", (keyUse, answer) => {
    expect(seenOf({}, answer as never)).toMatchObject([{ keyUse }]);
  });
});
