import { BoundedMap } from "./bounded-map.ts";
import type { Evidence, Observed } from "./finding.ts";
import type { RuleId } from "./rules.ts";

/** How much evidence is stored for each rule of an integration; the oldest is dropped first. */
const MAX_BROKEN = 100;
/** For how many pairs of a rule and an integration something is stored. */
const MAX_PAIRS = 10_000;

/** What was seen of one rule in one integration. */
interface Pair {
  readonly integration: string;
  readonly rule: RuleId;
  isKept: boolean;
  /** By the case that it is about, such as a delivery. */
  readonly broken: BoundedMap<string, Evidence>;
}

/** What was seen of each rule in each integration. */
export class Tally {
  readonly #pairs = new BoundedMap<string, Pair>(MAX_PAIRS);

  /** The integration had a chance to break the rule, and did not. */
  kept(integration: string, rule: RuleId): void {
    this.#pairOf(integration, rule).isKept = true;
  }

  /** The integration broke the rule. @param subject names the case, so that it counts once and can be mended */
  broken(integration: string, rule: RuleId, subject: string, evidence: Evidence): void {
    this.#pairOf(integration, rule).broken.set(subject, evidence);
  }

  /** What looked like a broken rule was not: for example, the missing call came later. */
  mended(integration: string, rule: RuleId, subject: string): void {
    const pair = this.#pairOf(integration, rule);
    pair.broken.delete(subject);
    pair.isKept = true;
  }

  isKept(integration: string, rule: RuleId): boolean {
    return this.#pairs.get(idOf(integration, rule))?.isKept ?? false;
  }

  /** Forgets an integration, or all (`null`). */
  clear(integration: string | null): void {
    for (const [id, pair] of this.#pairs)
      if (integration === null || pair.integration === integration) this.#pairs.delete(id);
  }

  /** What was seen of each rule in an integration, or in all (`null`). */
  observed(integration: string | null): ReadonlyMap<RuleId, Observed> {
    const observed = new Map<RuleId, Observed>();
    for (const pair of this.#pairs.values()) {
      if (integration !== null && pair.integration !== integration) continue;
      const { isKept = false, broken = [] } = observed.get(pair.rule) ?? {};
      observed.set(pair.rule, {
        isKept: isKept || pair.isKept,
        broken: [...broken, ...pair.broken.values()].toSorted((a, b) => a.atMs - b.atMs),
      });
    }
    return observed;
  }

  #pairOf(integration: string, rule: RuleId): Pair {
    const id = idOf(integration, rule);
    let pair = this.#pairs.get(id);
    if (!pair) {
      pair = { integration, rule, isKept: false, broken: new BoundedMap(MAX_BROKEN) };
      this.#pairs.set(id, pair);
    }
    return pair;
  }
}

function idOf(integration: string, rule: RuleId): string {
  return `${rule} ${integration}`;
}
