import { describe, expect, it } from "vitest";
import { recordOf, refusalOf } from "../../src/inspector/state/refusal.ts";
import { wireRequest } from "./wire-samples.ts";

const error = (field: string, message: string) => ({ field, code: "INVALID_VALUE", message });

describe("a refusal", () => {
  it("names the members of the body and the headers that are wrong", () => {
    const errors = [error("x-provider", "It is required."), error("value", "It must be more.")];
    const request = wireRequest({ status: 400, code: "VALIDATION_ERROR", message: "No.", errors });
    expect(refusalOf(request)).toEqual({
      code: "VALIDATION_ERROR",
      message: "No.",
      headers: [{ name: "x-provider", message: "It is required." }],
      members: [{ path: ["value"], message: "It must be more." }],
    });
    expect(refusalOf(wireRequest())).toBeUndefined();
  });

  it("of a member that is named like a header is at the member", () => {
    const errors = [error("x-note", "unknown")];
    expect(refusalOf(wireRequest({ status: 400, errors, body: '{"x-note":1}' }))).toMatchObject({
      headers: [],
      members: [{ path: ["x-note"] }],
    });
  });
});

describe("the record of a request", () => {
  it.each([
    ["/v1/payins?a=1", "payins"],
    ["/v2/payouts/simulations", "payouts"],
  ])("is the one that it created or simulated: %s", (path, pane) => {
    expect(recordOf(wireRequest({ path, transaction_id: "p1" }))).toEqual({ pane, id: "p1" });
    expect(recordOf(wireRequest({ path, transaction_id: null }))).toBeUndefined();
  });
});
