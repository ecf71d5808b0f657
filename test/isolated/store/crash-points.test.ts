import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Delivery } from "../../../src/core/records/delivery.ts";
import type { LocalizedText } from "../../../src/text/localized-text.ts";
import { type Store, StorageError } from "../../../src/core/state/ports.ts";
import { type Change, Records } from "../../../src/core/state/records.ts";
import { StateFileError } from "../../../src/store/errors.ts";
import type { Durability } from "../../../src/store/file/journal/file-journal.ts";
import { repairState } from "../../../src/store/file/repair.ts";
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
  allButOldestNames,
  type CallName,
  type Death,
  type DiskCall,
  type Failure,
  type Luck,
  type Mishap,
  NAME_CALLS,
  NOTHING_MORE,
  SimulatedDisk,
} from "../../support/disk.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

/** The lock is a socket, and no part of the disk: here it only has to be given back. */
const locks = vi.hoisted(() => ({ held: 0 }));
vi.mock(import("../../../src/store/file/lock/lock.ts"), () => ({
  lock: async () => {
    locks.held++;
    return async () => {
      locks.held--;
    };
  },
}));

const FILE = path.resolve("/simulated/state.json");
const FOLDER = path.dirname(FILE);
/** Nothing here takes so many turns of the event loop, unless it goes on for ever. */
const TOO_MANY_TURNS = 2000;
/** Hundreds of runs, on a machine that may do other things as well. */
const LONG_MS = 60_000;
/** How the first opening that dies ends, and the second one. */
const ENDINGS: Record<Death["moment"], readonly [Ending, Ending]> = {
  before: ["kill", "power loss"],
  during: ["kill", "kill"],
  after: ["power loss", "kill"],
};
const CODES = ["ENOSPC", "EIO", "EACCES", "EROFS"];

/** How a process ends: alone, or with all of the machine. */
type Ending = "kill" | "power loss";

/** What a process that died has left, for as many others as want to begin with it. */
interface Remains {
  readonly left: (mishap?: Mishap) => SimulatedDisk;
  readonly log: Log;
}

let tally: Tally;
/** The points at which something did not hold, and what. */
const failures: string[] = [];
const unhandled: unknown[] = [];
const keepUnhandled = (reason: unknown): void => void unhandled.push(reason);
let nowMs = START_MS;

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

describe("a state whose process dies at any call to the disk", () => {
  const calls = ["write", "sync", "create", "rename", "remove", "syncFolder"];
  const remains = ["compaction interrupted", "two journals", "torn tail"];
  const met = [...calls, ...remains, "unacknowledged kept", "unacknowledged lost"];

  it.each(["always", "none"] as const)(
    "has what was acknowledged, and each commit whole, after a kill (durability %s)",
    async (durability) => {
      const script = await callsOf(durability);
      for (const death of deathsAt(script)) {
        await at(nameOf(death, script), async () => {
          const { disk, log } = await live(death, durability);
          meet(disk, script[death.at - 1]);
          await expectMended(disk.afterKill(), log, durability);
        });
      }
      tally.expectAtLeast(10, ...met);
    },
    LONG_MS,
  );

  it(
    "has it after a loss of power, whatever was not synced yet",
    async () => {
      const script = await callsOf("always");
      for (const death of deathsAt(script)) {
        const lucks = [NOTHING_MORE, randomFrom(death.at)];
        await at(nameOf(death, script), async () => {
          const { disk, log } = await live(death, "always");
          meet(disk, script[death.at - 1]);
          for (const luck of lucks) await expectMended(disk.afterPowerLoss(luck), log);
        });
      }
      tally.expectAtLeast(10, ...met);
    },
    LONG_MS,
  );
});

describe("an opening that dies at any call to the disk", () => {
  it(
    "is begun anew by the next one, which may die as well",
    async () => {
      let seed = 0;
      for (const [kind, { left, log }] of await allRemains()) {
        tally.add("kind of remains");
        const { calls } = await openOnly(left(), log);
        for (const death of deathsAt(calls)) {
          // After one call is before the next: so each place is met with both endings in turn.
          const [first, second] = ENDINGS[death.moment];
          const random = randomFrom(++seed);
          const next = 1 + Math.floor(random() * calls.length);
          const point = `${kind}: ${nameOf(death, calls)}, ${first}; before call ${next}, ${second}`;
          await at(point, async () => {
            const one = await openOnly(left(death), log);
            meet(one, calls[death.at - 1]);
            const mishap = { kind: "death", at: next, moment: "before" } as const;
            const other = await openOnly(leftBy(one, first, random, mishap), log);
            tally.add(other.struck && "died again");
            await expectMended(leftBy(other, second, random), log);
            if (death.moment !== "after" || !one.hasUnsyncedNames) return;
            for (const count of [1, 2, 3])
              await expectMended(one.afterPowerLoss(allButOldestNames(count)), log);
          });
        }
      }
      tally.expectAtLeast(10, "read", "write", "sync", "truncate", "create", "remove");
      tally.expectAtLeast(10, "syncFolder", "torn tail", "kind of remains", "died again");
    },
    LONG_MS,
  );
});

describe("an opening whose disk fails at any call", () => {
  it(
    "is refused or goes on, and the next one finds all there was",
    async () => {
      for (const [kind, { left, log }] of await allRemains()) {
        const { calls } = await openOnly(left(), log);
        for (const [index, call] of calls.entries()) {
          const code = codeFor(index);
          await at(`${kind}: ${code} of call ${index + 1}, ${describeCall(call)}`, async () => {
            const disk = left({ kind: "refusal", at: index + 1, code });
            await expectOpened(disk, log);
            meet(disk, call);
            await expectMended(disk.afterPowerLoss(randomFrom(index)), log);
          });
        }
      }
      tally.expectAtLeast(10, "list", "stat", "read", "create", "remove", "syncFolder");
      tally.expectAtLeast(2, "write", "sync", "truncate", "rename");
      tally.expectAtLeast(10, "opening refused", "torn tail");
    },
    LONG_MS,
  );
});

describe("a state whose disk fails at any call", () => {
  const NAMES_FAIL = { isLasting: true, only: NAME_CALLS };

  it.each([
    [
      "once",
      {},
      [
        "write",
        "sync",
        "create",
        "rename",
        "remove",
        "syncFolder",
        "compaction tried again",
        "recovered at a change",
      ],
    ],
    [
      "and at all calls after it",
      { isLasting: true },
      ["write", "refused while it fails", "recovered"],
    ],
    ["and at all that change names after it", NAMES_FAIL, ["rename", "compaction tried again"]],
  ])(
    "keeps what it acknowledged, and shows nothing else: %s",
    async (_title, how, met) => {
      for (const [index, call] of (await callsOf("always")).entries()) {
        const mishap: Failure = { kind: "refusal", at: index + 1, code: codeFor(index), ...how };
        await at(`${mishap.code} of call ${mishap.at}, ${describeCall(call)}`, async () => {
          const { disk, log } = await liveThrough(mishap);
          // Where all fail, it may be another one, called later, that fails first.
          meet(disk, mishap.isLasting ? undefined : call);
          const kept = await expectMended(disk.afterKill(), log);
          // The disk was fine again when there was something to take back.
          if (!mishap.isLasting) expect(kept, "kept").toBe(log.acknowledged);
          await expectMended(disk.afterPowerLoss(randomFrom(index)), log);
        });
      }
      tally.expectAtLeast(3, ...met);
    },
    LONG_MS,
  );

  it.each([
    ["the next one takes the rest", {}, ["write"]],
    ["the next one fails", { code: "ENOSPC" }, ["write", "recovered"]],
    [
      "the next one fails, and all calls after it",
      { code: "ENOSPC", isLasting: true },
      ["write", "recovered", "torn tail"],
    ],
  ])(
    "knows where a write took only a part: %s",
    async (_title, how, met) => {
      for (const [index, call] of (await callsOf("always")).entries()) {
        if (call.name !== "write") continue;
        const mishap: Failure = { kind: "short write", at: index + 1, ...how };
        await at(`call ${mishap.at}, ${describeCall(call)}`, async () => {
          const { disk, log } = await liveThrough(mishap);
          meet(disk, call);
          if (!mishap.code) expect(log.hasFailed, "has failed").toBe(false);
          const kept = await expectMended(disk.afterKill(), log);
          if (!mishap.isLasting) expect(kept, "kept").toBe(log.acknowledged);
        });
      }
      tally.expectAtLeast(5, ...met);
    },
    LONG_MS,
  );
});

describe("a state that recovers after its disk failed", () => {
  const mishaps: readonly (readonly [string, (nth: number) => Failure])[] = [
    ["a full disk", (nth) => ({ kind: "short write", at: nth, code: "ENOSPC" })],
    ["a write that failed", (nth) => ({ kind: "short write", at: nth, code: "EIO" })],
    [
      "a disk that was full for all calls",
      (nth) => ({ kind: "short write", at: nth, code: "ENOSPC", isLasting: true }),
    ],
    [
      "a sync that failed",
      (nth) => ({ kind: "refusal", at: nth, code: "EIO", only: ["sync"], isLasting: true }),
    ],
  ];
  // Without a sync to wait for, none fails.
  const cases = (["always", "none"] as const).flatMap((durability) =>
    mishaps
      .filter(([title]) => durability === "always" || !title.includes("sync"))
      .map(([title, mishapAt]) => [title, durability, mishapAt] as const),
  );

  it.each(cases)(
    "keeps its promises wherever it dies: %s (durability %s)",
    async (title, durability, mishapAt) => {
      const moments = ["before", "during", "after"] as const;
      for (let place = 0, isOver = false; !isOver; place++) {
        const [nth, moment] = [1 + Math.floor(place / 3), moments[place % 3] ?? "before"];
        const holder = await liveUntilRefused(durability, mishapAt);
        const { disk, log } = holder;
        disk.strike({ kind: "death", at: disk.calls.length + nth, moment, share: 0.4 });
        holder.timer.ring();
        await untilDeath(async () => {
          await holder.quiet();
          holder.timer.ring();
          await holder.quiet();
          holder.commit(2);
          await holder.quiet();
        });
        isOver = !disk.isDead;
        if (isOver) expect([log.acknowledged, holder.store.isDegraded]).toEqual([7, false]);
        await at(`${moment} call ${nth}`, async () => {
          tally.add(disk.struck?.name);
          const kept = await expectMended(disk.afterKill(), log, durability);
          // Whole lines that could not be cut off count until the state file is written anew.
          const isCutOff = !title.includes("all calls") || sequenceIn(disk) >= 8;
          if (log.issued === 5 && isCutOff) expect(kept, "refused, and there").toBe(5);
          if (durability === "none") return;
          for (const luck of [NOTHING_MORE, randomFrom(place), allButOldestNames(1)])
            await expectMended(disk.afterPowerLoss(luck), log);
        });
      }
      tally.expectAtLeast(1, "create", "write", "sync", "remove");
    },
    LONG_MS,
  );

  it.each(["always", "none"] as const)(
    "never goes on in a file whose sync failed, even for lack of space (durability %s)",
    async (durability) => {
      const broken = {
        kind: "refusal",
        code: "EIO",
        isLasting: true,
        where: /\.4\.journal$/,
      } as const;
      const holder = await liveUntilRefused(durability, (nth) =>
        durability === "always"
          ? // The call behind the write, and none after it.
            { kind: "refusal", at: nth + 1, code: "ENOSPC", only: ["sync"] }
          : { ...broken, at: nth, only: ["sync", "write", "truncate"] },
      );
      const { disk, log } = holder;
      // Nothing can be done to that file any more.
      disk.strike({ ...broken, at: 1, only: ["sync", "write", "truncate"] });
      const before = disk.calls.length;
      holder.timer.ring();
      await holder.quiet();
      holder.commit(2);
      await holder.durable();
      expect([log.acknowledged, holder.store.isDegraded]).toEqual([7, false]);
      const touched = disk.calls
        .slice(before)
        .filter(({ path: name }) => name.endsWith(".4.journal"));
      expect(touched.map(({ name }) => name).toSorted()).toEqual(["close", "remove"]);
      const left = durability === "always" ? disk.afterPowerLoss(NOTHING_MORE) : disk.afterKill();
      await expectMended(left, log, durability);
    },
  );

  it("does not keep what a state file holds that was being written when it failed", async () => {
    const disk = new SimulatedDisk([FOLDER]);
    const holder = await new Holder(disk, new Log()).open("always");
    const { log, store } = holder;
    holder.commit(3);
    await holder.durable();
    const held: (() => void)[] = [];
    const { later } = disk;
    disk.later = (act, name, file) => {
      if (name === "write" && isTemporary(file)) held.push(act);
      else later(act, name, file);
    };
    holder.commit(2);
    holder.timer.ring();
    await holder.pause(20);
    expect(held.length, "writes of the state file").toBe(1);
    expect(log.acknowledged).toBe(5);
    disk.strike({
      kind: "refusal",
      at: 1,
      code: "EIO",
      isLasting: true,
      where: /journal$/,
      only: ["write"],
    });
    holder.commit(1);
    await holder.pause(20);
    expect(store.isDegraded).toBe(true);
    disk.mend();
    disk.later = later;
    holder.timer.ring();
    await holder.pause(20);
    for (const act of held) act();
    await holder.quiet();
    expect(store.isDegraded).toBe(false);
    expect(await expectMended(disk.afterKill(), log)).toBe(5);
  });

  /** Up to where changes are refused: 5 are durable, and 3 more are written in part. */
  async function liveUntilRefused(
    durability: Durability,
    mishapAt: (nth: number) => Failure,
  ): Promise<Holder> {
    const disk = new SimulatedDisk([FOLDER]);
    const holder = await new Holder(disk, new Log()).open(durability);
    holder.commit(3);
    await holder.durable();
    holder.timer.ring();
    await holder.quiet();
    holder.commit(2);
    await holder.durable();
    disk.strike(mishapAt(disk.calls.length + 1));
    holder.commit(3);
    await holder.quiet();
    expect(holder.store.isDegraded, "refuses").toBe(true);
    disk.mend();
    return holder;
  }
});

describe("a stop while the state file is being written", () => {
  it("waits for it, so that no older file takes the place of a newer one", async () => {
    const disk = new SimulatedDisk([FOLDER]);
    const holder = await new Holder(disk, new Log()).open("always");
    holder.commit(3);
    await holder.durable();
    const held: (() => void)[] = [];
    const { later } = disk;
    disk.later = (act, name, file) => {
      if (name === "rename" && held.length === 0) held.push(act);
      else later(act, name, file);
    };
    holder.timer.ring();
    await holder.pause(60);
    expect(held.length, "renames").toBe(1);
    holder.commit(2);
    await holder.durable();
    const closed = watch(holder.store.close());
    await holder.pause(200);
    expect(closed.isSettled, "closed").toBe(false);
    expect(disk.calls.filter(({ name }) => name === "rename")).toHaveLength(2);
    for (const act of held) act();
    for (let turn = 0; turn < TOO_MANY_TURNS && !closed.isSettled; turn++) await holder.pause(1);
    expect(namesIn(disk)).toEqual(["state.json"]);
    expect(sequenceIn(disk)).toBe(5);
    expect(await expectMended(disk.afterPowerLoss(NOTHING_MORE), holder.log)).toBe(5);
  });
});

describe("a repair", () => {
  it("has a copy of what was damaged that outlasts a loss of power, wherever that comes", async () => {
    const { disk: closed } = await live(undefined, "always");
    const damaged = closed.textOf(FILE).replace(/"id":"payin 0\.1"/, '"id":7');
    const damage = async (mishap?: Mishap): Promise<SimulatedDisk> => {
      const before = new SimulatedDisk([FOLDER]);
      const written = await before.create(FILE, 0o640);
      await written.write(Buffer.from(damaged), 0);
      await written.sync();
      await before.syncFolder(FOLDER);
      return before.afterPowerLoss(NOTHING_MORE, mishap);
    };
    const copyIn = (disk: SimulatedDisk): string | undefined =>
      disk.namesIn(FOLDER).find((name) => name.includes(".damaged-"));
    const script = await damage();
    await repairState(FILE, script);
    for (const death of deathsAt(script.calls))
      await at(nameOf(death, script.calls), async () => {
        const disk = await damage(death);
        const state = watch(repairState(FILE, disk));
        for (let turn = 0; !state.isSettled && !disk.isDead; turn++) await turns(1);
        for (const luck of [NOTHING_MORE, randomFrom(death.at), allButOldestNames(1)]) {
          const left = disk.afterPowerLoss(luck);
          if (left.textOf(FILE) === damaged) continue;
          tally.add("repaired");
          expect(left.textOf(path.join(FOLDER, copyIn(left) ?? "")), "copy").toBe(damaged);
        }
      });
    expect((await script.stat(path.join(FOLDER, copyIn(script) ?? ""))).mode).toBe(0o640);
    tally.expectAtLeast(3, "repaired");
  });
});

describe("what a crash left unfinished", () => {
  it("is saved in a copy that only its owner can read, whatever the state file's mode", async () => {
    const before = new SimulatedDisk([FOLDER]);
    for (const [name, text] of [
      [
        FILE,
        '{"format":"pix-sandbox","version":1,"lastEventNumber":0,"payins":[],"payouts":[],"deliveries":[],"webhookConfigurations":[],"changedAssumptions":[]}',
      ],
      [`${FILE}.1.journal`, '{"crc32":"0123'],
    ] as const) {
      const written = await before.create(name, 0o644);
      await written.write(Buffer.from(text), 0);
    }
    const disk = before.afterKill();
    const { said } = await new Holder(disk, new Log()).open("always");
    expect(said).toEqual([expect.stringContaining("was incomplete")]);
    const copy = disk.namesIn(FOLDER).find((name) => name.includes(".torn-")) ?? "";
    expect(disk.textOf(path.join(FOLDER, copy))).toBe('{"crc32":"0123');
    expect((await disk.stat(path.join(FOLDER, copy))).mode).toBe(0o600);
  });
});

describe("a state in a folder that is not there yet", () => {
  it("outlasts a loss of power from its first commit on", async () => {
    const start = async (mishap?: Mishap): Promise<{ disk: SimulatedDisk; log: Log }> => {
      const disk = new SimulatedDisk([], mishap);
      const log = new Log();
      await untilDeath(async () => {
        const holder = await new Holder(disk, log).open("always");
        holder.commit(3);
        await holder.durable();
      });
      return { disk, log };
    };
    const script = (await start()).disk.calls;
    for (const death of deathsAt(script))
      await at(nameOf(death, script), async () => {
        const { disk, log } = await start(death);
        meet(disk, script[death.at - 1]);
        await expectMended(disk.afterPowerLoss(NOTHING_MORE), log);
        await expectMended(disk.afterKill(), log);
      });
    const { disk, log } = await start();
    expect(await expectMended(disk.afterPowerLoss(NOTHING_MORE), log)).toBe(3);
    tally.expectAtLeast(2, "makeFolder", "create", "write", "sync", "rename", "syncFolder");
  });
});

describe("a state that nothing is committed to", () => {
  it("is begun again wherever its process dies", async () => {
    const lives = [(): Promise<void> => Promise.resolve()];
    const script = (await live(undefined, "always", lives)).disk.calls;
    for (const death of deathsAt(script))
      await at(nameOf(death, script), async () => {
        const { disk, log } = await live(death, "always", lives);
        meet(disk, script[death.at - 1]);
        await expectMended(disk.afterKill(), log);
        for (const luck of [NOTHING_MORE, allButOldestNames(1), allButOldestNames(2)])
          await expectMended(disk.afterPowerLoss(luck), log);
      });
    tally.expectAtLeast(2, "create", "write", "sync", "rename", "remove", "syncFolder");
  });
});

/** What the world knows of a state: how many changes were taken, and how many of them are owed to it. */
class Log {
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
class Holder {
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

  async open(durability: Durability): Promise<this> {
    // No two begin at the same time, by which they name what they keep aside.
    vi.setSystemTime(++nowMs);
    const { disk, timer } = this;
    const report = ({ en }: LocalizedText): void => void this.said.push(en);
    const opening = openStateFile(FILE, { disk, timer, durability, report });
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

const LIVES = [firstLife, secondLife];

/** The whole script, or as much of it as there is before its process dies. */
async function live(
  mishap: Mishap | undefined,
  durability: Durability,
  lives = LIVES,
): Promise<{ disk: SimulatedDisk; log: Log }> {
  const disk = new SimulatedDisk([FOLDER], mishap);
  const log = new Log();
  await untilDeath(async () => {
    for (const life of lives) {
      const holder = await new Holder(disk, log).open(durability);
      await life(holder);
      await holder.close();
    }
  });
  return { disk, log };
}

/** The calls of the script where nothing goes wrong: commits that share a batch, and compactions among them. */
async function callsOf(durability: Durability): Promise<readonly DiskCall[]> {
  const { disk, log } = await live(undefined, durability);
  expect([log.acknowledged, log.rejected, log.thrown]).toEqual([log.issued, [], []]);
  expect(namesIn(disk)).toEqual(["state.json"]);
  const batches = disk.calls.filter((call) => call.name === "write" && !isTemporary(call.path));
  expect(batches.length).toBeLessThan(log.issued * 0.7);
  expect(disk.calls.filter(({ name }) => name === "rename").length).toBeGreaterThanOrEqual(4);
  return disk.calls;
}

/** The script on a disk that fails: what can go on goes on, and each process ends as it should. */
async function liveThrough(mishap: Failure): Promise<{ disk: SimulatedDisk; log: Log }> {
  const disk = new SimulatedDisk([FOLDER], mishap);
  const log = new Log();
  for (const life of LIVES) {
    const holder = await expectOpened(disk, log);
    if (!holder) break;
    await life(holder);
    if (holder.said.length > 0) {
      await holder.quiet();
      if (log.hasFailed) {
        await expectForgotten(holder, mishap);
        await expectRecovered(holder, mishap);
      } else await expectRenewed(holder, mishap);
    }
    await expectClosed(holder);
    expect(log.acknowledged, "acknowledged").toBe(log.issued);
  }
  return { disk, log };
}

/** An opening, and nothing after it. */
async function openOnly(disk: SimulatedDisk, log: Log): Promise<SimulatedDisk> {
  await untilDeath(() => new Holder(disk, log).open("always"));
  return disk;
}

async function untilDeath(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Died)) throw error;
  }
}

/** Every point at which a process that makes these calls can die. */
function* deathsAt(calls: readonly DiskCall[]): Generator<Death> {
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
async function allRemains(): Promise<Map<string, Remains>> {
  const kinds = new Map<string, Remains>();
  for (const death of deathsAt(await callsOf("always"))) {
    const { disk, log } = await live(death, "always");
    for (const ending of ["kill", "power loss"] as const) {
      const left = (mishap?: Mishap): SimulatedDisk =>
        leftBy(disk, ending, randomFrom(death.at), mishap);
      kinds.set(kindOf(left()), { left, log });
    }
  }
  return kinds;
}

function leftBy(disk: SimulatedDisk, ending: Ending, luck: Luck, mishap?: Mishap): SimulatedDisk {
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
async function expectMended(
  disk: SimulatedDisk,
  log: Log,
  durability: Durability = "always",
): Promise<number> {
  const next = await new Holder(disk, log).open(durability);
  const kept = keptBy(next.store, log);
  tally.add(next.said.some((sentence) => sentence.includes("was incomplete")) && "torn tail");
  tally.add(kept > log.acknowledged && "unacknowledged kept");
  tally.add(kept < log.issued && "unacknowledged lost");
  next.log = new Log(kept);
  next.commit(2);
  await next.durable();
  expect(next.log.acknowledged, "acknowledged on top").toBe(kept + 2);

  // What it built upon is owed as well by now, whoever wrote it.
  const left = durability === "always" ? disk.afterPowerLoss(NOTHING_MORE) : disk.afterKill();
  const last = await new Holder(left, next.log).open(durability);
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

/** @returns undefined where the opening is refused */
async function expectOpened(disk: SimulatedDisk, log: Log): Promise<Holder | undefined> {
  const { held } = locks;
  try {
    return await new Holder(disk, log).open("always");
  } catch (error) {
    if (!(error instanceof StorageError) && !(error instanceof StateFileError)) throw error;
    tally.add("opening refused");
    expect(locks.held, "locks held").toBe(held);
    return undefined;
  }
}

/** A failed compaction is reported, loses nothing, and is repeated when the timer rings. */
async function expectRenewed(holder: Holder, mishap: Failure): Promise<void> {
  const { disk, timer, log, said } = holder;
  tally.add("compaction failed");
  for (const sentence of said) expect(sentence).toMatch(/^[^\n]*could not be merged[^\n]*$/);
  expect(await expectMended(disk.afterKill(), log), "kept without it").toBe(log.issued);
  const isDone = (): boolean => {
    const beside = namesIn(disk).filter((name) => name !== "state.json");
    // What was begun and could not be removed either is left to the next opening.
    const parts = beside.filter((name) => !mishap.isLasting || isPart(disk, name));
    return sequenceIn(disk) === log.issued && parts.length <= 1;
  };
  if (isDone()) return;

  tally.add("compaction tried again");
  expect(timer.delayMs, "the timer").toBeDefined();
  disk.mend();
  const count = said.length;
  timer.ring();
  await holder.quiet();
  expect(said.slice(count), "said of the next one").toEqual([]);
  expect(isDone(), `compacted, with ${namesIn(disk).join()}`).toBe(true);
}

/** What could not be kept is gone at once from the disk too, as far as the disk lets it. */
async function expectForgotten({ disk, log }: Holder, mishap: Failure): Promise<void> {
  const kept = await expectMended(disk.afterKill(), log);
  if (!mishap.isLasting) expect(kept, "kept").toBe(log.acknowledged);
  await expectMended(disk.afterPowerLoss(randomFrom(mishap.at)), log);
}

async function expectClosed(holder: Holder): Promise<void> {
  const { held } = locks;
  try {
    await holder.close();
  } catch (error) {
    expect(error, "why it cannot be closed").toBeInstanceOf(StorageError);
  }
  expect(locks.held, "locks held").toBe(held - 1);
  expect(holder.disk.openFiles, "files left open").toBe(0);
}

/**
 * Nothing is known any more of what could not be kept. While the disk fails changes are refused; they are
 * accepted again when it does not, and what is acknowledged then is durable.
 */
async function expectRecovered(holder: Holder, mishap: Failure): Promise<void> {
  const { timer, disk, log, said, store } = holder;
  tally.add("journal failed");
  const expectOnlyKept = (): void => {
    const isWhatWasKept = shownOf(store.records) === MODELS[log.acknowledged]?.shown;
    expect(isWhatWasKept, "shows what was kept, and nothing else").toBe(true);
  };
  expectOnlyKept();
  if (store.isDegraded && mishap.isLasting) {
    tally.add("refused while it fails");
    const before = log.thrown.length;
    holder.commit();
    await holder.quiet();
    expect(log.thrown.length, "commits refused").toBe(before + 1);
    expect(store.isDegraded, "refuses").toBe(true);
    disk.mend();
  }
  if (store.isDegraded) {
    expect(timer.delayMs, "the next try").toBeGreaterThan(0);
    timer.ring();
    await holder.quiet();
  } else tally.add("recovered at a change");
  expect(store.isDegraded, "refuses").toBe(false);
  const told = (what: string) => said.filter((one) => one.includes(what)).length;
  expect(told("Changes are refused"), "told").toBeGreaterThan(0);
  expect(told("changes are accepted"), "told").toBe(told("Changes are refused"));
  expectOnlyKept();

  tally.add("recovered");
  holder.commit(2);
  await holder.durable();
  expect(log.acknowledged, "acknowledged since").toBe(log.issued);
  const errors = [...log.thrown, ...log.rejected];
  expect(errors.filter((error) => !(error instanceof StorageError))).toEqual([]);
  await expectMended(disk.afterPowerLoss(NOTHING_MORE), log);
}

/** The files of a state, without what was cut off and kept aside. */
function namesIn(disk: SimulatedDisk): string[] {
  return disk.namesIn(FOLDER).filter((name) => !name.includes(".torn-"));
}

/** Whether a file has a share in the state, which one that was only begun has not. */
function isPart(disk: SimulatedDisk, name: string): boolean {
  return !isTemporary(name) && disk.textOf(path.join(FOLDER, name)) !== "";
}

function isTemporary(name: string): boolean {
  return name.endsWith(".tmp");
}

function sequenceIn(disk: SimulatedDisk): number {
  return (JSON.parse(disk.textOf(FILE)) as { sequence: number }).sequence;
}

function codeFor(index: number): string {
  return CODES[index % CODES.length] ?? "EIO";
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
function meet(disk: SimulatedDisk, meant: DiskCall | undefined): void {
  const { struck } = disk;
  if (meant) expect(struck?.name, "the call that was met").toBe(meant.name);
  tally.add(struck?.name);
  const names = namesIn(disk);
  tally.add(names.some(isTemporary) && "compaction interrupted");
  tally.add(names.filter((name) => name.endsWith(".journal")).length > 1 && "two journals");
}

/** One point of many: where it does not hold, the others are tried all the same. */
async function at(point: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
    expect(unhandled.splice(0), "rejections that nobody handled").toEqual([]);
  } catch (error) {
    failures.push(`${point}: ${(error as Error).message}`);
  }
}

function nameOf({ at: number, moment }: Death, calls: readonly DiskCall[]): string {
  const call = calls[number - 1];
  return `${moment} call ${number}${call ? `, ${describeCall(call)}` : ""}`;
}

function describeCall(call: DiskCall): string {
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
const MODELS = (() => {
  const records = new Records();
  return [undefined, ...CHANGES].map((change) => {
    if (change) records.apply(change);
    const { lastEventNumber } = records;
    return { whole: wholeOf(records), shown: shownOf(records), lastEventNumber };
  });
})();

/** Records and what they are found by; what is not taken back with a change is left out. */
function shownOf(records: Records): string {
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
