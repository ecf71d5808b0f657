import { isSent } from "../webhooks/delivery.ts";
import type { Evidence } from "./finding.ts";
import { prefixOf, type SeenAttempt, type Watch } from "./observation.ts";
import { RecentMap } from "./recent-map.ts";
import type { RuleId } from "./rules.ts";
import { MAX_INTEGRATIONS, type Tally } from "./tally.ts";

/** A merchant should have responded by then. */
const SLOW_MS = 5000;
/** How a receiver says that it does not trust a webhook. */
const DISTRUST: ReadonlySet<number | null> = new Set([400, 401, 403]);

/** Judges how the merchant responds to webhooks. Of one with a wrong signature only that it is not accepted. */
export function webhookResponses(tally: Tally): Watch {
  /** The integrations that have refused a wrong signature. */
  const refusing = new RecentMap<true>(MAX_INTEGRATIONS);
  return {
    attempt: (seen) => {
      const { integration } = seen.delivery;
      const of = new Judge(tally, seen);
      if (seen.isForged) {
        if (seen.verdict === "accepted") of.judge("bad_signature_accepted", true);
        else if (isClientError(seen)) refusing.set(prefixOf(integration), true);
      } else {
        judgeAnswer(of, seen);
        if (seen.wasAccepted) judgeDuplicate(of, seen);
        else judgeReceipt(of, seen);
      }
      // A receiver that accepts nothing does not show that it verifies.
      if (
        refusing.get(prefixOf(integration)) &&
        tally.isKept(integration, "valid_signature_refused")
      )
        of.judge("bad_signature_accepted", false);
    },
    reset: (integration) => refusing.clear(prefixOf(integration)),
  };
}

function judgeAnswer(of: Judge, { attempt: { status, durationMs } }: SeenAttempt): void {
  if (status !== null || durationMs > SLOW_MS)
    of.judge("webhook_answer_slow", durationMs > SLOW_MS);
  if (status === null) return;
  if (status >= 200 && status < 300) of.judge("webhook_answer_not_200", status !== 200);
  of.judge("webhook_answer_redirects", status >= 300 && status < 400);
}

function judgeDuplicate(of: Judge, seen: SeenAttempt): void {
  // To refuse a second one while the first is under way is right: it is sent again.
  if (seen.verdict === "unanswered" || isSecondAtOnce(seen)) return;
  of.judge("duplicate_refused", seen.verdict === "refused");
}

function judgeReceipt(of: Judge, { delivery, attempt, verdict }: SeenAttempt): void {
  const isSigned = attempt.signature !== null;
  if (verdict === "accepted") {
    of.mend("webhook_never_received");
    if (isSigned) of.mend("valid_signature_refused");
    return;
  }
  if (isSigned && DISTRUST.has(attempt.status)) of.judge("valid_signature_refused", true);
  // The merchant cannot accept what a fault of the sandbox held back.
  if (delivery.status === "failed" && delivery.attempts.some(isSent))
    of.judge("webhook_never_received", true);
}

function isClientError({ attempt: { status } }: SeenAttempt): boolean {
  return status !== null && status >= 400 && status < 500;
}

function isSecondAtOnce({ delivery: { fault, attempts } }: SeenAttempt): boolean {
  const onNewConnections = attempts.filter((one) => !one.isStaleConnection);
  return fault?.kind === "duplicate_at_once" && onNewConnections.length === 2;
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
    const { id, integration } = this.#seen.delivery;
    if (isBroken) this.#tally.broken(integration, rule, id, evidenceOf(this.#seen));
    else this.#tally.kept(integration, rule);
  }

  /** The delivery was accepted after all. */
  mend(rule: RuleId): void {
    const { id, integration } = this.#seen.delivery;
    this.#tally.mended(integration, rule, id);
  }
}

function evidenceOf({ delivery, attempt, atMs }: SeenAttempt): () => Evidence {
  const { id, type, url, attempts, transactionId } = delivery;
  const number = attempts.length;
  const got = attempt.status ?? attempt.error ?? "";
  const seconds = (attempt.durationMs / 1000).toFixed(1);
  return () => ({
    atMs,
    text: {
      en: `Attempt ${number} of ${id} (${type}) to ${url}: ${got} after ${seconds} s.`,
      pt: `Tentativa ${number} de ${id} (${type}) para ${url}: ${got} depois de ${seconds} s.`,
    },
    deliveryId: id,
    transactionId,
    command: `pix-sandbox webhooks resend ${id}`,
  });
}
