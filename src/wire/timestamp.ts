/* oxlint-disable no-restricted-globals -- only formats and parses given times; reads no clock. */

/** The times that were formatted last, and their texts: a busy sandbox formats each many times. */
const formatted: { readonly timeMs: number; readonly text: string }[] = [];

/** Formats epoch milliseconds as ISO 8601 in UTC, the format of the wire. */
export function toIso(timeMs: number): string {
  // A prime: round durations later have another place.
  const place = Math.abs(Math.trunc(timeMs)) % 61;
  const last = formatted[place];
  if (last?.timeMs === timeMs) return last.text;
  const text = new Date(timeMs).toISOString();
  formatted[place] = { timeMs, text };
  return text;
}

/** Parses a time that {@link toIso} has formatted. */
export function toEpochMs(time: string): number {
  return Date.parse(time);
}

export function toIsoOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : toIso(timeMs);
}

/** The latest sandbox time: a record that is created before it has times with four-digit years. */
export const END_OF_TIME_MS = Date.UTC(9000, 0, 1);

/** Parses an ISO 8601 time with a zone into epoch milliseconds; undefined for any other text. */
export function fromIso(text: string): number | undefined {
  const [, date] =
    /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/.exec(text) ??
    [];
  if (date === undefined) return undefined;
  const timeMs = Date.parse(text);
  // `Date.parse` reads the 30th of February as a day in March.
  const isDay = !Number.isNaN(Date.parse(date)) && new Date(date).toISOString().startsWith(date);
  return isDay && !Number.isNaN(timeMs) ? timeMs : undefined;
}
