import * as z from "zod";
import { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { magicIn } from "../../core/faults/magic.ts";
import type { Created } from "../../core/operations/gateway.ts";
import { RECEIVER, sampleValue } from "../../wire/sample.ts";
import {
  type Kind,
  type Payin,
  CONFIGURED_EVENTS,
  type WebhookConfiguration,
} from "../../core/records/transaction.ts";
import { type Answer, JSON_HEADERS, toAnswer } from "../calls/call.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import type { NamesOf, Route } from "../definitions/route.ts";
import {
  BODIES,
  type DraftOf,
  type GatewayBody,
  readerOf,
  type Simulation,
} from "../parse/bodies.ts";
import { answerCall, type Operation, type ReadCall } from "../pipeline/answer-call.ts";
import { SAMPLES } from "../schemas/members.ts";
import { createdPayin, createdPayout, payinExample } from "../schemas/records.ts";
import { say } from "../../text/message.ts";
import { translate } from "../../text/languages.ts";

const simulated = z.object({ message: z.string() }).meta({
  id: "Simulated",
  description: "A simulation's confirmation; the text says 'charge' for payouts too.",
  examples: [{ message: "The charge was marked as completed in staging." }],
});

const webhookExample = {
  webhook_url: SAMPLES.webhookUrl,
  events: ["payment.received", "payment.failed"],
};

const fullExample = {
  ...payinExample,
  description: "Pedido 1042: café em grãos ☕",
  generate_qrcode: true,
  expiration: 3600,
};

const payoutExample = {
  ...RECEIVER,
  value: 25.75,
  description: "Repasse de vendas",
  webhook_url: SAMPLES.webhookUrl,
};

const configuredWebhook = z
  .object({ webhook_url: z.string(), events: z.array(z.enum(CONFIGURED_EVENTS)).min(1) })
  .meta({
    id: "ConfiguredWebhook",
    description: "An integration's configured webhook.",
    examples: [webhookExample],
  });

const createPayin = (summary: string) =>
  gatewayRoute({
    summary,
    body: "payin",
    examples: { payin: payinExample, full: fullExample },
    creates: "payin",
    faults: "payins.create",
    answer: createdPayin,
    findMagic: ({ buyer_cpf }) => magicIn(buyer_cpf),
    decide: (call, gateway) => gateway.create("payin", call),
    respond: toCreatedPayin,
  });

const simulation = (kind: Kind, summary: string) =>
  gatewayRoute({
    summary,
    body: `${kind}Simulation`,
    examples: { simulation: { transaction_id: SAMPLES.payinId, status: "completed" } },
    faults: `${kind}s.simulate`,
    answer: simulated,
    refusals: ["simulation"],
    decide: ({ integration, draft: { transaction_id: id, status }, fault, trace }, gateway) =>
      gateway.simulate(kind, { integration, id, status, fault, trace }),
    respond: (_transaction, call) => toSimulated(call),
  });

/** The documented gateway, which a merchant's program calls. */
export const gatewayRoutes = {
  "POST /v1/payins": createPayin("Creates a charge."),
  "POST /v2/payins": createPayin(
    "Creates a charge, as the second version does: its errors are RFC 9457 problems.",
  ),

  "POST /v1/payins/simulations": simulation(
    "payin",
    "Forces a charge to its final status, in staging; its webhook is sent.",
  ),

  "POST /v1/payouts": gatewayRoute({
    summary: "Sends money to a receiver.",
    body: "payout",
    examples: { payout: payoutExample },
    creates: "payout",
    faults: "payouts.create",
    answer: createdPayout,
    refusals: ["rival"],
    findMagic: ({ receiver_cpf, pix_key }) => magicIn(receiver_cpf, pix_key),
    decide: (call, gateway) => gateway.create("payout", call),
    respond: (result) => toCreated({ id: result.transaction.record.id, status: "waiting" }, result),
  }),

  "POST /v1/payouts/simulations": simulation(
    "payout",
    "Forces a payout to a final status, in staging; its webhook is sent.",
  ),

  "PUT /v1/webhooks": gatewayRoute({
    summary:
      "Configures an address that receives webhooks in addition to each transaction's `webhook_url`.",
    body: "webhookConfiguration",
    examples: { "webhook-configuration": webhookExample },
    answer: configuredWebhook,
    decide: async ({ integration, draft }, gateway) => {
      const configuration = { ...draft, integration };
      await gateway.put([["webhookConfigurations", configuration]]);
      return configuration;
    },
    respond: toConfigured,
  }),

  "GET /v1/webhooks": gatewayRoute({
    summary: "Reads the configured webhook.",
    dependsOn: ["webhook.configuration"],
    answer: configuredWebhook,
    refusals: ["notConfigured"],
    async decide({ integration }, gateway) {
      const configured = await gateway.read(integration, (view) =>
        view.find("webhookConfigurations", integration),
      );
      if (!configured) throw new HttpRefusal(404, NOT_CONFIGURED);
      return configured;
    },
    respond: toConfigured,
  }),
};

interface GatewayDefinition<
  Body extends GatewayBody,
  Result,
  Schema extends z.ZodType,
> extends Omit<Operation<DraftOf<Body>, Result>, "readerOf"> {
  readonly summary: string;
  /** Absent if it takes no body. */
  readonly body?: Body;
  /** By their names, with amounts in reais. */
  readonly examples?: Readonly<
    Record<string, { readonly value?: number; readonly [member: string]: unknown }>
  >;
  readonly answer: Schema;
  readonly refusals?: NonNullable<Route["gateway"]>["refusals"];
  readonly respond: (
    result: Result,
    call: ReadCall<DraftOf<Body>>,
  ) => Answer<z.output<Schema>> | Promise<Answer<z.output<Schema>>>;
}

type BodyNames<Body extends GatewayBody> = NamesOf<ReturnType<(typeof BODIES)[Body]>["schema"]>;

/** Defines a route of the gateway: its calls run through the pipeline. */
function gatewayRoute<Schema extends z.ZodType, Result, Body extends GatewayBody = never>(
  definition: GatewayDefinition<Body, Result, Schema>,
): Route<z.output<Schema>, BodyNames<Body>> {
  const { summary, body, examples = {}, answer, refusals, creates } = definition;
  const operation: Operation<DraftOf<Body>, Result> = {
    ...definition,
    readerOf: body && ((assumptions) => readerOf(body, assumptions)),
  };
  return {
    summary,
    answer,
    operation: definition.faults,
    gateway: {
      isKeyed: creates !== undefined,
      refusals,
      body:
        body &&
        ((assumptions) => ({
          ...BODIES[body](new AssumptionTrace(assumptions)),
          examples: Object.fromEntries(
            Object.entries(examples).map(([name, { value, ...members }]) => {
              const amount = value && { value: sampleValue(assumptions["value.unit"], value) };
              return [name, { ...amount, ...members }];
            }),
          ),
        })),
    },
    handle: (call, context) => answerCall(call, operation, context),
  };
}

/** The response of a creation. */
function toCreated<Value>(value: Value, { transaction, isRepeat }: Created): Answer<Value> {
  const { headers, ...answer } = toAnswer(value);
  const outcome = { transactionId: transaction.record.id, isRepeat };
  return { ...answer, headers: isRepeat ? REPLAYED : headers, outcome };
}

const REPLAYED = { ...JSON_HEADERS, "idempotent-replayed": "true" };

/** The response of a simulation. It names a charge for payouts too, as in the specification. */
function toSimulated({
  draft: { status, transaction_id: transactionId },
  trace,
}: ReadCall<Simulation>): Answer<z.output<typeof simulated>> {
  trace.read("simulation.message");
  const message = translate(SIMULATED[status], trace.read("error.language"));
  return { ...toAnswer({ message }), outcome: { transactionId } };
}

const SIMULATED = {
  completed: say`The charge was marked as completed in staging.`,
  canceled: say`The charge was marked as canceled in staging.`,
};

function toConfigured({ webhook_url, events }: WebhookConfiguration) {
  return toAnswer({ webhook_url, events: [...events] });
}

const NOT_CONFIGURED = say`No webhook is configured; PUT /v1/webhooks configures one.`;

async function toCreatedPayin(
  created: Created,
  { trace }: ReadCall<unknown>,
): Promise<Answer<z.output<typeof createdPayin>>> {
  const { id, pix_id, acquirer_id, qr_code, generate_qrcode } = created.transaction.record as Payin;
  const members = { id, pix_id, acquirer_id, qr_code };
  if (!generate_qrcode) return toCreated(members, created);
  const prefix = trace.read("qr_code_base64.form") === "data_uri" ? "data:image/png;base64," : "";
  // Loaded for the first payin that wants an image.
  const { renderQrPng } = await import("../calls/qr-image.ts");
  const image = renderQrPng(qr_code).toString("base64");
  return toCreated({ ...members, qr_code_base64: `${prefix}${image}` }, created);
}
