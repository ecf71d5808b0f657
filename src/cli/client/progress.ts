import { clearInterval, monotonicNowMs, setInterval } from "../../platform/real-time.ts";
import type { Io } from "../terminal/io.ts";

/** Shorter work shows no progress. */
const FIRST_MS = 1000;
const EACH_MS = 250;

export interface ProgressOptions {
  /** The work, such as `Waiting for payin.paid`. */
  readonly label: string;
  /** Whether the command prints JSON, or nothing. */
  readonly isSilent?: boolean | undefined;
  /** The state of the work, such as `2 of 12`. */
  readonly state?: (() => string) | undefined;
}

/**
 * Does some work. If it takes longer than a second, a terminal's stderr shows a line meanwhile: the
 * work, its duration so far, and its state.
 */
export async function withProgress<Result>(
  io: Pick<Io, "isTerminal" | "showStatus">,
  { label, isSilent = false, state }: ProgressOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  if (isSilent || !io.isTerminal) return work();
  const startedAt = monotonicNowMs();
  const timer = setInterval(() => {
    const passedMs = monotonicNowMs() - startedAt;
    if (passedMs < FIRST_MS) return;
    io.showStatus(`${label}…${state ? ` ${state()},` : ""} ${Math.floor(passedMs / 1000)} s`);
  }, EACH_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    io.showStatus("");
  }
}
