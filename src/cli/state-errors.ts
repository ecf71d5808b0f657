import { StorageError } from "../core/ports.ts";
import { StateFileError, StateInUseError } from "../sandbox/errors.ts";
import { CliError, EXIT } from "./errors.ts";
import { t, tellSentence } from "./language.ts";

/** What stands between a command and a state, in the command line's terms; anything else is thrown as it is. */
export function toStateError(error: unknown): never {
  if (error instanceof StateInUseError) {
    throw new CliError(
      EXIT.taken,
      "STATE_IN_USE",
      tellSentence(error.text),
      t`Stop that one, or name another file.`,
    );
  }
  if (error instanceof StorageError) {
    const hint = t`Make its folder writable and room on its disk, name another file with --state, or keep none with --memory.`;
    throw new CliError(EXIT.unreadableState, "STATE_UNWRITABLE", tellSentence(error.text), hint);
  }
  if (error instanceof StateFileError)
    throw new CliError(EXIT.unreadableState, "STATE_UNREADABLE", tellSentence(error.text));
  throw error;
}
