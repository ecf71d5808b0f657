import type { Store } from "../../../src/core/state/ports.ts";
import { payin } from "../../support/core.ts";
import type { History, Version } from "./history.ts";
import type { Network } from "./link.ts";
import type { TeamProcess } from "./process.ts";

const KEYS = 6;
/** How often a new key takes the place of the oldest: a record that only one process has is not changed for ever. */
const NEW_KEY_EVERY_MS = 500;
const TIMEOUT_MS = 3000;
const SHOP = "shop";

/** The versions of all records of a state, by key. */
export function versionsOf({ payins }: Store["records"]): Map<string, Version> {
  return new Map(
    payins
      .all()
      .map(({ idempotencyKey, id, valueCents }) => [idempotencyKey, { id, version: valueCents }]),
  );
}

/** Creates, changes and reads records at any process, and repeats what failed. */
export class TeamClient {
  /** The calls that were answered since the storm. */
  calmAnswers = 0;
  readonly #network: Network;
  readonly #history: History;
  readonly #processes: () => readonly TeamProcess[];
  readonly #randomUUID: () => string;

  constructor(parts: {
    network: Network;
    history: History;
    processes: () => readonly TeamProcess[];
    randomUUID: () => string;
  }) {
    this.#network = parts.network;
    this.#history = parts.history;
    this.#processes = parts.processes;
    this.#randomUUID = parts.randomUUID;
  }

  /** Calls again and again, with pauses in which the leader can compact. */
  begin(): void {
    const { chance, time } = this.#network;
    const oldest = Math.floor(time.passedMs / NEW_KEY_EVERY_MS);
    const key = `key ${chance.whole(oldest, oldest + KEYS)}`;
    const isChange = chance.is(0.6);
    const process = chance.pick(this.#processes());
    const call = { key, isChange, before: this.#history.newest(key) };
    let isOver = false;
    const end = (): void => {
      isOver = true;
      time.after(chance.is(0.05) ? 1500 : chance.between(1, 150), () => this.begin());
    };
    time.after(TIMEOUT_MS, () => {
      if (!isOver) end();
    });
    this.#later(() =>
      process.run(() => {
        const reply = (answered: { found: Version | undefined } | undefined): void =>
          this.#later(() => {
            // The caller has gone.
            if (isOver) return;
            if (answered) this.#history.answered(call, answered.found);
            if (answered && this.#network.isCalm) this.calmAnswers++;
            end();
          });
        this.#handle(process, call, reply);
      }),
    );
  }

  /** As the routes do: under the lease, and durable before the response. */
  #handle(
    process: TeamProcess,
    { key, isChange }: { readonly key: string; readonly isChange: boolean },
    reply: (answered: { found: Version | undefined } | undefined) => void,
  ): void {
    const { leading } = process;
    if (!leading || this.#network.isOver) return reply(undefined);
    leading.lease
      .guard(async () => {
        if (isChange) this.#change(leading.store, key);
        const found = leading.store.records.takenFor(SHOP, key);
        const version = found && { id: found.id, version: found.valueCents };
        await leading.store.durable();
        return version;
      })
      .then(
        (found) => {
          if (process.isDead) return;
          this.#assertAlone(process);
          reply({ found });
        },
        () => reply(undefined),
      );
  }

  #change(store: Store, key: string): void {
    const found = store.records.takenFor(SHOP, key);
    const ordinal = store.records.integration(SHOP).lastOrdinal + 1;
    store.commit({
      payins: [
        found
          ? payin({ ...found, valueCents: found.valueCents + 1 })
          : payin({
              id: this.#randomUUID(),
              integration: SHOP,
              idempotencyKey: key,
              ordinal,
              valueCents: 1,
            }),
      ],
    });
  }

  #assertAlone(process: TeamProcess): void {
    const { chronicle, plan } = this.#network;
    if (plan.wrongClock) return;
    const other = this.#processes().find((each) => each !== process && each.isHeld);
    if (other)
      chronicle.violated("only one process responds", `${process.name} and ${other.name} may`);
  }

  #later(act: () => void): void {
    const { time, chance } = this.#network;
    time.after(chance.between(0.1, 5), act);
  }
}
