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
} from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { runCli, type Serving, startServe } from "../../support/cli.ts";
import { runMain, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import type { Ended, Program } from "../../support/process.ts";
import { callsTo } from "../../support/calls.ts";
import { PROGRAM, serveUnder, startUnder, untilReady, untilRenewed } from "../../support/traced.ts";
import { isLock } from "../../support/lock.ts";
import {
  AT_ONCE,
  IS_ROOT,
  createMany,
  expectRefusedStart,
  listed,
  readState,
  sentences,
  smallDisk,
  unmountAfterwards,
  webhook_url,
} from "./disk.ts";
import { lacks } from "../../support/lacks.ts";

/** The program, for other users: the original may be where they are not let in. */
let copied: Awaited<ReturnType<typeof createFolder>>;
beforeAll(async () => {
  copied = await createFolder();
  await chmod(copied.path, 0o755);
  for (const name of IS_ROOT ? ["bin", "dist", "package.json"] : [])
    await cp(path.join(PROGRAM, name), copied.at(name), { recursive: true });
});
afterAll(() => copied[Symbol.asyncDispose]());
unmountAfterwards();

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
      expect(ended.stderr).toMatch(/--state.+--memory/);
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
    expect((await readState(file)).transactions).toHaveLength(4);
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
});

describe("a state file", AT_ONCE, () => {
  it.each([
    ["0600", 0o600],
    ["0664", 0o664],
  ])("keeps the permissions %s; its journal is the owner's", async (_title, mode) => {
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
    expect(new Set(Object.values(modesWhile))).toEqual(new Set([mode, 0o600]));
    const { ino } = await stat(file);
    await untilRenewed(file);
    expect((await stat(file)).ino).not.toBe(ino);
    expect(await modesIn(folder.path)).toMatchObject({ "state.json": mode });
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
    if (process.platform === "win32") context.skip();
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
    expect((await readState(folder.at("real/target.json"))).transactions).toHaveLength(3);
  });

  it.each([
    ["a relative path", "deep/down/../here/state.json"],
    ["letters of every kind", "as contas do João/está tudo [aqui] 🛒 *?+ção"],
  ])("is found by %s", async (title, file) => {
    if (process.platform === "win32" && title.startsWith("letters")) return;
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
    const { transactions } = await readState(file);
    expect(transactions.map(({ record }) => record.id)).toEqual(
      expect.arrayContaining(acknowledged),
    );
  });
});

describe("a state that is removed while it is in use", AT_ONCE, () => {
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
    expect((await readState(file)).transactions).toHaveLength(3);
    expect(await readdir(folder.path)).toEqual(["state.json"]);
  });
});

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
  const start = (args: readonly string[]): Program =>
    IS_ROOT
      ? startUnder(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"], args, {
          program: copied.path,
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
  if (lacks("root")) context.skip();
  await chmod(folder, 0o777);
  const file = path.join(folder, "state.json");
  await makeState(file, 0o666);
  return startServe(["--state", file], { env });
}

/** A state file with one payin. */
async function makeState(file: string, mode: number): Promise<void> {
  await using sandbox = await serveMain(["--state", file]);
  await createMany(callsTo(sandbox.url), 1);
  await sandbox.stop();
  await chmod(file, mode);
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

function expectRefusedStartAsJson({ code, stdout, stderr }: Ended, file: string): void {
  expect({ code, stdout }).toEqual({ code: 9, stdout: "" });
  const { error } = JSON.parse(stderr) as { error: { message: string; hint: string | null } };
  expect(error).toMatchObject({ code: expect.stringMatching(/^STATE_[A-Z]+$/) as string });
  expect(error.message).toContain(file);
  expect(`${error.message} ${error.hint}`).toContain("--state");
}
