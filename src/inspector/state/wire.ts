import type { AssumptionRow } from "../../core/assumptions/table.ts";
import type { WirePayin, WirePayout } from "../../core/records/transaction.ts";
import type { WireEvidence, WireFinding, WireReview } from "../../review/report.ts";
import type { WireRule } from "../../review/rule-texts.ts";
import type {
  WireAttemptEvent,
  WireDelivery,
  WireFault,
  WireRequest,
  WireSent,
  WireSnapshot,
} from "../../core/state/wire.ts";
import type { DueTask } from "../../core/operations/due-tasks.ts";

export type {
  WireAttemptEvent,
  WireDelivery,
  WireEvidence,
  WireFault,
  WireFinding,
  WirePayin,
  WirePayout,
  WireRequest,
  WireReview,
  WireRule,
  WireSnapshot,
};

/** What the page reads of `GET /_sandbox/about`. */
export interface WireAbout {
  readonly urls: readonly string[];
  readonly protected: boolean;
  readonly program: string;
}

/** What the clock runs next. */
export type WireTask = Omit<DueTask, "atMs"> & { readonly at: string };

/** One row of the assumption table. */
export type WireAssumption = AssumptionRow;

/** A page of a list. */
export interface Page<Row> {
  readonly data: readonly Row[];
  readonly next: string | null;
}

/** The sandbox's clock. */
export interface WireClock {
  readonly now: string;
  readonly mode: "real" | "frozen";
}

/** A call that a fault holds or has released. */
interface WireHold {
  readonly fault_id: string;
  readonly on: string;
  readonly idempotency_key: string | null;
  readonly integration: string;
  /** How many calls the fault holds now. */
  readonly held: number;
}

/** The events of the stream that the page reads, by kind. */
export interface EventData {
  readonly connected: { readonly stream: string };
  readonly missed: unknown;
  readonly payin: WirePayin;
  readonly payout: WirePayout;
  readonly delivery: WireDelivery;
  readonly attempt: WireAttemptEvent;
  readonly reset: { readonly integration: string | null };
  readonly request: WireRequest;
  readonly held: WireHold;
  readonly released: WireHold;
  readonly fault: { readonly change: "created" | "used" | "removed"; readonly fault: WireFault };
  readonly clock: WireClock;
  readonly assumptions: {
    readonly integration: string | null;
    readonly changes: Readonly<Record<string, string | number>>;
  };
  readonly snapshot: {
    readonly change: "saved" | "restored" | "deleted";
    readonly snapshot: Pick<WireSnapshot, "name" | "integration">;
  };
  readonly sent: WireSent;
}

/** One event of the stream. */
export type PageEvent = {
  [Kind in keyof EventData]: { readonly kind: Kind; readonly data: EventData[Kind] };
}[keyof EventData];
