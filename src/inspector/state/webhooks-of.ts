import { computed } from "@preact/signals";
import { deliveries } from "./sandbox.ts";
import type { WireDelivery } from "./wire.ts";

/** The newest webhook of each payin and payout, by the id of the transaction. */
export const newestWebhooks = computed((): ReadonlyMap<string, WireDelivery> => {
  void deliveries.version.value;
  const found = new Map<string, WireDelivery>();
  for (const delivery of deliveries)
    if (!found.has(delivery.transaction_id)) found.set(delivery.transaction_id, delivery);
  return found;
});
