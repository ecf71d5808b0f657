import { describe, expect, it } from "vitest";
import { type Assumptions, STANDARD_ASSUMPTIONS } from "../../src/core/assumptions/table.ts";
import { outcomeOf } from "../../src/core/webhooks/attempt-outcome.ts";
import { Sender } from "../../src/delivery/sender.ts";
import { type Merchant, startMerchant } from "../support/merchant.ts";

/** The outcome of a real POST. */
async function outcomeAt(
  url: string,
  { timeoutMs = 10_000, ...changed }: Partial<Assumptions> & { timeoutMs?: number } = {},
): Promise<string> {
  const sender = new Sender();
  const result = await sender.post({ url, body: "{}", headers: {}, timeoutMs });
  sender.close();
  const assumptions = { ...STANDARD_ASSUMPTIONS, ...changed };
  return outcomeOf({ ...result, atMs: 0, signature: null }, assumptions);
}

describe("the outcome of an attempt", () => {
  it.each([
    [200, "accepted"],
    [204, "accepted"],
    [302, "rejected"],
    [410, "rejected"],
    [500, "rejected"],
    ["reset", "failed"],
    ["nonsense", "failed"],
  ] as const)("for a receiver that answers %s is %s", async (answer, outcome) => {
    await using merchant: Merchant = await startMerchant({ answer });
    expect(await outcomeAt(merchant.url)).toBe(outcome);
  });

  it("depends on which responses the assumptions accept", async () => {
    await using merchant = await startMerchant({ answer: 204 });
    expect(await outcomeAt(merchant.url, { "webhook.success": "only_200" })).toBe("rejected");
  });

  it("is a timeout without a response in time", async () => {
    await using merchant = await startMerchant({ answer: "hold" });
    expect(await outcomeAt(merchant.url, { timeoutMs: 50 })).toBe("timeout");
  });

  it("is connection_refused if nothing listens, by an address or a name", async () => {
    const merchant = await startMerchant();
    await merchant.close();
    expect(await outcomeAt(merchant.url)).toBe("connection_refused");
    expect(await outcomeAt(`http://localhost:${merchant.port}/hook`)).toBe("connection_refused");
  });

  it("is failed for TLS to a server without it, and for an unknown name", async () => {
    await using merchant = await startMerchant();
    expect(await outcomeAt(`https://127.0.0.1:${merchant.port}/hook`)).toBe("failed");
    expect(await outcomeAt("http://unknown.invalid/hook")).toBe("failed");
  });

  it("is not_sent for an address where no webhook may go", async () => {
    expect(await outcomeAt("http://169.254.169.254/hook")).toBe("not_sent");
  });

  it("is stale_connection if the receiver closed a reused one", () => {
    const stale = { status: null, error: "ECONNRESET: …", isStaleConnection: true } as const;
    const result = { ...stale, atMs: 0, durationMs: 0, response: null, signature: null };
    expect(outcomeOf(result, STANDARD_ASSUMPTIONS)).toBe("stale_connection");
  });
});
