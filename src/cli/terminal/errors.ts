import type { PlayError } from "../../play/play-error.ts";
import { unwritable } from "../../text/file-reason.ts";
import { localize, type Words } from "./language.ts";
import { type Message, say } from "../../text/message.ts";

/** The exit codes that scripts rely on. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  noSandbox: 3,
  refused: 4,
  notFound: 5,
  timedOut: 6,
  inUse: 7,
  checkFailed: 8,
  unusableState: 9,
  interrupted: 130,
} as const;

/** A failed command: what is wrong, and what to do next. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: number;
  /** A name for scripts, such as the gateway's error code. */
  readonly code: string;
  readonly hint: string | undefined;

  constructor(exitCode: number, code: string, message: Words, hint?: Words) {
    super(localize(message));
    this.exitCode = exitCode;
    this.code = code;
    this.hint = hint && localize(hint);
  }
}

/** Ends a command with an exit code and no message, such as `exec` with that of the command that it ran. */
export class ExitCode extends Error {
  override readonly name = "ExitCode";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`The command ended with ${exitCode}.`);
    this.exitCode = exitCode;
  }
}

export function usageError(message: Words, hint?: Words): CliError {
  return new CliError(EXIT.usage, "USAGE", message, hint);
}

export function interruptedError(message: Message): CliError {
  return new CliError(EXIT.interrupted, "INTERRUPTED", message);
}

/** The error of a check or an effect, as a command ends with it. */
export function ofPlay({ code, text, hint }: PlayError): CliError {
  return new CliError(code === "USAGE" ? EXIT.usage : EXIT.notFound, code, text, hint);
}

export function unwritableFile(file: string, error: Error, hint: Words): CliError {
  const reason = unwritable(error);
  return new CliError(
    EXIT.unexpected,
    "UNWRITABLE",
    say`${file} cannot be written: ${reason}.`,
    hint,
  );
}
