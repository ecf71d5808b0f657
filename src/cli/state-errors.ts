import { StateFileError, StateInUseError, StorageError } from "../sandbox/start.ts";
import { CliError, EXIT } from "./errors.ts";
import { retell, t } from "./language.ts";

/** What stands between a command and a state, in the command line's terms; anything else is thrown as it is. */
export function toStateError(error: unknown): never {
  if (error instanceof StateInUseError) {
    throw new CliError(
      EXIT.taken,
      "STATE_IN_USE",
      retell(error.message),
      t`Stop that one, or name another file.`,
    );
  }
  if (error instanceof StorageError) {
    const hint = t`Make its folder writable and room on its disk, name another file with --state, or keep none with --memory.`;
    throw new CliError(EXIT.unreadableState, "STATE_UNWRITABLE", retell(error.message), hint);
  }
  if (error instanceof StateFileError)
    throw new CliError(EXIT.unreadableState, "STATE_UNREADABLE", retell(error.message));
  throw error;
}
