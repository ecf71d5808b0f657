import { describe, expect, it } from "vitest";
import { canBeCut, requestExchange, webhookExchange } from "../../src/inspector/state/exchange.ts";
import { wireDelivery, wireRequest } from "./wire-samples.ts";

describe("the exchange of a request", () => {
  it("has both sides, as they were sent", () => {
    expect(requestExchange(wireRequest({ lost: true }), "en")).toBe(`## POST /v1/payins

2026-11-21T12:00:00.000Z · 1.5 ms · req_1

### Request

\`\`\`
POST /v1/payins
host: 127.0.0.1:7490
content-type: application/json
content-length: 14
x-api-token: [redacted]
x-provider: Loja da Maria
x-idempotency-key: 06fb787a-240b-4cc9-981a-8f8f018e5c72

{"value":10.50}
\`\`\`

### Response

\`\`\`
200
content-type: application/json

{"id":"0b0e"}
\`\`\`

The client had disconnected before the response.`);
  });

  it("has no empty line in place of a body that there is not", () => {
    for (const body of [null, ""]) {
      const text = requestExchange(wireRequest({ body, response: body }), "en");
      expect(text).toContain("\n\n### Response\n\n```\n200\ncontent-type: application/json\n```");
    }
  });

  it("leaves out the values of parameters that are named like secrets", () => {
    const path = "/v1/payins?x-api-token=shop&a=1&API_KEY=2";
    const text = requestExchange(wireRequest({ path }), "en");
    expect(text).toContain("POST /v1/payins?x-api-token=***&a=1&API_KEY=***\n");
    expect(text).not.toContain("shop");
  });
});

describe("the exchange of a webhook", () => {
  it("has the body and every attempt", () => {
    const [first] = wireDelivery().attempts;
    const attempts = [
      ...(first ? [first] : []),
      {
        at: "2026-11-21T12:00:02.000Z",
        sandbox_at: "2026-11-21T12:00:02.000Z",
        error: "ECONNREFUSED",
        duration_ms: 1,
        location: "http://127.0.0.1/next",
        retry_after_seconds: 5,
        resend: true as const,
        fault: null,
        headers: { "content-type": "application/json" as const },
      },
    ];
    expect(webhookExchange(wireDelivery({ attempts, fault: "bad_signature" }), "en"))
      .toBe(`## payin.paid evt_1

failed · 2026-11-21T12:00:00.000Z · 0b0e · bad_signature

### Body

\`\`\`
{"id":"evt_1","type":"payin.paid"}
\`\`\`

### Attempt 1

2026-11-21T12:00:01.000Z · 12 ms

\`\`\`
POST http://127.0.0.1:3000/hook
content-type: application/json
webhook-id: evt_1
webhook-timestamp: 1790000000
webhook-signature: v1,abc
\`\`\`

\`\`\`
500

Internal error
\`\`\`

### Attempt 2 (resent)

2026-11-21T12:00:02.000Z · 1 ms

\`\`\`
POST http://127.0.0.1:3000/hook
content-type: application/json
\`\`\`

\`\`\`
ECONNREFUSED
location: http://127.0.0.1/next
retry-after: 5
\`\`\``);
  });

  it("names neither the integration nor the secrets of its address", () => {
    const url = "https://user:hunter2@example.com/hook?token=abc&shop=1#x";
    const body = JSON.stringify({ id: "evt_1", webhook_url: url, note: "whsec_c2VjcmV0" });
    const text = webhookExchange(wireDelivery({ url, body, integration: "live_token" }), "en");
    expect(text).toContain("POST https://user:***@example.com/hook?token=***&shop=1#x\n");
    expect(text).toContain('"note":"whsec_[redacted]"');
    expect(text).not.toMatch(/hunter2|abc&|live_token|c2VjcmV0/);
  });

  it("cannot be left by what a merchant responds", () => {
    const [attempt] = wireDelivery().attempts;
    if (!attempt) throw new Error("The sample has an attempt.");
    const attempts = [{ ...attempt, response: "```\n# Heading\n`````" }];
    expect(webhookExchange(wireDelivery({ attempts }), "en")).toContain(
      "``````\n500\n\n```\n# Heading\n`````\n``````",
    );
    expect(webhookExchange(wireDelivery({ attempts: [] }), "pt")).toMatch(
      /\n\nNenhuma tentativa ainda\.$/,
    );
    expect(webhookExchange(wireDelivery({ attempts: [] }), "en")).toMatch(/\n\nNo attempts yet\.$/);
  });
});

describe("a response that the sandbox can have cut", () => {
  it.each([
    ["a short one", "a".repeat(16_383), false],
    ["one of 16 KiB", "a".repeat(16_384), true],
    ["one whose last character was cut", `${"é".repeat(8191)}a\ufffd`, true],
  ])("is recognized by its bytes: %s", (_, response, expected) => {
    expect(canBeCut(response)).toBe(expected);
  });
});
