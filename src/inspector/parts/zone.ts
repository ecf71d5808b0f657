import { toZonedIso, toZonedTime, zoneNamed } from "../../text/plain/times.ts";

/** The browser's zone, in which the page shows times. */
const ZONE = zoneNamed(Intl.DateTimeFormat().resolvedOptions().timeZone);

/** A time with its date and zone: `2026-03-12 10:02:00 UTC-03:00`. */
export function toLongTime(atMs: number): string {
  return toZonedTime(atMs, ZONE);
}

/** A time of day, with milliseconds: `10:02:00.000`; or with its date before it. */
export function toShortTime(atMs: number, withDate: boolean): string {
  const iso = toZonedIso(atMs, ZONE);
  return (withDate ? iso.slice(0, 23) : iso.slice(11, 23)).replace("T", " ");
}
