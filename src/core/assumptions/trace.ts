import {
  ASSUMPTION_NAMES,
  type AssumptionChanges,
  type AssumptionName,
  type Assumptions,
  STANDARD_ASSUMPTIONS,
  withChanges,
} from "./table.ts";

/** Reads assumptions on behalf of one response, and notes which: the response can name the choices it depends on. */
export class AssumptionTrace {
  /** The choices in force. What is read from them directly is not noted. */
  readonly assumptions: Assumptions;
  /** Those that were read. An array: a set costs more than all reads of a call. */
  readonly #names: AssumptionName[] = [];
  readonly #used: Set<AssumptionName> | undefined;

  /** @param used receives the names too, of all responses of the integration */
  constructor(assumptions: Assumptions, used?: Set<AssumptionName>) {
    this.assumptions = assumptions;
    this.#used = used;
  }

  /** The choice in force. */
  read<Name extends AssumptionName>(name: Name): Assumptions[Name] {
    this.#names.push(name);
    this.#used?.add(name);
    return this.assumptions[name];
  }

  /** Notes assumptions that were read before, when something that the response depends on was built. */
  record(names: readonly AssumptionName[]): void {
    for (const name of names) this.read(name);
  }

  /** The names that were read, in the order of the table. */
  names(): readonly AssumptionName[] {
    return ASSUMPTION_NAMES.filter((name) => this.#names.includes(name));
  }

  /** The choices that were read, as `name=choice`, comma-separated; without `all` only those other than the default. */
  describe(all: boolean): string | undefined {
    if (!all && this.assumptions === STANDARD_ASSUMPTIONS) return undefined;
    const described = this.names()
      .filter((name) => all || this.assumptions[name] !== STANDARD_ASSUMPTIONS[name])
      .map((name) => `${name}=${this.assumptions[name]}`);
    return described.join(", ") || undefined;
  }
}

/** The stored changes of an integration; `null`: those of all. */
interface Stored {
  changesOf(integration: string | null): AssumptionChanges | undefined;
}

/** The choices in force: the initial ones, changed for all integrations, then for one. */
export class EffectiveAssumptions {
  readonly #start: Assumptions;
  readonly #stored: Stored;
  /** One object for the same changes, so that readers built from it are built once. */
  readonly #changed = new WeakMap<AssumptionChanges, { base: Assumptions; result: Assumptions }>();

  constructor(start: Assumptions, stored: Stored) {
    this.#start = start;
    this.#stored = stored;
  }

  /** The choices of an integration; `null`: of integrations without changes of their own. */
  of(integration: string | null): Assumptions {
    const base = integration === null ? this.#start : this.of(null);
    const changes = this.#stored.changesOf(integration);
    if (!changes) return base;
    let held = this.#changed.get(changes);
    if (held?.base !== base) {
      held = { base, result: withChanges(base, changes) };
      this.#changed.set(changes, held);
    }
    return held.result;
  }
}
