import { LocalizedError } from "../core/records/errors.ts";
import { StorageError } from "../core/state/ports.ts";
import { type Message, say, verbatim } from "../text/message.ts";

/** The state, in a file or elsewhere, cannot be read. Nothing is changed. */
export class StateFileError extends LocalizedError {
  override readonly name = "StateFileError";
}

/** Another process uses the state. */
export class StateInUseError extends LocalizedError {
  override readonly name = "StateInUseError";
}

/** There is a state where a new one was to be created. */
export class StateExistsError extends LocalizedError {
  override readonly name = "StateExistsError";
}

/** Why something failed, in each language. System errors are in English only. */
export function reasonOf(error: unknown): Message {
  if (error instanceof LocalizedError) return error.text;
  const { message } = error as Error;
  return verbatim(message);
}

/** The state file cannot be written. */
export function unwritable(file: string, error: unknown): StorageError {
  const reason = reasonOf(error);
  return new StorageError(
    say`The state file ${file} cannot be written: ${reason}. Make the folder writable, or free disk space.`,
  );
}

/** The state file cannot be read. */
export function unreadable(file: string, error: unknown): StateFileError {
  const reason = reasonOf(error);
  return new StateFileError(say`The state file ${file} cannot be read: ${reason}. ${WHAT_TO_DO}`);
}

/** The file is not a state file that this version reads. */
export function notAState(file: string, error: unknown): StateFileError {
  const reason = reasonOf(error);
  return new StateFileError(
    say`The file ${file} is not a state file of this version of pix-sandbox: ${reason}. ${WHAT_TO_DO}`,
  );
}

const WHAT_TO_DO: Message = say`Move it away, delete it, or choose another file with --state.`;
