import { expect } from "vitest";
import type { Gateway } from "../../../src/core/operations/gateway.ts";
import { payinCall, payoutCall } from "../../support/core.ts";

export const refusal = (code: string, field?: string) =>
  expect.objectContaining({
    code,
    ...(field !== undefined && { fields: [expect.objectContaining({ field })] }),
  });

export async function create(gateway: Gateway, noun: "payin" | "payout"): Promise<string> {
  const created =
    noun === "payin"
      ? await gateway.createPayin(payinCall())
      : await gateway.createPayout(payoutCall());
  return created.record.id;
}
