import { describe, expect, it } from "vitest";
import { gatewayCurl } from "../../src/inspector/state/gateway-curl.ts";
import { wireRequest } from "./wire-samples.ts";

const ORIGIN = "http://127.0.0.1:7490";
const curl = (change: Parameters<typeof wireRequest>[0]) =>
  gatewayCurl(wireRequest(change), ORIGIN);

describe("curl", () => {
  it("makes the same call with a new idempotency key and the token of the shell", () => {
    expect(curl({})).toBe(
      [
        "curl -X POST http://127.0.0.1:7490/v1/payins",
        `-H 'content-type: application/json'`,
        `-H "x-api-token: $PIX_SANDBOX_TOKEN"`,
        `-H 'x-provider: Loja da Maria'`,
        `-H "x-idempotency-key: $(node -p 'crypto.randomUUID()')"`,
        `--data-raw '{"value":10.50}'`,
      ].join(" \\\n  "),
    );
  });

  it("executes nothing that came from outside", () => {
    const command = curl({
      path: "/v1/payins?a=$(id)&b=`id`",
      headers: { "x-provider": "'; id; '$(id)", "x-empty": "" },
      body: `@/etc/passwd ' $(id)`,
    });
    expect(command).toBe(
      [
        `curl -X POST 'http://127.0.0.1:7490/v1/payins?a=$(id)&b=\`id\`'`,
        `-H 'x-provider: '\\''; id; '\\''$(id)'`,
        `-H 'x-empty;'`,
        `--data-raw '@/etc/passwd '\\'' $(id)'`,
      ].join(" \\\n  "),
    );
  });

  it("sends neither redacted headers nor those of the connection, and no body without one", () => {
    const headers = { authorization: "[redacted]", host: "a", connection: "close" };
    expect(curl({ method: "GET", path: "/v1/webhooks", headers, body: null })).toBe(
      "curl -X GET http://127.0.0.1:7490/v1/webhooks",
    );
  });

  it("does not exist if the body was cut", () => {
    expect(curl({ body: '{"value":1…' })).toBeUndefined();
  });
});
