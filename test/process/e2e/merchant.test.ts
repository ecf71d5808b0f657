import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Serving, startServe } from "../../support/cli.ts";
import { startProgram } from "../../support/process.ts";
import { callsTo } from "../../support/calls.ts";
import type { WebhookBody } from "../../support/merchant.ts";

const PROGRAM = fileURLToPath(new URL("merchant.js", import.meta.url));
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
interface Fact {
  readonly learnt: string;
  readonly id: string;
  readonly status: string;
  readonly [name: string]: unknown;
}

interface Heard {
  readonly method: string;
  readonly contentType: string;
  readonly webhookId: string;
  readonly event: WebhookBody;
}

describe("a merchant's program", { timeout: 60_000 }, () => {
  it("receives the webhooks of its payin, its payout and the payout's rival, once each and signed", async () => {
    await using sandbox = await startServe();
    await using merchant = startMerchantProgram(sandbox, sandbox.secret);
    const { code, stdout, stderr } = await merchant.ended;

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const facts = toFacts(stdout);
    const [payin, payout, rival] = ["payin", "payout", "rival"].map((learnt) =>
      facts.find((fact) => fact.learnt === learnt),
    );
    expect(facts.filter(({ learnt }) => learnt === "forgery")).toEqual([]);
    const heard = facts.filter(({ learnt }) => learnt === "webhook") as unknown as Heard[];
    const told = heard.map(({ event }) => [event.type, event.data["id"]]);
    expect(told).toHaveLength(3);
    expect(told).toEqual(
      expect.arrayContaining([
        ["payin.paid", payin?.id],
        ["payout.completed", payout?.id],
        ["payout.canceled", rival?.id],
      ]),
    );
    for (const { method, contentType, webhookId, event } of heard) {
      expect({ method, contentType }).toEqual({ method: "POST", contentType: "application/json" });
      expect(webhookId).toBe(event.id);
      expect(event.id).toMatch(/^evt_/);
      expect(event.created_at).toMatch(ISO_TIME);
      expect(Object.keys(event)).toEqual(["id", "type", "created_at", "data"]);
    }
    const attempts = (await callsTo(sandbox.url).deliveries()).map((one) => one.attempts.length);
    expect(attempts).toEqual([1, 1, 1]);
  });

  it("refuses webhooks that another secret signed", async () => {
    await using sandbox = await startServe(["--memory", "--clock", "frozen"]);
    const another = `whsec_${Buffer.from("another secret, of 24 by").toString("base64")}`;
    await using merchant = startMerchantProgram(sandbox, another);
    const facts = toFacts((await merchant.lines("stdout", 3, isForgery)).join("\n"));

    expect(facts.map((fact) => fact["reason"])).toEqual(
      Array.from({ length: 3 }, () => "No matching signature found"),
    );
    const calls = callsTo(sandbox.url);
    await calls.advance(0);
    const deliveries = await calls.deliveries();
    expect(deliveries.map(({ status, attempts }) => [status, attempts[0]?.status])).toEqual(
      Array.from({ length: 3 }, () => ["pending", 401]),
    );
  });
});

function startMerchantProgram({ url }: Serving, secret: string) {
  return startProgram(PROGRAM, [], { env: { PIX_SANDBOX_URL: url, PIX_SANDBOX_SECRET: secret } });
}

function toFacts(stdout: string): Fact[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Fact);
}

function isForgery(line: string): boolean {
  return (JSON.parse(line) as Fact).learnt === "forgery";
}
