import type { Invariant } from "../chronicle.ts";
import type { Planting } from "../system.ts";
import type { ModelDefects } from "./database.ts";

/** A mistake in the code, or in what it relies on, and what finds it. */
export interface TeamDefect {
  readonly name: string;
  readonly plantings: readonly Planting[];
  readonly model?: ModelDefects;
  readonly breaks: readonly Invariant[];
}

const LOST: readonly Invariant[] = [
  "an acknowledged record is never lost",
  "no response is older than one before it",
  "one key, one record",
  "the tables hold the leader's records",
];

export const TEAM_DEFECTS: readonly TeamDefect[] = [
  {
    name: "a leader that responds after its lease",
    plantings: [
      {
        text: "return this.#holder !== undefined && monotonicNowMs() < this.#endsAtMs;",
        instead: "return this.#holder !== undefined;",
      },
    ],
    breaks: ["only one process responds", "no response is older than one before it"],
  },
  {
    name: "a lease measured from the response",
    plantings: [
      {
        text: "this.#confirmedAtMs = sentAtMs;",
        instead: "this.#confirmedAtMs = monotonicNowMs();",
      },
    ],
    breaks: ["only one process responds", "no response is older than one before it"],
  },
  {
    name: "a conflict that counts as success",
    plantings: [
      {
        text: 'return `${found.map(({ line }) => line).join("\\n")}\\n` === lines;',
        instead: "return found.length > 0;",
      },
    ],
    breaks: LOST,
  },
  {
    name: "a conflict that always counts as failure",
    plantings: [
      {
        text: 'return `${found.map(({ line }) => line).join("\\n")}\\n` === lines;',
        instead: "return found.length < 0;",
      },
    ],
    breaks: ["only another process ends a leadership"],
  },
  {
    name: "a claim without a line",
    plantings: [{ text: "state.sequence = sequence + 1;", instead: "state.sequence = sequence;" }],
    model: { claimsWithoutLine: true },
    breaks: [...LOST, "the journal has no gap", "only another process ends a leadership"],
  },
  {
    name: "an append after a line that was dropped",
    plantings: [],
    model: { appendsAfterDropped: true },
    breaks: [...LOST, "the journal has no gap"],
  },
  {
    name: "an unknown outcome that is rolled back",
    plantings: [
      {
        text: 'this.#failure = mayRemain ? "unknown" : "refused";',
        instead: 'this.#failure = "refused";',
      },
    ],
    breaks: [...LOST, "only another process ends a leadership"],
  },
  {
    name: "a state stored at the position of a line that a standby has read",
    plantings: [
      { text: "const sequence = state.sequence + 1;", instead: "const { sequence } = state;" },
    ],
    breaks: LOST,
  },
  {
    name: "a lease that is taken while it runs",
    plantings: [],
    model: { takesRunningLease: true },
    breaks: ["only one process responds", "no response is older than one before it"],
  },
  {
    name: "a lease that is renewed for a process that does not hold it",
    plantings: [],
    model: { renewsForAnyHolder: true },
    breaks: ["only one process responds", "no response is older than one before it"],
  },
  {
    name: "a transaction that is idle for ever",
    plantings: [],
    model: { idlesForEver: true },
    breaks: ["a process leads in the end"],
  },
];
