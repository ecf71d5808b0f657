import { expect } from "vitest";
import type { Gateway } from "../../../src/core/operations/gateway.ts";
import { payinCall, payoutCall, createPayin, createPayout } from "../../support/core.ts";

export const refusal = (code: string, field?: string) =>
  expect.objectContaining({
    code,
    ...(field !== undefined && { fields: [expect.objectContaining({ field })] }),
  });

export async function create(gateway: Gateway, noun: "payin" | "payout"): Promise<string> {
  const created =
    noun === "payin"
      ? await createPayin(gateway, payinCall())
      : await createPayout(gateway, payoutCall());
  return created.record.id;
}
