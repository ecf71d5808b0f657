import { type Message, say } from "./message.ts";

const UNITS_MS = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1000 };

/**
 * Reads `500ms`, `30s`, `5m`, `2h`, `1d`, or a number of seconds.
 * @returns whole milliseconds, since timers and routes take no fractions; undefined for another text
 */
export function parseDurationMs(text: string): number | undefined {
  const [, count, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  const unitMs = { ...UNITS_MS, m: UNITS_MS.min, ms: 1 }[unit] ?? 1000;
  return count === undefined ? undefined : Math.round(Number(count) * unitMs);
}

/** The two clocks are read one after the other: a smaller difference is none. */
const SAME_TIME_MS = 2000;

/** How far the sandbox's time is from real time, such as "1 h 2 min ahead of real time"; undefined if it is the same. */
export function aheadOfRealTime(aheadMs: number): Message | undefined {
  if (Math.abs(aheadMs) < SAME_TIME_MS) return undefined;
  const span = toSpan(Math.abs(aheadMs));
  return aheadMs > 0 ? say`${span} ahead of real time` : say`${span} behind real time`;
}

/** A duration in its two largest units. */
export function toSpan(durationMs: number): string {
  // The time between the two readings must not make 1 h of 59 min 59 s.
  let restMs = Math.round(durationMs / 1000) * 1000;
  const parts = Object.entries(UNITS_MS).map(([unit, unitMs]) => {
    const count = Math.floor(restMs / unitMs);
    restMs %= unitMs;
    return count > 0 ? `${count} ${unit}` : "";
  });
  return parts.filter(Boolean).slice(0, 2).join(" ") || "0 s";
}
