import { spawnSync } from "node:child_process";
import { EventEmitter } from "node:events";
import { existsSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runCommand, signalAll } from "../../../src/cli/run-command.ts";
import { createFolder } from "../../support/folder.ts";
import { isRunning } from "../../support/process.ts";

vi.mock("node:child_process", async (original) => {
  const real = await original<{ spawnSync: (...words: unknown[]) => unknown }>();
  return { ...real, spawnSync: vi.fn<typeof real.spawnSync>(real.spawnSync) };
});

const signals = new EventEmitter();
const ioAt = (cwd = process.cwd(), env: Record<string, string> = {}) => ({
  cwd,
  env: { ...process.env, ...env },
  onSignal: (handler: (signal: NodeJS.Signals) => void) => {
    signals.on("signal", handler);
    return () => void signals.off("signal", handler);
  },
});
const COLLECT = { streams: "collect" } as const;

describe("a command that another one runs", { timeout: 60_000 }, () => {
  it("has its arguments, its environment and its folder, and ends as a shell would report it", async () => {
    await using folder = await createFolder();
    const io = ioAt(folder.path, { OWN: "a" });
    const script = 'echo "$OWN $1"; touch here; echo failed >&2; exit 3';
    const ended = await runCommand(["sh", "-c", script, "sh", "b"], io, COLLECT);
    expect(ended).toMatchObject({ exitCode: 3, stdout: "a b\n", stoppedBy: undefined });
    expect(ended.output.split("\n").toSorted()).toEqual(["", "a b", "failed"]);
    expect(existsSync(folder.at("here"))).toBe(true);
    expect(await runCommand("kill -9 $$", io, COLLECT)).toMatchObject({ exitCode: 137 });
  });

  it("shows the end of what it printed", async () => {
    const script = `head -c 1048577 /dev/zero | tr '\\0' x; printf ' é%.0s' $(seq 8000)`;
    const { stdout, output } = await runCommand(script, ioAt(), COLLECT);
    expect(stdout).toBeUndefined();
    expect(output).toMatch(/^( ?é)+$/);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(16 * 1024);
  });

  it("is stopped by a signal, with what it has started, and killed by a second one", async () => {
    const stopped = async (script: string, isDeaf = false) => {
      await using folder = await createFolder();
      const io = ioAt(folder.path);
      const ended = runCommand(["sh", "-c", `${script}; touch ready; wait`], io, COLLECT);
      await expect.poll(() => existsSync(folder.at("ready"))).toBe(true);
      signals.emit("signal", "SIGINT");
      // One Ctrl-C can arrive twice.
      signals.emit("signal", "SIGINT");
      if (isDeaf) await expect.poll(() => existsSync(folder.at("heard"))).toBe(true);
      signals.emit("signal", "SIGINT");
      const { exitCode, stoppedBy } = await ended;
      const pid = (await readFile(folder.at("pid"), "utf8")).trim();
      return { exitCode, stoppedBy, isLeft: isRunning(pid) };
    };
    const start = "sleep 300 & echo $! >pid";
    const expected = { stoppedBy: "signal", isLeft: false };
    expect(await stopped(start)).toEqual({ exitCode: 143, ...expected });
    // It says so later than a second copy of one signal could arrive.
    const heard = "trap 'sleep 0.2; touch heard' TERM";
    // And ends by itself before its grace time does.
    const loop = "for one in $(seq 60); do sleep 0.05; touch ready; done; exit 0";
    const deaf = `trap '' TERM; ${start}; ${heard}; ${loop}`;
    expect(await stopped(deaf, true)).toEqual({ exitCode: 137, ...expected });
    expect(signals.listenerCount("signal")).toBe(0);
  });

  it("is stopped after its time limit, and killed 5 s later if it ignores that", async () => {
    const limits = { ...COLLECT, limitMs: 100 };
    const limited = await runCommand("sleep 300 & sleep 300", ioAt(), limits);
    expect(limited).toMatchObject({ exitCode: 143, stoppedBy: "limit" });
    const deaf = await runCommand("trap '' TERM; while :; do sleep 0.1; done", ioAt(), limits);
    expect(deaf).toMatchObject({ exitCode: 137, stoppedBy: "limit" });
  });

  it("takes with it what it leaves, but a line for the shell only if it fails", async () => {
    const left = async (command: string | readonly string[]) => {
      const { stdout = "" } = await runCommand(command, ioAt(), COLLECT);
      const isLeft = isRunning(stdout.trim());
      if (isLeft) process.kill(Number(stdout), "SIGKILL");
      return isLeft;
    };
    const script = "sleep 300 >/dev/null 2>&1 & echo $!";
    expect(await left(["sh", "-c", script])).toBe(false);
    // It ignores SIGTERM.
    expect(await left(["sh", "-c", `trap '' TERM; ${script}`])).toBe(false);
    expect(await left(`${script}; exit 1`)).toBe(false);
    expect(await left(script)).toBe(true);
  });

  it("that cannot be started is named", async () => {
    await using folder = await createFolder();
    await expect(runCommand(["no-such-command"], ioAt(), COLLECT)).rejects.toMatchObject({
      exitCode: 127,
      code: "COMMAND_NOT_FOUND",
      message: expect.stringContaining("no-such-command"),
    });
    await writeFile(folder.at("plain"), "");
    await chmod(folder.at("plain"), 0o644);
    await expect(runCommand([folder.at("plain")], ioAt(), COLLECT)).rejects.toMatchObject({
      exitCode: 126,
      code: "COMMAND_NOT_RUNNABLE",
    });
  });
});

describe("a command on Windows", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("is killed with what it has started, while it runs", () => {
    const ran = vi.mocked(spawnSync).mockClear();
    vi.stubGlobal("process", Object.create(process, { platform: { value: "win32" } }));
    signalAll({ pid: 12, exitCode: null, signalCode: null }, "SIGTERM");
    expect(ran.mock.calls).toMatchObject([["taskkill", ["/pid", "12", "/t", "/f"], {}]]);
    signalAll({ pid: 12, exitCode: 0, signalCode: null }, "SIGTERM");
    signalAll({ pid: undefined, exitCode: null, signalCode: null }, "SIGTERM");
    expect(ran).toHaveBeenCalledTimes(1);
  });
});
