import type { AssumptionChanges } from "../../src/core/assumptions/table.ts";
import type { Mishap } from "../support/disk.ts";
import type { Chance } from "./chance.ts";

/** How an address of the merchant's takes webhooks. */
export type Manner = "well" | "flaky" | "slow" | "failing" | "gone";

/**
 * What can go wrong in a run. Each run has some classes of faults and is spared the others: where all of
 * them happen all the time, most of them hide behind the few that end everything.
 */
export interface Plan {
  /** The process is killed, or the power lost, at any time. */
  readonly kills: boolean;
  readonly powerLosses: boolean;
  /** The process dies in the middle of a step of its own: at a call to the disk. */
  readonly deaths: boolean;
  /** It dies right when it has told something to somebody. */
  readonly deathsOnceTold: boolean;
  readonly diskErrors: boolean;
  readonly fullDisk: boolean;
  readonly slowDisk: boolean;
  /** Names take long to change. */
  readonly slowNames: boolean;
  /** From which size on a journal that has outgrown the state file is merged into it. */
  readonly journalBytes: number;
  /** How likely a message is lost on its way. */
  readonly loss: number;
  readonly maxLatencyMs: number;
  /** The process is stopped and started in good order. */
  readonly stops: boolean;
  /** Faults of the gateway's own are ordered. */
  readonly faults: boolean;
  readonly clockMoves: boolean;
  readonly resets: boolean;
  readonly configuration: boolean;
  readonly manners: readonly Manner[];
  readonly assumptions: AssumptionChanges;
  /** How many times the merchant does several things at about the same time, and in how long. */
  readonly bursts: number;
  readonly stormMs: number;
}

export function drawPlan(chance: Chance): Plan {
  const manners: readonly Manner[] = ["well", "well", "flaky", "flaky", "slow", "failing", "gone"];
  return {
    kills: chance.is(0.4),
    powerLosses: chance.is(0.5),
    deaths: chance.is(0.6),
    deathsOnceTold: chance.is(0.4),
    diskErrors: chance.is(0.15),
    fullDisk: chance.is(0.15),
    slowDisk: chance.is(0.5),
    loss: chance.pick([0, 0, 0.05, 0.2]),
    maxLatencyMs: chance.pick([0.5, 5, 100]),
    stops: chance.is(0.2),
    faults: chance.is(0.4),
    clockMoves: chance.is(0.3),
    resets: chance.is(0.2),
    configuration: chance.is(0.3),
    manners: ["well", chance.pick(manners), chance.pick(manners)],
    assumptions: drawAssumptions(chance),
    slowNames: chance.is(0.3),
    journalBytes: chance.pick([2000, 20_000, 256 << 20]),
    bursts: chance.whole(4, 12),
    stormMs: chance.whole(15, 50) * 1000,
  };
}

function drawAssumptions(chance: Chance): AssumptionChanges {
  return {
    ...(chance.is(0.4) && { "payin.expiry_event": "webhook" }),
    ...(chance.is(0.3) && { "payout.rival": chance.pick(["reject", "allow"]) }),
    ...(chance.is(0.2) && { "payout.auto": `complete_after:${chance.whole(1, 20)}` }),
    ...(chance.is(0.2) && { "payin.paid_status": "completed" }),
    ...(chance.is(0.2) && { "simulation.final": "repeat" }),
    ...(chance.is(0.3) && { "idempotency.retention_seconds": chance.whole(1, 20) }),
    ...(chance.is(0.2) && { "webhook.retries": chance.pick(["production", "none"]) }),
    ...(chance.is(0.2) && { "webhook.timeout_seconds": 1 }),
  };
}

/** How many calls to the disk a process makes in the course of a run, or less. */
const CALLS = 160;
/** How many until it is open and has told its first, or less: what one process has left unsynced, the next builds upon. */
const FIRST_CALLS = 30;

/** What happens to the next process, or to its disk. */
export function drawMishap(
  { deaths, diskErrors, fullDisk }: Plan,
  chance: Chance,
): Mishap | undefined {
  const at = chance.whole(1, chance.is(0.4) ? FIRST_CALLS : CALLS);
  if (deaths && chance.is(0.6)) {
    const moment = chance.pick(["before", "during", "after"] as const);
    return { kind: "death", at, moment, share: chance.draw() };
  }
  if (diskErrors && chance.is(0.4))
    return { kind: "refusal", at, code: chance.pick(["EIO", "EACCES"]), isLasting: chance.is(0.3) };
  if (fullDisk && chance.is(0.4)) {
    const isLasting = chance.is(0.5);
    return chance.is(0.5)
      ? { kind: "refusal", at, code: "ENOSPC", isLasting, only: ["write", "create"] }
      : { kind: "short write", at, code: "ENOSPC", isLasting };
  }
  return undefined;
}
