import { StorageError } from "../../core/state/ports.ts";
import { StateExistsError, StateFileError, StateInUseError } from "../../server/options/errors.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import { localize, textOf } from "../terminal/language.ts";

/** Throws an error of the state as a CliError, and other errors unchanged. */
export function toStateError(error: unknown): never {
  if (error instanceof StateInUseError) {
    throw new CliError(
      EXIT.inUse,
      "STATE_IN_USE",
      textOf(error),
      localize({
        en: "Stop that sandbox, use another state with --state, or store nothing with --memory.",
        pt: "Pare esse sandbox, use outro estado com --state, ou não grave nada com --memory.",
      }),
    );
  }
  if (error instanceof StateExistsError)
    throw new CliError(EXIT.usage, "STATE_EXISTS", textOf(error));
  if (error instanceof StorageError) {
    const hint = localize({
      en: "Use another state with --state, or store nothing with --memory.",
      pt: "Use outro estado com --state, ou não grave nada com --memory.",
    });
    throw new CliError(EXIT.unusableState, "STATE_UNWRITABLE", textOf(error), hint);
  }
  if (error instanceof StateFileError)
    throw new CliError(EXIT.unusableState, "STATE_UNREADABLE", textOf(error));
  throw error;
}
