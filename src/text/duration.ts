import { type Message, say } from "./message.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Reads `500ms`, `30s`, `5m`, `2h`, `1d`, or a number of seconds.
 * @returns whole milliseconds, since timers and routes take no fractions; undefined for another text
 */
export function parseDurationMs(text: string): number | undefined {
  const [, count, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  return count === undefined ? undefined : Math.round(Number(count) * (UNIT_MS[unit] ?? 1000));
}

const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];

/** The two clocks are read one after the other: a smaller difference is none. */
const SAME_TIME_MS = 2000;

/** How far the sandbox's time is from real time, such as "1 h 2 min ahead of real time"; undefined if it is the same. */
export function aheadOfRealTime(aheadMs: number): Message | undefined {
  if (Math.abs(aheadMs) < SAME_TIME_MS) return undefined;
  const span = toSpan(Math.abs(aheadMs));
  return aheadMs > 0 ? say`${span} ahead of real time` : say`${span} behind real time`;
}

/** A duration in its largest unit and the next smaller one. */
export function toSpan(durationMs: number): string {
  // The time between the two readings must not make 1 h of 59 min 59 s.
  const seconds = Math.round(durationMs / 1000);
  const parts = UNITS.map(([unit, unitMs], index) => {
    const [, largerMs = Infinity] = UNITS[index - 1] ?? [];
    return { count: Math.floor(((seconds * 1000) % largerMs) / unitMs), unit };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  const shown = first < 0 ? parts.slice(-1) : parts.slice(first, first + 2);
  return shown
    .filter(({ count }, index) => index === 0 || count > 0)
    .map(({ count, unit }) => `${count} ${unit}`)
    .join(" ");
}
