import * as z from "zod";
import { invalidFields } from "../../core/records/errors.ts";
import { CHECK_WEBHOOK } from "../../core/state/wire-routes.ts";
import type { WireWebhookCheck } from "../../review/webhook-check.ts";
import { onAbort } from "../calls/abort.ts";
import { toAnswer } from "../calls/answer.ts";
import type { Call } from "../calls/call.ts";
import { readToken, requestedLanguage } from "../calls/headers.ts";
import { stopping, tooManyRequests } from "../calls/refusals.ts";
import { UncheckedHandler } from "../context/webhook-check.ts";
import { defineRoute, fixedBody } from "../definitions/route.ts";
import { readJson } from "../parse/body.ts";
import { createReader } from "../parse/readers.ts";
import { finding, ruleId } from "../schemas/finding.ts";
import { WEBHOOK_URL } from "../schemas/samples.ts";
import { say } from "../../text/message.ts";

const checkBody = z.strictObject({
  url: z.string().min(1).meta({
    description:
      "The handler's address: on this machine, on a host that the integration has used as `webhook_url`, or one of `--check-webhook-host`.",
  }),
  effect: z.string().optional().meta({
    description:
      "An address that shows what became of an order, with members of its charge in braces, such as `http://localhost:3000/orders/{id}`. It may be where `url` may be. The check then pays open orders of the shop: waiting payins of the integration whose `webhook_url` is `url`, at least 3, and about 40 of one value for all rules; at its end it pays them at the gateway. Of two open payouts it completes one and cancels the other.",
  }),
});

const probe = z.object({
  rules: z.array(ruleId),
  what: z.string(),
  expected: z.string(),
  seen: z.string().meta({ description: "The status and the time; never a body." }),
  result: z.enum(["equal", "changed"]).meta({
    description: "Whether the handler did what a correct one does.",
  }),
});

const example: WireWebhookCheck = {
  rules: [
    {
      id: "valid_signature_refused",
      verdict: "pass",
      says: "It accepted a webhook whose signature is valid.",
      evidence: [],
    },
  ],
  probes: [
    {
      rules: ["bad_signature_accepted"],
      what: "a forged signature",
      expected: "not 2xx",
      seen: "401 after 0.1 s",
      result: "equal",
    },
  ],
  notes: [],
};

const webhookCheck = z
  .object({ rules: z.array(finding), probes: z.array(probe), notes: z.array(z.string()) })
  .meta({
    id: "WebhookCheck",
    description:
      "The verdict on each rule that a check can judge, and each webhook that it sent. The texts are in English, or in Portuguese if the call has the header `x-sandbox-language: pt`.",
    examples: [example],
  }) satisfies z.ZodType<WireWebhookCheck>;

export const routes = [
  defineRoute({
    at: CHECK_WEBHOOK,
    id: "checkWebhook",
    tag: "Webhooks",
    summary:
      "Sends a handler valid and forged webhooks, as the command `check-webhook` does without an order, and judges its responses, or with `effect` what it does. It follows no redirect, and takes up to 24 s, with `effect` up to 144 s.",
    caller: "integration",
    body: fixedBody("WebhookCheckRequest", checkBody, {
      handler: { url: WEBHOOK_URL },
      effect: { url: WEBHOOK_URL, effect: "http://localhost:3000/orders/{id}" },
    }),
    answer: webhookCheck,
    refusals: ["checkUnderWay", "stopping", "unwritable"],
    handle: async (call, { checkWebhook, closing }) => {
      const asked = await readRequest(call);
      const over = new AbortController();
      const stopListening = onAbort(closing, () => over.abort());
      call.onDisconnect(() => over.abort());
      const language = requestedLanguage(call) ?? "en";
      const order = { ...asked, token: readToken(call), language, signal: over.signal };
      try {
        return toAnswer(await checkWebhook(order));
      } catch (error) {
        // The client has gone, or the sandbox stops.
        if (over.signal.aborted) throw stopping();
        if (!(error instanceof UncheckedHandler)) throw error;
        if (error.why === "busy") throw tooManyRequests(error.text, AGAIN_SECONDS);
        throw invalidFields([{ field: error.why, code: "INVALID_VALUE", message: error.text }]);
      } finally {
        stopListening();
      }
    },
  }),
];

/** When a refused check may be sent again. */
const AGAIN_SECONDS = 5;

async function readRequest(call: Call): Promise<z.output<typeof checkBody>> {
  const reading = readMembers(await readJson(call));
  if ("fields" in reading) throw invalidFields(reading.fields);
  return reading.draft;
}

const readMembers = createReader(
  checkBody,
  { url: say`url must be text.`, effect: say`effect must be text.` },
  (body) => body,
);
