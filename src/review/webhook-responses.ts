import { type Attempt, isSent } from "../core/records/delivery.ts";
import type { Evidence } from "./finding.ts";
import type { SeenAttempt, Watch } from "./observation.ts";
import { MAX_INTEGRATIONS, prefixOf, RecentMap, type Tally } from "./tally.ts";
import type { RuleId } from "./rules.ts";
import { shortened } from "./shortened.ts";
import { isDistrust, isLater, judgeWebhookAnswer } from "./webhook-answer.ts";
import { type Message, plural, inSeconds, rounded, say } from "../text/message.ts";

/** Judges how the merchant responds to webhooks. Of one with a wrong signature only that it is not accepted. */
export function webhookResponses(tally: Tally): Watch {
  /** The integrations that have refused a wrong signature. */
  const refusing = new RecentMap<true>(MAX_INTEGRATIONS);
  return {
    attempt: (seen) => {
      const { integration } = seen.delivery;
      const judge = judgeBy(tally, seen);
      if (seen.isForged) {
        if (seen.verdict === "accepted") judge("bad_signature_accepted", true);
        else if (isClientError(seen)) refusing.set(prefixOf(integration), true);
      } else {
        // A 2xx that did not end the delivery was no success.
        const only200 = seen.delivery.status !== "delivered";
        for (const [rule, isBroken] of judgeWebhookAnswer(seen.attempt, only200))
          judge(rule, isBroken);
        if (seen.wasAccepted) judgeDuplicate(judge, seen);
        else judgeReceipt(tally, judge, seen);
      }
      // A receiver that accepts nothing does not show that it verifies.
      if (
        refusing.get(prefixOf(integration)) &&
        tally.isKept(integration, "valid_signature_refused")
      )
        judge("bad_signature_accepted", false);
    },
    reset: (integration) => refusing.clear(prefixOf(integration)),
  };
}

function judgeDuplicate(judge: Judge, seen: SeenAttempt): void {
  // To refuse a second one while the first is under way is right: it is sent again.
  if (seen.verdict === "unanswered" || isSecondAtOnce(seen) || isLater(seen.attempt)) return;
  judge("duplicate_refused", seen.verdict === "refused");
}

function judgeReceipt(
  tally: Tally,
  judge: Judge,
  { delivery, attempt, verdict, isOfMerchant }: SeenAttempt,
): void {
  const { id, integration } = delivery;
  const isSigned = attempt.signature !== null;
  if (verdict === "accepted") {
    tally.mended(integration, "webhook_never_received", id);
    if (isSigned) tally.mended(integration, "valid_signature_refused", id);
    return;
  }
  // To refuse a transaction that it does not know is right. Only a 401 is about the signature in any case.
  if (isSigned && (isOfMerchant ? isDistrust(attempt.status) : attempt.status === UNAUTHORIZED))
    judge("valid_signature_refused", true);
  if (!isOfMerchant) return;
  // The merchant cannot accept what a fault of the sandbox held back.
  const sent = delivery.attempts.filter(isSent);
  if (delivery.status !== "failed" || sent.length === 0) return;
  if (attempt.status === GONE || spanMs(sent) >= SPAN_MS) judge("webhook_never_received", true);
  else tally.unseen(integration, "webhook_never_received", hastyText(delivery.url, sent));
}

/** Attempts within it, which a jump of the clock makes, do not show that the merchant never listens. */
const SPAN_MS = 2000;

/** From the first to the last attempt, in real time. */
function spanMs(sent: readonly Attempt[]): number {
  return (sent.at(-1)?.atMs ?? 0) - (sent[0]?.atMs ?? 0);
}

function hastyText(address: string, sent: readonly Attempt[]): () => Message {
  const url = shortened(address);
  const count = sent.length;
  const seconds = rounded(spanMs(sent) / 1000, 2);
  const attempts = plural(count, say`${count} attempt`, say`${count} attempts`);
  const isDeaf = sent.every(({ status }) => status === null);
  return () =>
    isDeaf
      ? say`Nothing listened at ${url} (${attempts} in ${seconds} s).`
      : say`${url} accepted none of ${attempts}, but all came within ${seconds} s: a server may fail for so long.`;
}

const GONE = 410;

const UNAUTHORIZED = 401;

function isClientError({ attempt: { status } }: SeenAttempt): boolean {
  return status !== null && status >= 400 && status < 500;
}

function isSecondAtOnce({ delivery: { fault, attempts } }: SeenAttempt): boolean {
  return fault === "duplicate_at_once" && attempts.length === 2;
}

type Judge = (rule: RuleId, isBroken: boolean) => void;

/** Judges rules by one attempt. */
function judgeBy(tally: Tally, seen: SeenAttempt): Judge {
  const { id, integration } = seen.delivery;
  return (rule, isBroken) => {
    if (isBroken) tally.broken(integration, rule, id, evidenceOf(seen));
    else tally.kept(integration, rule);
  };
}

function evidenceOf({ delivery, attempt, atMs, isForged }: SeenAttempt): () => Evidence {
  const { id, type, attempts, transactionId } = delivery;
  const url = shortened(delivery.url);
  const number = attempts.length;
  const got = attempt.status ?? shortened(attempt.error ?? "");
  const seconds = inSeconds(attempt.durationMs);
  return () => ({
    atMs,
    text: say`Attempt ${number} of ${id} (${type}) to ${url}: ${got} after ${seconds} s.`,
    deliveryId: id,
    transactionId,
    command: `npx pix-sandbox webhooks resend ${id}`,
    // A merchant may respond first, and verify later.
    isByStatus: isForged,
  });
}
