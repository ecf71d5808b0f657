import { describe, expect, it } from "vitest";
import { type Delivery, recordedAttempt, withAttempt } from "../../../src/core/records/delivery.ts";
import type { Payin } from "../../../src/core/records/payin.ts";
import type { Payout } from "../../../src/core/records/payout.ts";
import { type Change, Records } from "../../../src/core/state/records.ts";
import {
  assume,
  attempt,
  delivery,
  payin,
  payout,
  randomFrom,
  START_MS,
} from "../../support/core.ts";
import { SEEDS, SHOPS, finished, idsOf } from "./world.ts";

const CPFS = ["52998224725", "12345678909"];
const PIX_KEYS = ["a@example.com", "b@example.com", "constructor"];

describe("an attempt", () => {
  const pending = delivery({ eventNumber: 1 });
  const first = recordedAttempt(
    pending,
    attempt({ status: 500, eventNumber: 2 }),
    assume(),
    START_MS,
  );
  const afterFirst = withAttempt(pending, first);
  const last = recordedAttempt(afterFirst, attempt({ eventNumber: 3 }), assume(), START_MS);
  const afterLast = withAttempt(afterFirst, last);
  const add = (made: typeof first): Change => ({ attempts: [{ id: pending.id, attempt: made }] });

  it("becomes part of its delivery, and is undone", () => {
    const records = new Records();
    records.apply({ deliveries: [pending] });
    const undos = [first, last].map((made) => records.apply(add(made)));
    expect(records.deliveries.all()).toEqual([afterLast]);
    expect(afterLast).toMatchObject({ status: "delivered", nextAttemptAtMs: null });
    expect(records.lastEventNumber).toBe(3);
    undos[1]?.();
    expect(records.deliveries.all()).toEqual([afterFirst]);
    undos[0]?.();
    expect(records.deliveries.all()).toEqual([pending]);
  });

  it("that its delivery has already is not added again", () => {
    const records = new Records();
    records.apply({ deliveries: [afterLast] });
    for (const made of [first, last]) records.apply(add(made))();

    expect(records.deliveries.all()).toEqual([afterLast]);
  });

  it("whose delivery was dropped changes nothing", () => {
    const records = new Records();
    records.apply(add(first))();

    expect(records.deliveries.all()).toEqual([]);
  });

  it("that ends its delivery counts it among the finished ones", () => {
    const records = new Records(1);
    for (const id of ["a", "b"]) {
      records.apply({ deliveries: [{ ...pending, id }] });
      for (const made of [first, last]) records.apply({ attempts: [{ id, attempt: made }] });
    }

    expect(records.deliveries.all()).toEqual([{ ...afterLast, id: "b" }]);
  });
});

describe("changes that are undone, the latest first", { timeout: 60_000 }, () => {
  it("leave the records unchanged after any change", () => {
    let changes = 0;
    for (const seed of SEEDS) {
      for (let round = 0; round < 5; round++) changes += undoSome(seed * 100 + round);
    }

    expect(changes).toBeGreaterThan(2000);
  });

  it("leave the records unchanged if one change contains the same row twice", () => {
    for (const seed of SEEDS) undoSome(seed, { bringsTwice: true });
  });

  it("leave a key free that a change had taken anew: it had passed before", () => {
    const records = new Records();
    records.apply({ payins: [payin({ id: "1", idempotencyKey: "key" })] });
    const again = { payins: [payin({ id: "2", ordinal: 2, idempotencyKey: "key" })] };
    const undo = records.apply(again);
    expect(records.takenFor("shop", "key")?.id).toBe("2");
    undo();

    expect(records.takenFor("shop", "key")).toBeUndefined();
  });

  it("can be made again, with the same records in the end", () => {
    for (const seed of SEEDS) {
      const random = randomFrom(seed);
      const records = new Records();
      const world = new World(random);
      for (let step = 0; step < 10; step++) records.apply(world.nextChange());
      const changes = Array.from({ length: 12 }, () => world.nextChange());
      const undos = changes.map((change) => records.apply(change));
      const after = look(records, world);
      for (const undo of undos.toReversed()) undo();
      for (const change of changes) records.apply(change);

      expect(look(records, world)).toEqual(after);
    }
  });

  it("do not give event numbers back", () => {
    const records = new Records();
    const undo = records.apply({ payins: [payin({ eventNumber: 41 })] });
    undo();

    expect(records.takeEventNumber()).toBe(42);
  });

  it("leave a delivery that is pending again, however many others are finished", () => {
    const records = new Records(1);
    records.apply({ deliveries: [delivery({ id: "undone" })] });
    records.apply({ deliveries: [finished("undone")] })();
    for (const id of ["1", "2", "3"]) records.apply({ deliveries: [finished(id)] });

    expect(records.deliveries.get("undone")?.status).toBe("pending");
    expect(idsOf(records.deliveries.all())).toEqual(["undone", "3"]);
  });
});

/**
 * Makes random changes, undoes the latest of them, and compares with what there was before, and with
 * other records that were made of that from nothing.
 * @returns how many changes were made
 */
function undoSome(seed: number, options: WorldOptions = {}): number {
  const random = randomFrom(seed);
  const records = new Records();
  const world = new World(random, options);
  const kept = Math.floor(random() * 12);
  const undone = 1 + Math.floor(random() * 12);
  for (let step = 0; step < kept; step++) records.apply(world.nextChange());
  const before = look(records, world);
  const undos: (() => void)[] = [];
  for (let step = 0; step < undone; step++) undos.push(records.apply(world.nextChange()));
  for (const undo of undos.toReversed()) undo();

  const fresh = new Records();
  fresh.apply(records.toChange());
  expect({ seed, ...look(records, world) }).toEqual({ seed, ...before });
  expect({ seed, ...look(fresh, world) }).toEqual({ seed, ...before });
  return kept + undone;
}

/** All that can be asked of records, but for numbers that are never given back. */
function look(records: Records, world: World) {
  const shops = SHOPS.map((shop) => {
    const { waitingByCpf, waitingByPixKey, configuration } = records.integration(shop);
    return {
      taken: world.keys.map((key) => [key, records.takenFor(shop, key)?.id]),
      cpfs: CPFS.map((cpf) => waitingByCpf.get(cpf) ?? 0),
      pixKeys: PIX_KEYS.map((key) => waitingByPixKey.get(key) ?? 0),
      sizes: [waitingByCpf.size, waitingByPixKey.size],
      configuration,
    };
  });
  // A roll-back leaves the fault ordinals as they are.
  const { webhookConfigurations, lastFaultOrdinals: _continue, ...change } = records.toChange();
  // In the order in which the integrations were first met, which is nobody's business.
  const configurations = new Set(webhookConfigurations);
  return { change, configurations, shops };
}

interface WorldOptions {
  /** Whether a key is taken again and again, as it may be once it is past. */
  readonly reusesKeys?: boolean;
  /** Whether a change may hold a record, or a setting, as it was in between. */
  readonly bringsTwice?: boolean;
}

/** Makes up what could happen next; every payin, payout and delivery is known by what it was made last. */
class World {
  /** Every key that there could be. */
  readonly keys: string[] = [];
  readonly #random: () => number;
  readonly #reusesKeys: boolean;
  readonly #bringsTwice: boolean;
  readonly #payins: Payin[] = [];
  readonly #payouts: Payout[] = [];
  readonly #deliveries: Delivery[] = [];
  #ordinal = 0;
  #eventNumber = 0;

  constructor(
    random: () => number,
    { reusesKeys = false, bringsTwice = false }: WorldOptions = {},
  ) {
    this.#random = random;
    this.#reusesKeys = reusesKeys;
    this.#bringsTwice = bringsTwice;
    const names = ["__proto__", "constructor", ...Array.from({ length: 60 }, (_, i) => `key ${i}`)];
    this.keys.push(...names);
  }

  /** One to four things at once, as one decision brings them. */
  nextChange(): Change {
    const parts = Array.from({ length: 1 + Math.floor(this.#random() * 4) }, () => this.#part());
    const change: Record<string, unknown> = {};
    for (const [name, value] of parts.flatMap((part) => Object.entries(part))) {
      if (!Array.isArray(value)) change[name] = value;
      else change[name] = this.#join((change[name] ?? []) as Named[], value as Named[]);
    }
    return change;
  }

  #join(rows: readonly Named[], more: readonly Named[]): Named[] {
    if (this.#bringsTwice) return [...rows, ...more];
    const names = new Set(more.map(nameOf));
    return [...rows.filter((row) => !names.has(nameOf(row))), ...more];
  }

  #part(): Change {
    switch (Math.floor(this.#random() * 12)) {
      case 0:
      case 1:
        return { payins: [this.#newPayin()] };
      case 2:
      case 3:
        return { payins: [this.#settledPayin() ?? this.#newPayin()] };
      case 4:
      case 5:
        return { payouts: [this.#newPayout()] };
      case 6:
      case 7:
        return { payouts: [this.#settledPayout() ?? this.#newPayout()] };
      case 8:
        return { deliveries: [this.#newDelivery()] };
      case 9:
        return { deliveries: [this.#triedDelivery()] };
      case 10: {
        const integration = this.#pick(SHOPS);
        return { webhookConfigurations: [{ integration, webhookUrl: this.#text(), events: [] }] };
      }
      default:
        return this.#settings();
    }
  }

  #settings(): Change {
    const roll = this.#random();
    if (roll < 0.3) return { clock: { mode: "frozen", nowMs: Math.floor(this.#random() * 1e6) } };
    if (roll < 0.6) return this.#faults();
    if (roll < 0.8) return { identity: { seed: this.#text(), secret: this.#text() } };
    const changes = { "webhook.timeout_seconds": Math.floor(this.#random() * 100) };
    return { changedAssumptions: [{ integration: this.#pick([null, ...SHOPS]), changes }] };
  }

  #faults(): Change {
    const id = `flt ${Math.floor(this.#random() * 5)}`;
    if (this.#random() < 0.3) return { removedFaults: [id] };
    const used = Math.floor(this.#random() * 100);
    const integration = this.#pick([null, ...SHOPS]);
    return {
      faults: [
        { id, integration, ordinal: 1, on: "webhook", effect: { kind: "early" }, used, drawn: 0 },
      ],
    };
  }

  #newPayin(): Payin {
    const row = payin({ ...this.#owned(), id: `in ${this.#ordinal}` });
    this.#payins.push(row);
    return row;
  }

  /** Of any that there are, those included that were made in the same change. */
  #settledPayin(): Payin | undefined {
    const index = Math.floor(this.#random() * this.#payins.length);
    const row = this.#payins[index];
    return (
      row && (this.#payins[index] = { ...row, status: "paid", eventNumber: ++this.#eventNumber })
    );
  }

  #newPayout(): Payout {
    const row = payout({
      ...this.#owned(),
      id: `out ${this.#ordinal}`,
      receiverCpf: this.#pick(CPFS),
      pixKey: this.#pick(PIX_KEYS),
      status: this.#random() < 0.7 ? "waiting" : "canceled",
    });
    this.#payouts.push(row);
    return row;
  }

  #settledPayout(): Payout | undefined {
    const index = Math.floor(this.#random() * this.#payouts.length);
    const row = this.#payouts[index];
    return (
      row &&
      (this.#payouts[index] = { ...row, status: "completed", eventNumber: ++this.#eventNumber })
    );
  }

  #newDelivery(): Delivery {
    const eventNumber = ++this.#eventNumber;
    const row = delivery({ id: `evt ${eventNumber}`, eventNumber });
    this.#deliveries.push(row);
    return row;
  }

  #triedDelivery(): Delivery {
    const index = Math.floor(this.#random() * this.#deliveries.length);
    const row = this.#deliveries[index];
    if (!row) return this.#newDelivery();
    const attempts = [...row.attempts, attempt({ eventNumber: ++this.#eventNumber })];
    const status = this.#random() < 0.5 ? "delivered" : "pending";
    return (this.#deliveries[index] = { ...row, attempts, status });
  }

  #owned() {
    this.#ordinal++;
    return {
      integration: this.#pick(SHOPS),
      ordinal: this.#ordinal,
      idempotencyKey: this.#reusesKeys
        ? this.#pick(this.keys.slice(0, 5))
        : (this.keys[this.#ordinal] ?? `key beyond ${this.#ordinal}`),
      eventNumber: ++this.#eventNumber,
    };
  }

  #text(): string {
    return `text ${Math.floor(this.#random() * 1e9)}`;
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }
}

/** A row of a change, which one is known by its id or its integration. */
interface Named {
  readonly id?: string;
  readonly integration: string | null;
}

function nameOf({ id, integration }: Named): string | null {
  return id ?? integration;
}
