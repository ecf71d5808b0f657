import { setTimeout } from "./real-time.ts";

/** Waits in real time, for another program: nothing reports when it is done. */
export function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, durationMs);
  });
}
