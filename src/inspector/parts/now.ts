import { useEffect, useState } from "preact/hooks";
import { t } from "../state/language.ts";
import { connection } from "../state/live.ts";
import { clock, loadNextDue, nextDue, nowMs } from "../state/sandbox.ts";
import { say } from "../../text/message.ts";

const TICK_MS = 250;

/** The sandbox's time; re-renders while the clock runs. */
export function useNow(): number {
  const { mode } = clock.value;
  const [, tick] = useState(0);
  useEffect(() => {
    if (mode === "frozen") return undefined;
    const timer = setInterval(() => {
      tick((count) => count + 1);
      // The task is due: load the next one.
      if (
        connection.value === "live" &&
        nextDue.value &&
        Date.parse(nextDue.value.at) < nowMs() - TICK_MS
      )
        void loadNextDue().catch(() => undefined);
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [mode]);
  return nowMs();
}

/** Such as "in 3 min 20 s". */
export function until(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const from = parts.findIndex(([count]) => count > 0);
  const text = (from === -1 ? parts.slice(-1) : parts.slice(from, from + 2))
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
  return t(say`in ${text}`);
}
