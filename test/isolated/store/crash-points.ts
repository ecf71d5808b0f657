import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from "vitest";
import type { Delivery } from "../../../src/core/records/delivery.ts";
import { type Store } from "../../../src/core/state/ports.ts";
import { type Change, Records } from "../../../src/core/state/records.ts";
import { openStateFile } from "../../../src/store/file/state-file.ts";
import {
  assume,
  attempt,
  delivery,
  FakeAlarm,
  payin,
  payout,
  randomFrom,
  START_MS,
  turns,
  watch,
  recordAttempt,
} from "../../support/core.ts";
import {
  type CallName,
  type Death,
  type DiskCall,
  type Luck,
  type Mishap,
  NOTHING_MORE,
  SimulatedDisk,
} from "../../support/disk.ts";
import { english } from "../../../src/text/languages.ts";
import type { Message } from "../../../src/text/message.ts";

export const FILE = path.resolve("/simulated/state.json");
export const FOLDER = path.dirname(FILE);

/** Nothing here takes so many turns of the event loop, unless it goes on for ever. */
export const TOO_MANY_TURNS = 2000;

/** Hundreds of runs, on a machine that may do other things as well. */
export const LONG_MS = 60_000;

/** How a process ends: alone, or with all of the machine. */
export type Ending = "kill" | "power loss";

/** What a process that died has left, for as many others as want to begin with it. */
interface Remains {
  readonly left: (mishap?: Mishap) => SimulatedDisk;
  readonly log: Log;
}

export let tally: Tally;

/** The points at which something did not hold, and what. */
const failures: string[] = [];
const unhandled: unknown[] = [];
const keepUnhandled = (reason: unknown): void => void unhandled.push(reason);
let nowMs = START_MS;

/** What the world knows of a state: how many changes were taken, and how many of them are owed to it. */
export class Log {
  issued: number;
  acknowledged: number;
  /** The most that were ever issued: what was refused since is issued again. */
  highest: number;
  /** What commits threw, and what came in place of an acknowledgement. */
  readonly thrown: unknown[] = [];
  readonly rejected: unknown[] = [];

  constructor(kept = 0) {
    this.issued = kept;
    this.acknowledged = kept;
    this.highest = kept;
  }

  get hasFailed(): boolean {
    return this.thrown.length > 0 || this.rejected.length > 0;
  }
}

class Died extends Error {}

/** A process that keeps its state on a simulated disk, up to where that lets it live. */
export class Holder {
  readonly disk: SimulatedDisk;
  readonly timer = new FakeAlarm();
  readonly said: string[] = [];
  log: Log;
  #store: Store | undefined;

  constructor(disk: SimulatedDisk, log: Log) {
    this.disk = disk;
    this.log = log;
  }

  get store(): Store {
    if (!this.#store) throw new Error("The state is not open.");
    return this.#store;
  }

  async open(): Promise<this> {
    // No two begin at the same time, by which they name what they keep aside.
    vi.setSystemTime(++nowMs);
    const { disk, timer } = this;
    const report = (text: Message): void => void this.said.push(english(text));
    const opening = openStateFile(FILE, { disk, timer, report });
    this.#store = await this.until("opening", opening);
    return this;
  }

  /** The next changes of the script, each asked after at once. */
  commit(count = 1): void {
    const { log, store } = this;
    for (const change of CHANGES.slice(log.issued, log.issued + count)) {
      try {
        store.commit(change);
      } catch (error) {
        log.thrown.push(error);
        continue;
      }
      const number = ++log.issued;
      log.highest = Math.max(log.highest, number);
      store.durable().then(
        () => {
          log.acknowledged = Math.max(log.acknowledged, number);
        },
        (error: unknown) => {
          log.rejected.push(error);
          // Callers try again what was refused.
          log.issued = log.acknowledged;
        },
      );
    }
  }

  /** Lets everything else go on for some turns of the event loop. */
  async pause(count: number): Promise<void> {
    await turns(count);
    if (this.disk.isDead) throw new Died();
  }

  async durable(): Promise<void> {
    await this.until(
      "wait for the disk",
      this.store.durable().catch(() => undefined),
    );
  }

  /** Until nothing is being done, and nothing is about to be. */
  async quiet(): Promise<void> {
    for (let still = 0, turn = 0; still < 3; turn++) {
      if (turn > TOO_MANY_TURNS) throw new Error("The disk is never quiet.");
      await this.pause(1);
      still = this.disk.callsUnderWay === 0 ? still + 1 : 0;
    }
  }

  close(): Promise<void> {
    return this.until("closing", this.store.close());
  }

  /** What goes on for ever is a failure that says so. */
  async until<Value>(what: string, promise: Promise<Value>): Promise<Value> {
    const state = watch(promise);
    for (let turn = 0; !state.isSettled; turn++) {
      if (turn > TOO_MANY_TURNS) throw new Error(`The ${what} never ends.`);
      await this.pause(1);
    }
    return promise;
  }
}

/** A first process: batches of several commits, the state file compacted among them, and closed in the middle of both. */
async function firstLife(holder: Holder): Promise<void> {
  holder.commit(3);
  await holder.pause(1);
  holder.commit(2);
  await holder.durable();
  for (let count = 0; count < 3; count++) {
    holder.commit();
    await holder.pause(1);
  }
  holder.timer.ring();
  for (let count = 0; count < 12; count++) {
    holder.commit();
    await holder.pause(2);
  }
  await holder.quiet();
  holder.commit(2);
  holder.timer.ring();
  await holder.pause(1);
  holder.commit(2);
}

/** A second one: it finds a state that was closed, and has nothing left to do when it closes it. */
async function secondLife(holder: Holder): Promise<void> {
  holder.commit(2);
  await holder.durable();
  holder.timer.ring();
  await holder.pause(2);
  holder.commit(3);
  await holder.quiet();
  holder.commit();
  await holder.quiet();
  holder.timer.ring();
  await holder.quiet();
}

export const LIVES = [firstLife, secondLife];

/** The whole script, or as much of it as there is before its process dies. */
export async function live(
  mishap: Mishap | undefined,
  lives = LIVES,
): Promise<{ disk: SimulatedDisk; log: Log }> {
  const disk = new SimulatedDisk([FOLDER], mishap);
  const log = new Log();
  await untilDeath(async () => {
    for (const life of lives) {
      const holder = await new Holder(disk, log).open();
      await life(holder);
      await holder.close();
    }
  });
  return { disk, log };
}

/** The calls of the script where nothing goes wrong: commits that share a batch, and compactions among them. */
export async function callsOf(): Promise<readonly DiskCall[]> {
  const { disk, log } = await live(undefined);
  expect([log.acknowledged, log.rejected, log.thrown]).toEqual([log.issued, [], []]);
  expect(namesIn(disk)).toEqual(["state.json"]);
  const batches = disk.calls.filter((call) => call.name === "write" && !isTemporary(call.path));
  expect(batches.length).toBeLessThan(log.issued * 0.7);
  expect(disk.calls.filter(({ name }) => name === "rename").length).toBeGreaterThanOrEqual(4);
  return disk.calls;
}

/** An opening, and nothing after it. */
export async function openOnly(disk: SimulatedDisk, log: Log): Promise<SimulatedDisk> {
  await untilDeath(() => new Holder(disk, log).open());
  return disk;
}

export async function untilDeath(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Died)) throw error;
  }
}

/** Every point at which a process that makes these calls can die. */
export function* deathsAt(calls: readonly DiskCall[]): Generator<Death> {
  for (const [index, { name }] of calls.entries()) {
    const point = { kind: "death", at: index + 1 } as const;
    yield { ...point, moment: "before" };
    if (CHANGES_NOTHING.has(name)) continue;
    if (name === "write")
      for (const share of [0.02, 0.4, 0.99]) yield { ...point, moment: "during", share };
    yield { ...point, moment: "after" };
  }
}

const CHANGES_NOTHING = new Set<CallName>(["list", "realPath", "stat", "read"]);

/** One of each kind of what the script can leave where it dies, by what kind it is. */
export async function allRemains(): Promise<Map<string, Remains>> {
  const kinds = new Map<string, Remains>();
  for (const death of deathsAt(await callsOf())) {
    const { disk, log } = await live(death);
    for (const ending of ["kill", "power loss"] as const) {
      const left = (mishap?: Mishap): SimulatedDisk =>
        leftBy(disk, ending, randomFrom(death.at), mishap);
      kinds.set(kindOf(left()), { left, log });
    }
  }
  return kinds;
}

export function leftBy(
  disk: SimulatedDisk,
  ending: Ending,
  luck: Luck,
  mishap?: Mishap,
): SimulatedDisk {
  return ending === "kill" ? disk.afterKill(mishap) : disk.afterPowerLoss(luck, mishap);
}

function kindOf(disk: SimulatedDisk): string {
  const names = namesIn(disk);
  const journals = names.filter((name) => name.endsWith(".journal"));
  const texts = journals.map((name) => disk.textOf(path.join(FOLDER, name)));
  return [
    names.includes("state.json") ? "state file" : "no state file",
    ["no journal", "a journal", "journals"][Math.min(journals.length, 2)],
    ...(texts.some((text) => /[^\n]$/.test(text)) ? ["torn tail"] : []),
    ...(names.some(isTemporary) ? ["temporary"] : []),
    ...(disk.hasUnsyncedNames ? ["unsynced names"] : []),
  ].join(", ");
}

/**
 * Whoever comes next finds what was acknowledged and builds upon it, and whoever comes then finds
 * that too, and leaves one file.
 * @returns how many changes were found at first
 */
export async function expectMended(disk: SimulatedDisk, log: Log): Promise<number> {
  const next = await new Holder(disk, log).open();
  const kept = keptBy(next.store, log);
  tally.add(next.said.some((sentence) => sentence.includes("was incomplete")) && "torn tail");
  tally.add(kept > log.acknowledged && "unacknowledged kept");
  tally.add(kept < log.issued && "unacknowledged lost");
  next.log = new Log(kept);
  next.commit(2);
  await next.durable();
  expect(next.log.acknowledged, "acknowledged on top").toBe(kept + 2);

  // What it built upon is owed as well by now, whoever wrote it.
  const left = disk.afterPowerLoss(NOTHING_MORE);
  const last = await new Holder(left, next.log).open();
  expect(keptBy(last.store, last.log), "found by the one after it").toBe(kept + 2);
  last.commit();
  await last.close();
  expect(namesIn(left).join(), "files at rest").toBe("state.json");
  // The numbers of commits that could not be kept may be left out.
  if (!log.hasFailed) expect(sequenceIn(left), "number of the last commit").toBe(kept + 3);
  expect(sequenceIn(left), "number of the last commit").toBeGreaterThanOrEqual(kept + 3);
  expect(left.openFiles, "files left open").toBe(0);
  return kept;
}

/** @returns how many changes the records show: no fewer than were acknowledged, and each of them whole. */
function keptBy({ records }: Store, { acknowledged, highest }: Log): number {
  const found = wholeOf(records);
  for (let count = acknowledged; count <= highest; count++) {
    const model = MODELS[count];
    if (model?.whole !== found) continue;
    // Those of events that could not be kept are not used again.
    const number = records.lastEventNumber;
    expect(number, "number of the last event").toBeGreaterThanOrEqual(model.lastEventNumber);
    return count;
  }
  const other = MODELS.findIndex(({ whole }) => whole === found);
  const what = other < 0 ? "no whole number of changes" : `${other} changes`;
  throw new Error(`It holds ${what}: ${acknowledged} were acknowledged, ${highest} issued.`);
}

/** The files of a state, without what was cut off and kept aside. */
export function namesIn(disk: SimulatedDisk): string[] {
  return disk.namesIn(FOLDER).filter((name) => !name.includes(".torn-"));
}

export function isTemporary(name: string): boolean {
  return name.endsWith(".tmp");
}

export function sequenceIn(disk: SimulatedDisk): number {
  return (JSON.parse(disk.textOf(FILE)) as { sequence: number }).sequence;
}

/** How often what has to happen has happened: a test that meets nothing proves nothing. */
class Tally {
  readonly #counts = new Map<string, number>();

  add(what: string | false | undefined): void {
    if (what) this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  expectAtLeast(count: number, ...all: readonly string[]): void {
    const missed = all.filter((what) => (this.#counts.get(what) ?? 0) < count);
    if (missed.length > 0) throw new Error(`Not met ${count} times: ${missed.join(", ")}.`);
  }
}

/** Counts what a mishap met, which is the call it was meant for. */
export function meet(disk: SimulatedDisk, meant: DiskCall | undefined): void {
  const { struck } = disk;
  if (meant) expect(struck?.name, "the call that was met").toBe(meant.name);
  tally.add(struck?.name);
  const names = namesIn(disk);
  tally.add(names.some(isTemporary) && "compaction interrupted");
  tally.add(names.filter((name) => name.endsWith(".journal")).length > 1 && "two journals");
}

/** One point of many: where it does not hold, the others are tried all the same. */
export async function at(point: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
    expect(unhandled.splice(0), "rejections that nobody handled").toEqual([]);
  } catch (error) {
    failures.push(`${point}: ${(error as Error).message}`);
  }
}

export function describeCall(call: DiskCall): string {
  return `${call.name} ${path.basename(call.path).replace(/\d+-[0-9a-f]{8}/, "*")}`;
}

/** What the script commits: each round is like the one before, with other records. */
const CHANGES: readonly Change[] = [0, 1, 2, 3, 4, 5].flatMap((round) => {
  let eventNumber = round * 100;
  const own = (kind: string, ordinal: number, integration: string) => ({
    id: `${kind} ${round}.${ordinal}`,
    integration,
    ordinal: round * 4 + ordinal,
    idempotencyKey: `key of ${kind} ${round}.${ordinal}`,
    eventNumber: ++eventNumber,
  });
  const webhook = (id: string): Delivery =>
    delivery({ id: `evt_${id}_${round}`, body: '{"name":"José"}', eventNumber: ++eventNumber });
  const tried = (before: Delivery, status: number): Delivery =>
    recordAttempt(before, attempt({ status, eventNumber: ++eventNumber }), assume(), START_MS);
  const completed = { status: "completed", settledAtMs: START_MS, endToEndId: "E1" } as const;

  const [paid, lapsed] = [payin(own("payin", 1, "shop")), payin(own("payin", 2, "other"))];
  const [sent, rival] = [payout(own("payout", 3, "shop")), payout(own("payout", 4, "other"))];
  const [ofPaid, ofSent] = [webhook("paid"), webhook("sent")];
  const triedOnce = tried(ofPaid, 500);
  return [
    { payins: [paid], identity: { seed: `${round}`, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZI" } },
    { payins: [lapsed], payouts: [sent] },
    { payins: [{ ...paid, ...completed, eventNumber: ++eventNumber }], deliveries: [ofPaid] },
    { deliveries: [triedOnce] },
    {
      payouts: [{ ...sent, ...completed, eventNumber: ++eventNumber }, rival],
      deliveries: [ofSent],
    },
    {
      webhookConfigurations: [
        { integration: "shop", webhookUrl: `http://localhost:${3000 + round}/`, events: [] },
      ],
      changedAssumptions: [{ integration: null, changes: { "webhook.timeout_seconds": round } }],
    },
    { clock: { mode: "frozen", nowMs: START_MS + round } },
    { deliveries: [tried(triedOnce, 200), tried(ofSent, 503)] },
    { payins: [{ ...lapsed, status: "expired", eventNumber: ++eventNumber }] },
  ];
});

/** What there is to see after the first so many changes, and no number of them looks like another. */
export const MODELS = (() => {
  const records = new Records();
  return [undefined, ...CHANGES].map((change) => {
    if (change) records.apply(change);
    const { lastEventNumber } = records;
    return { whole: wholeOf(records), shown: shownOf(records), lastEventNumber };
  });
})();

/** Records and what they are found by; what is not taken back with a change is left out. */
export function shownOf(records: Records): string {
  const { webhookConfigurations, changedAssumptions, ...rest } = records.toChange();
  const settings = [...(webhookConfigurations ?? []), ...(changedAssumptions ?? [])];
  const found = [...records.payins.all(), ...records.payouts.all()].map(
    ({ integration, idempotencyKey }) => records.takenFor(integration, idempotencyKey)?.id,
  );
  const waiting = records.payouts.all().map(({ integration, receiverCpf, pixKey }) => {
    const { waitingByCpf, waitingByPixKey } = records.integration(integration);
    return [waitingByCpf.get(receiverCpf), waitingByPixKey.get(pixKey)];
  });
  const sizes = [...records.integrations]
    .map(([token, { usedKeys, waitingByCpf, waitingByPixKey }]) => {
      const all = [usedKeys.size, waitingByCpf.size, waitingByPixKey.size];
      return all.some((size) => size > 0) ? `${token} ${all.join()}` : "";
    })
    .filter(Boolean);
  const unordered = [settings.map((row) => JSON.stringify(row)), sizes];
  return JSON.stringify([rest, found, waiting, ...unordered.map((list) => list.toSorted())]);
}

function wholeOf(records: Records): string {
  const ordinals = [...records.integrations].map(
    ([token, { lastOrdinal }]) => `${token} ${lastOrdinal}`,
  );
  return `${shownOf(records)} ${ordinals.toSorted().join()}`;
}

export function useTally(): void {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
    process.on("unhandledRejection", keepUnhandled);
  });
  beforeEach(() => {
    tally = new Tally();
  });
  afterEach(() => {
    const all = failures.splice(0);
    if (all.length > 0)
      throw new Error([`It does not hold at ${all.length} points:`, ...all.slice(0, 5)].join("\n"));
  });
  afterAll(() => {
    vi.useRealTimers();
    process.off("unhandledRejection", keepUnhandled);
  });
}
