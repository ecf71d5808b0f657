import { localize, type Words, setLanguage } from "../../src/cli/terminal/language.ts";
import type { ChildProcess } from "node:child_process";
import { access, chmod, readFile, writeFile } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { ProcessTree, runToEnd, toExitCode } from "../../src/cli/set-up/child.ts";
import type { Io } from "../../src/cli/terminal/io.ts";
import { createFolder } from "../support/folder.ts";

/** An io whose signals a test sends. */
function ioAt(cwd = process.cwd()) {
  const printed: string[] = [];
  const handlers: ((signal: NodeJS.Signals) => void)[] = [];
  let listened: readonly string[] = [];
  const io = {
    cwd,
    printError: (text: Words) => void printed.push(localize(text)),
    onSignal: (handler: (signal: NodeJS.Signals) => void, signals: readonly string[]) => {
      handlers.push(handler);
      listened = signals;
      return () => undefined;
    },
  } as unknown as Io;
  return {
    io,
    printed,
    listened: () => listened,
    send: (signal: NodeJS.Signals) => {
      for (const handler of handlers) handler(signal);
    },
  };
}

afterEach(() => setLanguage("en"));

describe("a command that another one runs", { timeout: 60_000 }, () => {
  it("ends as a shell would report it", () => {
    expect([toExitCode(0, null), toExitCode(3, null), toExitCode(null, null)]).toEqual([0, 3, 0]);
    expect([toExitCode(null, "SIGINT"), toExitCode(null, "SIGTERM")]).toEqual([130, 143]);
  });

  it("has its arguments, its environment and its folder, and ends with its exit code", async () => {
    await using folder = await createFolder();
    const script =
      '[ "$OWN $1" = "a b" ] && [ "$(pwd -P)" = "$(cd "$FOLDER" && pwd -P)" ] && exit 3';
    const env = { ...process.env, OWN: "a", FOLDER: folder.path };
    const { io, printed } = ioAt(folder.path);
    expect(await runToEnd(["sh", "-c", script, "sh", "b"], env, io)).toBe(3);
    expect(printed).toEqual([]);
    expect(await runToEnd(["sh", "-c", "kill -9 $$"], env, io)).toBe(137);
  });

  it("gets each signal once, also those that end only one process", async () => {
    await using folder = await createFolder();
    const { io, listened, send } = ioAt(folder.path);
    const script = 'trap "exit 7" USR2; touch ready; while :; do sleep 0.01; done';
    const ended = runToEnd(["sh", "-c", script], process.env, io);
    expect(listened()).toEqual(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"]);
    await untilExists(folder.at("ready"));
    send("SIGUSR2");
    expect(await ended).toBe(7);
    // It has ended: nothing else gets the signal.
    send("SIGTERM");
  });

  it("is killed if it ignores SIGTERM, with a sentence", async () => {
    await using folder = await createFolder();
    const { io, printed, send } = ioAt(folder.path);
    const script = 'trap "" TERM; touch ready; while :; do sleep 0.01; done';
    const ended = runToEnd(["sh", "-c", script], process.env, io, 50);
    await untilExists(folder.at("ready"));
    send("SIGTERM");
    expect(await ended).toBe(137);
    expect(printed).toEqual([expect.stringContaining("SIGKILL")]);
  });

  it("takes the processes that it has started with it", async () => {
    await using folder = await createFolder();
    const { io, printed } = ioAt(folder.path);
    expect(await runToEnd(["sh", "-c", "sleep 300 & echo $! > pid"], process.env, io)).toBe(0);
    expect(printed).toEqual([]);
    const pid = (await readFile(folder.at("pid"), "utf8")).trim();
    const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "gone");
    expect(state).toMatch(/^gone$|\) [ZX] /);
  });

  it("that cannot be started is named", async () => {
    await using folder = await createFolder();
    const { io } = ioAt(folder.path);
    await expect(runToEnd(["no-such-command"], process.env, io)).rejects.toMatchObject({
      exitCode: 127,
      code: "COMMAND_NOT_FOUND",
      message: expect.stringContaining("no-such-command"),
    });
    await writeFile(folder.at("plain"), "");
    await chmod(folder.at("plain"), 0o644);
    await expect(runToEnd([folder.at("plain")], process.env, io)).rejects.toMatchObject({
      exitCode: 126,
      code: "COMMAND_NOT_RUNNABLE",
    });
  });
});

describe("the processes of a command on Windows", () => {
  const ran: string[] = [];
  const processes = new ProcessTree((program, args) => ran.push([program, ...args].join(" ")));
  const child = (exitCode: number | null, pid?: number): ChildProcess =>
    ({ pid, exitCode, signalCode: null }) as ChildProcess;

  it("are killed together, while the command runs", () => {
    processes.signalAll(child(null, 12));
    expect(ran.splice(0)).toEqual(["taskkill /pid 12 /t /f"]);
    processes.signalAll(child(0, 12));
    processes.signalAll(child(null));
    expect(ran).toEqual([]);
  });

  it("get Ctrl-C from the console only", () => {
    processes.pass();
    expect([ran, processes.isDetached]).toEqual([[], false]);
  });
});

async function untilExists(file: string): Promise<void> {
  const isThere = () =>
    access(file).then(
      () => true,
      () => false,
    );
  await expect.poll(isThere).toBe(true);
}
