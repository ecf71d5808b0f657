import { sending } from "./sandbox.ts";
import type { WireDelivery } from "./wire.ts";

/** The statuses of webhooks that the page shows: those of the sandbox, and of an attempt in flight. */
export const WEBHOOK_STATUSES = ["pending", "sending", "delivered", "failed"] as const;

export function shownStatus({
  id,
  status,
}: Pick<WireDelivery, "id" | "status">): (typeof WEBHOOK_STATUSES)[number] {
  return sending.has(id) ? "sending" : status;
}
