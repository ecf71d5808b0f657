import { isSnapshotName, WRONG_SNAPSHOT_NAME } from "../../wire/forms.ts";
import type { WireSnapshot } from "./wire.ts";
import type { Message } from "../../text/message.ts";

/** The first unused name. */
export function suggestName(snapshots: readonly WireSnapshot[]): string {
  const names = new Set(snapshots.map(({ name }) => name));
  let number = 1;
  while (names.has(`snapshot-${number}`)) number++;
  return `snapshot-${number}`;
}

/** What is wrong with a name, if anything. */
export function wrongName(name: string): Message | undefined {
  return isSnapshotName(name) ? undefined : WRONG_SNAPSHOT_NAME;
}
