import * as z from "zod";
import { DELIVERY_STATUSES } from "../../core/records/delivery.ts";
import {
  actedFault,
  eventId,
  eventType,
  instant,
  instantWith,
  integration,
  uuid,
} from "./members.ts";

const attemptMembers = {
  at: instantWith({ description: "Real time, as `webhook-timestamp`." }),
  sandbox_at: instantWith({ description: "The same by the sandbox's clock." }),
  duration_ms: z.int().min(0),
  response: z.string().exactOptional().meta({
    description: "The merchant's response, cut after 16 KiB.",
  }),
  location: z.string().exactOptional().meta({
    description: "The address to which the merchant's response redirects; no redirect is followed.",
  }),
  retry_after_seconds: z.number().min(0).exactOptional(),
  resend: z.literal(true).exactOptional(),
  fault: actedFault.nullable(),
  headers: z.object({
    "content-type": z.literal("application/json"),
    "webhook-id": eventId.exactOptional(),
    "webhook-timestamp": z.string().regex(/^\d+$/).exactOptional(),
    "webhook-signature": z
      .string()
      .regex(/^v1,[A-Za-z0-9+/]+=*$/)
      .exactOptional(),
  }),
};

export const attempt = z
  .union([
    z.object({ status: z.int().min(100).max(999), ...attemptMembers }),
    z.object({ error: z.string(), ...attemptMembers }),
  ])
  .meta({
    id: "Attempt",
    description:
      "One POST of a delivery, with the merchant's `status` or, without a response, the `error`.",
  });

export const delivery = z
  .object({
    id: eventId,
    type: eventType,
    transaction_id: uuid,
    transaction: z.enum(["payin", "payout"]).meta({ description: "What that id names." }),
    url: z.string(),
    status: z.enum(DELIVERY_STATUSES),
    body: z.string().meta({
      description: "The exact text that every attempt signs and sends.",
      contentMediaType: "application/json",
      contentSchema: { $ref: "#/$defs/Webhook" },
    }),
    attempts: z.array(attempt),
    next_attempt_at: instant.nullable(),
    created_at: instant,
    fault: z.string().exactOptional().meta({
      description: "The effect of the fault that acts on it, such as `duplicate`.",
    }),
    integration,
  })
  .meta({
    id: "Delivery",
    description: "One webhook: its bytes, its address and every attempt so far.",
  });

/** The summary of a delivery that a wait shows after a timeout. */
export const seenDelivery = z.object({
  id: eventId,
  type: eventType,
  transaction_id: uuid,
  status: z.enum(DELIVERY_STATUSES),
  attempts: z.int().min(0),
  last: z.union([z.int(), z.string(), z.null()]).meta({
    description: "The result of the last attempt: the merchant's status, or the error.",
  }),
});
