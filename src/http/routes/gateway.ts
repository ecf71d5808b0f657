import * as z from "zod";
import type { Assumptions } from "../../core/assumptions/table.ts";
import { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { magicIn } from "../../core/faults/magic.ts";
import type { Created } from "../../core/operations/gateway.ts";
import { sampleValue } from "../../wire/sample.ts";
import {
  type TransactionOf,
  CONFIGURED_EVENTS,
  type WebhookConfiguration,
} from "../../core/records/transaction.ts";
import type { PixKeyType } from "../../core/records/checks.ts";
import { type Answer, JSON_HEADERS, toAnswer } from "../calls/answer.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import type { NamesOf, Route } from "../definitions/route.ts";
import {
  BODIES,
  type DraftOf,
  type GatewayBody,
  readerOf,
  type Simulation,
} from "../parse/bodies.ts";
import { answerCall, type Operation } from "../pipeline/answer-call.ts";
import type { ReadCall } from "../pipeline/read-call.ts";
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

const configuredWebhook = z
  .object({
    webhook_url: z.string(),
    events: z.array(z.enum(CONFIGURED_EVENTS)).min(1),
  })
  .meta({
    id: "ConfiguredWebhook",
    description: "An integration's configured webhook.",
    examples: [webhookExample],
  });

const createPayin = (summary: string) =>
  gatewayRoute<"payin", Created<TransactionOf<"payin">>, typeof createdPayin>({
    summary,
    body: "payin",
    bodyId: "PayinRequest",
    examples: payinExamples,
    isKeyed: true,
    faults: "payins.create",
    answer: createdPayin,
    findMagic: ({ buyer_cpf }) => magicIn(buyer_cpf),
    findRepeat: (call, gateway) => gateway.repeatOf("payin", call),
    decide: (call, gateway) => gateway.create("payin", call),
    respond: (result, { trace }) => toCreatedPayin(result, trace),
  });

/** The documented gateway, which a merchant's program calls. */
export const gatewayRoutes = {
  "POST /v1/payins": createPayin("Creates a charge."),
  "POST /v2/payins": createPayin(
    "Creates a charge, as the second version does: its errors are RFC 9457 problems.",
  ),

  "POST /v1/payins/simulations": gatewayRoute<
    "payinSimulation",
    TransactionOf<"payin">,
    typeof simulated
  >({
    summary: "Forces a charge to its final status, in staging; its webhook is sent.",
    body: "payinSimulation",
    bodyId: "PayinSimulation",
    examples: () => ({
      "payin-simulation": {
        transaction_id: "7d5d1c9e-3f0a-4b6c-9a53-0c6a9f1f2b10",
        status: "completed",
      },
    }),
    faults: "payins.simulate",
    answer: simulated,
    refusals: ["simulation"],
    decide: ({ integration, draft, fault, trace }, gateway) =>
      gateway.simulate("payin", { integration, ...draft, fault, trace }),
    respond: (_payin, call) => toSimulated(call),
  }),

  "POST /v1/payouts": gatewayRoute<
    "payout",
    Created<TransactionOf<"payout">>,
    typeof createdPayout
  >({
    summary: "Sends money to a receiver.",
    body: "payout",
    bodyId: "PayoutRequest",
    examples: payoutExamples,
    isKeyed: true,
    faults: "payouts.create",
    answer: createdPayout,
    refusals: ["rival"],
    findMagic: ({ receiver_cpf, pix_key }) => magicIn(receiver_cpf, pix_key),
    findRepeat: (call, gateway) => gateway.repeatOf("payout", call),
    decide: (call, gateway) => gateway.create("payout", call),
    respond: (result) =>
      toCreated(JSON.stringify({ id: result.transaction.record.id, status: "waiting" }), result),
  }),

  "POST /v1/payouts/simulations": gatewayRoute<
    "payoutSimulation",
    TransactionOf<"payout">,
    typeof simulated
  >({
    summary: "Forces a payout to a final status, in staging; its webhook is sent.",
    body: "payoutSimulation",
    bodyId: "PayoutSimulation",
    examples: () => ({
      "payout-simulation": {
        transaction_id: "f2b1c7a4-52d8-4e0b-8d1f-6f3f0a9c4e21",
        status: "completed",
      },
    }),
    faults: "payouts.simulate",
    answer: simulated,
    refusals: ["simulation"],
    decide: ({ integration, draft, fault, trace }, gateway) =>
      gateway.simulate("payout", { integration, ...draft, fault, trace }),
    respond: (_payout, call) => toSimulated(call),
  }),

  "PUT /v1/webhooks": gatewayRoute<
    "webhookConfiguration",
    WebhookConfiguration,
    typeof configuredWebhook
  >({
    summary:
      "Configures an address that receives webhooks in addition to each transaction's `webhook_url`.",
    body: "webhookConfiguration",
    bodyId: "WebhookConfiguration",
    examples: () => ({ "webhook-configuration": webhookExample }),
    answer: configuredWebhook,
    decide: ({ integration, draft }, gateway) =>
      gateway.configureWebhook({ ...draft, integration }),
    respond: toConfigured,
  }),

  "GET /v1/webhooks": gatewayRoute<never, WebhookConfiguration, typeof configuredWebhook>({
    summary: "Reads the configured webhook.",
    dependsOn: ["webhook.configuration"],
    answer: configuredWebhook,
    refusals: ["notConfigured"],
    async decide({ integration }, gateway) {
      const configured = await gateway.read(integration, (view) => view.webhookConfiguration());
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
  /** The name of the body's schema in the document. */
  readonly bodyId?: string;
  readonly examples?: (assumptions: Assumptions) => Readonly<Record<string, unknown>>;
  readonly answer: Schema;
  readonly refusals?: NonNullable<Route["gateway"]>["refusals"];
  readonly respond: (
    result: Result,
    call: ReadCall<DraftOf<Body>>,
  ) => Answer<z.output<Schema>> | Promise<Answer<z.output<Schema>>>;
}

type BodyNames<Body extends GatewayBody> = NamesOf<ReturnType<(typeof BODIES)[Body]>["schema"]>;

/** Defines a route of the gateway: its calls run through the pipeline. */
function gatewayRoute<Body extends GatewayBody, Result, Schema extends z.ZodType>(
  definition: GatewayDefinition<Body, Result, Schema>,
): Route<z.output<Schema>, BodyNames<Body>> {
  const { summary, body, bodyId, examples, answer, refusals, isKeyed = false } = definition;
  const operation: Operation<DraftOf<Body>, Result> = {
    ...definition,
    readerOf: body && ((assumptions) => readerOf(body, assumptions)),
  };
  return {
    summary,
    answer,
    operation: definition.faults,
    gateway: {
      isKeyed,
      bodyId,
      refusals,
      describeBody:
        body &&
        ((assumptions) => ({
          ...BODIES[body](new AssumptionTrace(assumptions)),
          examples: examples?.(assumptions) ?? {},
        })),
    },
    handle: (call, context) => answerCall(call, operation, context),
  };
}

/** The response of a creation, from its JSON text. */
function toCreated<Value>(text: string, { transaction, isRepeat }: Created): Answer<Value> {
  const transactionId = transaction.record.id;
  const headers = isRepeat ? REPLAYED : JSON_HEADERS;
  return { status: 200, headers, body: text, outcome: { transactionId, isRepeat } };
}

const REPLAYED = { ...JSON_HEADERS, "idempotent-replayed": "true" };

/** The response of a simulation. It names a charge for payouts too, as in the specification. */
function toSimulated({
  draft: { status, id: transactionId },
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

/** Written as text: ids are digits and dashes, so that only the code needs escaping. */
function toCreatedPayin(
  created: Created<TransactionOf<"payin">>,
  trace: AssumptionTrace,
): Answer<z.output<typeof createdPayin>> | Promise<Answer<z.output<typeof createdPayin>>> {
  const { id, pix_id, acquirer_id, qr_code, generate_qrcode } = created.transaction.record;
  const code = JSON.stringify(qr_code);
  const members = `"id":"${id}","pix_id":"${pix_id}","acquirer_id":"${acquirer_id}","qr_code":${code}`;
  if (!generate_qrcode) return toCreated(`{${members}}`, created);
  const prefix = trace.read("qr_code_base64.form") === "data_uri" ? "data:image/png;base64," : "";
  return toQrBase64(qr_code).then((image) =>
    toCreated(`{${members},"qr_code_base64":"${prefix}${image}"}`, created),
  );
}

/** What draws the image is loaded for the first payin that wants one. */
async function toQrBase64(code: string): Promise<string> {
  const { renderQrPng } = await import("../calls/qr-image.ts");
  return renderQrPng(code).toString("base64");
}

/** The payins of `fixtures/requests`, with amounts in the unit that is in force. */
function payinExamples(assumptions: Assumptions) {
  const unit = assumptions["value.unit"];
  return {
    payin: { ...payinExample, value: sampleValue(unit) },
    "payin-full": {
      ...payinExample,
      value: sampleValue(unit, 149.9),
      description: "Pedido 1042: café em grãos ☕",
      generate_qrcode: true,
      expiration: 3600,
    },
  };
}

/** The payouts of `fixtures/requests`. */
function payoutExamples(assumptions: Assumptions) {
  const payout = (pix_key_type: PixKeyType, pix_key: string) => ({
    value: sampleValue(assumptions["value.unit"], 25.75),
    description: "Repasse de vendas",
    receiver_cpf: "52998224725",
    receiver_name: "João Pereira",
    receiver_email: "joao.pereira@example.com",
    webhook_url: SAMPLES.webhookUrl,
    pix_key,
    pix_key_type,
  });
  return {
    "payout-cpf": payout("cpf", "52998224725"),
    "payout-email": payout("email", "joao.pereira@example.com"),
    "payout-evp": payout("evp", "123e4567-e89b-12d3-a456-426655440000"),
    "payout-phone": payout("phone", "+5511987654321"),
  };
}
