import { toZonedIso, toZonedTime, zoneNamed } from "../../text/plain/times.ts";
import { locale } from "../state/language.ts";
import { nowMs } from "../state/sandbox.ts";

/** The browser's zone, in which the page shows times. */
const ZONE = zoneNamed(Intl.DateTimeFormat().resolvedOptions().timeZone);

/** A time with its date and zone: `2026-03-12 10:02:00 UTC-03:00`. */
export function toLongTime(atMs: number): string {
  return toZonedTime(atMs, ZONE);
}

/** A time of day: `10:02:00`. */
export function timeOfDay(atMs: number): string {
  return toZonedIso(atMs, ZONE).slice(11, 19);
}

/** The milliseconds of a time: `.018`. */
export function millisecondsOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(19, 23);
}

/** The date of a time, unless it is the sandbox's today: `Mar 12`, `Mar 12, 2025`. */
export function otherDay(atMs: number): string | undefined {
  const [day, today] = [atMs, nowMs()].map((ms) => toZonedIso(ms, ZONE).slice(0, 10));
  if (day === today) return undefined;
  const isOtherYear = day?.slice(0, 4) !== today?.slice(0, 4);
  const format = new Intl.DateTimeFormat(locale(), {
    day: "numeric",
    month: "short",
    ...(isOtherYear && { year: "numeric" }),
    timeZone: ZONE,
  });
  return format.format(atMs);
}
