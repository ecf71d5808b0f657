/* oxlint-disable no-restricted-globals -- only formats and reads times that were handed in; no clock is asked. */

/** Milliseconds since 1970 as ISO 8601 in UTC, as it stands on the wire. */
export function toIso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

export function toIsoOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : toIso(timeMs);
}

/** Sandbox time ends here: what is created before has times of its own, still written with four digits for the year. */
export const END_OF_TIME_MS = Date.UTC(9000, 0, 1);

/** `yyyyMMddHHmm` in UTC, as an end-to-end id carries it. */
export function toMinuteStamp(timeMs: number): string {
  return toIso(timeMs).replace(/\D/g, "").slice(0, 12);
}

/** An ISO 8601 time with its zone, in milliseconds since 1970; undefined where it is none. */
export function fromIso(text: string): number | undefined {
  const [, date] =
    /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/.exec(text) ??
    [];
  if (date === undefined) return undefined;
  const timeMs = Date.parse(text);
  // A parser takes the 30th of February for a day in March.
  const isDay = !Number.isNaN(Date.parse(date)) && new Date(date).toISOString().startsWith(date);
  return isDay && !Number.isNaN(timeMs) ? timeMs : undefined;
}
