import type { Assumptions } from "../../core/assumptions/table.ts";
import type { Change } from "../../core/state/records.ts";
import {
  ATTEMPT_OUTCOMES,
  type AttemptOutcome,
  outcomeOf,
} from "../../core/webhooks/attempt-outcome.ts";

/** Counts webhook attempts by their outcomes. */
export class AttemptTally {
  readonly #counts = new Map(ATTEMPT_OUTCOMES.map((outcome) => [outcome, 0]));
  readonly #assumptionsOf: (integration: string | null) => Assumptions;

  constructor(assumptionsOf: (integration: string | null) => Assumptions) {
    this.#assumptionsOf = assumptionsOf;
  }

  /** Counts the attempts of a change, as the event log reports it. */
  seeChange({ attempts, deliveries }: Change): void {
    if (!attempts) return;
    for (const { id, attempt } of attempts) {
      const integration = deliveries?.find((delivery) => delivery.id === id)?.integration ?? null;
      const outcome = outcomeOf(attempt, this.#assumptionsOf(integration));
      this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
    }
  }

  /** The number of attempts with each outcome, zero too. */
  get counts(): ReadonlyMap<AttemptOutcome, number> {
    return this.#counts;
  }
}
