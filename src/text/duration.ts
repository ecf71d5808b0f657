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
