import type { LocalizedText } from "./localized-text.ts";

/** Why a file cannot be read, for the end of a sentence. */
export function unreadable(error: Failure): LocalizedText {
  return READING[error.code ?? ""] ?? { en: error.message, pt: error.message };
}

/** Why a file cannot be written, for the end of a sentence. */
export function unwritable(error: Failure): LocalizedText {
  return WRITING[error.code ?? ""] ?? unreadable(error);
}

interface Failure {
  readonly message: string;
  /** Of the operating system, such as ENOENT. */
  readonly code?: string;
}

const NO_PERMISSION = { en: "permission is missing", pt: "falta permissão" };
const READING: Readonly<Record<string, LocalizedText>> = {
  ENOENT: { en: "it does not exist", pt: "ele não existe" },
  EISDIR: { en: "it is a folder", pt: "é uma pasta" },
  ENOTDIR: { en: "a part of its path is not a folder", pt: "uma parte do caminho não é uma pasta" },
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
};
const WRITING: Readonly<Record<string, LocalizedText>> = {
  ENOENT: { en: "its folder does not exist", pt: "a pasta dele não existe" },
  EROFS: { en: "its file system is read-only", pt: "o sistema de arquivos é somente leitura" },
  ENOSPC: { en: "the disk is full", pt: "o disco está cheio" },
};
