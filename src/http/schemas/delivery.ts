import * as z from "zod";
import { DELIVERY_STATUSES } from "../../core/records/delivery.ts";
import { eventId, uuid } from "./ids.ts";
import { actedFault, eventType, instant, instantWith, integration } from "./members.ts";
import { paidExample, webhookPayin } from "./payin.ts";
import { webhookPayout } from "./payout.ts";
import { EVENT_ID, PAYIN_ID, TIME, WEBHOOK_URL } from "./samples.ts";

const webhookExample = { id: EVENT_ID, type: "payin.paid", created_at: TIME, data: paidExample };

export const webhook = z
  .object({
    id: eventId,
    type: eventType,
    created_at: instantWith({
      description: "The sandbox's time; `webhook-timestamp` has the real time.",
    }),
    data: z.union([webhookPayin, webhookPayout]),
  })
  .meta({
    id: "Webhook",
    description: "The body of a webhook. Every attempt and every resend carries the same bytes.",
    examples: [webhookExample],
  });

const attemptExample = {
  at: TIME,
  sandbox_at: TIME,
  status: 200,
  duration_ms: 33,
  response: "OK",
  fault: null,
  headers: {
    "content-type": "application/json",
    "webhook-id": EVENT_ID,
    "webhook-timestamp": "1795262400",
    "webhook-signature": "v1,Chkv0p28nHiAjVBZj+X3QxP7ccfsm46cu4pKq1Wlm4c=",
  },
};

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
    examples: [attemptExample],
  });

export const deliveryExample = {
  id: EVENT_ID,
  type: "payin.paid",
  transaction_id: PAYIN_ID,
  url: WEBHOOK_URL,
  status: "delivered",
  body: JSON.stringify(webhookExample),
  attempts: [attemptExample],
  next_attempt_at: null,
  created_at: TIME,
  integration: "shop",
};

const deliveryMembers = z.object({
  id: eventId,
  type: eventType,
  transaction_id: uuid,
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
});

export const delivery = deliveryMembers.meta({
  id: "Delivery",
  description: "One webhook: its bytes, its address and every attempt so far.",
  examples: [deliveryExample],
});

export const attemptEventExample = {
  event_number: 5,
  ...deliveryExample,
  attempt_number: 1,
  attempt: attemptExample,
};

export const attemptEvent = z
  .object({
    event_number: z.int().min(1),
    ...deliveryMembers.shape,
    attempt_number: z.int().min(1),
    attempt,
  })
  .meta({
    id: "AttemptEvent",
    description:
      "An attempt, with its delivery as it was after the attempt; `event_number` is the event's id.",
    examples: [attemptEventExample],
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
