import * as z from "zod";
import { FAULT_PLACES } from "../../core/faults/effects.ts";
import { SNAPSHOT_NAME } from "../../wire/forms.ts";
import { actedFault, count, headers, instant } from "./members.ts";

export const fault = z
  .object({
    id: z.string().regex(/^flt_[0-9a-f]{32}$/),
    on: z.enum(FAULT_PLACES),
    effect: z.string(),
    match: z.record(z.string(), z.unknown()).exactOptional(),
    times: count.exactOptional().describe("How often it still applies; absent: always."),
    probability: z.number().min(0).max(1).exactOptional(),
    used: count,
    held: z
      .array(z.object({ idempotency_key: z.string().nullable() }))
      .exactOptional()
      .describe("The calls that it holds, in the order of their arrival."),
    integration: z
      .string()
      .nullable()
      .describe("The `x-api-token` whose calls it acts on; null: all."),
  })
  .meta({ id: "Fault", description: "A fault, and how often it was used." });

export const snapshot = z
  .object({
    name: z.string().regex(new RegExp(SNAPSHOT_NAME)),
    integration: z.string().nullable().describe("Null: all integrations, with the clock."),
    taken_at: instant,
    payins: count,
    payouts: count,
    deliveries: count,
  })
  .meta({ id: "Snapshot", description: "A snapshot, and how many records it holds." });

const shownHeaders = headers.describe(
  "With names in lower case; `x-api-token`, `authorization` and cookies are redacted.",
);

export const request = z
  .object({
    id: z.string().regex(/^req_[0-9]+$/),
    at: instant,
    method: z.string(),
    path: z.string().describe("With its query."),
    headers: shownHeaders,
    body: z.string().nullable().describe("Null if none was read; cut after 16,384 characters."),
    status: count,
    response_headers: headers,
    response: z.string().nullable(),
    code: z.string().nullable().describe("Why it was refused; null if it was not."),
    message: z.string().nullable(),
    errors: z.array(z.object({ message: z.string(), code: z.string(), field: z.string() })),
    transaction_id: z
      .string()
      .nullable()
      .describe("The payin or payout that it created or simulated."),
    is_repeat: z
      .boolean()
      .describe("Whether it got the response of an earlier request with its key."),
    fault: actedFault,
    lost: z.boolean().describe("Whether the client could no longer receive the response."),
    duration_ms: z.number().min(0),
    integration: z.string().nullable().describe("Its `x-api-token`; null: none."),
  })
  .meta({ id: "Request", description: "A request that the gateway received, and its response." });

export const sinkWebhook = z
  .object({
    id: z.string().regex(/^sink_[0-9]+$/),
    webhook_id: z.string().nullable().describe("The event's id."),
    at: instant.describe("Real time, as that of an attempt."),
    sandbox_at: instant.describe("The same by the sandbox's clock."),
    sink: z.string().describe("The id at the end of the address."),
    type: z.string().nullable(),
    transaction_id: z.string().nullable(),
    verified: z.boolean().describe("Whether the signature is valid."),
    mistake: z.string().nullable().describe("Why it is not: `webhooks verify` explains the name."),
    message: z.string().nullable().describe("The same in words."),
    headers: shownHeaders,
    body: z.string().describe("The raw text; cut after 16,384 characters."),
    integration: z.string().nullable().describe("The delivery's; null if it is unknown."),
  })
  .meta({ id: "SinkWebhook", description: "A webhook that the sandbox's own receiver got." });
