import type { Client } from "./client.ts";
import type { ClockReading, Duration } from "./records.ts";

/** The sandbox's time, which is that of all integrations. A move resolves when all that fell due has happened. */
export interface ClockMoves {
  advance(by: Duration): Promise<ClockReading>;
  /** Time does not go back. */
  set(to: Date | string): Promise<ClockReading>;
  freeze(): Promise<ClockReading>;
  resume(): Promise<ClockReading>;
}

/** Moves the clock by its routes. */
export function clockMoves(client: Client): ClockMoves {
  const move = (verb: string, body?: unknown): Promise<ClockReading> =>
    client.control<ClockReading>("POST", `/clock/${verb}`, body);
  return {
    advance: async (by) => move("advance", { seconds: toSeconds(by) }),
    // oxlint-disable-next-line no-restricted-globals -- tells a date from text and reads no clock.
    set: async (to) => move("set", { now: to instanceof Date ? to.toISOString() : to }),
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

/** @throws TypeError for what is no duration, RangeError for a unit that is none. */
function toSeconds(by: Duration): number {
  if (typeof by !== "object" || by === null)
    throw new TypeError(
      `A duration is written like { minutes: 5 }, not ${JSON.stringify(by) ?? String(by)}.`,
    );
  const parts = Object.entries(by).filter(([, count]) => count !== undefined);
  return parts.reduce((sum, [unit, count]) => sum + secondsOf(unit) * Number(count), 0);
}

function secondsOf(unit: string): number {
  if (isUnit(unit)) return SECONDS[unit];
  const units = Object.keys(SECONDS).join(", ");
  throw new RangeError(`A duration has no ${JSON.stringify(unit)}; it has ${units}.`);
}

function isUnit(name: string): name is keyof Duration {
  return Object.hasOwn(SECONDS, name);
}
