import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { isatty } from "node:tty";
// On Windows it finds the .cmd files of npm, and quotes their arguments; elsewhere it is Node's own.
import spawn from "cross-spawn";
import { clearTimeout, monotonicNowMs, setTimeout } from "../platform/real-time.ts";
import { say } from "../text/message.ts";
import { CliError } from "./terminal/errors.ts";
import { type Io, SAME_SIGNAL_MS, SIGNALS } from "./terminal/io.ts";

/** The time to exit after SIGTERM: of a command, less than the 10 s of `docker stop`; and of what it leaves. */
const GRACE_MS = 5000;
const REST_GRACE_MS = 2000;
/** How long to wait for a process outside the command's group that holds its output open. */
const DRAIN_MS = 1000;
const MAX_STDOUT_BYTES = 1024 * 1024;
const OUTPUT_BYTES = 16 * 1024;
/** The signals that a command gets. Includes those that would end only this process. */
export const PASSED_SIGNALS: readonly NodeJS.Signals[] = [...SIGNALS, "SIGQUIT", "SIGUSR2"];
/** The signals that a terminal sends to the whole foreground group. */
const TERMINAL_SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];

export type CommandIo = Pick<Io, "cwd" | "env" | "onSignal">;

interface Options {
  /** With `inherit` a command gets each signal. Otherwise a signal stops it, and it has no standard input. */
  readonly streams: "inherit" | "collect" | "ignore";
  readonly limitMs?: number;
}

interface Ended {
  /** 128 + n if signal n ended it. */
  readonly exitCode: number;
  readonly stoppedBy: "signal" | "limit" | undefined;
  /** Undefined if it is larger than 1 MiB. */
  readonly stdout: string | undefined;
  /** The last 16 KiB of stdout and stderr together, as they arrived. */
  readonly output: string;
}

/**
 * Runs words, or a line for the system's shell, in a process group of its own. To stop it, the group gets SIGTERM, and
 * SIGKILL after a grace time. A second signal kills it. What it leaves in its group ends with it, but what a line that
 * succeeds has started goes on.
 *
 * With inherited streams on a terminal it shares the group of this process, so that it can use the terminal, receives
 * window changes, and Ctrl-C and Ctrl-Z reach both. What it leaves there cannot be told from others.
 * @throws CliError if it cannot be started.
 */
export async function runCommand(
  command: string | readonly string[],
  { cwd, env, onSignal }: CommandIo,
  { streams, limitMs }: Options,
): Promise<Ended> {
  const isLine = typeof command === "string";
  const [program = "", ...args] = isLine ? [command] : command;
  const isInherited = streams === "inherit";
  // A Windows console reports Ctrl-C to each of its processes.
  const isShared = isInherited && (isWindows() || [0, 1, 2].some((fd) => isatty(fd)));
  let stoppedBy: Ended["stoppedBy"];
  let late: NodeJS.Timeout | undefined;
  const send = (signal: NodeJS.Signals): void => {
    if (isShared && !isWindows()) child.kill(signal);
    else signalAll(child, signal);
  };
  const stop = (by: Ended["stoppedBy"], signal: NodeJS.Signals = "SIGTERM"): void => {
    stoppedBy ??= by;
    send(signal);
    if (signal === "SIGTERM") late ??= setTimeout(() => send("SIGKILL"), GRACE_MS);
  };
  let receivedMs = Number.NEGATIVE_INFINITY;
  // Before it starts: a signal can follow its first output.
  const stopListening = onSignal((signal) => {
    if (hasExited(child) || (isShared && TERMINAL_SIGNALS.includes(signal))) return;
    if (!SIGNALS.includes(signal)) return send(signal);
    const isSame = monotonicNowMs() - receivedMs < SAME_SIGNAL_MS;
    receivedMs = monotonicNowMs();
    if (isSame) return;
    if (stoppedBy === "signal") send("SIGKILL");
    else stop("signal", isInherited ? signal : "SIGTERM");
  }, PASSED_SIGNALS);
  const stream = streams === "collect" ? "pipe" : streams;
  const child = spawn(program, args, {
    stdio: isInherited ? "inherit" : ["ignore", stream, stream],
    cwd,
    env,
    shell: isLine,
    detached: !isShared && !isWindows(),
  });
  const printed: Buffer[] = [];
  let printedBytes = 0;
  let output = Buffer.alloc(0);
  const collect = (chunk: Buffer): void => {
    output = Buffer.concat([output, chunk]).subarray(-OUTPUT_BYTES);
  };
  child.stdout?.on("data", collect).on("data", (chunk: Buffer) => {
    printedBytes += chunk.length;
    if (printedBytes <= MAX_STDOUT_BYTES) printed.push(chunk);
  });
  child.stderr?.on("data", collect);
  const closed = new Promise((resolve) => child.once("close", resolve));
  const limit = limitMs === undefined ? undefined : setTimeout(() => stop("limit"), limitMs);
  // Nothing of a command outlives this process.
  const end = (): void => send("SIGKILL");
  process.once("exit", end);
  try {
    const [code, signal] = (await once(child, "exit").finally(() => {
      clearTimeout(late);
      clearTimeout(limit);
    })) as [number | null, NodeJS.Signals | null];
    const exitCode = signal === null ? (code ?? 0) : 128 + constants.signals[signal];
    const mayLeave = isShared || (isLine && exitCode === 0 && stoppedBy === undefined);
    if (!mayLeave) await endRest(child);
    await Promise.race([closed, wait(DRAIN_MS, undefined, { ref: false })]);
    return {
      exitCode,
      stoppedBy,
      stdout: printedBytes > MAX_STDOUT_BYTES ? undefined : Buffer.concat(printed).toString("utf8"),
      // The first character can be cut.
      output: output.toString("utf8").replace(/^\ufffd+/, ""),
    };
  } catch (error) {
    throw notStarted(program, error as NodeJS.ErrnoException);
  } finally {
    process.off("exit", end);
    stopListening();
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

type Process = Pick<ChildProcess, "pid" | "exitCode" | "signalCode">;

function hasExited({ exitCode, signalCode }: Process): boolean {
  return exitCode !== null || signalCode !== null;
}

function isWindows(): boolean {
  return process.platform === "win32";
}

/** Sends a signal to a command's group. Windows has neither: the command and what it started are killed. */
export function signalAll(child: Process, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (!isWindows()) signalGroup(pid, signal);
  // The id of a process that has exited may belong to another one.
  else if (!hasExited(child))
    spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], {
      stdio: "ignore",
      windowsHide: true,
    });
}

/** Ends what a command has left in its group. */
async function endRest({ pid }: Process): Promise<void> {
  if (pid === undefined || isWindows()) return;
  const endMs = monotonicNowMs() + REST_GRACE_MS;
  for (let isFirst = true; isAlive(pid); isFirst = false) {
    if (isFirst) signalGroup(pid, "SIGTERM");
    if (monotonicNowMs() > endMs) return void signalGroup(pid, "SIGKILL");
    await wait(20);
  }
}

/** @returns whether the group exists. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

/** Whether a group has more than zombies, which stay forever in a container without an init process. */
function isAlive(group: number): boolean {
  if (!signalGroup(group, 0)) return false;
  const pids = existsSync("/proc/self/stat") ? readdirSync("/proc") : [];
  return pids.length === 0 || pids.some((pid) => isRunningIn(group, pid));
}

function isRunningIn(group: number, pid: string): boolean {
  try {
    const [, of] = /.*\) [^ZX] \d+ (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
    return Number(of) === group;
  } catch {
    return false;
  }
}

/** The error of a command that cannot be started, with the exit code of a shell. */
function notStarted(command: string, { code, message }: NodeJS.ErrnoException): CliError {
  return code === "ENOENT"
    ? new CliError(
        127,
        "COMMAND_NOT_FOUND",
        say`Command not found: ${command}.`,
        say`Check the name. To use shell syntax, run: sh -c '…'.`,
      )
    : new CliError(
        126,
        "COMMAND_NOT_RUNNABLE",
        say`The command ${command} cannot be run: ${message}.`,
        say`Check that the file is executable.`,
      );
}
