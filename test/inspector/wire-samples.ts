import type { WireDelivery, WireRequest } from "../../src/core/state/wire.ts";

/** A request as the sandbox lists it. */
export function wireRequest(change: Partial<WireRequest> = {}): WireRequest {
  return {
    id: "req_1",
    integration: "shop",
    at: "2026-11-21T12:00:00.000Z",
    method: "POST",
    path: "/v1/payins",
    headers: {
      host: "127.0.0.1:7490",
      "content-type": "application/json",
      "content-length": "14",
      "x-api-token": "[redacted]",
      "x-provider": "Loja da Maria",
      "x-idempotency-key": "06fb787a-240b-4cc9-981a-8f8f018e5c72",
    },
    body: '{"value":10.50}',
    status: 200,
    response_headers: { "content-type": "application/json" },
    response: '{"id":"0b0e"}',
    code: null,
    message: null,
    errors: [],
    transaction_id: "0b0e",
    is_repeat: false,
    fault: null,
    lost: false,
    duration_ms: 1.5,
    ...change,
  };
}

/** A webhook as the sandbox lists it, after one attempt. */
export function wireDelivery(change: Partial<WireDelivery> = {}): WireDelivery {
  return {
    id: "evt_1",
    type: "payin.paid",
    transaction_id: "0b0e",
    transaction: "payin",
    url: "http://127.0.0.1:3000/hook",
    status: "failed",
    body: '{"id":"evt_1","type":"payin.paid"}',
    attempts: [
      {
        at: "2026-11-21T12:00:01.000Z",
        sandbox_at: "2026-11-21T12:00:01.000Z",
        status: 500,
        duration_ms: 12,
        response: "Internal error",
        fault: null,
        headers: {
          "content-type": "application/json",
          "webhook-id": "evt_1",
          "webhook-timestamp": "1790000000",
          "webhook-signature": "v1,abc",
        },
      },
    ],
    next_attempt_at: null,
    created_at: "2026-11-21T12:00:00.000Z",
    integration: "shop",
    ...change,
  };
}
