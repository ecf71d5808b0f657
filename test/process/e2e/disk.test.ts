import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import {
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it, type TestContext } from "vitest";
import { runCli, type Serving, startServe } from "../../support/cli.ts";
import { runMain, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import type { Ended, Program } from "../../support/process.ts";
import { type Calls, callsTo, type Shown } from "../../support/calls.ts";
import { PROGRAM, serveUnder, startUnder, untilReady, untilRenewed } from "../../support/traced.ts";
import { isLock } from "../../support/lock.ts";

const webhook_url = "http://127.0.0.1:9/hook";
const IS_ROOT = process.getuid?.() === 0;
/** Much of this is waiting: for a pause of the sandbox, for a start. */
const AT_ONCE = { concurrent: true, timeout: 120_000 };

/** What a change is answered that cannot be kept. */
const REFUSED = {
  status: 503,
  body: { message: expect.stringMatching(/\.$/) as string, code: "EXTERNAL_ERROR", errors: [] },
};

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
    expect(await second.stop()).toMatchObject({ code: 0, stderr: "" });
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
    expect(await first.lines("stderr", 2)).toEqual([
      expect.stringContaining(`${room.file} cannot be written: EFBIG`),
      expect.stringContaining("changes are accepted"),
    ]);
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
      expect.stringMatching(
        /^pix-sandbox: The journal could not be merged into the state file .+: .+\.$/,
      ),
    ]);
    expect(first.stderr).toContain(`could not be merged into the state file ${room.file}: ${code}`);
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
    expect((await readState(room.file)).payins).toHaveLength(2 * room.share + more);
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

describe("a folder that may not be written to", AT_ONCE, () => {
  it.each([
    ["holds no state", "state.json", 0o555, "EACCES"],
    ["cannot be entered", "state.json", 0o000, "EACCES"],
    ["would get another folder", "new/state.json", 0o555, "EACCES"],
  ])("ends the start with 9 and plain words where it %s", async (_title, name, mode, code) => {
    await using folder = await createFolder();
    await using user = await createUser(folder.path);
    const locked = folder.at("locked");
    await mkdir(locked);
    await chmod(locked, mode);
    const file = path.join(locked, name);
    const ended = await user.serve(["--state", file]);
    expectRefusedStart(ended, file);
    expect(ended.stderr).toContain(code);
    expectRefusedStartAsJson(await user.serve(["--json", "--state", file]), file);
    await chmod(locked, 0o755);
    expect(await readdir(locked)).toEqual([]);
  });

  it.runIf(process.platform === "linux")(
    "ends the start with 9 if nothing can be created in it, as in /proc",
    async () => {
      for (const file of ["/proc/new/folder/state.json", "/proc/state.json"]) {
        const ended = await runCli(["serve", "--port", "0", "--state", file]);
        expectRefusedStart(ended, file);
        expect(ended.stderr).toContain("ENOENT");
        const args = ["serve", "--json", "--port", "0", "--state", file];
        expectRefusedStartAsJson(await runCli(args), file);
      }
    },
  );

  it("ends the start with 9 and leaves a state in it unchanged", async () => {
    await using folder = await createFolder();
    await using user = await createUser(folder.path);
    const file = folder.at("state.json");
    await makeState(file, 0o644);
    const before = await lookAt(file);
    await chmod(folder.path, 0o555);
    const ended = await user.serve(["--state", file]);
    expectRefusedStart(ended, file);
    expectRefusedStartAsJson(await user.serve(["--json", "--state", file]), file);
    await chmod(folder.path, 0o755);
    expect(await lookAt(file)).toEqual(before);
    expect(await readdir(folder.path)).toEqual(["state.json"]);
  });

  it("ends the start with 9 if the state file may not be read", async () => {
    await using folder = await createFolder();
    await using user = await createUser(folder.path);
    const file = folder.at("state.json");
    await makeState(file, 0o600);
    await chmod(folder.path, 0o777);
    const before = await lookAt(file);
    await chmod(file, 0o000);
    const ended = await user.serve(["--state", file]);
    expectRefusedStart(ended, file);
    expectRefusedStartAsJson(await user.serve(["--json", "--state", file]), file);
    await chmod(file, 0o600);
    expect(await lookAt(file)).toEqual(before);
    expect(await readdir(folder.path)).toEqual(["state.json"]);
  });

  it("is the file system's choice where that is read-only, with the same end", async (context) => {
    await using room = await smallDisk(context, 256);
    await makeState(room.file, 0o600);
    const before = await lookAt(room.file);
    await room.lock();
    const another = path.join(room.path, "another.json");
    const below = path.join(room.path, "new/another.json");
    for (const file of [room.file, another, below]) {
      const ended = await runMain(["serve", "--port", "0", "--state", file]);
      expectRefusedStart(ended, file);
      expect(ended.stderr).toContain("EROFS");
      const inPortuguese = await runCli(["serve", "--state", file, "--lang", "pt-BR"]);
      expect(inPortuguese.stderr).toContain("não pode ser gravado: EROFS");
      for (const { stderr } of [ended, inPortuguese]) expect(stderr).toMatch(/--state.+--memory/);
      expectRefusedStartAsJson(
        await runMain(["serve", "--json", "--port", "0", "--state", file]),
        file,
      );
    }
    expect(await lookAt(room.file)).toEqual(before);
    expect(await readdir(room.path)).toEqual(["state.json"]);
  });
});

describe("two sandboxes on one state", AT_ONCE, () => {
  // Both are in this process: one that waits for a processor would be too slow to say its name.
  it("are one: the second names the process that holds it, the first continues", async () => {
    await using folder = await createFolder();
    const file = folder.at("state.json");
    await using first = await serveMain(["--state", file]);
    const calls = callsTo(first.url);
    await createMany(calls, 2);

    const second = await runMain(["serve", "--port", "0", "--state", file]);
    expect({ code: second.code, stdout: second.stdout }).toEqual({ code: 7, stdout: "" });
    expect(second.stderr).toContain(file);
    expect(second.stderr).toContain(`process id ${first.ready.pid}.`);
    await createMany(calls, 2);
    expect(await first.stop()).toMatchObject({ code: 0, stderr: "" });
    expect((await readState(file)).payins).toHaveLength(4);
  });

  it("are one by whatever name they call it", async (context) => {
    if (process.platform === "win32") context.skip("links need a privilege there");
    await using folder = await createFolder();
    await symlink(folder.path, folder.at("same"));
    await symlink("state.json", folder.at("link.json"));
    await using first = await startServe(["--state", folder.at("state.json")]);
    for (const name of ["link.json", "same/state.json", "same/link.json", "./same/../state.json"]) {
      const args = ["serve", "--port", "0", "--state", name];
      const { code, stderr } = await runMain(args, { cwd: folder.path });
      expect({ name, code }).toEqual({ name, code: 7 });
      expect(stderr).toContain(folder.at("state.json"));
    }
    expect((await first.stop()).code).toBe(0);
  });

  it("are one although the first is another user's", async (context) => {
    await using folder = await createFolder();
    await using user = await createUser(folder.path);
    await using first = await serveAsRoot(context, folder.path, user);
    const { code, stdout, stderr } = await user.serve(["--state", folder.at("state.json")]);
    expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
    expect(stderr).toContain(folder.at("state.json"));
    await createMany(callsTo(first.url), 2);
    expect(await first.stop()).toMatchObject({ code: 0, stderr: "" });
  });

  it("do not wait for ever for another user's that was killed", async (context) => {
    await using folder = await createFolder();
    await using user = await createUser(folder.path);
    await using first = await serveAsRoot(context, folder.path, user);
    await first.stop("SIGKILL");
    await using second = user.start(["--json", "--state", folder.at("state.json")]);
    // What the dead one has left in the folder for temporary files, another may not be able to remove.
    const serving = await untilReady(second);
    if (serving) await serving.stop();
    else expect((await second.ended).stderr).toContain(folder.at("state.json"));
    expect([0, 7, 9]).toContain((await second.ended).code);
  });

  it("may follow each other at once when the first one is killed", async () => {
    await using folder = await createFolder();
    const file = folder.at("state.json");
    await using first = await startServe(["--state", file]);
    await createMany(callsTo(first.url), 3);
    const payins = await listed(callsTo(first.url), "payins");
    expect((await first.stop("SIGKILL")).signal).toBe("SIGKILL");

    await using second = await startServe(["--state", file]);
    expect(await listed(callsTo(second.url), "payins")).toEqual(payins);
    expect(await second.stop()).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("several sandboxes that follow a killed one at once", AT_ONCE, () => {
  it("all name the first process", async () => {
    await using folder = await createFolder();
    await using killed = await startServe(["--state", folder.at("state.json")]);
    await createMany(callsTo(killed.url), 1);
    await killed.stop("SIGKILL");
    const programs = Array.from({ length: 4 }, () =>
      startUnder([], ["--json", "--state", folder.at("state.json")]),
    );
    const serving = await Promise.all(programs.map((program) => untilReady(program)));
    const [first, ...others] = serving.filter((one) => one !== undefined);
    expect(others).toEqual([]);
    for (const program of programs) {
      if (program === first) continue;
      expect((await program.ended).code).toBe(7);
      expect(program.stderr).toContain(folder.at("state.json"));
    }
    expect(await first?.stop()).toMatchObject({ code: 0, stderr: "" });
    expect((await readState(folder.at("state.json"))).payins).toHaveLength(1);
  });
});

describe("a state file", AT_ONCE, () => {
  it.each(["test", "production"])("is stored with NODE_ENV=%s", async (NODE_ENV) => {
    await using folder = await createFolder();
    const options = { env: { NODE_ENV } };
    await using first = await startServe(["--state", folder.at("state.json")], options);
    await createMany(callsTo(first.url), 2);
    const payins = await listed(callsTo(first.url), "payins");
    await first.stop("SIGKILL");
    await using second = await startServe(["--state", folder.at("state.json")], options);
    expect(await listed(callsTo(second.url), "payins")).toEqual(payins);
    await second.stop();
    expect((await readState(folder.at("state.json"))).payins).toHaveLength(2);
  });

  it.each([
    ["0600", 0o600],
    ["0640", 0o640],
    ["0664", 0o664],
  ])("keeps the permissions %s, and its journal has them too", async (_title, mode) => {
    if (process.platform === "win32") return;
    await using folder = await createFolder();
    const file = folder.at("state.json");
    await makeState(file, mode);
    await using sandbox = await serveUnder(
      ["sh", "-c", 'umask 022; exec "$@"', "sh"],
      ["--state", file],
    );
    const calls = callsTo(sandbox.url);
    await createMany(calls, 1);
    const modesWhile = await modesIn(folder.path);
    expect(Object.keys(modesWhile)).toHaveLength(2);
    expect(new Set(Object.values(modesWhile))).toEqual(new Set([mode]));
    const { ino } = await stat(file);
    await untilRenewed(file);
    expect((await stat(file)).ino).not.toBe(ino);
    expect(new Set(Object.values(await modesIn(folder.path)))).toEqual(new Set([mode]));
    await createMany(calls, 1);
    expect(await sandbox.stop()).toMatchObject({ code: 0, stderr: "" });
    expect(await modesIn(folder.path)).toEqual({ "state.json": mode });
  });

  it("is readable only by its owner when it is new, whatever the umask", async () => {
    if (process.platform === "win32") return;
    await using folder = await createFolder();
    await using sandbox = await serveUnder(
      ["sh", "-c", 'umask 000; exec "$@"', "sh"],
      ["--state", folder.at("state.json")],
    );
    await createMany(callsTo(sandbox.url), 1);
    expect(new Set(Object.values(await modesIn(folder.path)))).toEqual(new Set([0o600]));
    await sandbox.stop();
    expect(await modesIn(folder.path)).toEqual({ "state.json": 0o600 });
  });

  it("stays a symbolic link, and its target changes", async (context) => {
    if (process.platform === "win32") context.skip("links need a privilege there");
    await using folder = await createFolder();
    await mkdir(folder.at("real"));
    await makeState(folder.at("real/target.json"), 0o600);
    await symlink("real/target.json", folder.at("state.json"));
    await using sandbox = await serveMain(["--state", folder.at("state.json")]);
    const calls = callsTo(sandbox.url);
    await createMany(calls, 1);
    await untilRenewed(folder.at("real/target.json"));
    await createMany(calls, 1);
    expect(await sandbox.stop()).toMatchObject({ code: 0, stderr: "" });
    expect(await readlink(folder.at("state.json"))).toBe("real/target.json");
    expect((await lstat(folder.at("real/target.json"))).isFile()).toBe(true);
    expect(await readdir(folder.at("real"))).toEqual(["target.json"]);
    expect((await readState(folder.at("real/target.json"))).payins).toHaveLength(3);
  });

  it("is begun where a symbolic link leads that has led nowhere so far", async (context) => {
    if (process.platform === "win32") context.skip("links need a privilege there");
    await using folder = await createFolder();
    await mkdir(folder.at("real"));
    await symlink("real/target.json", folder.at("state.json"));
    await using sandbox = await serveMain(["--state", folder.at("state.json")]);
    await createMany(callsTo(sandbox.url), 1);
    expect(await sandbox.stop()).toMatchObject({ code: 0, stderr: "" });
    expect(await readlink(folder.at("state.json"))).toBe("real/target.json");
    expect((await readState(folder.at("real/target.json"))).payins).toHaveLength(1);
  });

  it.each([
    ["a relative path", "deep/down/../here/state.json"],
    ["spaces and letters of every kind", "as contas do João/está tudo aqui 🛒 ção.json"],
    ["what a pattern is made of", "a+b (copy) [1]/state.*?.json"],
    ["no ending", "state"],
  ])("is found by %s", async (title, file) => {
    if (process.platform === "win32" && title.startsWith("what")) return;
    await using folder = await createFolder();
    const options = { cwd: folder.path };
    await using first = await startServe(["--state", file], options);
    await createMany(callsTo(first.url), 1);
    const payins = await listed(callsTo(first.url), "payins");
    await first.stop("SIGKILL");
    await using second = await startServe(["--state", file], options);
    expect(await listed(callsTo(second.url), "payins")).toEqual(payins);
    expect(second.ready.state_file).toBe(path.join(folder.path, file));
    expect(await second.stop()).toMatchObject({ code: 0, stderr: "" });
    expect(await readdir(path.dirname(folder.at(file)))).toEqual([path.basename(file)]);
  });

  it("is the only file after a stop in the middle of much to do, and has what was acknowledged", async () => {
    await using folder = await createFolder();
    const file = folder.at("state.json");
    await using sandbox = await startServe(["--state", file]);
    const calls = callsTo(sandbox.url);
    const acknowledged: string[] = [];
    let stopping: Promise<Ended> | undefined;
    const create = async (): Promise<void> => {
      while (acknowledged.length < 2000) {
        const { status, body } = await calls.createPayin({ webhook_url });
        if (status !== 200) return;
        if (acknowledged.push(body.id) === 50) stopping = sandbox.stop("SIGINT");
      }
    };
    // Each goes on until the sandbox has no ear for it any more.
    await Promise.all(Array.from({ length: 8 }, () => create().catch(() => undefined)));
    expect(await stopping).toMatchObject({ code: 0, signal: null, stderr: "" });
    expect(await readdir(folder.path)).toEqual(["state.json"]);
    const { payins } = await readState(file);
    expect(payins.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
  });
});

describe("a state that is removed while it is in use", AT_ONCE, () => {
  it("has changes refused when it is its folder that is gone", async () => {
    if (process.platform === "win32") return;
    await using folder = await createFolder();
    const file = folder.at("kept/state.json");
    await using sandbox = await serveMain(["--state", file]);
    const calls = callsTo(sandbox.url);
    await createMany(calls, 2);
    const payins = await listed(calls, "payins");
    await rm(path.dirname(file), { recursive: true });
    expect(await calls.createPayin({ webhook_url })).toMatchObject(REFUSED);
    expect(await calls.simulate("payin", payins[0]?.id ?? "")).toMatchObject(REFUSED);
    expect(await listed(calls, "payins")).toEqual(payins);
    const ended = await sandbox.stop();
    expect(ended).toMatchObject({ code: 0, signal: null });
    expect(sentences(ended)).toHaveLength(1);
    expect(ended.stderr).toContain(file);
    expect(ended.stderr).toContain("deleted");
  });

  it("writes all of it anew when it is its journal that is gone", async () => {
    if (process.platform === "win32") return;
    await using folder = await createFolder();
    const file = folder.at("kept/state.json");
    await using sandbox = await startServe(["--state", file]);
    const calls = callsTo(sandbox.url);
    await createMany(calls, 2);
    // From then on a removal meets no compaction, which would have made a new journal.
    await untilRenewed(file);
    await removeJournals(file);
    expect(await calls.createPayin({ webhook_url })).toMatchObject(REFUSED);
    const [failed, recovered] = await sandbox.lines("stderr", 2);
    expect(failed).toContain("deleted");
    expect(recovered).toContain("changes are accepted");
    await createMany(calls, 1);
    const payins = await listed(calls, "payins");
    expect(payins).toHaveLength(3);
    expect((await sandbox.stop("SIGKILL")).signal).toBe("SIGKILL");
    await using second = await startServe(["--state", file]);
    expect(await listed(callsTo(second.url), "payins")).toEqual(payins);
    await second.stop();
  });

  it.each([
    ["its folder", (file: string) => rm(path.dirname(file), { recursive: true })],
    ["its journal", removeJournals],
  ])("does not hold up a stop when it is %s that is gone", async (_title, remove) => {
    if (process.platform === "win32") return;
    await using folder = await createFolder();
    const file = folder.at("kept/state.json");
    await using sandbox = await serveMain(["--state", file]);
    await createMany(callsTo(sandbox.url), 2);
    await untilRenewed(file);
    await remove(file);
    const ended = await sandbox.stop();
    expect(ended).toMatchObject({ code: 0, signal: null });
    for (const line of sentences(ended)) expect(line).toMatch(/^pix-sandbox: .+\.$/);
  });

  it("is written anew when it is the state file alone that is gone", async () => {
    if (process.platform === "win32") return;
    await using folder = await createFolder();
    const file = folder.at("state.json");
    await using sandbox = await serveMain(["--state", file]);
    const calls = callsTo(sandbox.url);
    await createMany(calls, 2);
    await untilRenewed(file);
    await rm(file);
    await createMany(calls, 1);
    expect(await sandbox.stop()).toMatchObject({ code: 0, stderr: "" });
    expect((await readState(file)).payins).toHaveLength(3);
    expect(await readdir(folder.path)).toEqual(["state.json"]);
  });
});

/** Somewhere to keep a state where there is not much room. */
interface Room extends AsyncDisposable {
  readonly path: string;
  /** The state file. */
  readonly file: string;
  /** What the program is to be started by. */
  readonly wrapper: readonly string[];
  /**
   * So many payins fit with a compaction, and twice as many do not: into 256 KiB, of which each takes one in the
   * state file, one in the new one and one in the journal, where what came during a compaction stands until the next.
   */
  readonly share: number;
  /** From the next start on, if not at once. */
  makeRoom(): Promise<void>;
}

interface SmallDisk extends Room {
  /** Leaves no room at all. */
  fill(): Promise<void>;
  /** Makes it read-only. */
  lock(): Promise<void>;
}

const mounted = new Set<string>();
const unmountAll = (): void => {
  for (const folder of mounted) {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
    mounted.delete(folder);
  }
};
// Whatever becomes of the tests, nothing stays mounted.
process.once("exit", unmountAll);
afterAll(unmountAll);

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

/** A file system of its own, in memory. */
async function smallDisk(context: TestContext, kibibytes: number): Promise<SmallDisk> {
  const folder = mkdtempSync(path.join(tmpdir(), "pix-sandbox-disk-"));
  const mount = (options: string): void => {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "pipe" });
  };
  try {
    if (!IS_ROOT || process.platform !== "linux") throw new Error("that takes root on Linux");
    mount(`size=${kibibytes}k`);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    return context.skip(`no file system can be mounted: ${(error as Error).message}`);
  }
  mounted.add(folder);
  return {
    path: folder,
    file: path.join(folder, "state.json"),
    wrapper: [],
    share: 75,
    makeRoom: async () => mount("remount,size=4m"),
    fill: async () => {
      const ballast = Buffer.alloc(kibibytes * 1024);
      await writeFile(path.join(folder, "ballast"), ballast).catch(() => undefined);
    },
    lock: async () => mount("remount,ro"),
    [Symbol.asyncDispose]: async () => {
      mounted.delete(folder);
      execFileSync("umount", ["-l", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A folder in which the program may not write more than so much to one file. */
async function limitedFiles(context: TestContext, kibibytes: number): Promise<Room> {
  if (process.platform === "win32") context.skip("there is no ulimit");
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

/** Somebody for whom permissions hold: not root, to whom nothing is forbidden. */
interface User extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  start(args: readonly string[]): Program;
  serve(args: readonly string[]): Promise<Ended>;
}

async function createUser(folder: string): Promise<User> {
  const own = await createFolder();
  await chmod(folder, 0o755);
  await chmod(own.path, 0o755);
  // Where everybody may put something, and nobody may take away what is another's.
  await mkdir(own.at("tmp"));
  await chmod(own.at("tmp"), 0o1777);
  const env = { TMPDIR: own.at("tmp") };
  // The program itself may stand where others are not let in.
  for (const name of IS_ROOT ? ["bin", "dist", "package.json"] : [])
    await cp(path.join(PROGRAM, name), own.at(name), { recursive: true });
  const start = (args: readonly string[]): Program =>
    IS_ROOT
      ? startUnder(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"], args, {
          program: own.path,
          env,
        })
      : startUnder([], args, { env });
  return {
    env,
    start,
    serve: async (args) => {
      await using program = start(args);
      await program.lines("stderr", 1);
      return await program.ended;
    },
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  };
}

/** A sandbox of root's on a state that everybody may write. */
async function serveAsRoot(context: TestContext, folder: string, { env }: User): Promise<Serving> {
  if (!IS_ROOT) context.skip("it takes root to be two users");
  await chmod(folder, 0o777);
  const file = path.join(folder, "state.json");
  await makeState(file, 0o666);
  return startServe(["--state", file], { env });
}

/** A state file with one payin. */
async function makeState(file: string, mode: number): Promise<void> {
  await using sandbox = await startServe(["--state", file]);
  await createMany(callsTo(sandbox.url), 1);
  await sandbox.stop();
  await chmod(file, mode);
}

async function createMany(calls: Calls, count: number): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: count }, () => calls.createPayin({ webhook_url })),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
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

async function listed(calls: Calls, nouns: "payins" | "payouts"): Promise<readonly Shown[]> {
  const { data } = await calls.control<{ data: readonly Shown[] }>("GET", `/${nouns}?limit=1000`);
  return data;
}

async function readState(file: string): Promise<{ payins: readonly { id: string }[] }> {
  return JSON.parse(await readFile(file, "utf8")) as { payins: readonly { id: string }[] };
}

/** All that a write would change of a file. */
async function lookAt(file: string): Promise<unknown> {
  const { ino, mode, size, mtimeMs } = await stat(file);
  return { ino, mode, size, mtimeMs, content: await readFile(file, "utf8") };
}

async function modesIn(folder: string): Promise<Record<string, number>> {
  const names = (await readdir(folder)).filter((name) => !isLock(name));
  const modes = names.map(async (name) => {
    const { mode } = await stat(path.join(folder, name));
    return [name, mode & 0o777] as const;
  });
  return Object.fromEntries(await Promise.all(modes));
}

async function removeJournals(file: string): Promise<void> {
  const folder = path.dirname(file);
  for (const name of await readdir(folder))
    if (name.endsWith(".journal")) await rm(path.join(folder, name));
}

function sentences({ stderr }: { readonly stderr: string }): readonly string[] {
  return stderr.split("\n").filter((line) => line !== "");
}

/** Plain words: which file, what is wrong, what can be done. */
function expectRefusedStart({ code, stdout, stderr }: Ended, file: string): void {
  expect({ code, stdout, stderr }).toMatchObject({ code: 9, stdout: "" });
  expect(stderr).toMatch(/^error: .+\.$/m);
  expect(stderr).toContain(file);
  expect(stderr).toContain("--state");
  expect(stderr).not.toMatch(/^ {4}at /m);
}

function expectRefusedStartAsJson({ code, stdout, stderr }: Ended, file: string): void {
  expect({ code, stdout }).toEqual({ code: 9, stdout: "" });
  const { error } = JSON.parse(stderr) as { error: { message: string; hint: string | null } };
  expect(error).toMatchObject({ code: expect.stringMatching(/^STATE_[A-Z]+$/) as string });
  expect(error.message).toContain(file);
  expect(`${error.message} ${error.hint}`).toContain("--state");
}
