import { type Assumptions, withChanges } from "../assumptions/table.ts";
import { FixtureError } from "../records/errors.ts";
import { type FaultDraft, ordinalOf } from "../faults/fault.ts";
import type { Draft, Kind, PayinStatus, PayoutDraft } from "../records/transaction.ts";
import type { Gateway } from "./gateway.ts";
import { type Change, putsOf, Records } from "../state/records.ts";
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
  const create = (one: Fixture, nowMs: number, choicesOf: ChoicesOf, known: Records): Change => {
    if (one.kind === "fault") {
      const ordinal = known.lastFaultOrdinal(one.integration) + 1;
      const fault = gateway.faults.newFault(one.integration, one.draft, ordinal);
      return [["faults", { ...fault, fixture: one.name }], ordinalOf(fault)];
    }
    const { integration, kind, status, place } = one;
    const choices = choicesOf(integration);
    if (kind === "payout" && status === "waiting" && choices["payout.rival"] !== "allow") {
      const recipient = choices["payout.recipient"];
      if (known.isReceiving(integration, recipient, one.draft as PayoutDraft))
        throw new FixtureError(joined([place, `.${recipient}`], ""), RIVAL_IN_PROGRESS);
    }
    const ordinal = known.integration(integration).lastOrdinal + 1;
    const opening = { ordinal, nowMs, auto: () => choices["payout.auto"] };
    return [["transactions", gateway.newFixture(one, opening)]];
  };
  /** @param known the records beside which they are created, which get them too */
  const createAll = (
    all: readonly Fixture[],
    nowMs: number,
    choicesOf: ChoicesOf,
    known: Records,
  ): Change =>
    all.flatMap((fixture) => {
      const puts = create(fixture, nowMs, choicesOf, known);
      known.apply(puts);
      return puts;
    });
  return {
    /**
     * The records of fixtures that were not created yet, whatever the status of those that were.
     * @throws FixtureError if a payout's receiver has another payout in progress.
     */
    missing(nowMs: number): Change {
      const created = [...records.transactions.all(), ...records.faults.all()];
      const names = new Set(created.map(({ fixture }) => fixture));
      const missing = fixtures.filter(({ name }) => !names.has(name));
      const known = new Records();
      if (missing.length > 0) known.apply(putsOf(records.listsOf(null)));
      return createAll(missing, nowMs, parts.assumptionsOf, known);
    },

    /** All fixtures of an integration (`null`: of all), for a sandbox without other records. */
    afresh(integration: string | null, nowMs: number): Change {
      const meant = fixtures.filter(
        (one) => integration === null || one.integration === integration,
      );
      // The integration's own changed assumptions are gone too.
      const everyones = integration === null ? undefined : records.changesOf(null);
      const assumptions = withChanges(start, { ...everyones, "payout.rival": "allow" });
      return createAll(meant, nowMs, () => assumptions, new Records());
    },
  };
}

const RIVAL_IN_PROGRESS = say`: this receiver has another payout in progress; give one of them the status "completed" or "canceled", or assume payout.rival=allow.`;
