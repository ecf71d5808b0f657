import * as z from "zod";
import { deliveryExample } from "./delivery.ts";
import { instantWith } from "./members.ts";
import { EVENT_ID, PAYIN_ID, TIME } from "./samples.ts";

export const sinkWebhookExample = {
  id: "sink_1",
  webhook_id: EVENT_ID,
  at: TIME,
  sandbox_at: TIME,
  sink: "order-1",
  type: "payin.paid",
  transaction_id: PAYIN_ID,
  verified: true,
  mistake: null,
  message: null,
  headers: { "user-agent": "pix-sandbox/0.1.0", ...deliveryExample.attempts[0]?.headers },
  body: deliveryExample.body,
  integration: "shop",
};

export const sinkWebhook = z
  .object({
    id: z.string().regex(/^sink_[0-9]+$/),
    webhook_id: z.string().nullable().meta({ description: "The event's id." }),
    at: instantWith({ description: "Real time, as that of an attempt." }),
    sandbox_at: instantWith({ description: "The same by the sandbox's clock." }),
    sink: z.string().meta({ description: "The id at the end of the address." }),
    type: z.string().nullable(),
    transaction_id: z.string().nullable(),
    verified: z.boolean().meta({ description: "Whether the signature is valid." }),
    mistake: z.string().nullable().meta({
      description: "Why it is not, as a name that `npx pix-sandbox webhooks verify` explains.",
    }),
    message: z.string().nullable().meta({ description: "Why it is not, in words." }),
    headers: z.record(z.string(), z.string()).meta({
      description: "With names in lower case; secrets are redacted.",
    }),
    body: z.string().meta({ description: "The raw text; cut after 16,384 characters." }),
    integration: z.string().nullable().meta({
      description: "The integration of the delivery; null if no delivery has that `webhook_id`.",
    }),
  })
  .meta({
    id: "SinkWebhook",
    description: "A webhook that the sandbox's own receiver got.",
    examples: [sinkWebhookExample],
  });
