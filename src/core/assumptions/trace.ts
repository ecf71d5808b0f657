import {
  ASSUMPTION_NAMES,
  type AssumptionChanges,
  type AssumptionName,
  type Assumptions,
  STANDARD_ASSUMPTIONS,
  withChanges,
} from "./table.ts";

/**
 * Reads assumptions on behalf of one response and records which were read, so that the response can name the
 * choices that it depends on.
 */
export class AssumptionTrace {
  /** The choices that are in force. What is read from them directly is not recorded. */
  readonly assumptions: Assumptions;
  /** Undefined when no response will name the choices. */
  readonly #names: Set<AssumptionName> | undefined;
  readonly #used: Set<AssumptionName> | undefined;

  /**
   * @param names receives the name of each assumption that is read; the response will name them
   * @param used receives them too, of all responses of the integration
   */
  constructor(assumptions: Assumptions, names?: Set<AssumptionName>, used?: Set<AssumptionName>) {
    this.assumptions = assumptions;
    this.#names = names;
    this.#used = used;
  }

  /** The choice that is in force. */
  read<Name extends AssumptionName>(name: Name): Assumptions[Name] {
    this.#names?.add(name);
    this.#used?.add(name);
    return this.assumptions[name];
  }

  /** Records assumptions that were read before, when something that the response depends on was built. */
  record(names: readonly AssumptionName[]): void {
    if (this.#names) for (const name of names) this.#names.add(name);
    if (this.#used) for (const name of names) this.#used.add(name);
  }

  /** The choices that were read, as `name=choice`, comma-separated; without `all` only those other than the default. */
  describe(all: boolean): string | undefined {
    const names = this.#names;
    if (!names) return undefined;
    const described = ASSUMPTION_NAMES.filter(
      (name) => names.has(name) && (all || !isDefault(name, this.assumptions)),
    );
    return described.map((name) => `${name}=${this.assumptions[name]}`).join(", ") || undefined;
  }
}

const untracedByAssumptions = new WeakMap<Assumptions, AssumptionTrace>();

/** Reads assumptions without recording which; one object for each set of choices. */
export function untraced(assumptions: Assumptions): AssumptionTrace {
  let trace = untracedByAssumptions.get(assumptions);
  if (!trace) {
    trace = new AssumptionTrace(assumptions);
    untracedByAssumptions.set(assumptions, trace);
  }
  return trace;
}

const standard = new WeakMap<Assumptions, boolean>();

/** Whether every choice is the default. Computed once for each set of choices: most integrations share one. */
export function isStandard(assumptions: Assumptions): boolean {
  let known = standard.get(assumptions);
  if (known === undefined) {
    known = ASSUMPTION_NAMES.every((name) => isDefault(name, assumptions));
    standard.set(assumptions, known);
  }
  return known;
}

function isDefault(name: AssumptionName, assumptions: Assumptions): boolean {
  return assumptions[name] === STANDARD_ASSUMPTIONS[name];
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
