import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { GatewayError } from "../../../../src/core/records/errors.ts";
import { type Snapshot, StorageError } from "../../../../src/core/state/ports.ts";
import type { Change } from "../../../../src/core/state/records.ts";
import { openSnapshots } from "../../../../src/store/file/snapshot-files.ts";
import { openStateFile } from "../../../../src/store/file/state-file.ts";
import { createFolder } from "../../../support/folder.ts";
import { delivery, payin, payout, START_MS } from "../../../support/core.ts";
import { type CallName, SimulatedDisk } from "../../../support/disk.ts";
import { english, translate } from "../../../../src/text/languages.ts";

/** The lock is a socket, and no part of a disk: one process after another is played by one. */
vi.mock(import("../../../../src/store/file/lock/lock.ts"), () => ({
  lock: async () => async () => undefined,
  assertFree: async () => undefined,
}));

const ROWS: Change = {
  payins: [payin({ buyerName: "José\u2028 ☕" }), payin({ id: "another", ordinal: 2 })],
  payouts: [payout()],
  deliveries: [delivery()],
  webhookConfigurations: [{ integration: "shop", webhookUrl: "http://127.0.0.1/", events: [] }],
  changedAssumptions: [{ integration: "shop", changes: { environment: "production" } }],
};

function snapshotOf(integration: string | null = "shop", name = "paid"): Snapshot {
  return { name, integration, takenAtMs: START_MS, payins: 2, payouts: 1, deliveries: 1 };
}

describe("the files of snapshots", () => {
  it("hold what they were given, by name and integration, and no token in their name", async () => {
    await using folder = await createFolder();
    const file = path.join(folder.path, "state.json");
    const snapshots = await openSnapshots(file);
    const clock = { mode: "frozen", nowMs: START_MS } as const;
    await snapshots.save(snapshotOf(), ROWS);
    await snapshots.save(snapshotOf(null), { ...ROWS, clock });
    await snapshots.save(snapshotOf(), ROWS);

    const again = await openSnapshots(file);
    expect(await again.load(snapshotOf())).toEqual({ snapshot: snapshotOf(), rows: ROWS });
    expect(await again.load(snapshotOf(null))).toEqual({
      snapshot: snapshotOf(null),
      rows: { ...ROWS, clock },
    });
    expect(await again.list(null)).toEqual([snapshotOf(null), snapshotOf()]);
    expect(await again.list("shop")).toEqual([snapshotOf()]);
    expect(await again.load(snapshotOf("other"))).toBeUndefined();
    for (const name of await readdir(folder.path))
      expect(name).toMatch(/^state\.json\.paid(@[0-9a-f]{16})?\.snapshot$/);
    expect(await again.delete(snapshotOf())).toBe(true);
    expect(await again.delete(snapshotOf())).toBe(false);
    expect(await again.list(null)).toEqual([snapshotOf(null)]);
  });

  it.each<[string, (text: string) => string, string]>([
    ["is empty", () => "", "not have the layout"],
    ["is something else", () => "Dear diary\n", "not have the layout"],
    ["is a state", (text) => text.replace(/,"snapshot":\{[^}]*\}/, ""), "it is a state"],
    ["is of a later version", (text) => text.replace('"version":1', '"version":2'), "version"],
    ["ends too early", (text) => text.slice(0, text.length / 2), "damaged"],
    [
      "lacks a record",
      (text) => text.replace(/^.*"another".*\n/m, ""),
      "damaged|has 1 payins, but 2 were",
    ],
    [
      "has a record that is none",
      (text) => text.replace('"status":"waiting"', '"status":1'),
      'in "payins"',
    ],
    ["has no JSON in a line", (text) => text.replace('{"id":', '{"id'), "not valid JSON"],
    [
      "holds another's record",
      (text) =>
        text.replace('"integration":"shop","ordinal":2', '"integration":"other","ordinal":2'),
      "do not belong to its integration",
    ],
    [
      "is of another integration",
      (text) =>
        text.replace('"snapshot":{"integration":"shop"', '"snapshot":{"integration":"other"'),
      "another integration",
    ],
  ])("are refused by name and left as they are where one %s", async (_what, damage, reason) => {
    await using folder = await createFolder();
    const file = path.join(folder.path, "state.json");
    const snapshots = await openSnapshots(file);
    await snapshots.save(snapshotOf(), ROWS);
    const [name = ""] = await readdir(folder.path);
    const damaged = path.join(folder.path, name);
    const text = await readFile(damaged, "utf8");
    expect(damage(text)).not.toBe(text);
    await writeFile(damaged, damage(text));

    const refusal = await snapshots.load(snapshotOf()).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(GatewayError);
    const message = (refusal as GatewayError).text;
    expect(english(message)).toMatch(new RegExp(reason));
    for (const sentence of [english(message), translate(message, "pt")])
      expect(sentence).toContain(damaged);
    await snapshots.list(null);
    expect(await readFile(damaged, "utf8")).toBe(damage(text));
  });

  it("are no state: opening one leaves them alone", async () => {
    await using folder = await createFolder();
    const file = path.join(folder.path, "state.json");
    const store = await openStateFile(file);
    store.commit(ROWS);
    const snapshots = await openSnapshots(file);
    await snapshots.save(snapshotOf(), ROWS);
    await store.close();
    const names = await readdir(folder.path);
    await (await openStateFile(file)).close();
    expect(await readdir(folder.path)).toEqual(names);
    const [snapshot = ""] = names.filter((name) => name.endsWith(".snapshot"));
    await expect(openStateFile(path.join(folder.path, snapshot))).rejects.toThrow("a snapshot");
  });

  it.each<CallName>(["create", "write", "sync", "rename", "syncFolder"])(
    "keep the one that was there, or have the new one whole, where the disk fails to %s",
    async (call) => {
      const folder = path.resolve("/simulated");
      const file = path.join(folder, "state.json");
      const before = new SimulatedDisk([folder]);
      await (await openSnapshots(file, before)).save(snapshotOf(), ROWS);
      let refused = 0;
      for (let at = 1; at <= 20; at++) {
        const disk = before.afterKill({ kind: "refusal", at, code: "ENOSPC", only: [call] });
        const snapshots = await openSnapshots(file, disk);
        const empty = { ...snapshotOf(), payins: 0, payouts: 0, deliveries: 0 };
        const saved = await snapshots.save(empty, {}).catch((error: unknown) => error);
        if (!disk.struck) continue;
        refused++;
        expect(saved).toBeInstanceOf(StorageError);
        const found = await (await openSnapshots(file, disk.afterKill())).load(snapshotOf());
        expect([2, 0]).toContain(found?.rows.payins?.length ?? 0);
        expect(found?.snapshot.payins).toBe(found?.rows.payins?.length ?? 0);
        expect(disk.openFiles).toBe(0);
      }
      expect(refused).toBeGreaterThan(0);
    },
  );

  it("are sought in vain, and not made, where a folder has their name", async () => {
    await using folder = await createFolder();
    const file = path.join(folder.path, "state.json");
    await mkdir(`${file}.paid.snapshot`);
    const snapshots = await openSnapshots(file);
    await expect(snapshots.load(snapshotOf(null))).rejects.toThrow(GatewayError);
    await expect(snapshots.save(snapshotOf(null), ROWS)).rejects.toThrow(StorageError);
    expect(await snapshots.list(null)).toEqual([]);
  });
});

describe("a replacement stored in a state file", () => {
  const folder = path.resolve("/simulated");
  const file = path.join(folder, "state.json");
  const replaces = { integration: "shop", eventNumber: 10 };

  it.each<CallName>(["write", "sync"])(
    "is put back where the journal cannot %s it",
    async (call) => {
      let returnToQueue = 0;
      for (let at = 1; at <= 60; at++) {
        const disk = new SimulatedDisk([folder], {
          kind: "refusal",
          at,
          code: "EIO",
          only: [call],
        });
        const store = await openStateFile(file, { disk }).catch(() => undefined);
        if (!store || disk.struck) continue;
        store.commit(ROWS);
        await store.durable().catch(() => undefined);
        if (disk.struck) continue;
        const before = store.records.toChange();
        store.commit({ replaces, payins: [payin({ id: "new" })] });
        expect(store.records.payins.all().map(({ id }) => id)).toEqual(["new"]);
        const error = await store.durable().catch((reason: unknown) => reason);
        if (!disk.struck) continue;
        returnToQueue++;
        expect(error).toBeInstanceOf(StorageError);
        expect(store.records.toChange()).toEqual(before);
        const next = await openStateFile(file, { disk: disk.afterKill() });
        expect(next.records.toChange()).toEqual(before);
      }
      expect(returnToQueue).toBeGreaterThan(0);
    },
  );

  it("is there whole after a restart, with what came after it", async () => {
    const disk = new SimulatedDisk([folder]);
    const store = await openStateFile(file, { disk });
    store.commit(ROWS);
    store.commit({ replaces, payins: [payin({ id: "new" })] });
    store.commit({ payins: [payin({ id: "newer" })] });
    await store.durable();
    const next = await openStateFile(file, { disk: disk.afterKill() });
    expect(next.records.toChange()).toEqual(store.records.toChange());
    expect(next.records.lastEventNumber).toBe(store.records.lastEventNumber);
  });
});
