import { existsSync } from "node:fs";
import { say } from "../../text/message.ts";
import { toZonedIso, zoneNamed } from "../../text/plain/times.ts";
import { localize } from "./language.ts";

/** Whether the machine names its zone, by `TZ` or in its settings. */
let isZoneNamed: boolean | undefined;

/**
 * A time with its distance from UTC: `2026-03-12T10:02:00.000-03:00`. The zone is that of `TZ`, else the system's.
 * JSON has UTC.
 */
export function toFullTime(time: Date): string {
  isZoneNamed ??=
    Boolean(process.env["TZ"]) || process.platform === "win32" || existsSync("/etc/localtime");
  return toZonedIso(time.getTime(), isZoneNamed ? undefined : zoneNamed(undefined));
}

/** The time of day with its distance from UTC: `10:02:00.000-03:00`. */
export function toTime(time: Date): string {
  return toFullTime(time).slice("2026-03-12T".length);
}

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
