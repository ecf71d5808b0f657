import { type Assumptions, withChanges } from "../assumptions/table.ts";
import { FixtureError } from "../records/errors.ts";
import { type FaultDraft, ordinalOf } from "../faults/fault.ts";
import type { Draft, Kind, PayinStatus, PayoutDraft } from "../records/transaction.ts";
import type { Gateway } from "./gateway.ts";
import { type Change, Records } from "../state/records.ts";
import { joined, type Message, say } from "../../text/message.ts";

/** An entry of a fixtures file. */
interface Entry {
  /** A unique name, stored with the record for as long as the state lasts. */
  readonly name: string;
  /** Its position in the file, for messages. */
  readonly place: Message;
}

/** A record that exists from the start. */
export interface RecordFixture extends Entry {
  readonly kind: Kind;
  readonly integration: string;
  readonly status: PayinStatus;
  readonly draft: Draft;
}

/** A fault that exists from the start; `integration` null: for every integration. */
export interface FaultFixture extends Entry {
  readonly kind: "fault";
  readonly integration: string | null;
  readonly draft: FaultDraft;
}

export type Fixture = RecordFixture | FaultFixture;

export type FixtureLoader = ReturnType<typeof createFixtures>;
type ChoicesOf = (integration: string) => Assumptions;

/**
 * Creates records from fixtures, as the gateway creates any; no webhooks are sent for them.
 * @param parts.start the choices of a new sandbox
 * @param parts.assumptionsOf the choices in force for an integration
 */
export function createFixtures(parts: {
  readonly fixtures: readonly Fixture[];
  readonly gateway: Pick<Gateway, "newFixture" | "faults">;
  readonly records: Records;
  readonly start: Assumptions;
  readonly assumptionsOf: ChoicesOf;
}) {
  const { fixtures, gateway, records, start } = parts;
  const create = (
    fixture: Fixture,
    nowMs: number,
    choicesOf: ChoicesOf,
    all: Records[],
  ): Change => {
    if (fixture.kind === "fault") {
      const { integration, draft, name } = fixture;
      const last = Math.max(...all.map((one) => one.lastFaultOrdinal(integration)));
      const fault = gateway.faults.newFault(integration, draft, last + 1);
      return [["faults", { ...fault, fixture: name }], ordinalOf(fault)];
    }
    const { integration } = fixture;
    const choices = choicesOf(integration);
    const isWaiting = fixture.kind === "payout" && fixture.status === "waiting";
    if (isWaiting && choices["payout.rival"] !== "allow") {
      const recipient = choices["payout.recipient"];
      const draft = fixture.draft as PayoutDraft;
      if (all.some((one) => one.isReceiving(integration, recipient, draft)))
        throw new FixtureError(joined([fixture.place, `.${recipient}`], ""), RIVAL_IN_PROGRESS);
    }
    const last = Math.max(...all.map((one) => one.integration(integration).lastOrdinal));
    const opening = { ordinal: last + 1, nowMs, auto: () => choices["payout.auto"] };
    return [["transactions", gateway.newFixture(fixture, opening)]];
  };
  const createAll = (
    all: readonly Fixture[],
    nowMs: number,
    choicesOf: ChoicesOf,
    before = new Records(),
  ): Change => {
    const made = new Records();
    return all.flatMap((fixture) => {
      const puts = create(fixture, nowMs, choicesOf, [before, made]);
      made.apply(puts);
      return puts;
    });
  };
  return {
    /**
     * The records of fixtures that were not created yet, whatever the status of those that were.
     * @throws FixtureError if a payout's receiver has another payout in progress.
     */
    missing(nowMs: number): Change {
      const created = [...records.transactions.all(), ...records.faults.all()];
      const names = new Set(created.map(({ fixture }) => fixture));
      const missing = fixtures.filter(({ name }) => !names.has(name));
      return createAll(missing, nowMs, parts.assumptionsOf, records);
    },

    /** All fixtures of an integration (`null`: of all), for a sandbox without other records. */
    afresh(integration: string | null, nowMs: number): Change {
      const meant = fixtures.filter(
        (one) => integration === null || one.integration === integration,
      );
      // The integration's own changed assumptions are gone too.
      const everyones = integration === null ? undefined : records.changesOf(null);
      const assumptions = withChanges(start, { ...everyones, "payout.rival": "allow" });
      return createAll(meant, nowMs, () => assumptions);
    },
  };
}

const RIVAL_IN_PROGRESS = say`: this receiver has another payout in progress; give one of them the status "completed" or "canceled", or assume payout.rival=allow.`;
