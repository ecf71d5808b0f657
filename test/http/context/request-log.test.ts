import { expect, it } from "vitest";
import {
  fromWireRequest,
  type LoggedRequest,
  RequestLog,
  toWireRequest,
} from "../../../src/http/context/request-log.ts";

const request: LoggedRequest = {
  number: 41,
  integration: "t-1",
  atMs: Date.UTC(2026, 0, 2),
  method: "POST",
  path: "/v1/payins?a=1",
  rawHeaders: ["content-type", "application/json"],
  body: '{"value":1}',
  answer: { status: 200, headers: { "x-request-id": "1" }, body: '{"data":{}}' },
  isLost: false,
  durationMs: 1.5,
};

it("a request of an earlier log keeps its id, and the next one follows it", () => {
  const log = new RequestLog(10);
  log.add(fromWireRequest(toWireRequest(request)));
  expect(log.page("t-1", { limit: 5 })?.rows).toEqual([request]);
  expect(log.nextNumber).toBe(42);
});
