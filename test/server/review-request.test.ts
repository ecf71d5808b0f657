import { describe, expect, it } from "vitest";
import type { FieldError, TopLevelCode } from "../../src/core/records/errors.ts";
import type { SeenCreation } from "../../src/review/observation.ts";
import { type LoggedRequest, reviewRequest } from "../../src/http/context/request-log.ts";
import type { Outcome } from "../../src/http/calls/call.ts";
import { START_MS } from "../support/core.ts";

/** What the reviewer sees of a call; texts are keys of calls of the sandbox's own client. */
function seenOf(members: Partial<LoggedRequest>, outcome: Outcome = {}, status = 200) {
  const seen: (SeenCreation | string)[] = [];
  const request = {
    id: "req_7",
    integration: "shop",
    method: "POST",
    path: "/v1/payins?trace=1",
    atMs: START_MS,
    durationMs: 5,
    body: "{}",
    headers: { "x-idempotency-key": "one" },
    isLost: false,
    operation: "payins.create",
    answer: { status, headers: {}, body: "", outcome },
    ...members,
  } satisfies LoggedRequest;
  reviewRequest(request, {
    realMs: 100,
    seeCreation: (creation: SeenCreation) => void seen.push(creation),
    seeOwnCreation: (integration: string, key: string) => void seen.push(`${integration} ${key}`),
  } as never);
  return seen;
}

const refused = (code: TopLevelCode, ...errors: Omit<FieldError, "message">[]): Outcome => ({
  refusal: { message: "", code, errors: errors.map((error) => ({ ...error, message: "" })) },
});

describe("the reviewer", () => {
  it("sees each creation, with its key, and when it began and ended", () => {
    expect(seenOf({})).toMatchObject([
      {
        noun: "payin",
        integration: "shop",
        method: "POST",
        path: "/v1/payins?trace=1",
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
    ["payins.create", "payin"],
    ["payouts.create", "payout"],
  ] as const)("sees %s as the creation of a %s", (operation, noun) => {
    expect(seenOf({ operation })).toMatchObject([{ noun }]);
  });

  it.each<[Partial<LoggedRequest>]>([
    [{ operation: "payins.simulate" }],
    [{ operation: undefined }],
    [{ integration: null }],
    [{ headers: {} }],
    [{ headers: { "x-idempotency-key": " " } }],
  ])("sees nothing in %o", (members) => {
    expect(seenOf(members)).toEqual([]);
  });

  it("knows the calls of the sandbox's own client", () => {
    const headers = { "x-idempotency-key": "mine", "x-sandbox-client": "1" };
    expect(seenOf({ headers })).toEqual(["shop mine"]);
  });

  it.each([
    ["known", {}, {}, 200],
    ["lost", { isLost: true }, {}, 200],
    ["failed", {}, {}, 500],
    ["known", {}, {}, 499],
    ["failed", {}, refused("EXTERNAL_ERROR"), 400],
    ["known", {}, refused("NOT_PROCESSABLE"), 422],
  ] as const)("sees the outcome %s of %o %o, status %i", (learned, members, outcome, status) => {
    expect(seenOf(members, outcome, status)).toMatchObject([{ outcome: learned }]);
  });

  it.each<[SeenCreation["keyUse"], Outcome]>([
    ["new", {}],
    ["repeated", { isRepeat: true }],
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
  ])("sees the key as %s after %o", (keyUse, outcome) => {
    expect(seenOf({}, outcome)).toMatchObject([{ keyUse }]);
  });
});
