import * as z from "zod";
import {
  CONFIGURED_EVENTS,
  type WebhookConfiguration,
} from "../../core/records/webhook-configuration.ts";
import { CONFIGURE_WEBHOOKS, SHOW_WEBHOOK_CONFIGURATION } from "../../core/state/wire-routes.ts";
import { toAnswer } from "../calls/answer.ts";
import { defineGatewayRoute } from "./gateway-route.ts";
import type { DraftOf } from "../parse/readers.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import { WEBHOOK_URL } from "../schemas/samples.ts";
import { say } from "../../text/message.ts";

const example = { webhook_url: WEBHOOK_URL, events: ["payment.received", "payment.failed"] };

const configuredWebhook = z
  .object({
    webhook_url: z.string(),
    events: z.array(z.enum(CONFIGURED_EVENTS)).min(1),
  })
  .meta({
    id: "ConfiguredWebhook",
    description: "An integration's configured webhook.",
    examples: [example],
  });

const respond = ({ webhookUrl, events }: WebhookConfiguration) =>
  toAnswer({ webhook_url: webhookUrl, events: [...events] });

export const routes = [
  defineGatewayRoute<
    DraftOf<"webhookConfiguration">,
    WebhookConfiguration,
    typeof configuredWebhook
  >({
    at: CONFIGURE_WEBHOOKS,
    id: "configureWebhook",
    summary:
      "Configures an address that receives webhooks in addition to each transaction's `webhook_url`.",
    body: "webhookConfiguration",
    bodyId: "WebhookConfiguration",
    examples: () => ({ "webhook-configuration": example }),
    answer: configuredWebhook,
    decide: ({ integration, draft }, gateway) =>
      gateway.configureWebhook({ ...draft, integration }),
    respond,
  }),

  defineGatewayRoute<undefined, WebhookConfiguration, typeof configuredWebhook>({
    at: SHOW_WEBHOOK_CONFIGURATION,
    id: "readWebhook",
    summary: "Reads the configured webhook.",
    dependsOn: ["webhook.configuration"],
    answer: configuredWebhook,
    refusals: ["notConfigured"],
    decide: async ({ integration }, gateway) => {
      const configured = await gateway.read(integration, (view) => view.webhookConfiguration());
      if (!configured) throw new HttpRefusal(404, "NOT_PROCESSABLE", NOT_CONFIGURED);
      return configured;
    },
    respond,
  }),
];

const NOT_CONFIGURED = say`No webhook is configured; PUT /v1/webhooks configures one.`;
