import { type AssumptionName, ASSUMPTIONS, type Assumptions } from "../assumptions/table.ts";
import type { Payin } from "../payments/payin.ts";
import type { Payout } from "../payments/payout.ts";
import type { Change } from "../state/records.ts";
import type { Attempt, Delivery } from "../webhooks/delivery.ts";
import { findingsOf } from "./finding.ts";
import type { Noun, SeenAttempt, SeenCreation, Watch } from "./observation.ts";
import type { Review } from "./report.ts";
import { isSinkUrl } from "./sink-url.ts";
import { Tally } from "./tally.ts";
import { UsedAssumptions } from "./used-assumptions.ts";
import { addresses } from "./addresses.ts";
import { canceledPayouts } from "./canceled-payouts.ts";
import { keys } from "./keys.ts";
import { repeatedCharges } from "./repeated-charges.ts";
import { unknownOutcomes } from "./unknown-outcomes.ts";
import { webhookResponses } from "./webhook-responses.ts";

/** What a webhook and its attempts depend on. */
const WEBHOOK_ASSUMPTIONS = [
  "webhook.payload",
  "webhook.signature",
  "webhook.success",
  "webhook.timeout_seconds",
  "webhook.retries",
] as const satisfies readonly AssumptionName[];

/**
 * Judges integrations by what it sees, as it happens: it needs no log, and its memory is bounded. It outlives
 * resets, so that a suite that resets the sandbox before each test is judged as a whole.
 */
export class Reviewer {
  readonly used = new UsedAssumptions();
  readonly #tally = new Tally();
  readonly #watches: readonly Watch[];
  readonly #clock: { readonly nowMs: () => number; readonly realMs: () => number };

  /** @param clock sandbox time and real time */
  constructor(clock: { readonly nowMs: () => number; readonly realMs: () => number }) {
    this.#clock = clock;
    this.#watches = [
      unknownOutcomes,
      keys,
      repeatedCharges,
      webhookResponses,
      canceledPayouts,
      addresses,
    ].map((watch) => watch(this.#tally));
  }

  seeCreation(call: SeenCreation): void {
    for (const { creation } of this.#watches) creation?.(call);
  }

  /** Sees what a commit changes. */
  seeChange({ replaces, payins, payouts, deliveries }: Change): void {
    if (replaces) {
      for (const { reset } of this.#watches) reset?.(replaces.integration);
      // The new records were created before.
      return;
    }
    for (const payin of payins ?? []) if (isNew(payin)) this.#seeRecord("payin", payin);
    for (const payout of payouts ?? []) if (isNew(payout)) this.#seeRecord("payout", payout);
    for (const delivery of deliveries ?? []) {
      const attempt = delivery.attempts.at(-1);
      if (attempt) this.#seeAttempt(delivery, attempt);
    }
  }

  /** The findings on an integration, or on all (`null`). */
  review(
    integration: string | null,
    assumptionsOf: (integration: string | null) => Assumptions,
  ): Review {
    const assumptions = assumptionsOf(integration);
    return {
      rules: findingsOf(this.#tally.observed(integration)),
      assumptions: this.used.of(integration).map((name) => ({
        name,
        choice: String(assumptions[name]),
        question: ASSUMPTIONS[name].question,
      })),
    };
  }

  /** Starts anew for an integration, or for all (`null`). */
  clear(integration: string | null): void {
    this.#tally.clear(integration);
    this.used.clear(integration);
    for (const { reset } of this.#watches) reset?.(integration);
  }

  #seeRecord(noun: Noun, record: Payin | Payout): void {
    const created = { noun, record, realMs: this.#clock.realMs() };
    for (const { record: look } of this.#watches) look?.(created);
  }

  #seeAttempt(delivery: Delivery, attempt: Attempt): void {
    if (isSinkUrl(delivery.url)) return;
    this.used.add(delivery.integration, WEBHOOK_ASSUMPTIONS);
    const seen: SeenAttempt = {
      delivery,
      attempt,
      atMs: this.#clock.nowMs(),
      verdict: verdictOf(attempt),
      wasAccepted: delivery.attempts.some(
        (one) => one !== attempt && verdictOf(one) === "accepted",
      ),
    };
    for (const { attempt: look } of this.#watches) look?.(seen);
  }
}

/** Whether a call has just created the record. A rival of another payout is canceled at once, and does not count. */
function isNew({ status, fixture }: Payin | Payout): boolean {
  return status === "waiting" && fixture === undefined;
}

function verdictOf({ status }: Attempt): SeenAttempt["verdict"] {
  if (status === null) return "unanswered";
  return status >= 200 && status < 300 ? "accepted" : "refused";
}
