import { type AssumptionChanges, type Assumptions, withChanges } from "./assumptions.ts";
import type { Records } from "./records.ts";

/** The choices that hold: those of the start, changed for everyone, then for one integration. */
export class HeldAssumptions {
  readonly #start: Assumptions;
  readonly #records: Records;
  readonly #held = new Map<string | null, Assumptions>();

  constructor(start: Assumptions, records: Records) {
    this.#start = start;
    this.#records = records;
  }

  /** Those of an integration; where it is null, those of all that changed none of their own. */
  of(integration: string | null): Assumptions {
    let held = this.#held.get(integration);
    if (!held) {
      const everyones = withChanges(this.#start, this.#changedBy(null));
      held =
        integration === null ? everyones : withChanges(everyones, this.#changedBy(integration));
      this.#held.set(integration, held);
    }
    return held;
  }

  /** What an integration, or everyone, has changed by now together with `changes`. */
  changed(integration: string | null, changes: AssumptionChanges): AssumptionChanges {
    return { ...this.#changedBy(integration), ...changes };
  }

  /** Looks at the records anew. */
  refresh(): void {
    this.#held.clear();
  }

  #changedBy(integration: string | null): AssumptionChanges {
    return this.#records.changedAssumptions.get(integration) ?? {};
  }
}
