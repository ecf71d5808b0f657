import { type AssumptionChanges, type Assumptions, withChanges } from "./table.ts";
import type { Records } from "../state/records.ts";

/** Choices that were put together, and the changes that they were put together from. */
interface Held {
  readonly everyones: AssumptionChanges | undefined;
  readonly own: AssumptionChanges | undefined;
  readonly assumptions: Assumptions;
}

/** The choices that hold: those of the start, changed for everyone, then for one integration. */
export class EffectiveAssumptions {
  readonly #start: Assumptions;
  readonly #records: Records;
  readonly #held = new Map<string | null, Held>();

  constructor(start: Assumptions, records: Records) {
    this.#start = start;
    this.#records = records;
  }

  /** Those of an integration; where it is null, those of all that changed none of their own. */
  of(integration: string | null): Assumptions {
    const { changedAssumptions } = this.#records;
    const everyones = changedAssumptions.get(null);
    const own = integration === null ? undefined : changedAssumptions.get(integration);
    // One object for all that changed nothing, so that what is made from it is made once.
    if (own === undefined && integration !== null) return this.of(null);
    const held = this.#held.get(integration);
    // Whatever changes the records, be it a change or one that could not be kept, is seen at once.
    if (held && held.everyones === everyones && held.own === own) return held.assumptions;
    const assumptions = withChanges(this.#start, { ...everyones, ...own });
    this.#held.set(integration, { everyones, own, assumptions });
    return assumptions;
  }

  /** What an integration, or everyone, has changed by now together with `changes`. */
  changed(integration: string | null, changes: AssumptionChanges): AssumptionChanges {
    return { ...this.#records.changedAssumptions.get(integration), ...changes };
  }
}
