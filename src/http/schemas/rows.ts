import * as z from "zod";
import { FAULT_PLACES } from "../../core/faults/effects.ts";
import { SNAPSHOT_NAME } from "../../wire/forms.ts";
import { actedFault, instant, instantWith } from "./members.ts";

const faultId = z.string().regex(/^flt_[0-9a-f]{32}$/);

export const fault = z
  .object({
    id: faultId,
    on: z.enum(FAULT_PLACES),
    effect: z.string(),
    match: z.record(z.string(), z.unknown()).exactOptional(),
    times: z.int().min(0).exactOptional().meta({
      description: "How often it still applies; absent: always.",
    }),
    probability: z.number().min(0).max(1).exactOptional(),
    used: z.int().min(0),
    held: z
      .array(z.object({ idempotency_key: z.string().nullable() }))
      .exactOptional()
      .meta({ description: "The calls that it holds, in the order of their arrival." }),
    integration: z.string().nullable().meta({
      description: "The `x-api-token` whose calls it acts on; null: all.",
    }),
  })
  .meta({ id: "Fault", description: "A fault, and how often it was used." });

export const snapshot = z
  .object({
    name: z.string().regex(new RegExp(SNAPSHOT_NAME)),
    integration: z.string().nullable().meta({
      description:
        "The integration whose records it holds; null: all integrations, with the clock.",
    }),
    taken_at: instant,
    payins: z.int().min(0),
    payouts: z.int().min(0),
    deliveries: z.int().min(0),
  })
  .meta({
    id: "Snapshot",
    description: "A snapshot: how many records it holds, and when it was taken.",
  });

export const request = z
  .object({
    id: z.string().regex(/^req_[0-9]+$/),
    at: instant,
    method: z.string(),
    path: z.string().meta({ description: "With its query." }),
    headers: z.record(z.string(), z.string()).meta({
      description:
        "The headers as sent, with names in lower case; `x-api-token`, `authorization` and cookies are redacted.",
    }),
    body: z.string().nullable().meta({
      description:
        "Null if there was none or the request was refused before it was read; cut after 16,384 characters.",
    }),
    status: z.int(),
    response_headers: z.record(z.string(), z.string()),
    response: z.string().nullable(),
    code: z.string().nullable().meta({ description: "Why it was refused; null if it was not." }),
    message: z.string().nullable(),
    errors: z.array(z.object({ message: z.string(), code: z.string(), field: z.string() })),
    transaction_id: z
      .string()
      .nullable()
      .meta({ description: "The payin or payout that it created or simulated." }),
    is_repeat: z
      .boolean()
      .meta({ description: "Whether it got the response of an earlier request with its key." }),
    fault: actedFault.nullable(),
    lost: z
      .boolean()
      .meta({ description: "Whether the client could no longer receive the response." }),
    duration_ms: z.number().min(0),
    integration: z.string().nullable().meta({
      description: "The integration that the request named with `x-api-token`; null: none.",
    }),
  })
  .meta({ id: "Request", description: "A request that the gateway received, and its response." });

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
  .meta({ id: "SinkWebhook", description: "A webhook that the sandbox's own receiver got." });
