import { isSameJson } from "../../wire/json.ts";
import type { Effect, FaultPlace } from "./effects.ts";
import type { Magic } from "./magic.ts";

export type Members = Readonly<Record<string, unknown>>;

export const MAX_FAULT_TIMES = 1_000_000;

/** A failure that a user has requested. */
export interface Fault {
  readonly id: string;
  /** The integration whose calls and webhooks it acts on; null for every integration. */
  readonly integration: string | null;
  /** Counts the faults of that integration. */
  readonly ordinal: number;
  readonly on: FaultPlace;
  readonly effect: Effect;
  /** Members that the request's body, or the event's `data`, must have. */
  readonly match?: Members | undefined;
  /** How often it still acts; without a limit if absent. */
  readonly times?: number | undefined;
  /** The probability that it acts when it could, from 0 to 1; 1 if absent. */
  readonly probability?: number | undefined;
  readonly used: number;
  /** How many random numbers were drawn for it. */
  readonly drawn: number;
  /** The name of the fixture that it comes from, if any. */
  readonly fixture?: string | undefined;
}

/** A fault before it is created. */
export type FaultDraft = Pick<Fault, "on" | "effect" | "match" | "times" | "probability">;

/** Counts a new fault: its id is never drawn again. */
export function ordinalOf({ integration, ordinal }: Fault) {
  return ["faultOrdinals", { integration, ordinal }] as const;
}

/** The failures that apply to one call, and the uses of faults to commit with the call's change. */
export interface CallFault {
  readonly effect?: Effect | undefined;
  /** The fault's id; absent if the call's own header requested the effect. */
  readonly id?: string | undefined;
  /** The effect on the webhooks that the call causes, in place of stored faults. */
  readonly webhook?: Effect | undefined;
  /** The magic value that the effect comes from, if any. */
  readonly magic?: Magic | undefined;
  /** Committed with the call's change. */
  readonly uses?: FaultUses | undefined;
}

/** Where faults are stored, the oldest first. */
interface Stored {
  readonly faults: { all(): readonly Fault[] };
}

/**
 * The faults that one transaction uses, with their state after it. Only one fault applies to a call or a
 * webhook: of those that match, the oldest.
 */
export class FaultUses {
  readonly #records: Stored;
  readonly #chance: (faultId: string, counter: number) => number;
  readonly #changed = new Map<string, Fault>();

  /** @param chance draws a number from 0 up to 1; the same number for the same fault and counter */
  constructor(records: Stored, chance: (faultId: string, counter: number) => number) {
    this.#records = records;
    this.#chance = chance;
  }

  /** The change to commit: the used faults. */
  get change(): readonly (readonly ["faults", Fault])[] {
    return [...this.#changed.values()].map((fault) => ["faults", fault] as const);
  }

  /** Takes the fault that applies at this place, and counts its use. */
  take(on: FaultPlace, integration: string, members: () => Members): Fault | undefined {
    for (const stored of this.#records.faults.all()) {
      const fault = this.#changed.get(stored.id) ?? stored;
      if (!isFor(fault, on, integration) || !isMatch(fault.match, members)) continue;
      const { probability, drawn, times } = fault;
      const isDrawn = probability !== undefined;
      const acts = !isDrawn || this.#chance(fault.id, drawn) < probability;
      const after = {
        ...fault,
        ...(isDrawn && { drawn: drawn + 1 }),
        ...(acts && { used: fault.used + 1, ...(times !== undefined && { times: times - 1 }) }),
      };
      this.#changed.set(fault.id, after);
      if (acts) return after;
    }
    return undefined;
  }
}

function isFor({ on, integration, times }: Fault, at: FaultPlace, caller: string): boolean {
  return on === at && (integration === null || integration === caller) && times !== 0;
}

function isMatch(match: Members | undefined, members: () => Members): boolean {
  if (match === undefined) return true;
  const found = members();
  return Object.entries(match).every(
    ([name, value]) =>
      Object.hasOwn(found, name) && isSameJson(JSON.stringify(value), JSON.stringify(found[name])),
  );
}
