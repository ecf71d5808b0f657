import { describe, expect, it } from "vitest";
import { startSandbox, type Sandbox } from "../../src/server/start.ts";
import { type Answer, call, recordsOf } from "../support/gateway.ts";
import { PAYIN, PAYOUT } from "./answers.ts";

describe("an idempotency key", () => {
  it.each([
    ["payins", PAYIN],
    ["payins", { ...PAYIN, generate_qrcode: true }],
    ["payouts", PAYOUT],
  ] as const)("gives a repeat the first answer again: %s %o", async (noun, body) => {
    await using sandbox = await startSandbox();

    const first = await keyed(sandbox, `/v1/${noun}`, "order-1", body);
    const second = await keyed(sandbox, `/v1/${noun}`, "order-1", body);

    expect(first.status).toBe(200);
    expect(first.headers).not.toHaveProperty("idempotent-replayed");
    expect(second).toMatchObject({ status: 200, text: first.text });
    expect(second.headers["idempotent-replayed"]).toBe("true");
    expect(await recordsOf(sandbox, "sandbox", noun)).toHaveLength(1);
  });
});

function keyed(
  sandbox: Sandbox,
  path: string,
  key: string,
  body: unknown,
  token = "sandbox",
): Promise<Answer> {
  return call(sandbox, { path, token, headers: { "x-idempotency-key": key }, body });
}
