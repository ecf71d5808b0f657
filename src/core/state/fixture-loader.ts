import { type Assumptions, withChanges } from "../assumptions/table.ts";
import type { BrCodeFactory } from "../records/br-code-factory.ts";
import { FixtureError } from "../records/errors.ts";
import { type Fault, type FaultDraft, ordinalOf } from "../faults/fault.ts";
import type { Ids } from "../records/ids.ts";
import {
  isPaid,
  newPayin,
  type Payin,
  type PayinDraft,
  type PayinStatus,
  settlePayin,
} from "../records/payin.ts";
import {
  completionOf,
  newPayout,
  type Payout,
  type PayoutDraft,
  type PayoutStatus,
  settlePayout,
} from "../records/payout.ts";
import { recipientKey } from "../records/checks.ts";
import { type Change, NO_KEY, putsOf, type Records } from "./records.ts";
import { joined, type Message, say } from "../../text/message.ts";

/** An entry of a fixtures file. */
interface Fixture<Draft> {
  /** A unique name, stored with the record for as long as the state lasts. */
  readonly name: string;
  /** Its position in the file, for messages. */
  readonly place: Message;
  readonly draft: Draft;
}

/** A record that exists from the start. */
export interface RecordFixture<Draft, Status> extends Fixture<Draft> {
  readonly integration: string;
  readonly status: Status;
}

/** A fault that exists from the start; `integration` null: for every integration. */
export interface FaultFixture extends Fixture<FaultDraft> {
  readonly integration: string | null;
}

export interface Fixtures {
  readonly payins: readonly RecordFixture<PayinDraft, PayinStatus>[];
  readonly payouts: readonly RecordFixture<PayoutDraft, PayoutStatus>[];
  readonly faults: readonly FaultFixture[];
}

/** The merchant's name in the BR Codes of fixtures, which no call has sent. */
const PROVIDER = "pix-sandbox";

/**
 * Creates records from fixtures. No webhooks are sent for them. Their random parts are drawn from the
 * seed, the integration and the ordinal, like those of any record.
 */
export class FixtureLoader {
  readonly #fixtures: Fixtures;
  readonly #records: Records;
  readonly #ids: Ids;
  readonly #codes: BrCodeFactory;
  readonly #start: Assumptions;
  readonly #assumptionsOf: (integration: string) => Assumptions;

  /**
   * @param parts.start the choices of a new sandbox
   * @param parts.assumptionsOf the choices in force for an integration
   * @throws FixtureError if two payouts cannot be in progress together.
   */
  constructor(parts: {
    fixtures: Fixtures;
    records: Records;
    ids: Ids;
    codes: BrCodeFactory;
    start: Assumptions;
    assumptionsOf: (integration: string) => Assumptions;
  }) {
    this.#fixtures = parts.fixtures;
    this.#records = parts.records;
    this.#ids = parts.ids;
    this.#codes = parts.codes;
    this.#start = parts.start;
    this.#assumptionsOf = parts.assumptionsOf;
    this.#refuseRivals(this.#fixtures, () => false);
  }

  /**
   * The records of fixtures that were not created yet, whatever the status of those that were.
   * @throws FixtureError if a payout's receiver has another payout in progress.
   */
  missing(nowMs: number): Change {
    const names = this.#namesThere();
    const isMissing = ({ name }: { name: string }): boolean => !names.has(name);
    const { payins, payouts, faults } = this.#fixtures;
    const missing = {
      payins: payins.filter(isMissing),
      payouts: payouts.filter(isMissing),
      faults: faults.filter(isMissing),
    };
    this.#refuseRivals(missing, (integration, recipient, value) => {
      const { waitingByCpf, waitingByPixKey } = this.#records.integration(integration);
      return (recipient === "receiver_cpf" ? waitingByCpf : waitingByPixKey).has(value);
    });
    return this.#toChange(
      missing,
      nowMs,
      this.#assumptionsOf,
      (integration) => this.#records.integration(integration).lastOrdinal,
      (integration) => this.#records.lastFaultOrdinal(integration),
    );
  }

  /** All fixtures of an integration (`null`: of all), for a sandbox without other records. */
  afresh(integration: string | null, nowMs: number): Change {
    const isMeant = (fixture: { integration: string | null }): boolean =>
      integration === null || fixture.integration === integration;
    const { payins, payouts, faults } = this.#fixtures;
    const meant = {
      payins: payins.filter(isMeant),
      payouts: payouts.filter(isMeant),
      faults: faults.filter(isMeant),
    };
    // The integration's own changed assumptions are gone too.
    const everyones = integration === null ? {} : this.#records.changesOf(null);
    const assumptions = withChanges(this.#start, everyones ?? {});
    const none = (): number => 0;
    return this.#toChange(meant, nowMs, () => assumptions, none, none);
  }

  #namesThere(): ReadonlySet<string> {
    const { payins, payouts, faults } = this.#records;
    const names = new Set<string>();
    for (const rows of [payins.all(), payouts.all(), faults.all()])
      for (const { fixture } of rows) if (fixture !== undefined) names.add(fixture);
    return names;
  }

  /** Refuses fixtures with two payouts in progress to one recipient. */
  #refuseRivals(
    { payouts }: Fixtures,
    isInProgress: (
      integration: string,
      recipient: Assumptions["payout.recipient"],
      value: string,
    ) => boolean,
  ): void {
    const taken = new Set<string>();
    for (const { integration, status, draft, place } of payouts) {
      const assumptions = this.#assumptionsOf(integration);
      if (status !== "waiting" || assumptions["payout.rival"] === "allow") continue;
      const recipient = assumptions["payout.recipient"];
      const value = recipient === "receiver_cpf" ? draft.receiverCpf : recipientKey(draft.pixKey);
      const key = JSON.stringify([integration, recipient, value]);
      if (taken.has(key) || isInProgress(integration, recipient, value))
        throw new FixtureError(joined([place, `.${recipient}`], ""), RIVAL_IN_PROGRESS);
      taken.add(key);
    }
  }

  #toChange(
    { payins, payouts, faults }: Fixtures,
    nowMs: number,
    assumptionsOf: (integration: string) => Assumptions,
    lastOrdinalOf: (integration: string) => number,
    lastFaultOrdinalOf: (integration: string | null) => number,
  ): Change {
    const next = counting(lastOrdinalOf);
    const nextFault = counting(lastFaultOrdinalOf);
    const newFaults = faults.map((one) => this.#toFault(one, nextFault(one.integration)));
    return [
      ...putsOf({
        payins: payins.map((one) => this.#toPayin(one, next(one.integration), nowMs)),
        payouts: payouts.map((one) =>
          this.#toPayout(
            one,
            next(one.integration),
            nowMs,
            completionOf(nowMs, assumptionsOf(one.integration)["payout.auto"]),
          ),
        ),
        faults: newFaults,
      }),
      ...newFaults.map(ordinalOf),
    ];
  }

  #toPayin(
    { name, integration, status, draft }: Fixtures["payins"][number],
    ordinal: number,
    nowMs: number,
  ): Payin {
    const ids = this.#ids.payin(integration, ordinal);
    const payin = newPayin(draft, {
      ...ids,
      integration,
      ordinal,
      idempotencyKey: NO_KEY,
      request: "",
      qrCode: this.#codes.write(ids.pixId, PROVIDER),
      createdAtMs: nowMs,
      fixture: name,
    });
    if (status === "waiting") return payin;
    const endToEndId = isPaid(status) ? this.#ids.endToEnd(integration, ordinal, nowMs) : null;
    return settlePayin(payin, status, nowMs, endToEndId);
  }

  #toPayout(
    { name, integration, status, draft }: Fixtures["payouts"][number],
    ordinal: number,
    nowMs: number,
    completesAtMs: number | undefined,
  ): Payout {
    const payout = newPayout(draft, {
      id: this.#ids.payout(integration, ordinal),
      integration,
      ordinal,
      idempotencyKey: NO_KEY,
      request: "",
      createdAtMs: nowMs,
      completesAtMs,
      fixture: name,
    });
    if (status === "waiting") return payout;
    const isCompleted = status === "completed";
    const endToEndId = isCompleted ? this.#ids.endToEnd(integration, ordinal, nowMs) : null;
    return settlePayout(payout, status, nowMs, endToEndId);
  }

  #toFault({ name, integration, draft }: FaultFixture, ordinal: number): Fault {
    const id = this.#ids.fault(integration, ordinal);
    return { ...draft, id, integration, ordinal, used: 0, drawn: 0, fixture: name };
  }
}

/** Counts up from the last ordinal of each integration. */
function counting<Owner>(lastOf: (owner: Owner) => number): (owner: Owner) => number {
  const last = new Map<Owner, number>();
  return (owner) => {
    const next = (last.get(owner) ?? lastOf(owner)) + 1;
    last.set(owner, next);
    return next;
  };
}

const RIVAL_IN_PROGRESS = say`: this receiver has another payout in progress; give one of them the status "completed" or "canceled", or assume payout.rival=allow.`;
