import { type Message, say, verbatim } from "./message.ts";

/** Why a file cannot be read, for the end of a sentence. */
export function unreadable(error: Failure): Message {
  return READING[error.code ?? ""] ?? verbatim(error.message);
}

/** Why a file cannot be written, for the end of a sentence. */
export function unwritable(error: Failure): Message {
  return WRITING[error.code ?? ""] ?? unreadable(error);
}

interface Failure {
  readonly message: string;
  /** Of the operating system, such as ENOENT. */
  readonly code?: string;
}

const NO_PERMISSION = say`permission is missing`;
const READING: Readonly<Record<string, Message>> = {
  ENOENT: say`it does not exist`,
  EISDIR: say`it is a folder`,
  ENOTDIR: say`a part of its path is not a folder`,
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
};
const WRITING: Readonly<Record<string, Message>> = {
  ENOENT: say`its folder does not exist`,
  EROFS: say`its file system is read-only`,
  ENOSPC: say`the disk is full`,
};
