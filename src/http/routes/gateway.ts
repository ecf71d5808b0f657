import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { magicIn } from "../../core/faults/magic-values.ts";
import type { Created } from "../../core/gateway.ts";
import type { Payin } from "../../core/payments/payin.ts";
import type { Payout, PayoutOutcome } from "../../core/payments/payout.ts";
import type { WebhookConfiguration } from "../../core/webhooks/webhook-configuration.ts";
import { type Answer, toAnswer, toJsonAnswer } from "../answer.ts";
import { readBytes } from "../body.ts";
import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import { answerCall } from "../pipeline/answer-call.ts";
import type { DraftOf, Operation } from "../pipeline/operation.ts";
import { renderQrPng } from "../qr-image.ts";
import { HttpRefusal } from "../refusals.ts";

/** `POST /payins`, of both versions. */
export const createPayin = through<DraftOf<"payin">, Created<Payin>>({
  body: "payin",
  isKeyed: true,
  faults: "payins.create",
  findMagic: ({ buyerCpf }) => magicIn(buyerCpf),
  findRepeat: (call, gateway) => gateway.findRepeatedPayin(call),
  decide: ({ integration, provider, key, request, draft, trace }, gateway, fault) =>
    gateway.createPayin({ integration, provider, key, request, draft, fault, trace }),
  respond: ({ record, isRepeat }, { trace }) => toCreated(toCreatedPayin(record, trace), isRepeat),
});

/** `POST /payouts`. A payout that its rival has canceled is answered as it was created: its webhook reports the rest. */
export const createPayout = through<DraftOf<"payout">, Created<Payout>>({
  body: "payout",
  isKeyed: true,
  faults: "payouts.create",
  findMagic: ({ receiverCpf, pixKey }) => magicIn(receiverCpf, pixKey),
  findRepeat: (call, gateway) => gateway.findRepeatedPayout(call),
  decide: ({ integration, key, request, draft, trace }, gateway, fault) =>
    gateway.createPayout({ integration, key, request, draft, fault, trace }),
  respond: ({ record, isRepeat }) =>
    toCreated(JSON.stringify({ id: record.id, status: "waiting" }), isRepeat),
});

/** `POST /payins/simulations`. */
export const simulatePayin = through<DraftOf<"payinSimulation">, Payin>({
  body: "payinSimulation",
  faults: "payins.simulate",
  decide: ({ integration, draft, trace }, gateway, fault) =>
    gateway.simulatePayin(integration, draft.transactionId, draft.status, fault, trace),
  respond: (_payin, { draft, trace }) => toSimulated(draft.status, trace),
});

/** `POST /payouts/simulations`. */
export const simulatePayout = through<DraftOf<"payoutSimulation">, Payout>({
  body: "payoutSimulation",
  faults: "payouts.simulate",
  decide: ({ integration, draft, trace }, gateway, fault) =>
    gateway.simulatePayout(integration, draft.transactionId, draft.status, fault, trace),
  respond: (_payout, { draft, trace }) => toSimulated(draft.status, trace),
});

/** `PUT /v1/webhooks`. */
export const configureWebhook = through<DraftOf<"webhookConfiguration">, WebhookConfiguration>({
  body: "webhookConfiguration",
  decide: ({ integration, draft }, gateway) => gateway.configureWebhook({ ...draft, integration }),
  respond: toConfigured,
});

/** `GET /v1/webhooks`. */
export const readWebhook = through<undefined, WebhookConfiguration>({
  dependsOn: ["webhook.configuration"],
  decide: async ({ integration }, gateway) => {
    const configured = await gateway.read(integration, (view) => view.webhookConfiguration());
    if (!configured) throw new HttpRefusal(404, "NOT_PROCESSABLE", NOT_CONFIGURED);
    return configured;
  },
  respond: toConfigured,
});

/** Sends the calls of a route through the pipeline. */
function through<Draft, Result>(operation: Operation<Draft, Result>) {
  return (context: Context) =>
    async (call: Call): Promise<Answer> => {
      if (operation.body) await readBytes(call);
      return answerCall(call, operation, context);
    };
}

function toConfigured({ webhookUrl, events }: WebhookConfiguration): Answer {
  return toAnswer({ webhook_url: webhookUrl, events });
}

/** Written as text: ids are digits and dashes, so that only the code needs escaping. */
function toCreatedPayin(payin: Payin, trace: AssumptionTrace): string {
  const { id, pixId, acquirerId, qrCode, generateQrcode } = payin;
  const code = JSON.stringify(qrCode);
  const members = `"id":"${id}","pix_id":"${pixId}","acquirer_id":"${acquirerId}","qr_code":${code}`;
  if (!generateQrcode) return `{${members}}`;
  const prefix = trace.read("qr_code_base64.form") === "data_uri" ? "data:image/png;base64," : "";
  return `{${members},"qr_code_base64":"${prefix}${renderQrPng(qrCode).toString("base64")}"}`;
}

const REPLAYED = { "content-type": "application/json", "idempotent-replayed": "true" };

function toCreated(text: string, isRepeat: boolean): Answer {
  return isRepeat ? toJsonAnswer(text, REPLAYED) : toJsonAnswer(text);
}

/** The message is worded of a charge for payouts too, as the specification has it. */
function toSimulated(status: PayoutOutcome, trace: AssumptionTrace): Answer {
  trace.read("simulation.message");
  return toAnswer({ message: SIMULATED[status][trace.read("error.language")] });
}

const SIMULATED = {
  completed: {
    en: "The charge was marked as completed in staging.",
    pt: "A cobrança foi marcada como concluída em staging.",
  },
  canceled: {
    en: "The charge was marked as canceled in staging.",
    pt: "A cobrança foi marcada como cancelada em staging.",
  },
};

const NOT_CONFIGURED = {
  en: "No webhook is configured; PUT /v1/webhooks configures one.",
  pt: "Nenhum webhook está configurado; PUT /v1/webhooks configura um.",
};
