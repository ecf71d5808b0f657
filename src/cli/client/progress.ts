import { clearInterval, monotonicNowMs, setInterval } from "../../platform/real-time.ts";
import type { Io } from "../terminal/io.ts";
import { localize, type Words } from "../terminal/language.ts";

/** Shorter work shows no progress. */
const FIRST_MS = 1000;
const EACH_MS = 250;

export interface ProgressOptions {
  /** The work, such as `Waiting for payin.paid`. */
  readonly label: Words;
  /** Whether the command prints JSON, or nothing. */
  readonly isSilent?: boolean | undefined;
  /** Whether the work blocks the process, so that it is shown at once, without its duration. */
  readonly isBlocking?: boolean;
}

/**
 * Does some work. If it takes longer than a second, or blocks, a terminal's stderr shows the work and its duration so
 * far meanwhile.
 */
export async function withProgress<Result>(
  io: Pick<Io, "isTerminal" | "showStatus">,
  { label, isSilent = false, isBlocking = false }: ProgressOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  if (isSilent || !io.isTerminal) return work();
  if (isBlocking) io.showStatus(`${localize(label)}…`);
  const startedAt = monotonicNowMs();
  const timer = setInterval(() => {
    const passedMs = monotonicNowMs() - startedAt;
    if (passedMs >= FIRST_MS) io.showStatus(`${localize(label)}… ${Math.floor(passedMs / 1000)} s`);
  }, EACH_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    io.showStatus("");
  }
}
