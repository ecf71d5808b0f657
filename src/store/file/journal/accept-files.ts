import type { State } from "../../../core/state/ports.ts";
import { StateFileError } from "../../errors.ts";
import type { StateFiles } from "./state-files.ts";
import { type Message, say } from "../../../text/message.ts";

/**
 * Refuses files that are damaged or incomplete.
 * @param file the name of the state file for messages
 * @throws StateFileError
 */
export function acceptFiles(
  { hasStateFile, damages, journals, names }: StateFiles,
  { sequence }: State,
  file: string,
): void {
  const [damage, ...others] = damages;
  const journal = journals[0]?.path ?? "";
  if (!hasStateFile && (sequence > 0 || damage))
    throw new StateFileError(
      say`The state file ${file} is missing, but its journal ${journal} exists. Restore the file, or move the journal away too to start empty.`,
    );
  if (!damage) return;
  const { line, reason } = damage;
  const more = others.length > 0 ? say`, and ${others.length} more` : "";
  throw new StateFileError(
    say`The state cannot be opened: line ${line} of ${damage.file} is damaged: ${reason}${more}. Nothing was changed. ${damage.file === names.file ? MEND : goOnBefore(line)} To start empty, move ${file} and its journals away.`,
  );
}

const MEND = say`Correct the line or delete it.`;

/** Each line of a journal builds on the lines before it. */
function goOnBefore(line: number): Message {
  return line === 1
    ? say`To go on without the changes of this journal, delete it and the later ones.`
    : say`To go on without the changes from this line on, delete this line, all lines after it and the later journals.`;
}
