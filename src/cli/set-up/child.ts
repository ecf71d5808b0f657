import { type ChildProcess, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { isatty } from "node:tty";
// On Windows it finds the .cmd files of npm, and quotes their arguments; elsewhere it is Node's own.
import spawn from "cross-spawn";
import { CliError } from "../terminal/errors.ts";
import { type Io, SAME_SIGNAL_MS, SIGNALS } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { say } from "../../text/message.ts";

/** Shells' exit codes for a command that does not exist, and for one that is not executable. */
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;
/** The time for a command to exit after SIGTERM; less than the 10 s of `docker stop`. */
export const COMMAND_GRACE_MS = 5000;
/** The time for its remaining processes. */
const REST_GRACE_MS = 2000;
const PAUSE_MS = 20;
/** Includes signals that would end only this process. */
const PASSED_SIGNALS: readonly NodeJS.Signals[] = [...SIGNALS, "SIGQUIT", "SIGUSR2"];
/** The signals that a terminal sends to the whole foreground group. */
const TERMINAL_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGQUIT"]);
const HAS_GROUPS = process.platform !== "win32";
/** A variable that marks the processes of one command. */
const MARK = "PIX_SANDBOX_EXEC";

/**
 * Runs a command with the streams of this process. Passes signals on to it, and ends its remaining processes
 * after it.
 *
 * On a terminal, the command shares this process's session and group, so that it can use the terminal, receives
 * window changes, and Ctrl-Z stops both. Otherwise it has its own session, whose group receives each signal once.
 * @returns its exit code, or 128 + n after signal n.
 * @throws CliError if it cannot be started.
 */
export async function runToEnd(
  [command = "", ...args]: readonly string[],
  env: Io["env"],
  io: Io,
  graceMs = COMMAND_GRACE_MS,
): Promise<number> {
  const processes = hasTerminal() ? new MarkedProcesses() : createProcesses();
  let isLate: NodeJS.Timeout | undefined;
  // Before it starts: a signal can follow its first output.
  passSignals((signal) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    processes.pass(child, signal);
    if (signal === "SIGTERM") isLate ??= setTimeout(killLate, graceMs);
  }, io);
  const killLate = (): void => {
    io.printError(
      toSafeLine(
        localize(
          say`${command} did not exit within ${graceMs / 1000} s of SIGTERM: sending SIGKILL.`,
        ),
      ),
    );
    processes.signalAll(child, "SIGKILL");
  };
  const child = spawn(command, args, {
    stdio: "inherit",
    cwd: io.cwd,
    env: { ...env, ...processes.env },
    detached: processes.isDetached,
  });
  const endAll = (): unknown => processes.signalAll(child, "SIGKILL");
  process.once("exit", endAll);
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    clearTimeout(isLate);
    if (!(await endRest(child, processes)))
      io.printError(
        toSafeLine(
          localize(
            say`Processes that ${command} started did not exit within ${REST_GRACE_MS / 1000} s of SIGTERM: killed.`,
          ),
        ),
      );
    return toExitCode(code, signal);
  } catch (error) {
    throw notStarted(command, error as NodeJS.ErrnoException);
  } finally {
    process.off("exit", endAll);
  }
}

/** The exit code with which a shell reports how a command ended. */
export function toExitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return signal === null ? (code ?? 0) : 128 + constants.signals[signal];
}

/** Listens until the process exits: a second signal can arrive late. */
function passSignals(pass: (signal: NodeJS.Signals) => void, io: Io): void {
  const passedAt = new Map<NodeJS.Signals, number>();
  io.onSignal((signal) => {
    const now = performance.now();
    const isSame = now - (passedAt.get(signal) ?? Number.NEGATIVE_INFINITY) < SAME_SIGNAL_MS;
    if (isSame) return;
    passedAt.set(signal, now);
    pass(signal);
  }, PASSED_SIGNALS);
}

/**
 * Ends a command's remaining processes.
 * @returns false if it had to kill them.
 */
export async function endRest(child: ChildProcess, processes: Processes): Promise<boolean> {
  if (!processes.isAnyAlive(child)) return true;
  processes.signalAll(child, "SIGTERM");
  const lateMs = performance.now() + REST_GRACE_MS;
  while (processes.isAnyAlive(child)) {
    if (performance.now() > lateMs) {
      processes.signalAll(child, "SIGKILL");
      return false;
    }
    await wait(PAUSE_MS);
  }
  return true;
}

/** The processes of a command. */
export interface Processes {
  /** Whether the command gets its own session. */
  readonly isDetached: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Passes on a signal that this process received. */
  pass(child: ChildProcess, signal: NodeJS.Signals): void;
  signalAll(child: ChildProcess, signal: NodeJS.Signals): void;
  isAnyAlive(child: ChildProcess): boolean;
}

/** The processes of a command that does not share the terminal. */
export function createProcesses(): Processes {
  return HAS_GROUPS ? new ProcessGroup() : new ProcessTree();
}

/** The group of a command with its own session. */
class ProcessGroup implements Processes {
  readonly isDetached = true;
  readonly env = {};

  pass(child: ChildProcess, signal: NodeJS.Signals): void {
    this.signalAll(child, signal);
  }

  signalAll({ pid }: ChildProcess, signal: NodeJS.Signals): void {
    if (pid !== undefined) kill(-pid, signal);
  }

  isAnyAlive({ pid }: ChildProcess): boolean {
    return pid !== undefined && kill(-pid, 0) && !isAllDead(pid);
  }
}

type RunProgram = (program: string, args: readonly string[]) => void;

/** A command and its descendants on Windows, which has neither groups nor signals: they can only be killed. */
export class ProcessTree implements Processes {
  readonly isDetached = false;
  readonly env = {};
  readonly #run: RunProgram;

  /** @param run runs a program to its end: nothing asynchronous finishes when this process exits */
  constructor(run: RunProgram = runQuietly) {
    this.#run = run;
  }

  /** The console has already reported Ctrl-C to each of its processes. No other signal arrives. */
  pass(): void {}

  signalAll({ pid, exitCode, signalCode }: ChildProcess): void {
    // The id of a process that has exited may belong to another one.
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    this.#run("taskkill", ["/pid", String(pid), "/t", "/f"]);
  }

  /** What outlives the command cannot be found by its id any more. */
  isAnyAlive(): boolean {
    return false;
  }
}

function runQuietly(program: string, args: readonly string[]): void {
  spawnSync(program, args, { stdio: "ignore", windowsHide: true });
}

/**
 * The processes of a command that shares this process's group. On Linux, a mark in the environment identifies
 * them; elsewhere this is only the command.
 */
class MarkedProcesses implements Processes {
  readonly isDetached = false;
  readonly env = { [MARK]: randomUUID() };

  /** The command has already received the signals of the terminal. */
  pass(child: ChildProcess, signal: NodeJS.Signals): void {
    if (!TERMINAL_SIGNALS.has(signal) || !isInForeground()) child.kill(signal);
  }

  signalAll(child: ChildProcess, signal: NodeJS.Signals): void {
    child.kill(signal);
    for (const pid of this.#find()) kill(pid, signal);
  }

  isAnyAlive(): boolean {
    return this.#find().length > 0;
  }

  /** Only those of this session: a daemon leaves it on purpose. */
  #find(): number[] {
    const { session } = readStat("self");
    const mark = `${MARK}=${this.env[MARK]}`;
    return allPids()
      .filter((pid) => readStat(pid).session === session && readEnv(pid).includes(mark))
      .map(Number);
  }
}

/** Whether this process and its command share a terminal. */
function hasTerminal(): boolean {
  if (!HAS_GROUPS || ![0, 1, 2].some((fd) => isatty(fd))) return false;
  try {
    // Opens only in a session with a terminal.
    closeSync(openSync("/dev/tty", "r+"));
    return true;
  } catch {
    return false;
  }
}

/** Whether the terminal sends signals to this process's group; true if unknown. */
function isInForeground(): boolean {
  const { group, foregroundGroup } = readStat("self");
  return group === foregroundGroup;
}

/** @returns whether the process or group exists. */
function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Whether a group has only zombies, which stay forever in a container without an init process. */
function isAllDead(group: number): boolean {
  const pids = allPids();
  if (pids.length === 0) return false;
  return pids.map(readStat).every((one) => one.group !== group || /^[ZX]$/.test(one.state));
}

/** Empty on systems without /proc. */
function allPids(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Empty texts for a process that has ended. */
function readStat(pid: string) {
  const text = readProc(pid, "stat");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", , group = "", session = "", , foregroundGroup = ""] = fields;
  return { state, group: Number(group), session, foregroundGroup: Number(foregroundGroup) };
}

function readEnv(pid: string): string[] {
  return readProc(pid, "environ").split("\0");
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** The error of a command that cannot be started. */
export function notStarted(command: string, { code, message }: NodeJS.ErrnoException): Error {
  return code === "ENOENT"
    ? new CliError(
        NOT_FOUND,
        "COMMAND_NOT_FOUND",
        say`Command not found: ${command}.`,
        say`Check the name. To use shell syntax, run: sh -c '…'.`,
      )
    : new CliError(
        NOT_RUNNABLE,
        "COMMAND_NOT_RUNNABLE",
        say`The command ${command} cannot be run: ${message}.`,
        say`Check that the file is executable.`,
      );
}
