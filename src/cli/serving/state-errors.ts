import { StorageError } from "../../core/state/ports.ts";
import { StateExistsError, StateFileError, StateInUseError } from "../../server/options/errors.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import { localize, textOf } from "../terminal/language.ts";
import { say } from "../../text/message.ts";

/** Throws an error of the state as a CliError, and other errors unchanged. */
export function toStateError(error: unknown): never {
  if (error instanceof StateInUseError) {
    throw new CliError(
      EXIT.inUse,
      "STATE_IN_USE",
      textOf(error),
      say`Stop that sandbox, use another state with --state, or store nothing with --memory.`,
    );
  }
  if (error instanceof StateExistsError)
    throw new CliError(EXIT.usage, "STATE_EXISTS", textOf(error));
  if (error instanceof StorageError) {
    const hint = localize(say`Use another state with --state, or store nothing with --memory.`);
    throw new CliError(EXIT.unusableState, "STATE_UNWRITABLE", textOf(error), hint);
  }
  if (error instanceof StateFileError)
    throw new CliError(EXIT.unusableState, "STATE_UNREADABLE", textOf(error));
  throw error;
}
