import { describe, expect, it } from "vitest";
import { recordOf, refusalOf } from "../../src/inspector/state/refusal.ts";
import { wireRequest } from "./wire-samples.ts";

const refused = (errors: readonly unknown[], body = "{}") =>
  refusalOf(wireRequest({ status: 400, body, response: JSON.stringify({ errors }) }));

describe("a refusal", () => {
  it("names the members of the body and the headers that are wrong", () => {
    const request = wireRequest({
      status: 400,
      body: '{"value":0}',
      response: JSON.stringify({
        message: "Check these fields.",
        code: "VALIDATION_ERROR",
        errors: [
          { field: "x-provider", code: "REQUIRED_VALUE", message: "The header is required." },
          { field: "value", code: "INVALID_VALUE", message: "value must be more than 0." },
        ],
      }),
    });
    expect(refusalOf(request)).toEqual({
      code: "VALIDATION_ERROR",
      message: "Check these fields.",
      headers: [{ name: "x-provider", message: "The header is required." }],
      members: [{ path: ["value"], message: "value must be more than 0." }],
    });
  });

  it("is read from the form of /v2 too", () => {
    const response = JSON.stringify({ detail: "No.", code: "NOT_PROCESSABLE", errors: [] });
    expect(refusalOf(wireRequest({ status: 422, response }))).toMatchObject({ message: "No." });
  });

  it("of a member that is named like a header is at the member", () => {
    const errors = [{ field: "x-note", message: "unknown" }];
    expect(refused(errors, '{"x-note":1}')).toMatchObject({
      headers: [],
      members: [{ path: ["x-note"] }],
    });
    expect(refused(errors)).toMatchObject({ headers: [{ name: "x-note" }], members: [] });
  });

  it("without the envelope names nothing", () => {
    for (const response of [null, "", "no", "[]", "null", '{"errors":1}', '{"errors":[1,{}]}'])
      expect(refusalOf(wireRequest({ status: 502, response }))).toMatchObject({
        headers: [],
        members: [],
      });
    expect(refusalOf(wireRequest({ status: 399 }))).toBeUndefined();
  });
});

describe("the record of a request", () => {
  it("is the one that was created, or that a simulation changed", () => {
    expect(recordOf(wireRequest({ path: "/v1/payins?a=1", response: '{"id":"p1"}' }))).toEqual({
      pane: "payins",
      id: "p1",
    });
    const path = "/v2/payouts/simulations";
    expect(
      recordOf(wireRequest({ path, body: '{"transaction_id":"p2"}', response: "{}" })),
    ).toEqual({
      pane: "payouts",
      id: "p2",
    });
  });

  it("is found in a response that was cut", () => {
    const response = `{"id":"p1","image":"${"A".repeat(20)}…`;
    expect(recordOf(wireRequest({ response }))).toEqual({ pane: "payins", id: "p1" });
  });

  it("is that of the response if the body names one too, and of no response that is an error", () => {
    const body = '{"transaction_id":"p2"}';
    expect(recordOf(wireRequest({ body, response: '{"id":"p1"}' }))?.id).toBe("p1");
    expect(recordOf(wireRequest({ body, status: 299, response: '{"id":5}' }))?.id).toBe("p2");
    expect(recordOf(wireRequest({ body, status: 300, response: '{"id":"p1"}' }))).toBeUndefined();
    for (const path of ["/v1/payinsx", "/v1", "/payins", "/_sandbox/v1/payins"])
      expect(recordOf(wireRequest({ path, body }))).toBeUndefined();
  });

  it("does not exist for other calls and refusals", () => {
    expect(recordOf(wireRequest({ path: "/v1/webhooks", response: '{"id":"p"}' }))).toBeUndefined();
    expect(recordOf(wireRequest({ status: 400, response: '{"id":"p1"}' }))).toBeUndefined();
    expect(recordOf(wireRequest({ body: null, response: null }))).toBeUndefined();
  });
});
