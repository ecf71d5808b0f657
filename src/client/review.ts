import type { WireReview } from "../review/report.ts";
import { assertMembers } from "./members.ts";
import type { Calls } from "./calls.ts";

/** Options of a review. */
export interface ReportOptions {
  /** Whether the merchant makes no more calls: what is pending is then decided. */
  readonly final?: boolean | undefined;
}

/**
 * Waits for the webhooks that are in flight or due, then reads the review.
 * @throws TypeError for an unknown option.
 * @internal
 */
export async function readReview(
  client: Pick<Calls, "call">,
  options: ReportOptions = {},
): Promise<WireReview> {
  assertMembers("report()", options, { final: true });
  const { final = false } = options;
  await client.call("POST /settle");
  return client.call("GET /report", final ? { final } : {});
}
