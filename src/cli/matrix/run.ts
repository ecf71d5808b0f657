import { availableParallelism } from "node:os";
import type { AssumptionName } from "../../core/assumptions/table.ts";
import type { Alternative } from "./alternatives.ts";
import type { Captured } from "./captured-command.ts";
import { CliError } from "../terminal/errors.ts";

export interface Ended extends Captured {
  /** The assumptions that it reached there. */
  readonly reached: readonly AssumptionName[];
}

/** One alternative and how the command ended with it. */
export interface Run extends Alternative {
  /** Undefined if the run could not be started. */
  readonly result: Ended | undefined;
  /** Why the run could not be started. */
  readonly refusal: CliError | undefined;
}

/** How many runs take place at once. */
export const DEFAULT_JOBS = availableParallelism();

/**
 * Runs a command with each alternative, several at once.
 * @returns the runs in the order of the alternatives
 * @throws what a run throws, except a CliError, after all other runs have ended.
 */
export async function runAll(
  alternatives: readonly Alternative[],
  jobs: number,
  runOne: (alternative: Alternative) => Promise<Ended>,
): Promise<Run[]> {
  const runs: Run[] = [];
  // One iterator for all workers: each takes the next alternative when it is free.
  const queue = alternatives.entries();
  let hasFailed = false;
  const work = async (): Promise<void> => {
    for (const [index, alternative] of queue) {
      if (hasFailed) return;
      try {
        runs[index] = await toRun(alternative, runOne);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(jobs, alternatives.length) }, work);
  const ended = await Promise.allSettled(workers);
  for (const worker of ended) if (worker.status === "rejected") throw worker.reason;
  return runs;
}

async function toRun(
  alternative: Alternative,
  runOne: (alternative: Alternative) => Promise<Ended>,
): Promise<Run> {
  try {
    return { ...alternative, result: await runOne(alternative), refusal: undefined };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { ...alternative, result: undefined, refusal: error };
  }
}
