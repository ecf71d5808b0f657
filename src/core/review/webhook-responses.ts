import type { LocalizedText } from "../localized-text.ts";
import type { SeenAttempt, Watch } from "./observation.ts";
import type { RuleId } from "./rules.ts";
import type { Tally } from "./tally.ts";

/** A merchant should have responded by then. */
const SLOW_MS = 5000;
/** How a receiver says that it does not trust a webhook. */
const DISTRUST = new Set([400, 401, 403]);

/** Judges how the merchant responds to webhooks. */
export function webhookResponses(tally: Tally): Watch {
  return {
    attempt: (seen) => {
      const { integration, fault } = seen.delivery;
      const isForged = fault?.kind === "bad_signature";
      const of = new Judge(tally, seen);
      if (seen.attempt.status !== null || isTooSlow(seen))
        of.judge("webhook_answer_slow", isTooSlow(seen));
      judgeStatus(of, seen);
      if (isForged) {
        // A receiver that accepts nothing does not show that it verifies.
        const isControlled = tally.isKept(integration, "webhook_never_received");
        if (seen.verdict === "accepted") of.judge("bad_signature_accepted", true);
        else if (seen.verdict === "refused" && isControlled)
          of.judge("bad_signature_accepted", false);
        return;
      }
      if (seen.wasAccepted && seen.verdict !== "unanswered")
        of.judge("duplicate_refused", seen.verdict === "refused");
      if (!seen.wasAccepted) judgeReceipt(of, seen);
    },
  };
}

function judgeStatus(of: Judge, { attempt: { status } }: SeenAttempt): void {
  if (status === null) return;
  if (status >= 200 && status < 300) of.judge("webhook_answer_not_200", status !== 200);
  of.judge("webhook_answer_redirects", status >= 300 && status < 400);
}

function judgeReceipt(of: Judge, { delivery, attempt, verdict }: SeenAttempt): void {
  const isSigned = attempt.signature !== null;
  if (verdict === "accepted") {
    of.mend("webhook_never_received");
    if (isSigned) of.mend("valid_signature_refused");
    return;
  }
  if (isSigned && DISTRUST.has(attempt.status ?? 0)) of.judge("valid_signature_refused", true);
  if (delivery.status === "failed") of.judge("webhook_never_received", true);
}

function isTooSlow({ attempt }: SeenAttempt): boolean {
  return attempt.durationMs > SLOW_MS;
}

/** Judges rules by one attempt. */
class Judge {
  readonly #tally: Tally;
  readonly #seen: SeenAttempt;

  constructor(tally: Tally, seen: SeenAttempt) {
    this.#tally = tally;
    this.#seen = seen;
  }

  judge(rule: RuleId, isBroken: boolean): void {
    const { delivery, atMs } = this.#seen;
    const { id, integration, transactionId } = delivery;
    if (!isBroken) return this.#tally.kept(integration, rule);
    this.#tally.broken(integration, rule, id, {
      atMs,
      text: outcomeOf(this.#seen),
      deliveryId: id,
      transactionId,
      command: `pix-sandbox webhooks resend ${id}`,
    });
  }

  /** The delivery was accepted after all. */
  mend(rule: RuleId): void {
    const { id, integration } = this.#seen.delivery;
    this.#tally.mended(integration, rule, id);
  }
}

function outcomeOf({ delivery, attempt }: SeenAttempt): LocalizedText {
  const { id, type, url, attempts } = delivery;
  const { status, error, durationMs } = attempt;
  const number = attempts.length;
  const got = status ?? error ?? "";
  const seconds = (durationMs / 1000).toFixed(1);
  return {
    en: `Attempt ${number} of ${id} (${type}) to ${url}: ${got} after ${seconds} s.`,
    pt: `Tentativa ${number} de ${id} (${type}) para ${url}: ${got} depois de ${seconds} s.`,
  };
}
