import { CliError, EXIT } from "../terminal/errors.ts";
import { runShell, ShellFailure, type ShellIo } from "./shell-command.ts";
import { say } from "../../text/message.ts";

const LIMIT_MS = 15_000;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/**
 * Makes orders with a shell command. Each call runs it, and resolves to the last id in its output; without one, to the
 * whole output.
 * @returns a function that rejects with a CliError if the command fails or is interrupted.
 */
export function orderCommand(
  command: string,
  io: ShellIo,
  limitMs = LIMIT_MS,
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
      throw error instanceof ShellFailure ? failed(error, hasWorked) : error;
    }
  };
}

const RESTART_MS = 60_000;

/** Runs the shell command that restarts the merchant. What it starts must not hold this command's output open. */
export async function runRestartCommand(command: string, io: ShellIo): Promise<void> {
  try {
    await runShell(`{ ${command}\n} >/dev/null 2>&1`, io, RESTART_MS);
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

function failed({ text }: ShellFailure, hasWorked: boolean): CliError {
  return new CliError(
    EXIT.unexpected,
    "ORDER_FAILED",
    say`The order's command ${text}.`,
    hasWorked
      ? say`It worked before: does the merchant still run? The check loses the response to one create call (rule 15), and the merchant must survive that.`
      : say`Run it by itself: it must create an order and print the id of its transaction.`,
  );
}
