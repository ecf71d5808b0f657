import { type Assumptions, withChanges } from "../assumptions/table.ts";
import { FixtureError } from "../records/errors.ts";
import { type Fault, type FaultDraft, ordinalOf } from "../faults/fault.ts";
import type { DraftOfKind, Kind, PayinStatus, PayoutDraft } from "../records/transaction.ts";
import type { Gateway } from "./gateway.ts";
import { type Change, type Put, Records } from "../state/records.ts";
import { joined, type Message, say } from "../../text/message.ts";

/** An entry of a fixtures file. */
interface Entry {
  /** A unique name, stored with the record for as long as the state lasts. */
  readonly name: string;
  /** Its position in the file, for messages. */
  readonly place: Message;
}

/** A record that exists from the start. */
export interface RecordFixture<Name extends Kind = Kind> extends Entry {
  readonly kind: Name;
  readonly integration: string;
  readonly status: PayinStatus;
  readonly draft: DraftOfKind[Name];
}

/** A fault that exists from the start; `integration` null: for every integration. */
export interface FaultFixture extends Entry {
  readonly kind: "fault";
  readonly integration: string | null;
  readonly draft: FaultDraft;
}

export type Fixture = RecordFixture | FaultFixture;

/** Creates records from fixtures, as the gateway creates any; no webhooks are sent for them. */
export class FixtureLoader {
  readonly #fixtures: readonly Fixture[];
  readonly #gateway: Pick<Gateway, "newFixture" | "newFault">;
  readonly #records: Records;
  readonly #start: Assumptions;
  readonly #assumptionsOf: (integration: string) => Assumptions;

  /**
   * @param parts.start the choices of a new sandbox
   * @param parts.assumptionsOf the choices in force for an integration
   * @throws FixtureError if two payouts cannot be in progress together.
   */
  constructor(parts: {
    fixtures: readonly Fixture[];
    gateway: Pick<Gateway, "newFixture" | "newFault">;
    records: Records;
    start: Assumptions;
    assumptionsOf: (integration: string) => Assumptions;
  }) {
    this.#fixtures = parts.fixtures;
    this.#gateway = parts.gateway;
    this.#records = parts.records;
    this.#start = parts.start;
    this.#assumptionsOf = parts.assumptionsOf;
    this.#refuseRivals(this.#fixtures, new Records());
  }

  /**
   * The records of fixtures that were not created yet, whatever the status of those that were.
   * @throws FixtureError if a payout's receiver has another payout in progress.
   */
  missing(nowMs: number): Change {
    const { transactions, faults } = this.#records;
    const names = new Set([...transactions.all(), ...faults.all()].map(({ fixture }) => fixture));
    const missing = this.#fixtures.filter(({ name }) => !names.has(name));
    this.#refuseRivals(missing, this.#records);
    return this.#create(missing, nowMs, this.#assumptionsOf, this.#records);
  }

  /** All fixtures of an integration (`null`: of all), for a sandbox without other records. */
  afresh(integration: string | null, nowMs: number): Change {
    const meant = this.#fixtures.filter(
      (fixture) => integration === null || fixture.integration === integration,
    );
    // The integration's own changed assumptions are gone too.
    const everyones = integration === null ? undefined : this.#records.changesOf(null);
    const assumptions = withChanges(this.#start, everyones ?? {});
    return this.#create(meant, nowMs, () => assumptions, new Records());
  }

  /** Refuses fixtures with two payouts in progress to one recipient. */
  #refuseRivals(fixtures: readonly Fixture[], records: Records): void {
    const taken = new Set<string>();
    for (const { kind, integration, draft, place, ...rest } of fixtures) {
      if (kind !== "payout" || integration === null || !("status" in rest)) continue;
      const assumptions = this.#assumptionsOf(integration);
      if (rest.status !== "waiting" || assumptions["payout.rival"] === "allow") continue;
      const recipient = assumptions["payout.recipient"];
      const { receiver_cpf, pix_key } = draft as PayoutDraft;
      const value = recipient === "receiver_cpf" ? receiver_cpf : pix_key.toLowerCase();
      const key = JSON.stringify([integration, recipient, value]);
      if (taken.has(key) || records.isReceiving(integration, recipient, draft as PayoutDraft))
        throw new FixtureError(joined([place, `.${recipient}`], ""), RIVAL_IN_PROGRESS);
      taken.add(key);
    }
  }

  /** @param before the records after which ordinals count on */
  #create(
    fixtures: readonly Fixture[],
    nowMs: number,
    assumptionsOf: (integration: string) => Assumptions,
    before: Records,
  ): Change {
    const made = new Records();
    return fixtures.flatMap((fixture): readonly Put[] => {
      const puts = this.#putsOf(fixture, nowMs, assumptionsOf, [before, made]);
      made.apply(puts);
      return puts;
    });
  }

  #putsOf(
    fixture: Fixture,
    nowMs: number,
    assumptionsOf: (integration: string) => Assumptions,
    all: readonly Records[],
  ): readonly Put[] {
    if (fixture.kind === "fault") {
      const { integration, draft, name } = fixture;
      const last = Math.max(...all.map((records) => records.lastFaultOrdinal(integration)));
      const fault: Fault = {
        ...this.#gateway.newFault(integration, draft, last + 1),
        fixture: name,
      };
      return [["faults", fault], ordinalOf(fault)];
    }
    const { integration } = fixture;
    const last = Math.max(...all.map((records) => records.integration(integration).lastOrdinal));
    const auto = (): Assumptions["payout.auto"] => assumptionsOf(integration)["payout.auto"];
    const opening = { ordinal: last + 1, nowMs, auto };
    return [["transactions", this.#gateway.newFixture(fixture, opening)]];
  }
}

const RIVAL_IN_PROGRESS = say`: this receiver has another payout in progress; give one of them the status "completed" or "canceled", or assume payout.rival=allow.`;
