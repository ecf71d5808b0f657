import { isSameJson } from "../../wire/json.ts";
import type { Ids } from "../records/ids.ts";
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

/** The failures that apply to one call. */
export interface CallFault {
  readonly effect?: Effect | undefined;
  /** The fault's id; absent if the call itself requested the effect, unless that is `hold`. */
  readonly id?: string | undefined;
  /** The effect on the webhooks that the call causes, in place of stored faults. */
  readonly webhook?: Effect | undefined;
  /** The magic value that the effect comes from, if any. */
  readonly magic?: Magic | undefined;
}

/**
 * The faults that one commit uses. Only one fault applies to a call or a webhook: of those that match, the oldest.
 * @param stored the oldest first
 */
export function faultUses(stored: { all(): readonly Fault[] }, ids: Pick<Ids, "chance">) {
  const changed = new Map<string, Fault>();
  return {
    /** The change to commit: the used faults, as they are then. */
    change: () => [...changed.values()].map((fault) => ["faults", fault] as const),

    /** Takes the fault that applies at this place, and counts its use. */
    take(on: FaultPlace, integration: string, members: () => Members): Fault | undefined {
      for (const before of stored.all()) {
        const fault = changed.get(before.id) ?? before;
        const { id, probability, drawn, times, used, match } = fault;
        if (fault.on !== on || (fault.integration ?? integration) !== integration) continue;
        if (times === 0 || (match && !hasMembers(members(), match))) continue;
        const isDrawn = probability !== undefined;
        const acts = !isDrawn || ids.chance(id, drawn) < probability;
        const after = {
          ...fault,
          ...(isDrawn && { drawn: drawn + 1 }),
          ...(acts && { used: used + 1, ...(times !== undefined && { times: times - 1 }) }),
        };
        changed.set(id, after);
        if (acts) return after;
      }
      return undefined;
    },
  };
}

function hasMembers(found: Members, wanted: Members): boolean {
  return Object.entries(wanted).every(
    ([name, value]) =>
      Object.hasOwn(found, name) && isSameJson(JSON.stringify(value), JSON.stringify(found[name])),
  );
}
