import { monitorEventLoopDelay } from "node:perf_hooks";

/** Measures how late the event loop runs a timer, until it is stopped. */
export interface EventLoopLag {
  /** Takes the 99th percentile since the last call, in seconds; 0 if nothing was measured. */
  takeP99(): number;
  stop(): void;
}

/** The interval of the measuring timer. */
const RESOLUTION_MS = 20;

/**
 * Starts to measure, with a timer that does not keep the process running.
 * @returns undefined on a runtime that cannot measure it
 */
export function measureEventLoopLag(): EventLoopLag | undefined {
  let delays: ReturnType<typeof monitorEventLoopDelay>;
  try {
    delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delays.enable();
  } catch (error) {
    // Bun.
    if ((error as NodeJS.ErrnoException).code === "ERR_NOT_IMPLEMENTED") return undefined;
    throw error;
  }
  return {
    takeP99: () => {
      // The recorded delays include the timer's interval.
      const lagMs = delays.count === 0 ? 0 : delays.percentile(99) / 1e6 - RESOLUTION_MS;
      delays.reset();
      return Math.max(0, lagMs) / 1000;
    },
    stop: () => void delays.disable(),
  };
}
