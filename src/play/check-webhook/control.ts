import type { RuleId } from "../../review/rules.ts";
import { isDistrust, isSlow, judgeWebhookAnswer } from "../../review/webhook-answer.ts";
import type { FreshIntegration } from "./fresh-integration.ts";
import { type Handler, isAccepted, type Outcome } from "./handler.ts";
import { signBody, type SignedWebhook, type WebhookEvent } from "../hand-made-webhook.ts";
import { type Message, say } from "../../text/message.ts";

/** A valid webhook that the handler was sent first: without it, a refusal shows nothing. */
export interface Control {
  readonly event: WebhookEvent;
  /** Signs it. */
  readonly secret: string;
  readonly webhook: SignedWebhook;
  readonly outcome: Outcome;
}

/** The rules that the response to the valid control shows. */
export const CONTROL_RULES: readonly RuleId[] = [
  "webhook_answer_slow",
  "webhook_answer_not_200",
  "webhook_answer_redirects",
  "webhook_never_received",
  "valid_signature_refused",
];

/**
 * Has a payin of a fresh integration paid, signs its webhook and sends it. The first request to a server can wait for
 * its compiler: after a slow response the second one counts.
 */
export async function sendControl(
  integration: FreshIntegration,
  handler: Handler,
  secret: string,
): Promise<Control> {
  const body = await integration.paidPayin();
  const event = JSON.parse(body) as WebhookEvent;
  const webhook = signBody(event.id, body, secret);
  const first = await handler.post(webhook);
  const outcome = isSlow(first) ? await handler.post(webhook) : first;
  return { event, secret, webhook, outcome };
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
    if (knowsTransaction || status === null || !UNKNOWN.has(status))
      judged.push(["webhook_never_received", true]);
  }
  const of = (isBroken: boolean) =>
    judged.filter(([, other]) => other === isBroken).map(([rule]) => rule);
  return { broken: of(true), kept: of(false) };
}

export const NOT_CONTROLLED: Message = say`The handler did not accept a valid webhook, so its other responses show nothing.`;

export const MAY_BE_UNKNOWN: Message = say`The handler refused a valid webhook. Check the path of its address. If it does not know the transaction, pass --order, or --effect with open orders in the shop.`;
