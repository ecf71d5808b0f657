import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { SAME_SIGNAL_MS } from "./commands/serve.ts";
import { CliError } from "./errors.ts";
import { type Io, SIGNALS } from "./io.ts";
import { t } from "./language.ts";

/** What shells answer for a command that is not there, and for one that cannot be run. */
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;
/** How long what a command left behind may take to end. */
const GRACE_MS = 2000;
const PAUSE_MS = 20;
/** Those too that would end this process alone, by Ctrl-\ in a terminal for one. */
const PASSED_SIGNALS: readonly NodeJS.Signals[] = [...SIGNALS, "SIGQUIT", "SIGUSR2"];
const HAS_GROUPS = process.platform !== "win32";

/**
 * Runs a command to its end, on the streams of this process. Signals go on to it, and what it started
 * and left behind ends with it.
 * @returns its exit code, as a shell has it: death by signal n is 128+n.
 * @throws CliError where it cannot be started.
 */
export async function runToEnd(
  [command = "", ...args]: readonly string[],
  env: Io["env"],
  io: Io,
): Promise<number> {
  // Before it runs: its first word may already be answered with a signal.
  passSignals(() => child, io);
  // In a group of its own each signal reaches all of it, and once: the terminal's go to this process alone.
  const child = spawn(command, args, { stdio: "inherit", env, detached: HAS_GROUPS });
  const endAll = (): unknown => signalAll(child, "SIGKILL");
  process.once("exit", endAll);
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    await endRest(child);
    return signal === null ? (code ?? 0) : 128 + constants.signals[signal];
  } catch (error) {
    throw notStarted(command, error as NodeJS.ErrnoException);
  } finally {
    process.off("exit", endAll);
  }
}

/** To the very end of this process: a signal that reaches it twice may come once more when all is done. */
function passSignals(find: () => ChildProcess, io: Io): void {
  const passedAt = new Map<NodeJS.Signals, number>();
  io.onSignal((signal) => {
    const child = find();
    const now = performance.now();
    const isSame = now - (passedAt.get(signal) ?? Number.NEGATIVE_INFINITY) < SAME_SIGNAL_MS;
    if (isSame || child.exitCode !== null || child.signalCode !== null) return;
    passedAt.set(signal, now);
    signalAll(child, signal);
  }, PASSED_SIGNALS);
}

/** @returns whether anything was there to hear it. */
function signalAll({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(HAS_GROUPS ? -pid : pid, signal);
  } catch {
    return false;
  }
}

async function endRest(child: ChildProcess): Promise<void> {
  if (!HAS_GROUPS || !signalAll(child, "SIGTERM")) return;
  const lateMs = performance.now() + GRACE_MS;
  while (signalAll(child, 0) && !isDead(child)) {
    if (performance.now() > lateMs) {
      signalAll(child, "SIGKILL");
      return;
    }
    await wait(PAUSE_MS);
  }
}

/** Whether all that is left waits to be buried, which in a container without an init nobody does. */
function isDead({ pid: group }: ChildProcess): boolean {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .every((pid) => {
        const [state, , found] = readStat(pid).split(" ");
        return Number(found) !== group || state === "Z" || state === "X";
      });
  } catch {
    // No such folder: what is left is as alive as it seems.
    return false;
  }
}

/** State, parent and group of a process; nothing of one that has just gone. */
function readStat(pid: string): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2);
  } catch {
    return "";
  }
}

function notStarted(command: string, { code, message }: NodeJS.ErrnoException): Error {
  return code === "ENOENT"
    ? new CliError(
        NOT_FOUND,
        "COMMAND_NOT_FOUND",
        t`There is no command ${command}.`,
        t`Check its name. What only a shell understands runs as: pix-sandbox exec -- sh -c '…'.`,
      )
    : new CliError(
        NOT_RUNNABLE,
        "COMMAND_NOT_RUNNABLE",
        t`The command ${command} cannot be run: ${message}.`,
        t`Check that it is a program, and that you may run it.`,
      );
}
