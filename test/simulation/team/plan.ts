import type { Chance } from "../chance.ts";

/** What may happen in one run, and how often. */
export interface TeamPlan {
  readonly processes: number;
  readonly clients: number;
  readonly leaseMs: number;
  readonly stormMs: number;
  readonly maxLatencyMs: number;
  /** The share of messages that are lost, before or after they are executed. */
  readonly loss: number;
  readonly slow: number;
  readonly twice: number;
  readonly refused: number;
  /** The share of appends that are stored, but whose response is lost; the database then refuses all changes for a while. */
  readonly lostThenRefused: number;
  readonly kills: boolean;
  readonly pauses: boolean;
  readonly cuts: boolean;
  readonly stops: boolean;
  /**
   * A process has a clock that runs slower than `Leadership` allows. Two processes may then respond for a moment, but
   * the journal still has only one writer.
   */
  readonly wrongClock: boolean;
}

export function drawTeamPlan(chance: Chance): TeamPlan {
  return {
    processes: chance.whole(2, 3),
    clients: chance.whole(1, 4),
    leaseMs: chance.pick([1000, 2000]),
    stormMs: chance.whole(8, 20) * 1000,
    maxLatencyMs: chance.pick([1, 10, 60]),
    loss: chance.pick([0, 0.005, 0.02]),
    slow: chance.pick([0, 0.005, 0.02]),
    twice: chance.pick([0, 0.02]),
    refused: chance.pick([0, 0, 0.01]),
    kills: chance.is(0.5),
    pauses: chance.is(0.5),
    cuts: chance.is(0.5),
    stops: chance.is(0.2),
    wrongClock: chance.is(0.2),
    lostThenRefused: chance.pick([0, 0.05]),
  };
}
