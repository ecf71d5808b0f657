import { realpath } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { StateInUseError } from "../../errors.ts";
import { guard } from "../disk/guarded-disk.ts";
import { LockFolder, NamedPipe } from "./lock-folder.ts";
import { HeartbeatClaim } from "./lock-heartbeat.ts";
import { otherNamesOf } from "./other-names.ts";
import { acquire, type Claim, findHolder, type Holder } from "./lock-protocol.ts";
import { type Message, say, verbatim } from "../../../text/message.ts";

/**
 * Locks a state file for this process until the returned function is called.
 *
 * The lock is a socket in the folder of the state file, named after it:
 *
 * - Whatever path leads to the folder (a symbolic link, a bind mount, a volume in several containers of one
 *   kernel), it is the same folder, so all processes find the same sockets. Temporary folders, process id
 *   namespaces and network namespaces make no difference.
 * - The name of the file counts, not its inode: each compaction gives the name a new inode. A hard link is
 *   therefore another state, see `detachLinks`, as soon as the inodes differ. Until then it is in use if another name
 *   is. It is found in the same folder, and on Linux in others.
 * - When the process has ended, for whatever reason, the lock is free at once.
 * - On a file system that machines share, or that does not support sockets, the lock is a file with a heartbeat,
 *   see `HeartbeatClaim`. After a crash it is free when it has not changed for ten seconds. A process that did not
 *   run for so long loses the lock; it checks that before each change of the state, see `guardedDisk`. The one gap
 *   is the microseconds between that check and the change.
 * - On Windows the lock is a named pipe, named after the real path of the file.
 * - Two containers that mount the state file alone, without its folder, do not see each other. They cannot compact
 *   the file either: a mounted file cannot be replaced.
 * @throws StateInUseError if another process holds the file.
 */
export async function lock(file: string): Promise<() => Promise<void>> {
  const real = await realPathOf(file);
  const meeting = await meetingFor(real);
  try {
    const result = await acquire(meeting);
    if ("holder" in result) throw inUse(file, result.holder);
    try {
      await assertNoOtherNameHeld(file, real);
    } catch (error) {
      await result.close();
      throw error;
    }
    return release(real, result);
  } finally {
    await meeting.close();
  }
}

/**
 * Checks that no process holds a state file, without locking it.
 * @throws StateInUseError if one does.
 */
export async function assertFree(file: string): Promise<void> {
  const real = await realPathOf(file);
  const holder = await holderOf(real);
  if (holder) throw inUse(file, holder);
  await assertNoOtherNameHeld(file, real);
}

/** @throws StateInUseError if a process holds the same file under another name */
async function assertNoOtherNameHeld(file: string, real: string): Promise<void> {
  for (const name of await otherNamesOf(real)) {
    const holder = await holderOf(name);
    if (holder) throw inUse(file, holder, name);
  }
}

async function holderOf(real: string): Promise<Holder | undefined> {
  const meeting = await meetingFor(real);
  try {
    return await findHolder(meeting);
  } finally {
    await meeting.close();
  }
}

async function meetingFor(real: string): Promise<LockFolder | NamedPipe> {
  return process.platform === "win32" ? new NamedPipe(real) : LockFolder.open(real);
}

function release(file: string, claim: Claim): () => Promise<void> {
  const stopGuarding =
    claim instanceof HeartbeatClaim ? guard(file, () => claim.assertHeld()) : undefined;
  return async () => {
    stopGuarding?.();
    await claim.close();
  };
}

async function realPathOf(file: string): Promise<string> {
  const whole = path.resolve(file);
  return realpath(whole).catch(async () =>
    path.join(await realpath(path.dirname(whole)), path.basename(whole)),
  );
}

/** @param name the name under which the holder uses the file, if it is a hard link */
function inUse(file: string, { pid, host, doubtful }: Holder, name?: string): StateInUseError {
  // A process id alone does not identify a process in another container.
  const at = host === undefined || host === hostname() ? "" : host;
  const holder: Message =
    pid === undefined
      ? say`another sandbox`
      : at === ""
        ? say`the sandbox with the process id ${pid}`
        : say`the sandbox with the process id ${pid} on the host ${at}`;
  const remedy: Message =
    doubtful === undefined
      ? verbatim("")
      : say` If no sandbox runs there any more, delete its lock ${doubtful}.`;
  const link: Message =
    name === undefined
      ? verbatim("")
      : say` It is a hard link to ${name}: use a copy, or stop that sandbox first.`;
  return new StateInUseError(say`The state file ${file} is in use by ${holder}.${link}${remedy}`);
}
