import type { Calls } from "./calls.ts";
import { toCamelCase } from "../text/plain/camel-case.ts";
import { advise } from "./members.ts";
import { parseDurationMs } from "../text/duration.ts";
import type { ClockReading, Duration } from "./records.ts";

/** The sandbox's clock, shared by all integrations. A move resolves when every event that became due has happened. */
export interface ClockMoves {
  /** By an object such as `{ minutes: 5 }`, or by a text such as `"5m"`: a number with `ms`, `s`, `m`, `h` or `d`. */
  advance(by: Duration | string): Promise<ClockReading>;
  /** The time cannot be before the current one. */
  set(to: Date | string): Promise<ClockReading>;
  freeze(): Promise<ClockReading>;
  resume(): Promise<ClockReading>;
}

/** Creates the moves from the control routes. */
export function clockMoves(client: Calls): ClockMoves {
  const move = async (verb: "advance" | "set" | "freeze" | "resume", values = {}) =>
    toCamelCase(await client.call(`POST /clock/${verb}`, values));
  return {
    advance: async (by) => move("advance", { seconds: toSeconds(by) }),
    set: async (to) => {
      // oxlint-disable-next-line no-restricted-globals -- distinguishes a date from text and reads no clock.
      const now = to instanceof Date ? to.toISOString() : to;
      return move("set", { now });
    },
    freeze: () => move("freeze"),
    resume: () => move("resume"),
  };
}

const SECONDS = {
  days: 86_400,
  hours: 3600,
  minutes: 60,
  seconds: 1,
  milliseconds: 0.001,
} satisfies Record<keyof Duration, number>;

/** @throws TypeError for anything but an object or a text, RangeError for an unknown unit. */
function toSeconds(by: Duration | string): number {
  if (typeof by === "string") {
    const durationMs = parseDurationMs(by);
    if (durationMs !== undefined) return durationMs / 1000;
    throw new RangeError(
      `Invalid duration ${JSON.stringify(by)}. Use a number and a unit, such as "500ms", "30s", "5m", "2h" or "1d".`,
    );
  }
  if (typeof by !== "object" || by === null)
    throw new TypeError(
      `A duration is an object such as { minutes: 5 }, or a text such as "5m", not ${JSON.stringify(by) ?? String(by)}.`,
    );
  const parts = Object.entries(by).filter(([, count]) => count !== undefined);
  return parts.reduce((sum, [unit, count]) => sum + secondsOf(unit) * Number(count), 0);
}

function secondsOf(unit: string): number {
  if (isUnit(unit)) return SECONDS[unit];
  throw new RangeError(
    `Unknown unit ${JSON.stringify(unit)}. ${advise(unit, Object.keys(SECONDS))}`,
  );
}

function isUnit(name: string): name is keyof Duration {
  return Object.hasOwn(SECONDS, name);
}
