import { localize } from "./language.ts";
import { say } from "../../text/message.ts";

/** The time of day in UTC, the zone of all times that the commands print. */
export function toTime(time: Date): string {
  return time.toISOString().slice(11, 23);
}

/** The width of a time of day. */
export const TIME_WIDTH = "00:00:00.000".length;

/** A time as seen from now: `3 s ago`, `in 5 min`. */
export function toRelativeTime(atMs: number, nowMs: number): string {
  const seconds = Math.round(Math.abs(atMs - nowMs) / 1000);
  if (seconds === 0) return localize(say`now`);
  const [unit, size] = UNITS.find(([, one]) => seconds >= one) ?? ["s", 1];
  const span = `${Math.floor(seconds / size)} ${unit}`;
  return atMs > nowMs ? localize(say`in ${span}`) : localize(say`${span} ago`);
}

/** Units with the same abbreviation in all languages, and their seconds. */
const UNITS: readonly (readonly [unit: string, seconds: number])[] = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
];
