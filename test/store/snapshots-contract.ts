import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Snapshot, Snapshots } from "../../src/core/state/ports.ts";
import type { Lists } from "../../src/core/state/records.ts";
import { delivery, payin, payout, START_MS } from "../support/core.ts";

/** Where an implementation stores the snapshots of a test. */
export interface SnapshotsHome extends AsyncDisposable {
  readonly snapshots: Snapshots;
}

/** Tests what `Snapshots` promises; each implementation runs it. */
export function testSnapshots(name: string, createHome: () => Promise<SnapshotsHome>): void {
  describe(`snapshots in ${name}`, () => {
    let home: SnapshotsHome;
    let snapshots: Snapshots;

    beforeEach(async () => {
      home = await createHome();
      snapshots = home.snapshots;
    });

    afterEach(() => home[Symbol.asyncDispose]());

    it("do not exist at first", async () => {
      expect(await snapshots.list(null)).toEqual([]);
      expect(await snapshots.load(snapshotOf("one"))).toBeUndefined();
      expect(await snapshots.delete(snapshotOf("one"))).toBe(false);
    });

    it("give back all rows, the clock and the fault ordinals", async () => {
      await snapshots.save(snapshotOf("one", null), ALL_ROWS);
      expect(await snapshots.load(snapshotOf("one", null))).toMatchObject({
        snapshot: snapshotOf("one", null),
        rows: ALL_ROWS,
      });
    });

    it("are replaced by a later one of the same name and integration", async () => {
      await snapshots.save(snapshotOf("one"), ROWS);
      const later = { ...snapshotOf("one"), takenAtMs: START_MS + 1, deliveries: 0 };
      await snapshots.save(later, { ...ROWS, deliveries: [] });
      expect(await snapshots.load(later)).toMatchObject({ snapshot: later });
      expect(await snapshots.list(null)).toEqual([later]);
    });

    it.each(["null", "undefined", "all"])(
      "of an integration called %s are not those of all integrations",
      async (integration) => {
        await snapshots.save(snapshotOf("one", null), ALL_ROWS);
        await snapshots.save(snapshotOf("one", integration), ROWS);
        expect(await snapshots.list(integration)).toEqual([snapshotOf("one", integration)]);
        expect(await snapshots.list(null)).toHaveLength(2);
        expect((await snapshots.load(snapshotOf("one", null)))?.rows).toMatchObject(ALL_ROWS);
        expect(await snapshots.delete(snapshotOf("one", integration))).toBe(true);
        expect(await snapshots.list(null)).toEqual([snapshotOf("one", null)]);
      },
    );

    it("belong to one integration, or to none", async () => {
      const none = { payins: 0, payouts: 0, deliveries: 0 };
      const ofOther = { ...snapshotOf("one", "other"), ...none };
      await snapshots.save(snapshotOf("two"), ROWS);
      await snapshots.save(ofOther, {});
      await snapshots.save(snapshotOf("one"), ROWS);
      await snapshots.save(snapshotOf("one", null), ALL_ROWS);
      expect(await snapshots.list(null)).toEqual([
        snapshotOf("one", null),
        ofOther,
        snapshotOf("one"),
        snapshotOf("two"),
      ]);
      expect(await snapshots.list("shop")).toEqual([snapshotOf("one"), snapshotOf("two")]);
      expect((await snapshots.load(ofOther))?.rows.transactions ?? []).toEqual([]);

      expect(await snapshots.delete(snapshotOf("one"))).toBe(true);
      expect(await snapshots.load(snapshotOf("one"))).toBeUndefined();
      expect(await snapshots.list(null)).toHaveLength(3);
    });
  });
}

const ROWS: Lists = {
  transactions: [
    payin({ description: 'Açaí 😀 \u2028 "quoted"' }),
    payin({ id: "another", ordinal: 2 }),
    payout(),
  ],
  deliveries: [delivery()],
  webhookConfigurations: [{ integration: "shop", webhook_url: "http://127.0.0.1/", events: [] }],
  changedAssumptions: [{ integration: "shop", changes: { environment: "production" } }],
};
const ALL_ROWS: Lists = {
  ...ROWS,
  clock: [{ mode: "frozen", nowMs: START_MS }],
  faultOrdinals: [{ integration: "shop", ordinal: 3 }],
};

function snapshotOf(name: string, integration: string | null = "shop"): Snapshot {
  return { name, integration, takenAtMs: START_MS, payins: 2, payouts: 1, deliveries: 1 };
}
