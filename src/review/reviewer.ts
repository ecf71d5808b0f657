import {
  ASSUMPTION_NAMES,
  type AssumptionName,
  type Assumptions,
} from "../core/assumptions/table.ts";
import type { Payin, PayinStatus } from "../core/records/transaction.ts";
import type { SandboxEvent } from "../core/state/events.ts";
import { type Attempt, dependenciesOf, type Delivery } from "../core/records/delivery.ts";
import { findingsOf } from "./finding.ts";
import type { SeenAttempt, SeenCreation, Watch } from "./observation.ts";
import type { Review } from "./report.ts";
import { isSinkUrl } from "../wire/names.ts";
import { BoundedMap, MAX_INTEGRATIONS, RecentMap, Tally } from "./tally.ts";
import { addresses } from "./addresses.ts";
import { type FindByKey, keys } from "./keys.ts";
import { repeatedCharges } from "./repeated-charges.ts";
import { payouts } from "./payouts.ts";
import { retries } from "./retries.ts";
import { unknownOutcomes } from "./unknown-outcomes.ts";
import { isSuccess } from "./webhook-answer.ts";
import { webhookResponses } from "./webhook-responses.ts";

/** How many transactions of the sandbox's own commands are remembered. */
const MAX_OWN = 10_000;

/** What a webhook and its attempts depend on. */
export const WEBHOOK_ASSUMPTIONS = [
  "webhook.payload",
  "webhook.signature",
  "webhook.success",
  "webhook.timeout_seconds",
  "webhook.retries",
] as const satisfies readonly AssumptionName[];
/** What the final status of a payin depends on. A simulation gives `completed` in any case. */
const STATUS_ASSUMPTIONS: Readonly<Partial<Record<PayinStatus, readonly AssumptionName[]>>> = {
  paid: ["payin.paid_status"],
  expired: ["payin.expiry_event"],
};

/**
 * Judges integrations by what it sees, as it happens: it needs no log, and its memory is bounded. It outlives
 * resets, so that a suite that resets the sandbox before each test is judged as a whole.
 */
export class Reviewer {
  readonly used = new UsedAssumptions();
  readonly #tally = new Tally();
  readonly #watches: readonly Watch[];
  readonly #findByKey: FindByKey;
  /** The ids of the transactions that the sandbox's own commands have created. */
  readonly #own = new RecentMap<true>(MAX_OWN);
  readonly #clock: { readonly nowMs: () => number; readonly realMs: () => number };

  /** @param clock sandbox time and real time, which never goes back */
  constructor(
    clock: { readonly nowMs: () => number; readonly realMs: () => number },
    findByKey: FindByKey = () => undefined,
  ) {
    this.#clock = clock;
    this.#findByKey = findByKey;
    const tally = this.#tally;
    this.#watches = [
      unknownOutcomes(tally, findByKey),
      keys(tally, findByKey),
      repeatedCharges(tally),
      retries(tally),
      webhookResponses(tally),
      payouts(tally, findByKey),
      addresses(tally),
    ];
  }

  /** Real time, for what happens now. */
  get realMs(): number {
    return this.#clock.realMs();
  }

  seeCreation(call: SeenCreation): void {
    const { noun, integration, key, keyUse, status } = call;
    const hasCreated = keyUse === "new" && status < 400;
    const record = hasCreated ? this.#findByKey(integration, key) : undefined;
    for (const { of, creation } of this.#watches)
      if (of === undefined || of === noun) creation?.(call, record);
  }

  /** Sees a creation by the sandbox's own commands, or by a test: the merchant does not know the transaction. */
  seeOwnCreation(integration: string, key: string): void {
    const found = this.#findByKey(integration, key);
    if (found) this.#own.set(found.record.id, true);
  }

  /** Sees an event of a record. */
  see(event: SandboxEvent): void {
    if (event.kind === "payin" && event.record.status !== "waiting") this.#seeSettled(event.record);
    if (event.kind === "attempt") this.#seeAttempt(event.delivery);
    if (event.kind === "reset") this.#seeReset(event.integration);
  }

  /**
   * The findings on an integration, or on all (`null`).
   * @param options.isOver whether the integration makes no more calls: what is pending is then decided
   */
  review(
    integration: string | null,
    assumptionsOf: (integration: string | null) => Assumptions,
    { isOver = false }: { readonly isOver?: boolean } = {},
  ): Review {
    const assumptions = assumptionsOf(integration);
    return {
      rules: findingsOf(this.#tally.observed(integration, isOver ? Infinity : this.realMs)),
      assumptions: this.used.of(integration).map((name) => ({
        name,
        choice: String(assumptions[name]),
      })),
    };
  }

  /** Starts anew for an integration, or for all (`null`). */
  clear(integration: string | null): void {
    this.#tally.clear(integration);
    this.used.clear(integration);
    for (const { reset } of this.#watches) reset?.(integration);
  }

  #seeReset(integration: string | null): void {
    const nowMs = this.realMs;
    this.#tally.withdrawnWhere(integration, ({ untilMs }) => untilMs > nowMs);
    for (const { reset } of this.#watches) reset?.(integration);
  }

  #seeSettled(payin: Payin): void {
    this.used.add(payin.integration, STATUS_ASSUMPTIONS[payin.status] ?? []);
    for (const { settled } of this.#watches) settled?.(payin);
  }

  #seeAttempt(delivery: Delivery): void {
    const { attempts, fault, integration, type } = delivery;
    const attempt = attempts.at(-1);
    if (!attempt) return;
    this.used.add(integration, WEBHOOK_ASSUMPTIONS);
    this.used.add(integration, dependenciesOf(type));
    // The sandbox's own receiver is no merchant's.
    if (isSinkUrl(delivery.url)) return;
    const seen: SeenAttempt = {
      delivery,
      attempt,
      isOfMerchant: !this.#own.get(delivery.transactionId),
      atMs: this.#clock.nowMs(),
      startedAtMs: this.#clock.realMs() - attempt.durationMs,
      verdict: verdictOf(attempt),
      wasAccepted: attempts.some((one) => one !== attempt && verdictOf(one) === "accepted"),
      isForged: fault === "bad_signature" && attempt.signature !== null,
    };
    for (const { attempt: look } of this.#watches) look?.(seen);
  }
}

function verdictOf({ status }: Attempt): SeenAttempt["verdict"] {
  if (status === null) return "unanswered";
  return isSuccess(status) ? "accepted" : "refused";
}

/** The assumptions that the responses and webhooks of each integration depended on. */
export class UsedAssumptions {
  readonly #all = new BoundedMap<string | null, Set<AssumptionName>>(
    MAX_INTEGRATIONS,
    (_integration, names) => {
      for (const name of names) this.#ofDropped.add(name);
    },
  );
  readonly #ofDropped = new Set<AssumptionName>();

  /** The names that the responses of an integration depended on; more can be added. */
  namesOf(integration: string | null): Set<AssumptionName> {
    let names = this.#all.get(integration);
    if (!names) this.#all.set(integration, (names = new Set()));
    return names;
  }

  add(integration: string | null, names: readonly AssumptionName[]): void {
    const all = this.namesOf(integration);
    for (const name of names) all.add(name);
  }

  /** What an integration, or any (`null`), depended on, in the order of the table. */
  of(integration: string | null): readonly AssumptionName[] {
    const all = integration === null ? this.#all.values() : [this.#all.get(integration)];
    const names = new Set(integration === null ? this.#ofDropped : undefined);
    for (const used of all) for (const name of used ?? []) names.add(name);
    return ASSUMPTION_NAMES.filter((name) => names.has(name));
  }

  clear(integration: string | null): void {
    if (integration !== null) return void this.#all.delete(integration);
    this.#all.clear();
    this.#ofDropped.clear();
  }
}
