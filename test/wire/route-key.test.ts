import { expect, it } from "vitest";
import { fillRoute } from "../../src/wire/route-key.ts";

it.each([
  ["GET /payins/{id}", { id: "a/b" }, "GET", "/_sandbox/payins/a%2Fb", undefined],
  ["GET /payins", { limit: 3, status: undefined }, "GET", "/_sandbox/payins?limit=3", undefined],
  [
    "POST /faults/{id}/release",
    { id: "f", order: [1] },
    "POST",
    "/_sandbox/faults/f/release",
    { order: [1] },
  ],
  ["POST /v1/payins", { value: 1 }, "POST", "/v1/payins", { value: 1 }],
  ["DELETE /faults", {}, "DELETE", "/_sandbox/faults", undefined],
])("fills the path, the query and the body of %s", (key, values, method, path, body) => {
  expect(fillRoute(key, values)).toEqual({ method, path, ...(body && { body }) });
});
