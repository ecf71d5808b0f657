import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { StateFileError } from "../../src/store/errors.ts";
import { Folder } from "../../src/store/file/folder.ts";
import { openStored } from "../../src/store/store.ts";
import type { OpenedState } from "../../src/store/storage.ts";
import {
  allButOldestNames,
  type CallName,
  type Failure,
  NOTHING_MORE,
  SimulatedDisk,
} from "../support/disk.ts";
import { payin, payinsOf, turns } from "../support/core.ts";
import { putsOf, TABLE_NAMES } from "../../src/core/state/records.ts";

const FILE = path.resolve("/simulated/state.json");
const FOLDER = path.dirname(FILE);
const COMMITS = 6;
/** PIX_BITS=1 flips every bit; otherwise some of them. */
const BITS = Number(process.env["PIX_BITS"] ?? 13);

/** What a disk has after some commits: a state, and a log of two files whose end was never confirmed. */
async function createCorpus(): Promise<ReadonlyMap<string, Buffer>> {
  const first = new SimulatedDisk([FOLDER]);
  await commit(first, 0, 2);
  // The second life does not end in good order.
  const second = first.afterKill();
  await commit(second, 2, 4);
  const third = second.afterKill();
  await commit(third, 4, COMMITS);
  const last = third.afterKill();
  return new Map(
    last.namesIn(FOLDER).map((name) => [name, Buffer.from(last.textOf(path.join(FOLDER, name)))]),
  );
}

/** Stores payins with the numbers from one to the other, as a process does that is then killed. */
async function commit(disk: SimulatedDisk, from: number, to: number): Promise<void> {
  const { store } = await openStored(new Folder(disk, FILE));
  for (let number = from; number < to; number++) {
    store.commit(putsOf({ transactions: [payin({ id: `payin ${number}`, ordinal: number + 1 })] }));
    await store.durable();
  }
  if (from === 0) await store.close();
}

async function diskWith(files: ReadonlyMap<string, Buffer>): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk([FOLDER]);
  for (const [name, bytes] of files) {
    const file = await disk.create(path.join(FOLDER, name), 0o600);
    await file.write(bytes, 0);
    await file.sync();
  }
  await disk.syncFolder(FOLDER);
  return disk;
}

/** How many of the payins a start finds, which must be the first ones; or the error of the start. */
async function found(files: ReadonlyMap<string, Buffer>): Promise<number | Error> {
  const disk = await diskWith(files);
  try {
    const { records } = (await openStored(new Folder(disk, FILE))).store;
    const ids = payinsOf(records).map(({ id }) => id);
    expect(ids).toEqual(ids.map((_, number) => `payin ${number}`));
    return ids.length;
  } catch (error) {
    expect(error).toBeInstanceOf(StateFileError);
    // It changes nothing.
    for (const [name, bytes] of files)
      expect(disk.textOf(path.join(FOLDER, name))).toBe(bytes.toString());
    return error as Error;
  }
}

/** A document; undefined if it is not JSON, as with another sign in the place of a comma between two rows. */
function documentIn(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(bytes.toString()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

describe("a state with damage", { timeout: 120_000 }, () => {
  let corpus: ReadonlyMap<string, Buffer>;
  const logs = (): string[] => [...corpus.keys()].filter((name) => name.endsWith(".journal"));
  beforeAll(async () => {
    corpus = await createCorpus();
  });

  it("consists of a document and a log of several files", async () => {
    expect([...corpus.keys()]).toEqual([
      "state.json",
      "state.json.3.journal",
      "state.json.5.journal",
    ]);
    expect(await found(corpus)).toBe(COMMITS);
  });

  it("starts with a prefix of the commits, or names file and line, wherever its log is cut", async () => {
    for (const name of logs()) {
      const bytes = corpus.get(name) as Buffer;
      for (let length = 0; length < bytes.length - 1; length++) {
        const result = await found(new Map([...corpus, [name, bytes.subarray(0, length)]]));
        if (name === logs().at(-1)) expect(result).toBeTypeOf("number");
        else expect(String(result)).toMatch(/line \d+ of .*\.journal is damaged/);
      }
    }
  });

  it("starts with a prefix of the commits, or names file and line, whichever bit of its log flips", async () => {
    for (const name of logs()) {
      const bytes = corpus.get(name) as Buffer;
      const lastLine = bytes.lastIndexOf("\n", bytes.length - 2) + 1;
      for (let bit = 0; bit < bytes.length * 8; bit += BITS) {
        const result = await found(new Map([...corpus, [name, flipped(bytes, bit)]]));
        // Only the last line of all can look like one that a process did not finish.
        if (name === logs().at(-1) && bit >= lastLine * 8) continue;
        expect([name, bit, String(result)]).toEqual([
          name,
          bit,
          expect.stringMatching(/line \d+ of .*\.journal is damaged/),
        ]);
      }
    }
  });

  it("is refused by its document, or has the edit that it is, whichever bit of it flips", async () => {
    const bytes = corpus.get("state.json") as Buffer;
    for (let bit = 0; bit < bytes.length * 8; bit += BITS) {
      const edited = flipped(bytes, bit);
      const disk = await diskWith(new Map([["state.json", edited]]));
      const opened = await openStored(new Folder(disk, FILE)).catch((thrown: unknown) => thrown);
      if (opened instanceof Error) expect(opened).toBeInstanceOf(StateFileError);
      else {
        const { records } = (opened as OpenedState).store;
        const document = documentIn(edited) ?? documentIn(bytes);
        const lists = TABLE_NAMES.map((name) => [name, document?.[name]]);
        expect([bit, records.listsOf(null)]).toEqual([bit, Object.fromEntries(lists)]);
      }
    }
  });

  it("is refused without its document, or without a file of its log", async () => {
    for (const name of [...corpus.keys()].slice(0, 2)) {
      const files = new Map(corpus);
      files.delete(name);
      expect(String(await found(files))).toMatch(
        name === "state.json"
          ? /state\.json is missing, but its journal .* exists/
          : /it is commit 5, but commit 3 was expected/,
      );
    }
  });
});

describe("a disk that fails at any call of two lives", { timeout: 120_000 }, () => {
  const failures = (at: number): readonly Failure[] => [
    { kind: "refusal", at, code: "EIO" },
    { kind: "refusal", at, code: "ENOSPC", isLasting: true, only: WRITES },
    { kind: "short write", at, code: "ENOSPC", isLasting: true },
  ];

  /** @returns the ids of what was acknowledged, and whether the disk failed */
  async function live(disk: SimulatedDisk, name: string): Promise<readonly string[]> {
    const acknowledged: string[] = [];
    const opened = await openStored(new Folder(disk, FILE)).catch(() => undefined);
    if (!opened) return [];
    const { store } = opened;
    for (let number = 0; number < 3; number++) {
      const id = `${name} ${number}`;
      try {
        store.commit(putsOf({ transactions: [payin({ id })] }));
        await store.durable();
        acknowledged.push(id);
      } catch {
        // Refused: nothing is owed. The disk is mended before the next one.
        disk.mend();
      }
    }
    disk.mend();
    await store.close();
    return acknowledged;
  }

  it("loses nothing that it acknowledged, and the next life starts", async () => {
    const calm = new SimulatedDisk([FOLDER]);
    await live(calm, "first");
    for (let at = 1; at <= calm.calls.length; at++)
      for (const failure of failures(at)) {
        const disk = new SimulatedDisk([FOLDER], failure);
        const first = await live(disk, "first");
        const next = disk.afterPowerLoss(NOTHING_MORE, failure);
        const second = await live(next, "second");
        const last = new Folder(next.afterPowerLoss(NOTHING_MORE), FILE);
        const { records } = (await openStored(last)).store;
        const ids = new Set(payinsOf(records).map(({ id }) => id));
        for (const id of [...first, ...second])
          expect([failure, [...ids]]).toEqual([failure, expect.arrayContaining([id])]);
      }
  });
});

describe("a file of the log with lines that were refused", () => {
  it("does not count again after a clean stop, if only the removal of the file after it outlasts a loss of power", async () => {
    for (let oldest = 0; oldest < 8; oldest++) {
      const disk = new SimulatedDisk([FOLDER]);
      let compact = (): void => undefined;
      const timer = {
        set: (_ms: number, ring: () => void) => (compact = ring),
        clear: () => undefined,
      };
      const { store } = await openStored(new Folder(disk, FILE), { timer });
      store.commit(putsOf({ transactions: [payin({ id: "first" })] }));
      await store.durable();
      const at = disk.calls.length + 1;
      disk.strike({ kind: "short write", at, code: "ENOSPC", isLasting: true });
      for (const id of ["refused 1", "refused 2", "refused 3", "refused 4"])
        store.commit(putsOf({ transactions: [payin({ id })] }));
      await expect(store.durable()).rejects.toThrow("ENOSPC");
      disk.mend();
      compact();
      await turns(100);
      await store.close();
      const after = new Folder(disk.afterPowerLoss(allButOldestNames(oldest)), FILE);
      const { records } = (await openStored(after)).store;
      expect([oldest, payinsOf(records).map(({ id }) => id)]).toEqual([oldest, ["first"]]);
    }
  });

  it("does not count again if it cannot be removed", async () => {
    const disk = new SimulatedDisk([FOLDER]);
    let compact = (): void => undefined;
    const timer = {
      set: (_ms: number, ring: () => void) => (compact = ring),
      clear: () => undefined,
    };
    const { store } = await openStored(new Folder(disk, FILE), { timer });
    const commitAll = (...ids: readonly string[]): Promise<void> => {
      for (const id of ids) store.commit(putsOf({ transactions: [payin({ id })] }));
      return store.durable();
    };
    await commitAll("first");
    disk.strike({ kind: "refusal", at: 0, code: "EIO", only: ["sync"], isLasting: true });
    await expect(commitAll("refused 1", "refused 2", "refused 3", "refused 4")).rejects.toThrow(
      "EIO",
    );
    disk.strike({
      kind: "refusal",
      at: 0,
      code: "EIO",
      only: ["remove"],
      where: /\.1\.journal$/,
      isLasting: true,
    });
    compact();
    await turns(100);
    expect(disk.struck).toBeDefined();
    disk.mend();
    for (const id of ["second", "third"]) {
      await commitAll(id);
      compact();
      await turns(100);
    }
    await store.close();
    const { records } = (await openStored(new Folder(disk.afterKill(), FILE))).store;
    expect(payinsOf(records).map(({ id }) => id)).toEqual(["first", "second", "third"]);
  });
});

const WRITES: readonly CallName[] = ["write", "sync", "create"];

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}
