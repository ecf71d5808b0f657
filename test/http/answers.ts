import { BUYER, RECEIVER } from "../support/calls.ts";
import { expect } from "vitest";
import { type Sandbox } from "../../src/server/start.ts";
import { type Answer, type Call, call, control, type Json } from "../support/gateway.ts";

/** Nobody listens there: whether a webhook arrives is no matter of these tests. */
export const NOWHERE = "http://127.0.0.1:9/";

export const PAYIN = { ...BUYER, webhook_url: NOWHERE };

export const PAYOUT = { ...RECEIVER, webhook_url: NOWHERE };

export async function createPayout(sandbox: Sandbox, body: unknown, token?: string): Promise<Json> {
  return create(sandbox, { path: "/v1/payouts", body, ...(token !== undefined && { token }) });
}

export async function create(sandbox: Sandbox, request: Call): Promise<Json> {
  const answer = await call(sandbox, request);
  expect(answer).toMatchObject({ status: 200 });
  return answer.json as Json;
}

export function simulate(
  sandbox: Sandbox,
  noun: string,
  id: unknown,
  status: string,
  token = "sandbox",
): Promise<Answer> {
  const body = { transaction_id: id, status };
  return call(sandbox, { path: `/v1/${noun}/simulations`, token, body });
}

export function advance(sandbox: Sandbox, seconds: number): Promise<Json> {
  return control(sandbox, undefined, "POST /clock/advance", { seconds });
}
