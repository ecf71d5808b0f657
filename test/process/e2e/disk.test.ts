import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { startServe } from "../../support/cli.ts";
import { runMain, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { type Calls, callsTo, type Shown } from "../../support/calls.ts";
import { serveUnder, untilRenewed } from "../../support/traced.ts";
import {
  AT_ONCE,
  REFUSED,
  createMany,
  expectRefusedStart,
  listed,
  readState,
  sentences,
  smallDisk,
  type Room,
  unmountAfterwards,
  webhook_url,
} from "./disk.ts";

unmountAfterwards();

describe("a sandbox before a full disk", AT_ONCE, () => {
  it("refuses changes that it cannot store, has every acknowledged one, and starts again once there is space", async (context) => {
    await using room = await smallDisk(context, 128);
    await using first = await serveUnder(room.wrapper, ["--state", room.file]);
    const calls = callsTo(first.url);
    const { body: payout } = await calls.createPayout({ webhook_url });
    const { acknowledged, key, refusal } = await createUntilRefused(calls);
    expect(refusal).toMatchObject(REFUSED);
    expect(Object.keys(refusal.body).toSorted()).toEqual(["code", "errors", "message"]);

    const [one] = acknowledged;
    const changes = [
      await calls.createPayin({ webhook_url }),
      await calls.createPayout({ webhook_url, receiver_cpf: "11144477735" }),
      await calls.simulate("payin", one?.id ?? ""),
      await calls.simulate("payout", payout.id, "canceled"),
      await calls.gateway("PUT", "/v1/webhooks", { webhook_url, events: ["payment.received"] }),
    ];
    for (const change of changes) expect(change).toMatchObject(REFUSED);
    const { status, headers } = await calls.gateway("POST", "/v2/payins", {
      value: 10.5,
      buyer_cpf: "12345678909",
      buyer_name: "Maria da Silva",
      buyer_email: "maria@example.com",
      webhook_url,
    });
    expect(status).toBe(503);
    expect(headers.get("content-type")).toContain("application/problem+json");

    // What is read is what was acknowledged, and nothing of what was refused.
    expect(await listed(calls, "payins")).toEqual(acknowledged);
    expect(await listed(calls, "payouts")).toMatchObject([{ id: payout.id, status: "waiting" }]);
    const ended = await first.stop();
    expect(ended).toMatchObject({ code: 0, signal: null });
    expect(sentences(ended)).toEqual([
      expect.stringMatching(/^pix-sandbox: The journal of .+ cannot be written: .+\.$/),
    ]);
    expect(ended.stderr).toContain(`${room.file} cannot be written: ENOSPC`);

    await room.makeRoom();
    await using second = await serveUnder(room.wrapper, ["--state", room.file]);
    const again = callsTo(second.url);
    expect(await listed(again, "payins")).toEqual(acknowledged);
    expect(await listed(again, "payouts")).toMatchObject([{ id: payout.id, status: "waiting" }]);
    expect(await again.simulate("payin", one?.id ?? "")).toMatchObject({ status: 200 });
    const late = await again.createPayin({ webhook_url, description: "refused" }, key);
    expect(late).toMatchObject({ status: 200 });
    expect(late.headers.get("idempotent-replayed")).toBeNull();
    expect(await again.createPayin({ webhook_url, description: "refused" }, key)).toMatchObject({
      body: { id: late.body.id },
    });
    expect(await listed(again, "payins")).toHaveLength(acknowledged.length + 1);
    expect((await second.stop()).code).toBe(0);
    expect(await readdir(room.path)).toEqual(["state.json"]);
  });

  it("goes on by itself when it is filled and freed under load, with all that it acknowledged and nothing that it refused", async (context) => {
    await using room = await smallDisk(context, 2048);
    await using first = await startServe(["--state", room.file]);
    const calls = callsTo(first.url);
    const acknowledged: string[] = [];
    const refused: string[] = [];
    const over = new AbortController();
    const watcher = new EventTarget();
    const create = async (worker: number): Promise<void> => {
      for (let count = 0; !over.signal.aborted; count++) {
        const description = `${worker} ${count}`;
        const { status } = await calls.createPayin({ webhook_url, description });
        (status === 200 ? acknowledged : refused).push(description);
        watcher.dispatchEvent(new Event(status === 200 ? "accepted" : "refused"));
      }
    };
    const next = (type: string, count = 1): Promise<void> =>
      new Promise((resolve) => {
        let left = count;
        watcher.addEventListener(type, () => --left === 0 && resolve());
      });
    const load = Promise.all([1, 2, 3, 4].map(create));
    for (let round = 0; round < 3; round++) {
      await next("accepted", 20);
      const filled = next("refused", 20);
      await room.fill();
      await filled;
      expect(await healthOf(first.url)).toMatchObject([503, { status: "degraded" }]);
      const freed = next("accepted");
      await rm(path.join(room.path, "ballast"));
      await freed;
    }
    over.abort();
    await load;
    expect(await healthOf(first.url)).toMatchObject([200, { status: "ok" }]);
    expect(await descriptionsIn(calls)).toEqual(acknowledged.toSorted());
    expect((await first.stop("SIGKILL")).signal).toBe("SIGKILL");

    await using second = await startServe(["--state", room.file]);
    expect(await descriptionsIn(callsTo(second.url))).toEqual(acknowledged.toSorted());
    expect(refused.length).toBeGreaterThanOrEqual(60);
    expect(await second.stop()).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("a sandbox before a limit on the size of files", AT_ONCE, () => {
  it("goes on by itself in another file, and has all that it acknowledged", async (context) => {
    await using room = await limitedFiles(context, 128);
    await using first = await serveUnder(room.wrapper, ["--state", room.file]);
    const calls = callsTo(first.url);
    const { acknowledged, key, refusal } = await createUntilRefused(calls);
    expect(refusal).toMatchObject(REFUSED);
    await first.lines("stderr", 1, (line) => line.includes("cannot be written: EFBIG"));
    await first.lines("stderr", 1, (line) => line.includes("changes are accepted"));
    const late = await calls.createPayin({ webhook_url, description: "refused" }, key);
    expect(late).toMatchObject({ status: 200 });
    expect(late.headers.get("idempotent-replayed")).toBeNull();
    expect((await first.stop("SIGKILL")).signal).toBe("SIGKILL");

    await using second = await serveUnder([], ["--state", room.file]);
    const payins = await listed(callsTo(second.url), "payins");
    expect(payins.map(({ id }) => id)).toEqual([...acknowledged.map(({ id }) => id), late.body.id]);
    expect(await second.stop()).toMatchObject({ code: 0, stderr: "" });
  });
});

describe.each([
  ["a full disk", "ENOSPC", smallDisk],
  ["a limit on the size of files", "EFBIG", limitedFiles],
] as const)("a sandbox before %s", AT_ONCE, (_title, code, createRoom) => {
  it("refuses nothing while only a second state file does not fit, and reports it once", async (context) => {
    await using room = await createRoom(context, 256);
    await using first = await serveUnder(room.wrapper, ["--state", room.file]);
    const calls = callsTo(first.url);
    await createMany(calls, room.share);
    const more = await untilAlone(room.file, calls);
    await createMany(calls, room.share);
    // It has waited for a pause; what comes now goes on being written behind what is there.
    await first.lines("stderr", 1);
    await createMany(calls, 5);
    const payins = await listed(calls, "payins");
    expect(payins).toHaveLength(2 * room.share + more + 5);
    expect(sentences(first)).toEqual([
      expect.stringMatching(/^pix-sandbox: The journal could not be merged into .+: .+\.$/),
    ]);
    expect(first.stderr).toContain(`could not be merged into ${room.file}: ${code}`);
    expect((await readdir(room.path)).filter((name) => name.endsWith(".tmp"))).toEqual([]);

    expect(await first.stop()).toMatchObject({ code: 0, signal: null });
    await room.makeRoom();
    await using second = await serveUnder(room.wrapper, ["--state", room.file]);
    expect(await listed(callsTo(second.url), "payins")).toEqual(payins);
    expect(await second.stop()).toMatchObject({ code: 0, stderr: "" });
    expect(await readdir(room.path)).toEqual(["state.json"]);
  });
});

describe("a sandbox whose disk has room again while it runs", AT_ONCE, () => {
  it("leaves one file behind, although a compaction failed before", async (context) => {
    await using room = await smallDisk(context, 256);
    await using sandbox = await startServe(["--state", room.file]);
    const calls = callsTo(sandbox.url);
    await createMany(calls, room.share);
    const more = await untilAlone(room.file, calls);
    await createMany(calls, room.share);
    await sandbox.lines("stderr", 1);
    await room.makeRoom();
    expect((await sandbox.stop()).code).toBe(0);
    expect(sentences(sandbox)).toHaveLength(1);
    expect(await readdir(room.path)).toEqual(["state.json"]);
    expect((await readState(room.file)).transactions).toHaveLength(2 * room.share + more);
  });
});

describe("a start on a full disk", AT_ONCE, () => {
  it("ends with 9 and leaves nothing behind if there is no state yet", async (context) => {
    await using room = await smallDisk(context, 64);
    await room.fill();
    const ended = await runMain(["serve", "--port", "0", "--state", room.file]);
    expectRefusedStart(ended, room.file);
    expect(ended.stderr).toContain("ENOSPC");
    expect(await readdir(room.path)).toEqual(["ballast"]);
  });

  it("reads a state that is there, and refuses changes", async (context) => {
    await using room = await smallDisk(context, 64);
    await using before = await serveMain(["--state", room.file]);
    await createMany(callsTo(before.url), 3);
    const payins = await listed(callsTo(before.url), "payins");
    await before.stop();
    const bytes = await readFile(room.file);
    await room.fill();

    await using sandbox = await serveMain(["--state", room.file]);
    const calls = callsTo(sandbox.url);
    expect(await listed(calls, "payins")).toEqual(payins);
    expect(await calls.createPayin({ webhook_url })).toMatchObject(REFUSED);
    expect((await sandbox.stop()).code).toBe(0);
    expect(await readFile(room.file)).toEqual(bytes);
  });
});

/**
 * Resolves when the state file has all, and the journal beside it nothing: what came while the file was
 * written stands in both until the next compaction, which the next change brings about.
 * @returns how many payins that took
 */
async function untilAlone(file: string, calls: Calls): Promise<number> {
  for (let more = 0; ; more++) {
    await untilRenewed(file);
    const [journal = ""] = (await readdir(path.dirname(file))).filter((name) =>
      name.endsWith(".journal"),
    );
    const lines = (await readFile(path.join(path.dirname(file), journal), "utf8")).split("\n");
    if (lines.length <= 3) return more;
    await createMany(calls, 1);
  }
}

/** A folder in which the program may not write more than so much to one file. */
async function limitedFiles(context: TestContext, kibibytes: number): Promise<Room> {
  if (process.platform === "win32") context.skip();
  const folder = await createFolder();
  // Shells count it in halves of a kibibyte, as POSIX says, when they are called sh.
  const limited = ["sh", "-c", `ulimit -f ${kibibytes}; exec "$@"`, "sh"];
  let wrapper = limited;
  return {
    path: folder.path,
    file: folder.at("state.json"),
    get wrapper() {
      return wrapper;
    },
    share: 90,
    makeRoom: async () => {
      wrapper = [];
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function createUntilRefused(calls: Calls): Promise<{
  acknowledged: readonly Shown[];
  key: string;
  refusal: Awaited<ReturnType<Calls["createPayin"]>>;
}> {
  const ids: string[] = [];
  for (;;) {
    const key = `key ${ids.length}`;
    const answer = await calls.createPayin({ webhook_url, description: "refused" }, key);
    if (answer.status === 200) ids.push(answer.body.id);
    else {
      const acknowledged = await listed(calls, "payins");
      expect(acknowledged.map(({ id }) => id)).toEqual(ids);
      return { acknowledged, key, refusal: answer };
    }
  }
}

async function healthOf(url: string): Promise<[status: number, body: unknown]> {
  const answer = await fetch(`${url}/_sandbox/health`);
  return [answer.status, await answer.json()];
}

/** The descriptions of all payins, sorted. */
async function descriptionsIn(calls: Calls): Promise<readonly string[]> {
  const all: string[] = [];
  for (let after = ""; ;) {
    const { data, next } = await calls.control<{
      data: readonly { readonly description: string }[];
      next: string | null;
    }>("GET", `/payins?limit=1000${after}`);
    all.push(...data.map(({ description }) => description));
    if (next === null) return all.toSorted();
    after = `&after=${next}`;
  }
}
