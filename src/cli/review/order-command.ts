import { CliError, EXIT } from "../terminal/errors.ts";
import { runShell, ShellFailure, type ShellIo } from "./shell-command.ts";
import { say } from "../../text/message.ts";

const LIMIT_MS = 15_000;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/**
 * Runs the shell command that makes the merchant create an order.
 * @returns the last id in its output; without one, the whole output.
 * @throws CliError if it fails or is interrupted.
 */
export async function runOrderCommand(
  command: string,
  io: ShellIo,
  limitMs = LIMIT_MS,
): Promise<string> {
  try {
    const output = await runShell(command, io, limitMs);
    const id = output.match(ID)?.at(-1) ?? output.trim();
    if (id === "") throw new ShellFailure(say`printed nothing`);
    return id;
  } catch (error) {
    throw error instanceof ShellFailure ? failed(error) : error;
  }
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

function failed({ text }: ShellFailure): CliError {
  return new CliError(
    EXIT.unexpected,
    "ORDER_FAILED",
    say`The order's command ${text}.`,
    say`Run it by itself: it must create an order and print the id of its transaction.`,
  );
}
