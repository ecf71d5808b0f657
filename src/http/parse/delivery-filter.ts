import * as z from "zod";
import type { DeliveryFilter } from "../../core/state/view.ts";
import { DELIVERY_STATUSES } from "../../core/records/delivery.ts";

const text = (description: string) => z.string().min(1).optional().meta({ description });

/** Selects deliveries; all of them if it is empty. Strict: a misspelled name must not select all. */
export const deliveryFilter = z.strictObject({
  status: z.enum(DELIVERY_STATUSES).optional().meta({ description: "The delivery's status." }),
  type: text("The event's type, such as `payin.paid`."),
  transaction_id: text("The id of the payin or payout."),
});

export function toFilter({
  transaction_id,
  status,
  type,
}: z.output<typeof deliveryFilter>): DeliveryFilter {
  return { status, type, transactionId: transaction_id };
}
