import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { isatty } from "node:tty";
import { SAME_SIGNAL_MS } from "./commands/serve.ts";
import { CliError } from "./errors.ts";
import { type Io, SIGNALS } from "./io.ts";
import { localize } from "./language.ts";
import { toSafeLine } from "../core/safe-text.ts";

/** What shells answer for a command that is not there, and for one that cannot be run. */
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;
/** How long a command may take to end after SIGTERM; less than the 10 s that `docker stop` allows. */
const COMMAND_GRACE_MS = 5000;
/** How long the processes that it left behind may take. */
const REST_GRACE_MS = 2000;
const PAUSE_MS = 20;
/** Those too that would end this process alone. */
const PASSED_SIGNALS: readonly NodeJS.Signals[] = [...SIGNALS, "SIGQUIT", "SIGUSR2"];
/** A terminal sends these to the whole foreground group. */
const TERMINAL_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGQUIT"]);
const HAS_GROUPS = process.platform !== "win32";
/** A variable that marks the processes of one command. */
const MARK = "PIX_SANDBOX_EXEC";

/**
 * Runs a command to its end, on the streams of this process. Signals are passed on to it, and the
 * processes that it leaves behind end with it.
 *
 * On a terminal the command shares this process's session and group: so the terminal is its own, its
 * window changes are announced to it, and Ctrl-Z stops both. Elsewhere it has a session of its own,
 * whose group each signal reaches as a whole, once.
 * @returns its exit code, as a shell has it: death by signal n is 128+n.
 * @throws CliError if it cannot be started.
 */
export async function runToEnd(
  [command = "", ...args]: readonly string[],
  env: Io["env"],
  io: Io,
  graceMs = COMMAND_GRACE_MS,
): Promise<number> {
  const processes = hasTerminal() ? new MarkedProcesses() : new ProcessGroup();
  let isLate: NodeJS.Timeout | undefined;
  // Before it runs: its first word may already be answered with a signal.
  passSignals((signal) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    processes.pass(child, signal);
    if (signal === "SIGTERM") isLate ??= setTimeout(killLate, graceMs);
  }, io);
  const killLate = (): void => {
    io.printError(
      toSafeLine(
        localize({
          en: `${command} did not exit within ${graceMs / 1000} s of SIGTERM: sending SIGKILL.`,
          pt: `${command} não terminou em ${graceMs / 1000} s após o SIGTERM: enviando SIGKILL.`,
        }),
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
          localize({
            en: `Processes that ${command} started did not exit within ${REST_GRACE_MS / 1000} s of SIGTERM: killed.`,
            pt: `Processos que ${command} iniciou não terminaram em ${REST_GRACE_MS / 1000} s após o SIGTERM: encerrados à força.`,
          }),
        ),
      );
    return signal === null ? (code ?? 0) : 128 + constants.signals[signal];
  } catch (error) {
    throw notStarted(command, error as NodeJS.ErrnoException);
  } finally {
    process.off("exit", endAll);
  }
}

/** To the very end of this process: a signal that reaches it twice may come once more when all is done. */
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
 * Ends the processes that a command left behind.
 * @returns false if they had to be killed.
 */
async function endRest(child: ChildProcess, processes: Processes): Promise<boolean> {
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

/** A command's processes: how they are found, and how signals reach them. */
interface Processes {
  /** Whether the command is started in a session of its own. */
  readonly isDetached: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Passes on a signal that this process received. */
  pass(child: ChildProcess, signal: NodeJS.Signals): void;
  signalAll(child: ChildProcess, signal: NodeJS.Signals): void;
  isAnyAlive(child: ChildProcess): boolean;
}

/** The group of a command that has a session of its own. On Windows, which has no groups, the command alone. */
class ProcessGroup implements Processes {
  readonly isDetached = HAS_GROUPS;
  readonly env = {};

  pass(child: ChildProcess, signal: NodeJS.Signals): void {
    this.signalAll(child, signal);
  }

  signalAll({ pid }: ChildProcess, signal: NodeJS.Signals): void {
    if (pid !== undefined) kill(HAS_GROUPS ? -pid : pid, signal);
  }

  isAnyAlive({ pid }: ChildProcess): boolean {
    return HAS_GROUPS && pid !== undefined && kill(-pid, 0) && !isAllDead(pid);
  }
}

/**
 * The processes of a command that shares this process's group, which may hold other processes too. Linux
 * shows each process's environment: the command's have a mark in it. Elsewhere only the command is found.
 */
class MarkedProcesses implements Processes {
  readonly isDetached = false;
  readonly env = { [MARK]: randomUUID() };

  /** The terminal's own signals have reached the command already. */
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

  /** Those of this session: a daemon has left it on purpose. */
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
    // It opens only for a process whose session has a terminal.
    closeSync(openSync("/dev/tty", "r+"));
    return true;
  } catch {
    return false;
  }
}

/** Whether a signal of the terminal reaches this process's group; assumed where it cannot be read. */
function isInForeground(): boolean {
  const { group, foregroundGroup } = readStat("self");
  return group === foregroundGroup;
}

/** @returns whether there is such a process or group. */
function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Whether all that is left of a group waits to be reaped, which in a container without an init never happens. */
function isAllDead(group: number): boolean {
  const pids = allPids();
  if (pids.length === 0) return false;
  return pids.map(readStat).every((one) => one.group !== group || /^[ZX]$/.test(one.state));
}

/** None where the system has no such folder. */
function allPids(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Empty texts for a process that has just ended. */
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

function notStarted(command: string, { code, message }: NodeJS.ErrnoException): Error {
  return code === "ENOENT"
    ? new CliError(
        NOT_FOUND,
        "COMMAND_NOT_FOUND",
        localize({
          en: `Command not found: ${command}.`,
          pt: `Comando não encontrado: ${command}.`,
        }),
        localize({
          en: "Check the name. To use shell syntax, run: pix-sandbox exec -- sh -c '…'.",
          pt: "Confira o nome. Para usar a sintaxe do shell, rode: pix-sandbox exec -- sh -c '…'.",
        }),
      )
    : new CliError(
        NOT_RUNNABLE,
        "COMMAND_NOT_RUNNABLE",
        localize({
          en: `The command ${command} cannot be run: ${message}.`,
          pt: `O comando ${command} não pode ser executado: ${message}.`,
        }),
        localize({
          en: "Check that the file is executable.",
          pt: "Confira se o arquivo é executável.",
        }),
      );
}
