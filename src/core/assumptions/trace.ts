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

/** Combined choices, and the changes that they were combined from. */
interface Held {
  readonly everyones: AssumptionChanges | undefined;
  readonly own: AssumptionChanges | undefined;
  readonly assumptions: Assumptions;
}

/** Where the changes are stored: those of an integration; `null`: those of all. */
interface StoredChanges {
  changesOf(integration: string | null): AssumptionChanges | undefined;
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
    const everyones = this.#records.changesOf(null);
    const own = integration === null ? undefined : this.#records.changesOf(integration);
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
    return { ...this.#records.changesOf(integration), ...changes };
  }
}
