import type { LocalizedText } from "../../../text/localized-text.ts";
import type { State } from "../../../core/state/ports.ts";
import { type Damage, StateFileError } from "../../errors.ts";
import type { StateFiles } from "./state-files.ts";
import { PROGRAM } from "../../../platform/program.ts";

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
    readonly report: (text: LocalizedText) => void;
  },
): void {
  const { file, strict, report } = options;
  const [damage, ...others] = damages;
  if (!hasStateFile && (sequence > 0 || damage)) throw missingFile(file, journals[0]?.path ?? "");
  if (damage) throw damagedFile(file, damage, others.length);
  if (!changed) return;
  const text = {
    en: `The state file ${file} has changed since it was written: ${changed.en}.`,
    pt: `O arquivo de estado ${file} mudou desde que foi gravado: ${changed.pt}.`,
  };
  if (!strict) return report(text);
  throw new StateFileError({
    en: `${text.en} Restore the file, or start without --strict-state to accept it.`,
    pt: `${text.pt} Restaure o arquivo, ou inicie sem --strict-state para aceitá-lo.`,
  });
}

function damagedFile(
  file: string,
  { file: damaged, line, reason }: Damage,
  more: number,
): StateFileError {
  return new StateFileError({
    en: `The state cannot be opened: line ${line} of ${damaged} is damaged: ${reason.en}${more > 0 ? `, and ${more} more` : ""}. Nothing was changed. To see what can be recovered: ${PROGRAM} state check ${file}; to recover it: ${PROGRAM} state repair ${file}`,
    pt: `O estado não pode ser aberto: a linha ${line} de ${damaged} está danificada: ${reason.pt}${more > 0 ? `, e outras ${more}` : ""}. Nada foi alterado. Para ver o que pode ser recuperado: ${PROGRAM} state check ${file}; para recuperar: ${PROGRAM} state repair ${file}`,
  });
}

function missingFile(file: string, journal: string): StateFileError {
  return new StateFileError({
    en: `The state file ${file} is missing, but its journal ${journal} exists. Restore the file, delete the journal too, or rebuild the file from the journal: ${PROGRAM} state repair ${file}`,
    pt: `O arquivo de estado ${file} não existe mais, mas o journal dele, ${journal}, existe. Restaure o arquivo, apague também o journal, ou reconstrua o arquivo a partir do journal: ${PROGRAM} state repair ${file}`,
  });
}
