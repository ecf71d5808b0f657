import { effect, signal } from "@preact/signals";
import { t } from "../state/language.ts";
import { connection } from "../state/live.ts";
import { clock, loadNextDue, nextDue, nowMs } from "../state/sandbox.ts";
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

/** Such as "3 min 20 s". */
export function spanOf(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const from = parts.findIndex(([count]) => count > 0);
  return (from === -1 ? parts.slice(-1) : parts.slice(from, from + 2))
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

/** Such as "in 3 min 20 s". */
export function until(ms: number): string {
  return t(say`in ${spanOf(ms)}`);
}
