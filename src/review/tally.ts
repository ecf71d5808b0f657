import { type Evidence, MAX_COUNTED, type Observed } from "./finding.ts";
import { RULE_IDS, type RuleId } from "./rules.ts";
import type { Message } from "../text/message.ts";

/** For how many integrations something is stored; the oldest one then counts only in the report on all. */
export const MAX_INTEGRATIONS = 5000;
/** How much evidence is stored for all integrations together; the oldest is dropped first. */
export const MAX_STORED = 20_000;

/** What was seen in one integration. */
interface Account {
  readonly kept: Set<RuleId>;
  /** By the case that it is about, such as a delivery. */
  readonly broken: Map<RuleId, BoundedMap<string, Case>>;
  /** Why the newest case could not be judged. */
  readonly unseen: Map<RuleId, () => Message>;
}

interface Case {
  readonly integration: string;
  /** Writes the evidence when a report needs it. */
  readonly write: () => Evidence;
  /** Real time. Before it, the case is pending. */
  readonly untilMs: number;
}

/** What was seen of each rule in each integration. */
export class Tally {
  readonly #accounts = new BoundedMap<string, Account>(MAX_INTEGRATIONS, (_integration, dropped) =>
    this.#merge(dropped),
  );
  /** The integrations that were dropped. */
  #dropped = newAccount();
  #stored = 0;
  /** Most calls come from the integration of the call before. */
  #last: { readonly integration: string; readonly account: Account } | undefined;

  get size(): { readonly integrations: number; readonly evidence: number } {
    return { integrations: this.#accounts.size, evidence: this.#stored };
  }

  /** The integration had a chance to break the rule, and did not. */
  kept(integration: string, rule: RuleId): void {
    this.#accountOf(integration).kept.add(rule);
  }

  /**
   * The integration broke the rule.
   * @param subject names the case, so that it counts once and can be mended
   * @param write writes the evidence; it must not hold on to records
   * @param untilMs real time until which the integration may still mend it
   */
  broken(
    integration: string,
    rule: RuleId,
    subject: string,
    write: () => Evidence,
    untilMs = -Infinity,
  ): void {
    this.#add(this.#accountOf(integration), rule, subject, { integration, write, untilMs });
    while (this.#stored > MAX_STORED && this.#accounts.size > 1) this.#accounts.dropOldest();
  }

  /** What looked like a broken rule was not: for example, the missing call came later. */
  mended(integration: string, rule: RuleId, subject: string): void {
    this.withdrawn(integration, rule, subject);
    this.kept(integration, rule);
  }

  /** Whether the case breaks the rule can no longer be known. */
  withdrawn(integration: string, rule: RuleId, subject: string): void {
    for (const account of [this.#accounts.get(integration), this.#dropped])
      if (account?.broken.get(rule)?.delete(subject)) this.#stored--;
  }

  /** Whether some cases of an integration, or of all (`null`), break a rule can no longer be known. */
  withdrawnWhere(integration: string | null, isGone: (one: Case) => boolean): void {
    const accounts =
      integration === null ? this.#accounts.values() : [this.#accounts.get(integration)];
    for (const account of [...accounts, this.#dropped])
      for (const cases of account?.broken.values() ?? [])
        for (const [subject, one] of cases)
          if ((integration ?? one.integration) === one.integration && isGone(one)) {
            cases.delete(subject);
            this.#stored--;
          }
  }

  /** The integration had a chance that shows nothing. @param write writes the reason; it must not hold on to records */
  unseen(integration: string, rule: RuleId, write: () => Message): void {
    this.#accountOf(integration).unseen.set(rule, write);
  }

  isKept(integration: string, rule: RuleId): boolean {
    return this.#accounts.get(integration)?.kept.has(rule) ?? false;
  }

  /** Forgets an integration, or all (`null`). */
  clear(integration: string | null): void {
    this.#last = undefined;
    if (integration !== null) {
      this.#stored -= sizeOf(this.#accounts.get(integration));
      return void this.#accounts.delete(integration);
    }
    this.#accounts.clear();
    this.#stored = 0;
    this.#dropped = newAccount();
  }

  /** What was seen of each rule in an integration, or in all (`null`). @param nowMs real time: later cases are pending */
  observed(integration: string | null, nowMs: number): ReadonlyMap<RuleId, Observed> {
    const accounts =
      integration === null
        ? [this.#dropped, ...this.#accounts.values()]
        : [this.#accounts.get(integration) ?? newAccount()];
    return new Map(RULE_IDS.map((rule) => [rule, observedOf(rule, accounts, nowMs)]));
  }

  #accountOf(integration: string): Account {
    if (this.#last?.integration === integration) return this.#last.account;
    let account = this.#accounts.get(integration);
    if (!account) this.#accounts.set(integration, (account = newAccount()));
    this.#last = { integration, account };
    return account;
  }

  #add({ broken }: Account, rule: RuleId, subject: string, added: Case): void {
    let cases = broken.get(rule);
    if (!cases) broken.set(rule, (cases = new BoundedMap(MAX_COUNTED)));
    const before = cases.size;
    cases.set(subject, added);
    this.#stored += cases.size - before;
  }

  #merge(account: Account): void {
    this.#last = undefined;
    this.#stored -= sizeOf(account);
    for (const rule of account.kept) this.#dropped.kept.add(rule);
    for (const [rule, cases] of account.broken)
      for (const [subject, one] of cases) this.#add(this.#dropped, rule, subject, one);
  }
}

function newAccount(): Account {
  return { kept: new Set(), broken: new Map(), unseen: new Map() };
}

function sizeOf(account: Account | undefined): number {
  return [...(account?.broken.values() ?? [])].reduce((sum, { size }) => sum + size, 0);
}

function observedOf(rule: RuleId, accounts: readonly Account[], nowMs: number): Observed {
  const cases = accounts.flatMap(({ broken }) => [...(broken.get(rule)?.values() ?? [])]);
  const [open, decided] = [true, false].map((isOpen) =>
    cases
      .filter(({ untilMs }) => untilMs > nowMs === isOpen)
      .map(({ write }) => write())
      .toSorted((one, other) => one.atMs - other.atMs),
  ) as [Evidence[], Evidence[]];
  const ms = Math.max(...cases.map(({ untilMs }) => untilMs)) - nowMs;
  return {
    isKept: accounts.some(({ kept }) => kept.has(rule)),
    broken: decided,
    ...(open.length > 0 && { pending: { cases: open, ms } }),
    unseen: accounts.findLast(({ unseen }) => unseen.has(rule))?.unseen.get(rule)?.(),
  };
}

/** A map that drops its oldest entry when it is full. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;
  readonly #onDrop: ((key: Key, value: Value) => void) | undefined;
  /** Continues after the entries that were dropped: a search from the start would pass all their places. */
  #oldest: MapIterator<[Key, Value]> | undefined;

  constructor(max: number, onDrop?: (key: Key, value: Value) => void) {
    super();
    this.#max = max;
    this.#onDrop = onDrop;
  }

  /** A new entry is the newest; one that is set again stays where it is. */
  override set(key: Key, value: Value): this {
    super.set(key, value);
    if (this.size > this.#max) this.dropOldest();
    return this;
  }

  dropOldest(): void {
    let next = this.#oldest?.next();
    // An iterator that has ended does not go on.
    if (!next || next.done) {
      this.#oldest = this.entries();
      next = this.#oldest.next();
    }
    if (next.done) return;
    const [key, value] = next.value;
    this.delete(key);
    this.#onDrop?.(key, value);
  }
}

/**
 * A map of the newest entries, cheap enough for every call: it consists of two halves, and drops the older one
 * as a whole when the newer one is full.
 */
export class RecentMap<Value> {
  readonly #half: number;
  #older = new Map<string, Value>();
  #newer = new Map<string, Value>();

  /** @param max how many entries it stores at most; at least half of them are stored */
  constructor(max: number) {
    this.#half = max / 2;
  }

  get size(): number {
    return this.#older.size + this.#newer.size;
  }

  get(key: string): Value | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  /** A new entry, or one that is set again, is one of the newer ones. */
  set(key: string, value: Value): void {
    this.#newer.set(key, value);
    if (this.#newer.size < this.#half) return;
    this.#older = this.#newer;
    this.#newer = new Map();
  }

  delete(key: string): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }

  /** Deletes the entries whose key begins with a text. */
  clear(prefix: string): void {
    for (const half of [this.#older, this.#newer])
      for (const key of half.keys()) if (key.startsWith(prefix)) half.delete(key);
  }
}

/** Joins names to the key of a map. No header can contain the separator, so that no two lists have the same key. */
export function keyOf(integration: string, name: string, more = ""): string {
  return `${integration}\n${name}\n${more}`;
}

/** The beginning of the keys of an integration, or of all (`null`). */
export function prefixOf(integration: string | null): string {
  return integration === null ? "" : `${integration}\n`;
}
