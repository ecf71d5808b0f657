import type { State } from "../../../core/state/ports.ts";
import { type Damage, StateFileError } from "../../errors.ts";
import type { StateFiles } from "./state-files.ts";
import { PROGRAM } from "../../../platform/program.ts";
import { type Message, say } from "../../../text/message.ts";

/**
 * Refuses files that are damaged or incomplete, and reports a state file that was changed.
 * @param file the name of the state file for messages
 * @throws StateFileError
 */
export function acceptFiles(
  { hasStateFile, damages, changed, journals }: StateFiles,
  { sequence }: State,
  options: {
    readonly file: string;
    readonly strict: boolean;
    readonly report: (text: Message) => void;
  },
): void {
  const { file, strict, report } = options;
  const [damage, ...others] = damages;
  if (!hasStateFile && (sequence > 0 || damage)) throw missingFile(file, journals[0]?.path ?? "");
  if (damage) throw damagedFile(file, damage, others.length);
  if (!changed) return;
  const text = say`The state file ${file} has changed since it was written: ${changed}.`;
  if (!strict) return report(text);
  throw new StateFileError(
    say`${text} Restore the file, or start without --strict-state to accept it.`,
  );
}

function damagedFile(
  file: string,
  { file: damaged, line, reason }: Damage,
  more: number,
): StateFileError {
  return new StateFileError(
    more > 0
      ? say`The state cannot be opened: line ${line} of ${damaged} is damaged: ${reason}, and ${more} more. Nothing was changed. To see what can be recovered: ${PROGRAM} state check ${file}; to recover it: ${PROGRAM} state repair ${file}`
      : say`The state cannot be opened: line ${line} of ${damaged} is damaged: ${reason}. Nothing was changed. To see what can be recovered: ${PROGRAM} state check ${file}; to recover it: ${PROGRAM} state repair ${file}`,
  );
}

function missingFile(file: string, journal: string): StateFileError {
  return new StateFileError(
    say`The state file ${file} is missing, but its journal ${journal} exists. Restore the file, delete the journal too, or rebuild the file from the journal: ${PROGRAM} state repair ${file}`,
  );
}
