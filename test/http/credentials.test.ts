import { BUYER } from "../support/calls.ts";
import { describe, expect, it } from "vitest";
import { type SandboxOptions, startSandbox } from "../../src/server/start.ts";
import { createFolder } from "../support/folder.ts";
import { call, control } from "../support/gateway.ts";
import { startMerchant, verified } from "../support/merchant.ts";

const OWN_SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
const credentials = [
  { apiKey: "shop", apiSecret: "open sesame", merchantId: "42" },
  { apiKey: "café", apiSecret: OWN_SECRET, merchantId: "43" },
];
const LISTED = { credentials, assumptions: { credentials: "listed" } } satisfies SandboxOptions;

describe("credentials that are listed", () => {
  it("are the only active ones; the response names the wrong part", async () => {
    await using sandbox = await startSandbox(LISTED);
    const answerTo = async (token: string, providerId: string): Promise<unknown> => {
      const headers = { "x-provider-id": providerId };
      const body = { webhook_url: "http://127.0.0.1:9/", events: ["payment.received"] };
      const request = { method: "PUT", path: "/v1/webhooks", token, headers, body };
      const { status, json } = await call(sandbox, request);
      return status === 401 ? (json as { errors: { field: string }[] }).errors[0]?.field : status;
    };
    expect(await answerTo("shop", "42")).toBe(200);
    expect(await answerTo("shop", "43")).toBe("x-provider-id");
    expect(await answerTo("somebody", "42")).toBe("x-api-token");
    expect(await answerTo("constructor", "42")).toBe("x-api-token");
    expect(await answerTo(Buffer.from("café").toString("latin1"), "43")).toBe(200);
    const { data } = await control(sandbox, undefined, "GET /integrations");
    expect(data).toEqual([{ integration: "shop" }, { integration: "café" }]);
  });

  it("sign the webhooks of their integration, each with its own secret", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox({
      ...LISTED,
      credentials: [...credentials.slice(0, 1), { ...credentials[1]!, apiKey: "other" }],
    });
    const secrets: Readonly<Record<string, string>> = {
      shop: `whsec_${btoa("open sesame")}`,
      other: OWN_SECRET,
    };
    for (const [token, secret] of Object.entries(secrets)) {
      expect(await control(sandbox, token, "GET /secret")).toMatchObject({ secret });
      const headers = { "x-provider-id": token === "shop" ? "42" : "43" };
      const body = { ...PAYIN, webhook_url: merchant.url };
      const { json } = await call(sandbox, { path: "/v1/payins", token, headers, body });
      const { id } = json as { id: string };
      await control(sandbox, token, `POST /payins/${id}/pay`);
      const [received] = await merchant.waitFor(1, (one) => one.body.includes(id));
      expect(received && verified(received, secret)).toMatchObject({ data: { id } });
    }
    expect(await control(sandbox, undefined, "GET /secret")).toMatchObject({
      secret: sandbox.secret,
    });
  });

  it("have no effect if any token is active", async () => {
    await using sandbox = await startSandbox({ credentials });
    expect(await call(sandbox, { ...READ, token: "somebody" })).toMatchObject({ status: 404 });
    expect(await control(sandbox, "shop", "GET /secret")).toMatchObject({ secret: sandbox.secret });
  });

  it("cannot be required if none are configured, neither at the start nor later", async () => {
    const assumptions = { credentials: "listed" };
    await expect(startSandbox({ assumptions })).rejects.toThrow("no credentials are listed");
    await using sandbox = await startSandbox();
    const body = { ...assumptions, "payout.rival": "x" };
    for (const token of ["shop", undefined]) {
      const headers = { "x-api-token": token };
      const path = "/_sandbox/assumptions";
      expect(await call(sandbox, { method: "PATCH", path, headers, body })).toMatchObject({
        status: 400,
        json: {
          code: "VALIDATION_ERROR",
          errors: [{ field: "credentials" }, { field: "payout.rival" }],
        },
      });
    }
  });

  it("cannot be required by an earlier run's choice either, unless the start's options change it", async () => {
    await using folder = await createFolder();
    const stateFile = folder.at("state.json");
    {
      await using sandbox = await startSandbox({ stateFile, credentials });
      await control(sandbox, undefined, "PATCH /assumptions", { credentials: "listed" });
    }
    await expect(startSandbox({ stateFile })).rejects.toThrow("no credentials are listed");
    await using sandbox = await startSandbox({ stateFile, assumptions: { credentials: "any" } });
    expect(await call(sandbox, READ)).toMatchObject({ status: 404 });
  });
});

const READ = { method: "GET", path: "/v1/webhooks" };

const PAYIN = BUYER;
