import type { EventType } from "../core/records/transaction.ts";
import { assertEventType } from "./event-type.ts";
import { assertMembers } from "./members.ts";
import type { Integration, View } from "./view.ts";
import { WaitTimeoutError } from "./wait-timeout.ts";

/** Options of `toHaveBeenDelivered`. */
export interface DeliveredOptions {
  /** How long to wait, in real milliseconds. Default 4,000. */
  readonly timeoutMs?: number | undefined;
}

/** A matcher's result for its test framework. */
export interface MatcherAnswer {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * Checks whether a webhook of a payin or payout has been delivered. Waits for it; with `isNot`, waits until no webhook
 * is in flight or due.
 * @param received the record, or its id
 */
export async function isDelivered(
  sandbox: View & { integration(token: string): Integration },
  received: unknown,
  type: EventType | undefined,
  { isNot, ...options }: DeliveredOptions & { readonly isNot: boolean },
): Promise<MatcherAnswer> {
  const { id: transactionId, integration } = readRecord(received);
  assertEventType("toHaveBeenDelivered", type);
  assertMembers("toHaveBeenDelivered()", options, { timeoutMs: true });
  const view = integration === undefined ? sandbox : sandbox.integration(integration);
  const what = `${type ?? "webhook"} of ${transactionId}`;
  if (isNot) {
    await view.settled();
    const [found] = await view.webhooks.list({ transactionId, type, status: "delivered" });
    return {
      pass: found !== undefined,
      message: () => `Expected no ${what}; ${found?.id} was delivered to ${found?.url}.`,
    };
  }
  try {
    const { id } = await view.webhooks.waitFor({ transactionId, type, ...options });
    return { pass: true, message: () => `${id} was delivered.` };
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
    return { pass: false, message: () => error.message };
  }
}

function readRecord(received: unknown): { id: string; integration?: string } {
  const { id, integration } = (
    typeof received === "string" ? { id: received } : (received ?? {})
  ) as { id?: unknown; integration?: unknown };
  if (typeof id !== "string" || id === "")
    throw new TypeError("toHaveBeenDelivered takes a payin, a payout, or the id of one.");
  return { id, ...(typeof integration === "string" && { integration }) };
}
