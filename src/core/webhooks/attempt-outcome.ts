import type { Assumptions } from "../assumptions/table.ts";
import { type AttemptResult, isReceived, isSent } from "./delivery.ts";

/** What an attempt can come to, as metrics count it. */
export const ATTEMPT_OUTCOMES = [
  "accepted",
  "rejected",
  "timeout",
  "connection_refused",
  "stale_connection",
  "failed",
  "not_sent",
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** The outcome of an attempt. `failed` is any other reason for no response: DNS, TLS, or a connection that broke. */
export function outcomeOf(attempt: AttemptResult, assumptions: Assumptions): AttemptOutcome {
  if (attempt.status !== null) return isReceived(attempt, assumptions) ? "accepted" : "rejected";
  if (!isSent(attempt)) return "not_sent";
  if (attempt.isStaleConnection) return "stale_connection";
  const error = attempt.error ?? "";
  if (/^no \w+ within |^ETIMEDOUT/.test(error)) return "timeout";
  return error.startsWith("ECONNREFUSED") ? "connection_refused" : "failed";
}
