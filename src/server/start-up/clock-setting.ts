import type { Store } from "../../core/state/ports.ts";
import type { ClockSetting } from "../../core/time/clock.ts";
import { fromIso, toEpochMs } from "../../wire/timestamp.ts";
import type { Settings } from "../options/options.ts";

/** The clock at startup: from the options, else from the state. A restart never sets time back. */
export function settingOf(
  { clock: mode, now }: Pick<Settings, "clock" | "now">,
  stored: ClockSetting | undefined,
  realNowMs: number,
): ClockSetting {
  const startMs = typeof now === "string" ? fromIso(now) : now?.getTime();
  if (mode === "frozen") {
    const storedMs = stored?.mode === "frozen" ? stored.nowMs : realNowMs + (stored?.offsetMs ?? 0);
    return { mode, nowMs: startMs ?? storedMs };
  }
  const storedOffsetMs =
    stored?.mode === "frozen" ? Math.max(0, stored.nowMs - realNowMs) : (stored?.offsetMs ?? 0);
  return { mode, offsetMs: startMs === undefined ? storedOffsetMs : startMs - realNowMs };
}

/**
 * The earliest real time of a start that does not set the time itself. The wall clock may have been set back while
 * no sandbox ran; sandbox time does not go back behind the newest payin, payout or delivery. Older records may have
 * been settled later, without a webhook; a start does not search them all for that.
 */
export function earliestRealMs({ records }: Store, { now }: Pick<Settings, "now">): number {
  const { transactions, deliveries, clock } = records;
  if (now !== undefined || clock?.mode === "frozen") return Number.NEGATIVE_INFINITY;
  const transaction = transactions.newest(() => true);
  const reachedMs = Math.max(
    transaction ? toEpochMs(transaction.record.created_at) : Number.NEGATIVE_INFINITY,
    deliveries.newest(() => true)?.createdAtMs ?? Number.NEGATIVE_INFINITY,
  );
  return reachedMs - (clock?.offsetMs ?? 0);
}
