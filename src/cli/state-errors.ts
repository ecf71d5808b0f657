import { StateFileError, StateInUseError, StorageError } from "../sandbox.ts";
import { CliError, EXIT } from "./errors.ts";

/** What stands between a command and a state, in the command line's terms; anything else is thrown as it is. */
export function toStateError(error: unknown): never {
  if (error instanceof StateInUseError) {
    throw new CliError(
      EXIT.taken,
      "STATE_IN_USE",
      error.message,
      "Stop that one, or name another file.",
    );
  }
  if (error instanceof StorageError) {
    const hint =
      "Make its folder writable and room on its disk, name another file with --state, or keep none with --memory.";
    throw new CliError(EXIT.unreadableState, "STATE_UNWRITABLE", error.message, hint);
  }
  if (error instanceof StateFileError)
    throw new CliError(EXIT.unreadableState, "STATE_UNREADABLE", error.message);
  throw error;
}
