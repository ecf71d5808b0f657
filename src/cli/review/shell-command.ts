import { spawn } from "node:child_process";
import { LocalizedError } from "../../core/records/errors.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import { createProcesses } from "../set-up/child.ts";
import { CliError, EXIT, interruptedError } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { say } from "../../text/message.ts";

/** How a command failed: the end of a sentence that begins with the command. */
export class ShellFailure extends LocalizedError {
  override readonly name = "ShellFailure";
}

export type ShellIo = Pick<Io, "cwd" | "env"> & Partial<Pick<Io, "onSignal">>;

/** The largest output that is read. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** How much of a failed command's error output a message shows. */
const SHOWN_CHARACTERS = 200;

/**
 * Runs a command line of the user with the shell of the system, and ends it and what it started after the time limit, on a signal, and
 * when this process exits.
 * @returns its output without the white space at its end.
 * @throws ShellFailure if it fails, prints too much or takes too long; CliError if it is interrupted or cannot start.
 */
export async function runShell(command: string, io: ShellIo, limitMs: number): Promise<string> {
  const group = createProcesses();
  // The system's shell: sh, and cmd on Windows.
  const child = spawn(command, {
    shell: true,
    cwd: io.cwd,
    env: io.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: group.isDetached,
  });
  const end = (): void => group.signalAll(child, "SIGKILL");
  process.once("exit", end);
  let timer: NodeJS.Timeout | undefined;
  let stopListening: (() => void) | undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      const output: Buffer[] = [];
      let size = 0;
      let errors = "";
      const fail = (error: Error): void => {
        end();
        reject(error);
      };
      const seconds = limitMs / 1000;
      timer = setTimeout(() => fail(new ShellFailure(say`took more than ${seconds} s`)), limitMs);
      child.stdout.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size <= MAX_OUTPUT_BYTES) output.push(chunk);
        else fail(new ShellFailure(say`printed more than 1 MB`));
      });
      child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
        errors = (errors + chunk).slice(0, SHOWN_CHARACTERS);
      });
      // The command has its own group, which a terminal's Ctrl-C does not reach.
      stopListening = io.onSignal?.(() => fail(interrupted()));
      child.once("error", (error: NodeJS.ErrnoException) =>
        reject(error.code === "ENOENT" ? noShell() : error),
      );
      child.once("close", (code, signal) => {
        const details = errors.trim() && ` (${toSafeLine(errors.trim())})`;
        if (code === 0) resolve(Buffer.concat(output).toString("utf8").trimEnd());
        else fail(new ShellFailure(say`ended with ${String(code ?? signal)}${details}`));
      });
    });
  } finally {
    clearTimeout(timer);
    process.off("exit", end);
    stopListening?.();
    // A process outside the group can hold them open.
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function interrupted(): CliError {
  return interruptedError(say`The command was interrupted.`);
}

function noShell(): CliError {
  return new CliError(
    EXIT.unexpected,
    "NO_SHELL",
    say`The command needs the shell sh, which was not found.`,
    say`Check the working directory and PATH.`,
  );
}
