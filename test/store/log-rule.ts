import path from "node:path";
import { Chance } from "../simulation/chance.ts";
import { loadBundle, type Planting } from "../simulation/system.ts";
import { type CallName, type Mishap, NAME_CALLS, SimulatedDisk } from "../support/disk.ts";
import type * as parts from "./log-rule-parts.ts";
import { putsOf } from "../../src/core/state/records.ts";

const FILE = path.resolve("/simulated/state.json");
const KEYS = 5;
const SYNC_OF_NAMES: readonly CallName[] = ["syncFolder"];

type Parts = typeof parts;
type Store = Awaited<ReturnType<Parts["openStored"]>>["store"];

/** A commit of the model: it sets one key to a value that no other commit has. */
interface Commit {
  readonly key: string;
  readonly value: number;
}

/** The store and the folder as they stand in the source, but for what is planted. */
export async function loadStore(plantings: readonly Planting[] = []): Promise<Parts> {
  const entry = new URL("log-rule-parts.ts", import.meta.url);
  const bundle = await loadBundle<Parts, object>({ entry, replaced: {} }, plantings);
  let files = 0;
  bundle.enter({ randomUUID: () => String(++files).padStart(8, "0") });
  return bundle.parts;
}

/**
 * Lets one process after the other live on what the one before it left: commits, compactions and failures in any order,
 * an end at any moment, by kill, by a loss of power, or in good order.
 * @returns how often each thing happened that the model is about
 * @throws Error if something acknowledged is lost, something else appears, or a start is refused
 */
export async function live(
  store: Parts,
  { seed, lives }: { readonly seed: number; readonly lives: number },
): Promise<Record<string, number>> {
  const chance = new Chance(seed);
  const model = new Model();
  const happened: Record<string, number> = {};
  let disk = new SimulatedDisk([path.dirname(FILE)], undefined, seed);
  for (let number = 1; number <= lives; number++) {
    const life = new Life(store, disk, chance, model, happened);
    try {
      await life.run();
    } catch (error) {
      throw new Error(`Seed ${seed}, life ${number}: ${(error as Error).message}`, {
        cause: error,
      });
    }
    disk = chance.is(0.5) ? disk.afterKill() : disk.afterPowerLoss(() => chance.draw());
    // A fresh start from time to time: otherwise nothing is ever found empty.
    if (chance.is(0.02)) {
      disk = new SimulatedDisk([path.dirname(FILE)], undefined, seed);
      model.forget();
    }
  }
  return happened;
}

/** What is owed: everything acknowledged, and after it perhaps a beginning of what was refused or not yet answered. */
class Model {
  #owed = new Map<string, number>();
  #open: Commit[] = [];
  #value = 0;

  draw(chance: Chance): Commit {
    this.#value++;
    return { key: `key ${chance.whole(1, KEYS)}`, value: this.#value };
  }

  decide(commit: Commit): void {
    this.#open.push(commit);
  }

  /** Everything up to this one is durable. */
  acknowledge(last: Commit): void {
    const count = this.#open.indexOf(last) + 1;
    for (const { key, value } of this.#open.splice(0, count)) this.#owed.set(key, value);
  }

  /** A new file of the log has begun: what was refused can no longer be found. */
  settle(): void {
    this.#open = [];
  }

  forget(): void {
    this.#owed = new Map();
    this.#open = [];
  }

  /** What a start finds is owed from then on. */
  compare(found: ReadonlyMap<string, number>): void {
    const expected = new Map(this.#owed);
    for (let count = 0; ; count++) {
      if (isEqual(expected, found)) break;
      const next = this.#open[count];
      if (!next) throw new Error(`Found ${show(found)}, owed ${show(this.#owed)}.`);
      expected.set(next.key, next.value);
    }
    this.#owed = new Map(found);
    this.#open = [];
  }
}

class Life {
  readonly #store: Parts;
  readonly #disk: SimulatedDisk;
  readonly #chance: Chance;
  readonly #model: Model;
  readonly #happened: Record<string, number>;
  #ring: (() => void) | undefined;
  /** Whether what is waited for has ended. */
  #isOver = false;

  constructor(
    store: Parts,
    disk: SimulatedDisk,
    chance: Chance,
    model: Model,
    happened: Record<string, number>,
  ) {
    this.#store = store;
    this.#disk = disk;
    this.#chance = chance;
    this.#model = model;
    this.#happened = happened;
  }

  async run(): Promise<void> {
    const { openStored, Folder } = this.#store;
    if (this.#chance.is(0.1)) this.#strike();
    const timer = {
      set: (_ms: number, ring: () => void) => (this.#ring = ring),
      clear: () => (this.#ring = undefined),
    };
    // Compactions begin by themselves too, while an append is under way.
    const logBytes = this.#chance.is(0.3) ? 400 : 1 << 20;
    const opening = openStored(new Folder(this.#disk, FILE), { timer, logBytes });
    const opened = await this.#unlessDead(opening).catch((error: Error) => {
      // Nothing is wrong with what is stored if the disk has failed.
      if (this.#disk.struck) return undefined;
      throw error;
    });
    if (!opened) return;
    const { store } = opened;
    this.#model.compare(valuesOf(store));
    store.onRecovered = () => {
      this.#count("recovery");
      this.#model.settle();
    };
    for (let steps = this.#chance.whole(0, 14); steps > 0 && !this.#disk.isDead; steps--)
      await this.#step(store);
    if (this.#chance.is(0.2)) {
      this.#disk.mend();
      await this.#unlessDead(store.close());
    }
    this.#disk.isDead = true;
  }

  async #step(store: Store): Promise<void> {
    const draw = this.#chance.draw();
    if (draw < 0.5) this.#commit(store);
    else if (draw < 0.7) {
      this.#count("timer");
      this.#ring?.();
    } else if (draw < 0.8) this.#strike();
    else if (draw < 0.87) this.#disk.mend();
    if (draw < 0.87 && this.#chance.is(0.5)) return;
    await turns(this.#chance.whole(1, 12));
  }

  #commit(store: Store): void {
    let last: Commit | undefined;
    for (let count = this.#chance.whole(1, 3); count > 0; count--) {
      const commit = this.#model.draw(this.#chance);
      try {
        store.commit(
          putsOf({
            changedAssumptions: [
              { integration: commit.key, changes: { value: commit.value } as never },
            ],
          }),
        );
      } catch {
        return this.#count("refusal");
      }
      this.#model.decide(commit);
      last = commit;
    }
    store.durable().then(
      () => {
        if (last && !this.#disk.isDead) this.#model.acknowledge(last);
      },
      () => this.#count("failed append"),
    );
  }

  #strike(): void {
    const at = this.#disk.calls.length + this.#chance.whole(1, 8);
    const only = this.#chance.pick([undefined, NAME_CALLS, SYNC_OF_NAMES]);
    const isLasting = this.#chance.is(0.3);
    const mishaps: Mishap[] = [
      { kind: "refusal", at, code: "EIO", isLasting, ...(only && { only }) },
      { kind: "short write", at, code: "ENOSPC", isLasting },
      {
        kind: "death",
        at,
        moment: this.#chance.pick(["before", "during", "after"] as const),
        share: this.#chance.draw(),
      },
    ];
    this.#disk.strike(this.#chance.pick(mishaps));
  }

  /** @returns undefined if the process dies before */
  async #unlessDead<Result>(work: Promise<Result>): Promise<Result | undefined> {
    const died = async (): Promise<undefined> => {
      while (!this.#isOver && !this.#disk.isDead) await turns(1);
    };
    this.#isOver = false;
    const ended = work.finally(() => (this.#isOver = true));
    ended.catch(() => undefined);
    return Promise.race([ended, died()]);
  }

  #count(what: string): void {
    this.#happened[what] = (this.#happened[what] ?? 0) + 1;
  }
}

function valuesOf({ records }: Store): Map<string, number> {
  const changes = records
    .table("changedAssumptions")
    .all()
    .map(({ integration, changes: one }): [string, number] => [
      integration ?? "",
      (one as { readonly value?: number }).value ?? 0,
    ]);
  return new Map(changes);
}

function isEqual(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}

function show(values: ReadonlyMap<string, number>): string {
  return JSON.stringify(Object.fromEntries([...values].toSorted()));
}

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
}
