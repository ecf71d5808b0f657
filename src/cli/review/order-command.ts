import { CliError, EXIT } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { runShell, ShellFailure, type ShellIo } from "./shell-command.ts";
import { say } from "../../text/message.ts";

/** How long the command may take. */
const LIMIT_MS = 15_000;
/** The form of a transaction's id. */
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

function failed({ text }: ShellFailure): CliError {
  return new CliError(
    EXIT.unexpected,
    "ORDER_FAILED",
    localize(say`The order's command ${text}.`),
    localize(say`Run it by itself: it must create an order and print the id of its transaction.`),
  );
}
