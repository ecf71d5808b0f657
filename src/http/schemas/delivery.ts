import * as z from "zod";
import { DELIVERY_STATUSES } from "../../core/records/delivery.ts";
import { actedFault, count, eventId, eventType, instant, integration, uuid } from "./members.ts";

export const attempt = z
  .object({
    at: instant.describe("Real time, as `webhook-timestamp`."),
    sandbox_at: instant.describe("The same by the sandbox's clock."),
    status: z.int().min(100).max(999).exactOptional(),
    error: z.string().exactOptional().describe("Why there is no `status`."),
    duration_ms: count,
    response: z.string().exactOptional().describe("The merchant's response, cut after 16 KiB."),
    location: z.string().exactOptional().describe("Where a redirect leads; it is not followed."),
    retry_after_seconds: z.number().min(0).exactOptional(),
    resend: z.literal(true).exactOptional(),
    fault: actedFault,
    headers: z.object({
      "content-type": z.literal("application/json"),
      "webhook-id": eventId.exactOptional(),
      "webhook-timestamp": z.string().regex(/^\d+$/).exactOptional(),
      "webhook-signature": z
        .string()
        .regex(/^v1,[A-Za-z0-9+/]+=*$/)
        .exactOptional(),
    }),
  })
  .meta({ id: "Attempt", description: "One POST of a delivery, and the merchant's response." });

/** The members that identify a delivery. */
const delivered = {
  id: eventId,
  type: eventType,
  transaction_id: uuid,
  status: z.enum(DELIVERY_STATUSES),
};

export const delivery = z
  .object({
    ...delivered,
    transaction: z.enum(["payin", "payout"]).describe("What that id names."),
    url: z.string(),
    body: z.string().meta({
      description: "The exact text that every attempt signs and sends.",
      contentMediaType: "application/json",
      contentSchema: { $ref: "#/$defs/Webhook" },
    }),
    attempts: z.array(attempt),
    next_attempt_at: instant.nullable(),
    created_at: instant,
    fault: z.string().exactOptional().describe("The effect of the fault that acts on it."),
    integration,
  })
  .meta({ id: "Delivery", description: "One webhook, with every attempt so far." });

/** The summary of a delivery that a wait shows after a timeout. */
export const seenDelivery = z.object({
  ...delivered,
  attempts: count,
  last: z.union([z.int(), z.string(), z.null()]).describe("The last attempt's status or error."),
});
