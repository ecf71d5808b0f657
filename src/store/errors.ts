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

/** There is no state where one was to be read. */
export function noState(place: string): StateFileError {
  return new StateFileError(say`There is no state at ${place}.`);
}

/** There is a state where a new one was to be created. */
export class StateExistsError extends LocalizedError {
  override readonly name = "StateExistsError";

  constructor(place: string) {
    super(
      say`There is a state at ${place}. Nothing was changed. Choose another place, or delete it first.`,
    );
  }
}

/** Why something failed, in each language. System errors are in English only. */
export function reasonOf(error: unknown): Message {
  return error instanceof LocalizedError ? error.text : verbatim((error as Error).message);
}

/** Nothing can be written there. ENOENT: the folder exists, but nothing can be created in it, as in /proc. */
const UNWRITABLE = ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOENT"];

/** Why a state file cannot be opened. */
export function unusable(file: string, error: unknown): Error {
  const { code = "" } = error as NodeJS.ErrnoException;
  return UNWRITABLE.includes(code) ? unwritable(file, error) : unreadable(file, error);
}

/** The state file cannot be written. */
export function unwritable(file: string, error: unknown): StorageError {
  return new StorageError(
    say`The state file ${file} cannot be written: ${reasonOf(error)}. Make the file and its folder readable and writable, or free disk space.`,
  );
}

/** The state cannot be read, or this version does not read it. */
export function unreadable(place: string, error: unknown): StateFileError {
  return new StateFileError(
    say`The state ${place} cannot be read: ${reasonOf(error)}. Nothing was changed. Correct it, move it away with its journals, or choose another one with --state.`,
  );
}
