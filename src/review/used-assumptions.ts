import {
  ASSUMPTION_NAMES,
  type AssumptionName,
  type Assumptions,
} from "../core/assumptions/table.ts";
import { AssumptionTrace } from "../core/assumptions/trace.ts";
import { BoundedMap } from "./bounded-map.ts";
import { MAX_INTEGRATIONS } from "./tally.ts";

interface Used {
  readonly names: Set<AssumptionName>;
  trace: AssumptionTrace | undefined;
}

/** The assumptions that the responses and webhooks of each integration depended on. */
export class UsedAssumptions {
  readonly #all = new BoundedMap<string | null, Used>(
    MAX_INTEGRATIONS,
    (_integration, { names }) => {
      for (const name of names) this.#ofDropped.add(name);
    },
  );
  readonly #ofDropped = new Set<AssumptionName>();
  /** Most responses are to the integration of the one before. */
  #last: { readonly integration: string | null; readonly used: Used } | undefined;

  /** For how many integrations something is stored. */
  get size(): number {
    return this.#all.size;
  }

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
    const all = integration === null ? this.#all.values() : [this.#all.get(integration)];
    const names = new Set(integration === null ? this.#ofDropped : undefined);
    for (const used of all) for (const name of used?.names ?? []) names.add(name);
    return ASSUMPTION_NAMES.filter((name) => names.has(name));
  }

  clear(integration: string | null): void {
    this.#last = undefined;
    if (integration !== null) return void this.#all.delete(integration);
    this.#all.clear();
    this.#ofDropped.clear();
  }

  #usedBy(integration: string | null): Used {
    if (this.#last?.integration === integration) return this.#last.used;
    let used = this.#all.get(integration);
    if (!used) this.#all.set(integration, (used = { names: new Set(), trace: undefined }));
    this.#last = { integration, used };
    return used;
  }
}
