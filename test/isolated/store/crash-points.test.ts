import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { randomFrom } from "../../support/core.ts";
import {
  allButOldestNames,
  type Death,
  type DiskCall,
  type Mishap,
  NOTHING_MORE,
  SimulatedDisk,
} from "../../support/disk.ts";
import {
  FILE,
  FOLDER,
  Holder,
  LONG_MS,
  Log,
  allRemains,
  at,
  callsOf,
  deathsAt,
  describeCall,
  expectMended,
  leftBy,
  live,
  meet,
  openOnly,
  tally,
  type Ending,
  untilDeath,
  useTally,
} from "./crash-points.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

vi.mock("../../../src/store/file/lock/lock.ts", () => import("./counted-lock.ts"));

/** How the first opening that dies ends, and the second one. */
const ENDINGS: Record<Death["moment"], readonly [Ending, Ending]> = {
  before: ["kill", "power loss"],
  during: ["kill", "kill"],
  after: ["power loss", "kill"],
};
useTally();

describe("a state whose process dies at any call to the disk", () => {
  const calls = ["write", "sync", "create", "rename", "remove", "syncFolder"];
  const remains = ["compaction interrupted", "two journals", "torn tail"];
  const met = [...calls, ...remains, "unacknowledged kept", "unacknowledged lost"];

  it(
    "has what was acknowledged, and each commit whole, after a kill",
    async () => {
      const script = await callsOf();
      for (const death of deathsAt(script)) {
        await at(nameOf(death, script), async () => {
          const { disk, log } = await live(death);
          meet(disk, script[death.at - 1]);
          await expectMended(disk.afterKill(), log);
        });
      }
      tally.expectAtLeast(10, ...met);
    },
    LONG_MS,
  );

  it(
    "has it after a loss of power, whatever was not synced yet",
    async () => {
      const script = await callsOf();
      for (const death of deathsAt(script)) {
        const lucks = [NOTHING_MORE, randomFrom(death.at)];
        await at(nameOf(death, script), async () => {
          const { disk, log } = await live(death);
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
    const { said } = await new Holder(disk, new Log()).open();
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
        const holder = await new Holder(disk, log).open();
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
    const script = (await live(undefined, lives)).disk.calls;
    for (const death of deathsAt(script))
      await at(nameOf(death, script), async () => {
        const { disk, log } = await live(death, lives);
        meet(disk, script[death.at - 1]);
        await expectMended(disk.afterKill(), log);
        for (const luck of [NOTHING_MORE, allButOldestNames(1), allButOldestNames(2)])
          await expectMended(disk.afterPowerLoss(luck), log);
      });
    tally.expectAtLeast(2, "create", "write", "sync", "rename", "remove", "syncFolder");
  });
});

function nameOf({ at: number, moment }: Death, calls: readonly DiskCall[]): string {
  const call = calls[number - 1];
  return `${moment} call ${number}${call ? `, ${describeCall(call)}` : ""}`;
}
