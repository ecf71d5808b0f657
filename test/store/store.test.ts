import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Store, StorageError } from "../../src/core/state/ports.ts";
import { startSandbox } from "../../src/server/start.ts";
import { MemoryStore } from "../../src/store/memory.ts";
import { openStateFile } from "../support/state.ts";
import { StateFileError } from "../../src/store/errors.ts";
import { VERSION } from "../../src/wire/names.ts";
import { deferred, delivery, payin, watch, payinsOf } from "../support/core.ts";
import { callsTo } from "../support/calls.ts";
import { startMerchant } from "../support/merchant.ts";
import { EVERYTHING, IDENTITY, file, folder, openStore, useFolder } from "./state-folder.ts";
import { putsOf } from "../../src/core/state/records.ts";

useFolder();

describe.each([
  ["memory", async (): Promise<Store> => new MemoryStore()],
  ["a state file", openStore],
])("a store in %s", (_kind, openOne) => {
  it("applies a change at once", async () => {
    const store = await openOne();
    store.commit(putsOf(EVERYTHING));

    expect(store.records.transactions.get("payin 1")).toEqual(EVERYTHING.transactions[0]);
    expect(store.records.listsOf(null)).toEqual(EVERYTHING);
  });

  it("reports when it is durable, to each caller", async () => {
    const store = await openOne();
    store.commit(putsOf({ transactions: [payin()] }));
    const both = Promise.all([store.durable(), store.durable()]);

    await expect(both).resolves.toEqual([undefined, undefined]);
    await expect(store.durable()).resolves.toBeUndefined();
  });

  it("can be closed, and closed again", async () => {
    const store = await openOne();
    store.commit(putsOf({ transactions: [payin()] }));

    await expect(store.close()).resolves.toBeUndefined();
    await expect(store.close()).resolves.toBeUndefined();
  });
});

describe("a store in a state file", () => {
  it("never reports it within the same turn as the change", async () => {
    const store = await openStore();
    store.commit(putsOf({ transactions: [payin()] }));
    const state = watch(store.durable());
    await Promise.resolve();

    expect(state.isSettled).toBe(false);
  });
});

describe("a file that is no state", () => {
  const document = JSON.stringify({
    format: "pix-sandbox",
    version: 3,
    ...EVERYTHING,
  });
  const changed = (change: (state: Record<string, unknown>) => void): string => {
    const state = JSON.parse(document) as Record<string, unknown>;
    change(state);
    return JSON.stringify(state);
  };

  it("differs from a valid one, such as this", async () => {
    await writeFile(file, document);

    expect((await openStore()).records.listsOf(null)).toEqual(EVERYTHING);
  });

  it.each([
    ["empty", ""],
    ["null", "null"],
    ["an empty array", "[]"],
    ["foreign JSON", '{"name":"my-shop","version":"1.0.0"}'],
    ["foreign JSON with the same members", changed((state) => (state["format"] = "pix-sandbox-2"))],
    ["without its format", changed((state) => delete state["format"])],
    ["no JSON", "version: 1\n"],
    ["cut in the middle", document.slice(0, document.length / 2)],
    ["followed by more", `${document}}`],
    ["behind a byte order mark", `\ufeff${document}`],
    ["zeros", "\0".repeat(200)],
    ["of the version before", changed((state) => (state["version"] = 2))],
    ["of a newer version", changed((state) => (state["version"] = 4))],
    ["of a version that is no number", changed((state) => (state["version"] = "3"))],
    ["without a version", changed((state) => delete state["version"])],
    ["without payins", changed((state) => delete state["transactions"])],
    ["with payins that are no list", changed((state) => (state["transactions"] = {}))],
    ["with a payin that is none", changed((state) => (state["transactions"] = [null]))],
    [
      "with a payin without an id",
      changed(
        (state) =>
          (state["transactions"] = [{ ...payin(), record: { ...payin().record, id: undefined } }]),
      ),
    ],
    [
      "with a payin without its times",
      changed(
        (state) =>
          (state["transactions"] = [
            { ...payin(), record: { ...payin().record, expires_at: undefined } },
          ]),
      ),
    ],
    [
      "with a payin without its place",
      changed((state) => (state["transactions"] = [{ ...payin(), ordinal: undefined }])),
    ],
    [
      "with a payin of an unknown status",
      changed(
        (state) =>
          (state["transactions"] = [{ ...payin(), record: { ...payin().record, status: "lost" } }]),
      ),
    ],
    [
      "with a delivery without attempts",
      changed((state) => (state["deliveries"] = [{ ...delivery(), attempts: undefined }])),
    ],
    [
      "with a seed that is no text",
      changed((state) => (state["identity"] = [{ ...IDENTITY, seed: 42 }])),
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
    store.commit(putsOf(EVERYTHING));
    await store.durable();
    await breakIt();
    return store;
  };

  it("cannot make a change durable, and reports it to each caller", async () => {
    const store = await openAndBreak();
    store.commit(putsOf({ transactions: [payin({ id: "payin 3" })] }));
    const durable = [store.durable(), store.durable()];

    for (const one of durable) await expect(one).rejects.toThrow(StorageError);
  });

  it("goes on reading what was durable", async () => {
    const store = await openAndBreak();
    store.commit(putsOf({ transactions: [payin({ id: "payin 3" })] }));
    await expect(store.durable()).rejects.toThrow(StorageError);

    expect(store.records.transactions.get("payin 1")).toEqual(EVERYTHING.transactions[0]);
    expect(store.records.listsOf(null)).toMatchObject({
      transactions: EVERYTHING.transactions,
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
      await sandbox.close();
      const found = payinsOf((await openStore()).records).map(({ id }) => id);
      expect(found).toEqual([first.id, last.id]);
    } finally {
      await sandbox.close();
    }
  });
});
