import type { WireDelivery } from "../../core/state/wire.ts";
import type { RuleId } from "../../review/rules.ts";
import { isDistrust, judgeWebhookAnswer } from "../../review/webhook-answer.ts";
import { type FreshIntegration, isFinal } from "./fresh-integration.ts";
import { type Handler, isAccepted, LIMIT_MS, type Outcome } from "./handler.ts";
import { signBody, type SignedWebhook } from "../hand-made-webhook.ts";
import { toCurl, type WebhookEvent } from "./webhook.ts";
import { type Message, say } from "../../text/message.ts";

/** A valid webhook that the handler was sent first: without it, a refusal shows nothing. */
export interface Control {
  readonly event: WebhookEvent;
  readonly webhook: SignedWebhook;
  readonly outcome: Outcome;
}

/** The rules that the response to the valid control shows. */
export const CONTROL_RULES = [
  "webhook_answer_slow",
  "webhook_answer_not_200",
  "webhook_answer_redirects",
  "webhook_never_received",
  "valid_signature_refused",
] as const satisfies readonly RuleId[];

/**
 * Has a payin of a fresh integration paid. If the handler's secret is the sandbox's, the sandbox sends the webhook;
 * otherwise, or if a fault or an assumption changes it, the command signs the same body and sends it.
 */
export async function sendControl(
  integration: FreshIntegration,
  handler: Handler,
  secret: string,
  { sinkUrl, signal }: { readonly sinkUrl: string; readonly signal: AbortSignal },
): Promise<Control> {
  const isOwn = (await integration.secret()) === secret;
  const delivery = await integration.paidPayin(isOwn ? handler.url : sinkUrl);
  const event = JSON.parse(delivery.body) as WebhookEvent;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const after = isOwn ? await integration.attempted(delivery.id, limited) : delivery;
  signal.throwIfAborted();
  const sent = isOwn && delivery.fault === undefined ? readSent(after) : undefined;
  if (sent) return { event, ...sent };
  const webhook = signBody(event.id, delivery.body, secret);
  const isUnanswered = isOwn && delivery.fault === undefined && limited.aborted;
  const outcome = isUnanswered ? NO_RESPONSE : await handler.post(webhook);
  return { event, webhook, outcome };
}

const NO_RESPONSE: Outcome = {
  status: null,
  error: `no answer within ${LIMIT_MS / 1000} s`,
  durationMs: LIMIT_MS,
};

/** What the sandbox sent, if that was a signed webhook. */
function readSent({ id, body, attempts }: WireDelivery) {
  const attempt = attempts.find(isFinal);
  const headers = attempt?.headers as Readonly<Record<string, string>> | undefined;
  const signature = headers?.["webhook-signature"];
  if (!attempt || signature === undefined) return undefined;
  const { duration_ms: durationMs, location } = attempt;
  const webhook = { id, body, signature, timestamp: Number(headers?.["webhook-timestamp"]) };
  const outcome: Outcome = {
    status: "status" in attempt ? attempt.status : null,
    error: "error" in attempt ? attempt.error : null,
    durationMs,
    ...(location !== undefined && { location }),
  };
  return { webhook, outcome };
}

/** How a receiver can ask for another attempt later, because it does not know the transaction yet. */
const UNKNOWN = new Set([404, 409, 410, 422, 425, 429, 503]);

/** Whether a handler can have refused the control only because it does not know the transaction. */
export function mayBeUnknown({ status }: Outcome): boolean {
  return status !== null && status >= 400;
}

/** The rules that the response to the control breaks, and those that it keeps. */
export function judgeControl(
  outcome: Outcome,
  knowsTransaction: boolean,
  only200: boolean,
): { readonly broken: readonly RuleId[]; readonly kept: readonly RuleId[] } {
  const { status } = outcome;
  const judged = [...judgeWebhookAnswer(outcome, only200)];
  if (isAccepted(outcome))
    judged.push(["webhook_never_received", false], ["valid_signature_refused", false]);
  else {
    if (isDistrust(status)) judged.push(["valid_signature_refused", true]);
    if (knowsTransaction || !isUnknown(status)) judged.push(["webhook_never_received", true]);
  }
  const of = (isBroken: boolean) =>
    judged.filter(([, other]) => other === isBroken).map(([rule]) => rule);
  return { broken: of(true), kept: of(false) };
}

function isUnknown(status: number | null): boolean {
  return status !== null && UNKNOWN.has(status);
}

export const NOT_CONTROLLED: Message = say`The handler did not accept a valid webhook, so its other responses show nothing.`;

export const MAY_BE_UNKNOWN: Message = say`The handler refused a valid webhook. It may not know the transaction: pass --order, so that it knows it.`;

export function controlCommand(handler: Handler, { webhook }: Control): string {
  return toCurl(handler.url, webhook);
}
