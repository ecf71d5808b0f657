import type { ChildProcess, ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import spawn from "cross-spawn";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import { COMMAND_GRACE_MS, createProcesses, endRest, notStarted, toExitCode } from "./child.ts";
import type { Io } from "../terminal/io.ts";

/** How much of a command's output is kept: its end says what failed. */
const OUTPUT_BYTES = 16 * 1024;
/** How long to wait for a process outside the command's group that holds its output open. */
const DRAIN_MS = 1000;

interface Captured {
  readonly exitCode: number;
  /** The last {@link OUTPUT_BYTES} of stdout and stderr together, as they arrived. */
  readonly output: string;
}

/**
 * Runs a command without a terminal in its own process group, and ends the group's remaining processes after it.
 * @param signal stops it: SIGTERM, then SIGKILL after a grace time
 * @throws CliError if it cannot be started.
 */
export async function runCaptured(
  [command = "", ...args]: readonly string[],
  { env, cwd, signal }: Pick<Io, "env" | "cwd"> & { readonly signal: AbortSignal },
): Promise<Captured> {
  signal.throwIfAborted();
  const group = createProcesses();
  // The type does not say that both streams are pipes.
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    cwd,
    env,
    detached: group.isDetached,
  }) as ChildProcessByStdio<null, Readable, Readable>;
  running.add(child);
  const tail = new Tail();
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => tail.add(chunk));
  const closed = new Promise((resolve) => child.once("close", resolve));
  let late: NodeJS.Timeout | undefined;
  const stop = (): void => {
    group.signalAll(child, "SIGTERM");
    late = setTimeout(() => group.signalAll(child, "SIGKILL"), COMMAND_GRACE_MS);
  };
  signal.addEventListener("abort", stop);
  try {
    const [code, endedBy] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    await endRest(child, group);
    await Promise.race([closed, pause(DRAIN_MS)]);
    return { exitCode: toExitCode(code, endedBy), output: tail.toText() };
  } catch (error) {
    throw notStarted(command, error as NodeJS.ErrnoException);
  } finally {
    clearTimeout(late);
    signal.removeEventListener("abort", stop);
    running.delete(child);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

export function killCaptured(): void {
  for (const child of running) createProcesses().signalAll(child, "SIGKILL");
}

const running = new Set<ChildProcess>();
// Nothing of a command outlives this process.
process.once("exit", killCaptured);

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}

/** The last bytes of a text. */
class Tail {
  #chunks: Buffer[] = [];
  #size = 0;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size - (this.#chunks[0]?.length ?? 0) >= OUTPUT_BYTES)
      this.#size -= this.#chunks.shift()?.length ?? 0;
  }

  toText(): string {
    const bytes = Buffer.concat(this.#chunks);
    const text = bytes.subarray(-OUTPUT_BYTES).toString("utf8");
    // The first character can be cut.
    return bytes.length > OUTPUT_BYTES ? text.replace(/^\ufffd+/, "") : text;
  }
}
