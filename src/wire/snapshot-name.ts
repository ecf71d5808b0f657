import { type Message, say } from "../text/message.ts";

/** The pattern of a snapshot's name: every file system accepts it and distinguishes it from every other. */
export const SNAPSHOT_NAME = "^[a-z0-9][a-z0-9._-]{0,63}$";
const nameRule = new RegExp(SNAPSHOT_NAME);

export function isSnapshotName(text: string): boolean {
  return nameRule.test(text);
}

export const WRONG_SNAPSHOT_NAME: Message = say`name must be 1 to 64 lower-case letters, digits, dots, hyphens and underscores, and begin with a letter or digit.`;
