import { LocalizedError } from "../core/records/errors.ts";
import type { LocalizedText } from "../text/localized-text.ts";
import { StorageError } from "../core/state/ports.ts";

/** The lists of a state file whose rows have ids. */
export type RecordList = "payins" | "payouts" | "deliveries";

/** A line of a state file or its journal that cannot be read. */
export interface Damage {
  readonly file: string;
  readonly line: number;
  readonly reason: LocalizedText;
}

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
export function reasonOf(error: unknown): LocalizedText {
  if (error instanceof LocalizedError) return error.text;
  const { message } = error as Error;
  return { en: message, pt: message };
}

/** The state file cannot be written. */
export function unwritable(file: string, error: unknown): StorageError {
  const { en, pt } = reasonOf(error);
  return new StorageError({
    en: `The state file ${file} cannot be written: ${en}. Make the folder writable, or free disk space.`,
    pt: `O arquivo de estado ${file} não pode ser gravado: ${pt}. Torne a pasta gravável, ou libere espaço em disco.`,
  });
}

/** The state file cannot be read. */
export function unreadable(file: string, error: unknown): StateFileError {
  const { en, pt } = reasonOf(error);
  return new StateFileError({
    en: `The state file ${file} cannot be read: ${en}. ${WHAT_TO_DO.en}`,
    pt: `O arquivo de estado ${file} não pode ser lido: ${pt}. ${WHAT_TO_DO.pt}`,
  });
}

/** The file is not a state file that this version reads. */
export function notAState(file: string, error: unknown): StateFileError {
  const { en, pt } = reasonOf(error);
  return new StateFileError({
    en: `The file ${file} is not a state file of this version of pix-sandbox: ${en}. ${WHAT_TO_DO.en}`,
    pt: `O arquivo ${file} não é um arquivo de estado desta versão do pix-sandbox: ${pt}. ${WHAT_TO_DO.pt}`,
  });
}

const WHAT_TO_DO: LocalizedText = {
  en: "Move it away, delete it, or choose another file with --state.",
  pt: "Mova-o para outro lugar, apague-o ou escolha outro arquivo com --state.",
};
