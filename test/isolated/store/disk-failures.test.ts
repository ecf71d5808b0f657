import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { StorageError } from "../../../src/core/state/ports.ts";
import { StateFileError } from "../../../src/store/errors.ts";
import { locks } from "./counted-lock.ts";
import { randomFrom, watch } from "../../support/core.ts";
import {
  allButOldestNames,
  type Failure,
  NAME_CALLS,
  NOTHING_MORE,
  SimulatedDisk,
} from "../../support/disk.ts";
import {
  FOLDER,
  Holder,
  LIVES,
  LONG_MS,
  Log,
  MODELS,
  TOO_MANY_TURNS,
  allRemains,
  at,
  callsOf,
  describeCall,
  expectMended,
  isTemporary,
  meet,
  namesIn,
  openOnly,
  sequenceIn,
  shownOf,
  tally,
  untilDeath,
  useTally,
} from "./crash-points.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

vi.mock("../../../src/store/file/lock/lock.ts", () => import("./counted-lock.ts"));

const CODES = ["ENOSPC", "EIO", "EACCES", "EROFS"];
useTally();

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
      for (const [index, call] of (await callsOf()).entries()) {
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
      for (const [index, call] of (await callsOf()).entries()) {
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
  it.each(mishaps)(
    "keeps its promises wherever it dies: %s",
    async (title, mishapAt) => {
      const moments = ["before", "during", "after"] as const;
      for (let place = 0, isOver = false; !isOver; place++) {
        const [nth, moment] = [1 + Math.floor(place / 3), moments[place % 3] ?? "before"];
        const holder = await liveUntilRefused(mishapAt);
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
          const kept = await expectMended(disk.afterKill(), log);
          // Whole lines that could not be cut off count until the state file is written anew.
          const isCutOff = !title.includes("all calls") || sequenceIn(disk) >= 8;
          if (log.issued === 5 && isCutOff) expect(kept, "refused, and there").toBe(5);
          for (const luck of [NOTHING_MORE, randomFrom(place), allButOldestNames(1)])
            await expectMended(disk.afterPowerLoss(luck), log);
        });
      }
      tally.expectAtLeast(1, "create", "write", "sync", "remove");
    },
    LONG_MS,
  );

  it("never goes on in a file whose sync failed, even for lack of space", async () => {
    const broken = {
      kind: "refusal",
      code: "EIO",
      isLasting: true,
      where: /\.4\.journal$/,
    } as const;
    // The call behind the write, and none after it.
    const holder = await liveUntilRefused((nth) => ({
      kind: "refusal",
      at: nth + 1,
      code: "ENOSPC",
      only: ["sync"],
    }));
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
    await expectMended(disk.afterPowerLoss(NOTHING_MORE), log);
  });

  it("does not keep what a state file holds that was being written when it failed", async () => {
    const disk = new SimulatedDisk([FOLDER]);
    const holder = await new Holder(disk, new Log()).open();
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
  async function liveUntilRefused(mishapAt: (nth: number) => Failure): Promise<Holder> {
    const disk = new SimulatedDisk([FOLDER]);
    const holder = await new Holder(disk, new Log()).open();
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
    const holder = await new Holder(disk, new Log()).open();
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

/** @returns undefined where the opening is refused */
async function expectOpened(disk: SimulatedDisk, log: Log): Promise<Holder | undefined> {
  const { held } = locks;
  try {
    return await new Holder(disk, log).open();
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

/** Whether a file has a share in the state, which one that was only begun has not. */
function isPart(disk: SimulatedDisk, name: string): boolean {
  return !isTemporary(name) && disk.textOf(path.join(FOLDER, name)) !== "";
}

function codeFor(index: number): string {
  return CODES[index % CODES.length] ?? "EIO";
}
