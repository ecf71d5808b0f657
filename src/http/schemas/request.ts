import * as z from "zod";
import { actedFault, instant } from "./members.ts";
import { createdPayinExample, payinRequestExample } from "./created-payin.ts";
import { TIME } from "./samples.ts";

export const requestExample = {
  id: "req_1",
  at: TIME,
  method: "POST",
  path: "/v1/payins",
  headers: {
    host: "127.0.0.1:7490",
    "content-type": "application/json",
    "x-api-token": "[redacted]",
    "x-provider-id": "42",
    "x-provider": "Loja da Maria",
    "x-country-code": "BR",
    "x-idempotency-key": "06fb787a-240b-4cc9-981a-8f8f018e5c72",
  },
  body: JSON.stringify(payinRequestExample),
  status: 200,
  response_headers: { "content-type": "application/json" },
  response: JSON.stringify(createdPayinExample),
  code: null,
  message: null,
  errors: [],
  transaction_id: createdPayinExample.id,
  is_repeat: false,
  fault: null,
  lost: false,
  duration_ms: 1.5,
  integration: "shop",
};

export const request = z
  .object({
    id: z.string().regex(/^req_[0-9]+$/),
    at: instant,
    method: z.string(),
    path: z.string(),
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
  .meta({
    id: "Request",
    description: "A request that the gateway received, and its response.",
    examples: [requestExample],
  });
