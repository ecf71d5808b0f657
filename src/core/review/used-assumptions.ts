import { ASSUMPTION_NAMES, type AssumptionName, type Assumptions } from "../assumptions/table.ts";
import { AssumptionTrace } from "../assumptions/trace.ts";
import { BoundedMap } from "./bounded-map.ts";

/** For how many integrations names are stored; the oldest is dropped first. */
const MAX_INTEGRATIONS = 10_000;

interface Used {
  readonly names: Set<AssumptionName>;
  trace: AssumptionTrace | undefined;
}

/** The assumptions that the responses and webhooks of each integration depended on. */
export class UsedAssumptions {
  readonly #all = new BoundedMap<string | null, Used>(MAX_INTEGRATIONS);

  /** Reads assumptions on behalf of an integration's response, which does not name them. */
  traceOf(integration: string | null, assumptions: Assumptions): AssumptionTrace {
    const used = this.#usedBy(integration);
    if (used.trace?.assumptions !== assumptions)
      used.trace = new AssumptionTrace(assumptions, undefined, used.names);
    return used.trace;
  }

  /** The names that the responses of an integration depended on; more can be added. */
  namesOf(integration: string | null): Set<AssumptionName> {
    return this.#usedBy(integration).names;
  }

  add(integration: string | null, names: readonly AssumptionName[]): void {
    const used = this.#usedBy(integration);
    for (const name of names) used.names.add(name);
  }

  /** What an integration, or any (`null`), depended on, in the order of the table. */
  of(integration: string | null): readonly AssumptionName[] {
    const all = [...this.#all].filter(([one]) => integration === null || one === integration);
    const names = new Set(all.flatMap(([, used]) => [...used.names]));
    return ASSUMPTION_NAMES.filter((name) => names.has(name));
  }

  clear(integration: string | null): void {
    if (integration === null) this.#all.clear();
    else this.#all.delete(integration);
  }

  #usedBy(integration: string | null): Used {
    let used = this.#all.get(integration);
    if (!used) {
      used = { names: new Set(), trace: undefined };
      this.#all.set(integration, used);
    }
    return used;
  }
}
