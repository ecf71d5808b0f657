import { type AssumptionChanges, type Assumptions, withChanges } from "./table.ts";

/** Combined choices, and the changes that they were combined from. */
interface Held {
  readonly everyones: AssumptionChanges | undefined;
  readonly own: AssumptionChanges | undefined;
  readonly assumptions: Assumptions;
}

/** Where the changes are stored: by integration; `null`: those of all integrations. */
interface StoredChanges {
  readonly changedAssumptions: ReadonlyMap<string | null, AssumptionChanges>;
}

/** The choices in force: the initial ones, changed for all integrations, then for one. */
export class EffectiveAssumptions {
  readonly #start: Assumptions;
  readonly #records: StoredChanges;
  readonly #held = new Map<string | null, Held>();

  constructor(start: Assumptions, records: StoredChanges) {
    this.#start = start;
    this.#records = records;
  }

  /** The choices of an integration; `null`: of integrations without changes of their own. */
  of(integration: string | null): Assumptions {
    const { changedAssumptions } = this.#records;
    const everyones = changedAssumptions.get(null);
    const own = integration === null ? undefined : changedAssumptions.get(integration);
    // Integrations without changes share one object, so that readers built from it are built once.
    if (own === undefined && integration !== null) return this.of(null);
    const held = this.#held.get(integration);
    // Compared with the records at each read: a commit and a rollback both take effect at once.
    if (held && held.everyones === everyones && held.own === own) return held.assumptions;
    const assumptions = withChanges(this.#start, { ...everyones, ...own });
    this.#held.set(integration, { everyones, own, assumptions });
    return assumptions;
  }

  /** The earlier changes of an integration, or of all (`null`), together with `changes`. */
  changed(integration: string | null, changes: AssumptionChanges): AssumptionChanges {
    return { ...this.#records.changedAssumptions.get(integration), ...changes };
  }
}
