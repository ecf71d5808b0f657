import type { WireReview } from "../review/report.ts";
import type { WireClient } from "./wire-client.ts";

/** Options of a review. */
export interface ReportOptions {
  /** Whether the merchant makes no more calls: what is pending is then decided. */
  readonly final?: boolean | undefined;
}

/**
 * Waits for the webhooks that are in flight or due, then reads the review.
 * @throws TypeError for an unknown option.
 */
export async function readReview(
  client: Pick<WireClient, "control">,
  { final = false, ...unknown }: ReportOptions = {},
): Promise<WireReview> {
  const [name] = Object.keys(unknown);
  if (name !== undefined)
    throw new TypeError(
      `Unknown option ${JSON.stringify(name)} of report(). Its option is "final".`,
    );
  await client.control("POST", "/settle");
  return client.control("GET", final ? "/report?final=true" : "/report");
}
