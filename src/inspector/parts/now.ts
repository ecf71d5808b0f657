import { effect, signal } from "@preact/signals";
import { t } from "../state/language.ts";
import { connection } from "../state/live.ts";
import { clock, loadNextDue, nextDue, nowMs } from "../state/sandbox.ts";
import { toSpan } from "../../text/duration.ts";
import { say } from "../../text/message.ts";

const TICK_MS = 250;

/** Grows while the clock runs; whatever reads it is drawn again. */
const ticks = signal(0);

effect(() => {
  if (clock.value.mode === "frozen") return undefined;
  const timer = setInterval(() => {
    ticks.value++;
    const due = nextDue.peek();
    // The task is due: load the next one.
    if (connection.peek() === "live" && due && Date.parse(due.at) < nowMs() - TICK_MS)
      void loadNextDue().catch(() => undefined);
  }, TICK_MS);
  return () => clearInterval(timer);
});

/** The sandbox's time; a component that reads it is drawn again while the clock runs. */
export function useNow(): number {
  void ticks.value;
  return nowMs();
}

/** Such as "3 min 20 s"; what is over is "0 s". */
export function spanOf(ms: number): string {
  return toSpan(Math.ceil(Math.max(0, ms) / 1000) * 1000);
}

/** Such as "in 3 min 20 s". */
export function until(ms: number): string {
  return t(say`in ${spanOf(ms)}`);
}
