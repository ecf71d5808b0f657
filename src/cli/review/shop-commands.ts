import { LocalizedError } from "../../core/records/errors.ts";
import { say } from "../../text/message.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { type CommandIo, runCommand } from "../run-command.ts";
import { CliError, EXIT, interruptedError } from "../terminal/errors.ts";

const ORDER_LIMIT_MS = 15_000;
const RESTART_LIMIT_MS = 60_000;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** How much of a failed command's output a message shows. */
const SHOWN_CHARACTERS = 200;

/** How a command failed: the end of a sentence that begins with the command. */
export class ShellFailure extends LocalizedError {
  override readonly name = "ShellFailure";
}

/**
 * Runs a line of the user's in the system's shell.
 * @returns its output without the white space at its end.
 * @throws ShellFailure if it fails, prints too much or takes too long; CliError if it is interrupted.
 */
export async function runShell(
  line: string,
  io: CommandIo,
  limitMs: number,
  streams: "collect" | "ignore" = "collect",
): Promise<string> {
  const { exitCode, stoppedBy, stdout, output } = await runCommand(line, io, { streams, limitMs });
  if (stoppedBy === "signal") throw interruptedError(say`The command was interrupted.`);
  if (stoppedBy === "limit") throw new ShellFailure(say`took more than ${limitMs / 1000} s`);
  if (exitCode !== 0) {
    const end = toSafeLine(output.trim().slice(-SHOWN_CHARACTERS));
    throw new ShellFailure(say`ended with ${exitCode}${end && ` (${end})`}`);
  }
  if (stdout === undefined) throw new ShellFailure(say`printed more than 1 MB`);
  return stdout.trimEnd();
}

/**
 * Makes orders with a shell command. Each call runs it, and resolves to the last id in its output; without one, to the
 * whole output.
 * @returns a function that rejects with a CliError if the command fails or is interrupted.
 */
export function orderCommand(
  command: string,
  io: CommandIo,
  limitMs = ORDER_LIMIT_MS,
): () => Promise<string> {
  let hasWorked = false;
  return async () => {
    try {
      const output = await runShell(command, io, limitMs);
      const id = output.match(ID)?.at(-1) ?? output.trim();
      if (id === "") throw new ShellFailure(say`printed nothing`);
      hasWorked = true;
      return id;
    } catch (error) {
      if (!(error instanceof ShellFailure)) throw error;
      throw new CliError(
        EXIT.unexpected,
        "ORDER_FAILED",
        say`The order's command ${error.text}.`,
        hasWorked
          ? say`It worked before: does the merchant still run? The check loses the response to one create call (rule 15), and the merchant must survive that.`
          : say`Run it by itself: it must create an order and print the id of its transaction.`,
      );
    }
  };
}

/** Runs the shell command that restarts the merchant. What it starts has no output. */
export async function runRestartCommand(command: string, io: CommandIo): Promise<void> {
  try {
    await runShell(command, io, RESTART_LIMIT_MS, "ignore");
  } catch (error) {
    if (!(error instanceof ShellFailure)) throw error;
    throw new CliError(
      EXIT.unexpected,
      "RESTART_FAILED",
      say`The restart's command ${error.text}.`,
      say`Run it by itself: it must restart the merchant in the background, and end.`,
    );
  }
}
