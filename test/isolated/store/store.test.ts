import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { recordedAttempt, withAttempt } from "../../../src/core/records/delivery.ts";
import { type Store, StorageError } from "../../../src/core/state/ports.ts";
import { type Change, Records } from "../../../src/core/state/records.ts";
import { startSandbox } from "../../../src/server/start.ts";
import { type Disk, type DiskFile, realDisk } from "../../../src/store/file/disk/disk.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { openStateFile } from "../../../src/store/file/state-file.ts";
import { StateFileError, StateInUseError } from "../../../src/store/errors.ts";
import { VERSION } from "../../../src/wire/version.ts";
import {
  assume,
  attempt,
  deferred,
  delivery,
  FakeAlarm,
  payin,
  payout,
  START_MS,
  turns,
  watch,
  recordAttempt,
} from "../../support/core.ts";
import { callsTo } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";
import { isLock } from "../../support/lock.ts";

const IDENTITY = { seed: "42", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" };

/** One of everything that there is to remember. */
const EVERYTHING: Change = {
  payins: [
    payin({
      id: "payin 1",
      idempotencyKey: "__proto__",
      description: 'Açaí 😀 \u2028 "quoted" \\',
      eventNumber: 1,
    }),
    payin({
      id: "payin 2",
      status: "paid",
      ordinal: 2,
      settledAtMs: START_MS,
      endToEndId: "E1",
      eventNumber: 4,
    }),
  ],
  payouts: [payout({ id: "payout 1", integration: "other", eventNumber: 3 })],
  deliveries: [
    recordAttempt(
      delivery({ transactionId: "payin 2", body: '{"name":"José"}', eventNumber: 5 }),
      attempt({
        status: null,
        error: "ECONNREFUSED 127.0.0.1:9999",
        response: null,
        eventNumber: 6,
      }),
      assume(),
      START_MS,
    ),
  ],
  webhookConfigurations: [
    {
      integration: "shop",
      webhookUrl: "http://localhost:3000/",
      events: ["payment.received", "payment.failed"],
    },
  ],
  changedAssumptions: [
    { integration: null, changes: { "error.language": "pt" } },
    { integration: "shop", changes: { "payout.rival": "allow", "webhook.timeout_seconds": 3 } },
  ],
  clock: { mode: "real", offsetMs: 5000 },
  identity: IDENTITY,
};

let folder: string;
let file: string;
const open: Store[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-store-"));
  file = path.join(folder, "state.json");
});

afterEach(async () => {
  vi.restoreAllMocks();
  for (const store of open.splice(0)) await store.close().catch(() => undefined);
  await chmod(folder, 0o700).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
});

describe.each([
  ["memory", async (): Promise<Store> => new MemoryStore()],
  ["a state file", openStore],
])("a store in %s", (_kind, openOne) => {
  it("is empty at first, and durable", async () => {
    const store = await openOne();

    expect(store.records.toChange()).toEqual(new Records().toChange());
    await expect(store.durable()).resolves.toBeUndefined();
  });

  it("applies a change at once", async () => {
    const store = await openOne();
    store.commit(EVERYTHING);

    expect(store.records.payins.get("payin 1")).toEqual(EVERYTHING.payins?.[0]);
    expect(store.records.toChange()).toEqual(EVERYTHING);
    expect(store.records.lastEventNumber).toBe(6);
  });

  it("reports when it is durable, to each caller", async () => {
    const store = await openOne();
    store.commit({ payins: [payin()] });
    const both = Promise.all([store.durable(), store.durable()]);

    await expect(both).resolves.toEqual([undefined, undefined]);
    await expect(store.durable()).resolves.toBeUndefined();
  });

  it("never reports it within the same turn as the change", async () => {
    const store = await openOne();
    store.commit({ payins: [payin()] });
    const state = watch(store.durable());
    await Promise.resolve();

    expect(state.isSettled).toBe(false);
  });

  it("takes changes while others become durable", async () => {
    const store = await openOne();
    const durable: Promise<void>[] = [];
    for (let count = 1; count <= 50; count++) {
      store.commit({
        payins: [payin({ id: `payin ${count}`, ordinal: count, eventNumber: count })],
      });
      durable.push(store.durable());
      if (count % 7 === 0) await turns(1);
    }
    await Promise.all(durable);

    expect(store.records.payins.size).toBe(50);
  });

  it("can be closed, and closed again", async () => {
    const store = await openOne();
    store.commit({ payins: [payin()] });

    await expect(store.close()).resolves.toBeUndefined();
    await expect(store.close()).resolves.toBeUndefined();
  });
});

describe("a state file in a folder whose parent belongs to another user", () => {
  const openWith = (code: string): Promise<Store> => {
    const syncFolder = async (name: string): Promise<void> => {
      if (name === path.dirname(folder)) throw Object.assign(new Error(code), { code });
      await realDisk.syncFolder(name);
    };
    return openStateFile(file, { disk: { ...realDisk, syncFolder } });
  };

  it.each(["EACCES", "EPERM"])("is opened although that refuses to be synced: %s", async (code) => {
    const store = await openWith(code);
    await store.close();
  });

  it("is not opened after another failure", async () => {
    await expect(openWith("EIO")).rejects.toThrow("EIO");
  });
});

describe("a state file that is opened again", () => {
  it("holds records equal to those that were durable", async () => {
    const store = await openStore();
    store.commit(EVERYTHING);
    await store.durable();

    const again = await openCopy();
    expect(again.records.toChange()).toEqual(EVERYTHING);
    expect([...again.records.integrations.keys()].toSorted()).toEqual(["other", "shop"]);
    expect(again.records.integration("shop").lastOrdinal).toBe(2);
    expect(again.records.integration("other").waitingByCpf).toEqual(new Map([["52998224725", 1]]));
    expect(again.records.takenFor("shop", "__proto__")?.id).toBe("payin 1");
  });

  it("has the attempts that were stored without their delivery", async () => {
    const store = await openStore();
    const body = JSON.stringify({ text: "stored once" });
    const pending = delivery({ body, eventNumber: 1 });
    const made = attempt({ status: 500, eventNumber: 2 });
    const added = recordedAttempt(pending, made, assume(), START_MS);
    store.commit({ deliveries: [pending] });
    store.commit({ attempts: [{ id: pending.id, attempt: added }] });
    await store.durable();

    const again = await openCopy();
    expect(again.records.deliveries.all()).toEqual([withAttempt(pending, added)]);
    const journals = (await readdir(folder)).filter((name) => name.endsWith(".journal"));
    const texts = await Promise.all(
      journals.map((name) => readFile(path.join(folder, name), "utf8")),
    );
    expect(texts.join("").split("stored once")).toHaveLength(2);
  });

  it("has everything durable even if it was not closed", async () => {
    const store = await openStore();
    store.commit({ identity: IDENTITY });
    for (let count = 1; count <= 20; count++) {
      store.commit({ payins: [payin({ id: `payin ${count}`, eventNumber: count })] });
      await store.durable();
      const again = await openCopy();
      expect(again.records.payins.size).toBe(count);
    }
  });

  it("has everything that was committed before it was closed", async () => {
    const store = await openStore();
    store.commit(EVERYTHING);
    await store.close();

    expect((await openStore()).records.toChange()).toEqual(EVERYTHING);
  });

  it("shows each record as it last was", async () => {
    const store = await openStore();
    store.commit(EVERYTHING);
    await store.durable();
    store.commit({ payins: [payin({ id: "payin 1", status: "expired", eventNumber: 7 })] });
    await store.durable();

    const again = await openCopy();
    expect(again.records.payins.all().map(({ id, status }) => [id, status])).toEqual([
      ["payin 1", "expired"],
      ["payin 2", "paid"],
    ]);
  });

  it("continues the numbers of events, including those that no record shows any more", async () => {
    const store = await openStore();
    store.commit({ ...EVERYTHING });
    for (let count = 0; count < 10; count++) store.records.takeEventNumber();
    store.commit({ clock: { mode: "real", offsetMs: 1 } });
    await store.durable();
    const last = store.records.lastEventNumber;
    expect(last).toBe(16);

    const again = await openCopy();
    expect(again.records.lastEventNumber).toBe(last);
    expect(again.records.takeEventNumber()).toBe(last + 1);
  });

  it("goes on being written", async () => {
    const store = await openStore();
    store.commit(EVERYTHING);
    await store.close();
    const second = await openStore();
    second.commit({ payins: [payin({ id: "payin 3", ordinal: 3, eventNumber: 9 })] });
    await second.close();

    const third = await openStore();
    expect(third.records.payins.all().map(({ id }) => id)).toEqual([
      "payin 1",
      "payin 2",
      "payin 3",
    ]);
  });

  it("is not changed by being opened and closed", async () => {
    const store = await openStore();
    store.commit(EVERYTHING);
    await store.close();
    const before = await readFile(file);

    await (await openStore()).close();
    expect(await readFile(file)).toEqual(before);
  });
});

describe("a state file that is written", () => {
  it("is JSON that a person can read, and names its format", async () => {
    const store = await openStore();
    store.commit(EVERYTHING);
    await store.close();
    const text = await readFile(file, "utf8");

    expect(JSON.parse(text)).toMatchObject({ format: "pix-sandbox", version: 1 });
    expect(text.split("\n").length).toBeGreaterThan(5);
    expect(text).toContain("Açaí 😀");
  });

  it("is made in a folder that did not exist", async () => {
    file = path.join(folder, "not", "yet", "state.json");
    const store = await openStore();
    store.commit(EVERYTHING);
    await store.close();

    expect((await openStore()).records.toChange()).toEqual(EVERYTHING);
  });

  it("leaves no other file when it is closed", async () => {
    const store = await openStore();
    store.commit(EVERYTHING);
    await store.close();

    expect(await readdir(folder)).toEqual(["state.json"]);
  });

  it("is written and synced few times for 1,000 changes of one turn", async () => {
    const counting = new CountingDisk();
    const store = await openStateFile(file, { disk: counting });
    open.push(store);
    counting.writes = 0;
    counting.syncs = 0;
    store.commit({ identity: IDENTITY });
    const durable = Array.from({ length: 1000 }, (_, index) => {
      store.commit({ payins: [payin({ id: `payin ${index}`, eventNumber: index + 1 })] });
      return store.durable();
    });
    await Promise.all(durable);

    // A write syncs as well, where the system has a flag for that.
    for (const count of [counting.writes, counting.syncs]) {
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThanOrEqual(3);
    }
    expect((await openCopy()).records.payins.size).toBe(1000);
  });

  it("is a file even with NODE_ENV=test", async () => {
    expect(process.env["NODE_ENV"]).toBe("test");
    const store = await openStore();
    store.commit(EVERYTHING);
    await store.durable();

    expect((await stat(file)).isFile()).toBe(true);
  });
});

describe("a state file that is in use", () => {
  it("is not opened a second time, and is left as it is", async () => {
    const store = await openStore();
    store.commit(EVERYTHING);
    await store.durable();
    const before = await readFile(file);

    await expect(openStateFile(file)).rejects.toThrow(StateInUseError);
    await expect(openStateFile(file)).rejects.toThrow(file);
    await expect(openStateFile(file)).rejects.toThrow(String(process.pid));
    expect(await readFile(file)).toEqual(before);
  });

  it("is distinct from others also if the temporary folder has a very long path", async () => {
    const long = path.join(folder, "long".repeat(30));
    await mkdir(long);
    vi.stubEnv("TMPDIR", long);
    try {
      await openStore();
      open.push(await openStateFile(path.join(folder, "another.json")));

      await expect(openStateFile(file)).rejects.toThrow(StateInUseError);
      expect(await readdir(long)).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("is free again after it is closed, and if it could not be read", async () => {
    await (await openStore()).close();
    await (await openStore()).close();
    await writeFile(file, "no JSON");

    for (let count = 0; count < 2; count++)
      await expect(openStateFile(file)).rejects.toThrow(StateFileError);
  });
});

describe("a file that is no state", () => {
  const document = JSON.stringify({
    format: "pix-sandbox",
    version: 1,
    lastEventNumber: 0,
    ...EVERYTHING,
  });
  const changed = (change: (state: Record<string, unknown>) => void): string => {
    const state = JSON.parse(document) as Record<string, unknown>;
    change(state);
    return JSON.stringify(state);
  };

  it("differs from a valid one, such as this", async () => {
    await writeFile(file, document);

    expect((await openStore()).records.toChange()).toEqual(EVERYTHING);
  });

  it.each([
    ["empty", ""],
    ["blank", " \n"],
    ["null", "null"],
    ["0", "0"],
    ["false", "false"],
    ["an empty text", '""'],
    ["a text", '"state"'],
    ["a number", "42"],
    ["an empty array", "[]"],
    ["an empty object", "{}"],
    ["foreign JSON", '{"name":"my-shop","version":"1.0.0"}'],
    ["foreign JSON with the same members", changed((state) => (state["format"] = "pix-sandbox-2"))],
    ["without its format", changed((state) => delete state["format"])],
    ["no JSON", "version: 1\n"],
    ["cut short", document.slice(0, -20)],
    ["cut in the middle", document.slice(0, document.length / 2)],
    ["followed by more", `${document}}`],
    ["behind a byte order mark", `\ufeff${document}`],
    ["zeros", "\0".repeat(200)],
    ["of a newer version", changed((state) => (state["version"] = 2))],
    ["of a version that is no number", changed((state) => (state["version"] = "1"))],
    ["without a version", changed((state) => delete state["version"])],
    ["without payins", changed((state) => delete state["payins"])],
    ["with payins that are no list", changed((state) => (state["payins"] = {}))],
    ["with a payin that is none", changed((state) => (state["payins"] = [null]))],
    [
      "with a payin without an id",
      changed((state) => (state["payins"] = [{ ...payin(), id: undefined }])),
    ],
    [
      "with a payin without its times",
      changed((state) => (state["payins"] = [{ ...payin(), expiresAtMs: undefined }])),
    ],
    [
      "with a payin without its place",
      changed((state) => (state["payins"] = [{ ...payin(), ordinal: undefined }])),
    ],
    [
      "with a payin of an unknown status",
      changed((state) => (state["payins"] = [{ ...payin(), status: "lost" }])),
    ],
    [
      "with a delivery without attempts",
      changed((state) => (state["deliveries"] = [{ ...delivery(), attempts: undefined }])),
    ],
    ["with a negative number of events", changed((state) => (state["lastEventNumber"] = -1))],
    [
      "with a seed that is no text",
      changed((state) => (state["identity"] = { ...IDENTITY, seed: 42 })),
    ],
  ])("is refused by its path and left as it is: %s", async (_title, text) => {
    await writeFile(file, text);
    const opening = openStore();

    await expect(opening).rejects.toThrow(StateFileError);
    await expect(opening).rejects.toThrow(file);
    expect(await readFile(file, "utf8")).toBe(text);
    expect(await readdir(folder)).toEqual(["state.json"]);
  });

  it("is refused by a sandbox that is started on it, and left as it is", async () => {
    await writeFile(file, "null");
    const starting = startSandbox({ stateFile: file });
    starting.then((sandbox) => sandbox.close()).catch(() => undefined);

    await expect(starting).rejects.toThrow(StateFileError);
    expect(await readFile(file, "utf8")).toBe("null");
  });

  it("is refused if it is a folder", async () => {
    await mkdir(file);

    await expect(openStore()).rejects.toThrow(StateFileError);
    await expect(openStore()).rejects.toThrow(file);
  });

  it("is refused if its folder is a file", async () => {
    await writeFile(file, "not a folder");
    const below = path.join(file, "state.json");

    await expect(openStateFile(below)).rejects.toThrow(StateFileError);
    await expect(openStateFile(below)).rejects.toThrow(below);
    expect(await readFile(file, "utf8")).toBe("not a folder");
  });
});

describe.each([
  [
    "whose journal is gone",
    async (): Promise<void> => {
      for (const name of await readdir(folder))
        if (name.endsWith(".journal")) await rm(path.join(folder, name));
    },
    true,
  ],
  ["whose folder is gone", (): Promise<void> => rm(folder, { recursive: true }), false],
])("a state file %s", (_title, breakIt, recovers) => {
  const openAndBreak = async (): Promise<Store> => {
    const store = await openStore();
    store.commit(EVERYTHING);
    await store.durable();
    await breakIt();
    return store;
  };

  it("cannot make a change durable, and reports it to each caller", async () => {
    const store = await openAndBreak();
    store.commit({ payins: [payin({ id: "payin 3", eventNumber: 7 })] });
    const durable = [store.durable(), store.durable()];

    for (const one of durable) await expect(one).rejects.toThrow(StorageError);
  });

  it("goes on reading what was durable", async () => {
    const store = await openAndBreak();
    store.commit({ payins: [payin({ id: "payin 3", eventNumber: 7 })] });
    await expect(store.durable()).rejects.toThrow(StorageError);

    expect(store.records.payins.get("payin 1")).toEqual(EVERYTHING.payins?.[0]);
    expect(store.records.toChange()).toMatchObject({
      payouts: EVERYTHING.payouts,
      deliveries: EVERYTHING.deliveries,
    });
  });

  it("refuses changes with 503 while reads are answered", async () => {
    const sandbox = await startSandbox({ stateFile: file, report: () => undefined });
    try {
      const calls = callsTo(sandbox.url);
      const { body } = await calls.createPayin({ webhook_url: "http://127.0.0.1:9/hook" });
      await breakIt();

      const refused = await calls.createPayin({ webhook_url: "http://127.0.0.1:9/hook" });
      expect([refused.status, refused.body]).toEqual([
        503,
        expect.objectContaining({ code: "EXTERNAL_ERROR", errors: [] }),
      ]);
      const read = await fetch(`${sandbox.url}/_sandbox/payins/${body.id}`);
      expect([read.status, await read.json()]).toEqual([
        200,
        expect.objectContaining({ id: body.id }),
      ]);
    } finally {
      await sandbox.close().catch(() => undefined);
    }
  });

  it("forgets changes that it could not store: no repeat, read or webhook shows them", async () => {
    const merchant = await startMerchant({ answer: "hold" });
    const sandbox = await startSandbox({ stateFile: file, report: () => undefined });
    try {
      const calls = callsTo(sandbox.url);
      const [first, second] = [
        await calls.createPayin({ webhook_url: merchant.url }),
        await calls.createPayin({ webhook_url: merchant.url }),
      ];
      // Its webhook is on its way, and holds back the next one's to the same address.
      await calls.simulate("payin", first.body.id);
      await merchant.waitFor(1);
      await breakIt();

      expect((await calls.simulate("payin", second.body.id)).status).toBe(503);
      const key = "a key that was not kept";
      for (const status of recovers ? [] : [503, 503]) {
        expect((await calls.createPayin({ webhook_url: merchant.url }, key)).status).toBe(status);
      }
      const { data } = (await (await fetch(`${sandbox.url}/_sandbox/payins`)).json()) as {
        data: { id: string; status: string }[];
      };
      expect(data.map(({ id, status }) => [id, status])).toEqual([
        [first.body.id, "completed"],
        [second.body.id, "waiting"],
      ]);
      await sandbox.close();
      expect(merchant.received.filter(({ body }) => body.includes(second.body.id))).toEqual([]);
    } finally {
      await sandbox.close().catch(() => undefined);
      await merchant.close();
    }
  });

  it("is reported on one line when a change is refused for it", async () => {
    const said: string[] = [];
    const sandbox = await startSandbox({ stateFile: file, report: (line) => said.push(line) });
    try {
      await breakIt();
      await callsTo(sandbox.url).createPayin({ webhook_url: "http://127.0.0.1:9/hook" });

      expect(said[0]).toMatch(/^[^\n]*state file[^\n]*$/);
      expect(said.slice(1)).toEqual(
        recovers ? said.slice(1).map(() => expect.stringContaining("changes are accepted")) : [],
      );
      expect(said[0]).not.toContain("unexpected");
    } finally {
      await sandbox.close().catch(() => undefined);
    }
  });
});

describe("a sandbox that could not write its journal", () => {
  it("reports it in its health, and accepts changes again when it can", async () => {
    const hasRecovered = deferred();
    const report = (line: string): void => {
      if (line.includes("changes are accepted")) hasRecovered.resolve();
    };
    const sandbox = await startSandbox({ stateFile: file, report });
    const health = async (): Promise<unknown> => {
      const answer = await fetch(`${sandbox.url}/_sandbox/health`);
      return [answer.status, await answer.json()];
    };
    try {
      const calls = callsTo(sandbox.url);
      const webhook_url = "http://127.0.0.1:9/hook";
      const { body: first } = await calls.createPayin({ webhook_url });
      expect(await health()).toEqual([200, { status: "ok", version: VERSION }]);
      // In the way of its folder: nothing can be written.
      await rename(folder, `${folder} away`);
      for (const name of await readdir(`${folder} away`))
        if (name.endsWith(".journal")) await rm(path.join(`${folder} away`, name));
      expect((await calls.createPayin({ webhook_url })).status).toBe(503);
      expect(await health()).toEqual([503, { status: "degraded", version: VERSION }]);
      expect((await calls.createPayin({ webhook_url })).status).toBe(503);

      await rename(`${folder} away`, folder);
      await hasRecovered.promise;
      expect(await health()).toEqual([200, { status: "ok", version: VERSION }]);
      const { body: last, status } = await calls.createPayin({ webhook_url });
      expect(status).toBe(200);
      const found = (await openCopy()).records.payins.all().map(({ id }) => id);
      expect(found).toEqual([first.id, last.id]);
    } finally {
      await sandbox.close();
    }
  });
});

/** The machine's disk, with the number of writes and syncs. */
class CountingDisk implements Disk {
  writes = 0;
  syncs = 0;
  readonly list = realDisk.list;
  readonly makeFolder = realDisk.makeFolder;
  readonly realPath = realDisk.realPath;
  readonly stat = realDisk.stat;
  readonly read = realDisk.read;
  readonly rename = realDisk.rename;
  readonly remove = realDisk.remove;
  readonly syncFolder = realDisk.syncFolder;
  readonly create = async (...how: Parameters<Disk["create"]>) =>
    this.#counted(await realDisk.create(...how));
  readonly open = async (name: string) => this.#counted(await realDisk.open(name));

  #counted(one: DiskFile): DiskFile {
    return {
      write: (bytes, position) => {
        this.writes++;
        return one.write(bytes, position);
      },
      sync: () => {
        this.syncs++;
        return one.sync();
      },
      truncate: (length) => one.truncate(length),
      close: () => one.close(),
    };
  }
}

/** What a process would find that takes the file over without this one having closed it. */
async function openCopy(): Promise<Store> {
  const copies = path.join(folder, `copy ${open.length}`);
  await mkdir(copies);
  for (const name of await readdir(folder)) {
    if (name.startsWith("state.json") && !isLock(name))
      await copyFile(path.join(folder, name), path.join(copies, name));
  }
  const store = await openStateFile(path.join(copies, "state.json"));
  open.push(store);
  return store;
}

async function openStore(): Promise<Store> {
  const store = await openStateFile(file);
  open.push(store);
  return store;
}

describe("a journal before a full disk", () => {
  it("has the room of a state file that is being written anew, and nothing is refused", async () => {
    const [isWriting, letGo, hasSaid] = [deferred(), deferred(), deferred<string>()];
    let isRenewing = false;
    let isFull = false;
    const disk: Disk = {
      ...realDisk,
      create: async (name, ...how) => {
        const made = await realDisk.create(name, ...how);
        return withWrite(made, async (bytes, position) => {
          if (name.endsWith(".tmp") && isRenewing) {
            isWriting.resolve();
            await letGo.promise;
          } else if (isFull) {
            isFull = false;
            letGo.resolve();
            throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
          }
          return made.write(bytes, position);
        });
      },
    };
    const timer = new FakeAlarm();
    const store = await openStateFile(file, {
      disk,
      timer,
      report: ({ en }) => hasSaid.resolve(en),
    });
    store.commit({ payins: [payin({ id: "one", eventNumber: 1 })] });
    await store.durable();
    isRenewing = true;
    timer.ring();
    await isWriting.promise;

    isFull = true;
    for (const [index, id] of ["two", "three"].entries()) {
      store.commit({ payins: [payin({ id, eventNumber: index + 2 })] });
      await store.durable();
    }
    expect(await hasSaid.promise).toContain(
      `could not be merged into the state file ${file}: the disk is full`,
    );
    expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    isRenewing = false;
    await store.close();

    const again = await openStateFile(file);
    expect(again.records.payins.all().map(({ id }) => id)).toEqual(["one", "two", "three"]);
    await again.close();
  });
});

function withWrite(made: DiskFile, write: DiskFile["write"]): DiskFile {
  return {
    write,
    sync: () => made.sync(),
    truncate: (length) => made.truncate(length),
    close: () => made.close(),
  };
}
