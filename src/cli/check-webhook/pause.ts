import { setTimeout } from "../../platform/real-time.ts";

/** Waits in real time: the merchant is another program. */
export function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, durationMs);
  });
}
