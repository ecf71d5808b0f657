import { toCamelCase } from "../text/plain/camel-case.ts";
import { withObserved } from "../review/merge.ts";
import type { WireReview } from "../review/report.ts";
import { type EffectReader, provokeDuplicates } from "./provoke-duplicates.ts";
import type { Payin, Payout } from "./records.ts";
import type { WireClient } from "./wire-client.ts";
import type { Language } from "../text/languages.ts";

/** Options of a review. */
export interface ReportOptions {
  /**
   * Reads what the merchant did about a payin or payout, such as its order's balance. With it, the newest payments'
   * webhooks are sent again, and the rule `duplicate_acts_twice` is judged. Results are compared as JSON.
   */
  readonly effect?: ((record: Payin | Payout) => unknown) | undefined;
}

/**
 * Waits for the webhooks that are in flight or due, then reads the review.
 * @param effect judges the rules about duplicates, see {@link provokeDuplicates}
 * @param language that of the client's calls
 */
export async function readReview(
  client: Pick<WireClient, "control">,
  effect?: EffectReader,
  language: Language = "en",
): Promise<WireReview> {
  await client.control("POST", "/settle");
  // Before the review is read: the merchant's responses to duplicates are judged too.
  const observed = effect && (await provokeDuplicates(client, effect));
  const review = await client.control<WireReview>("GET", "/report");
  return observed ? withObserved(review, observed, language) : review;
}

/** The test API's form of {@link readReview}. */
export function reviewWith(
  client: Pick<WireClient, "control">,
  { effect }: ReportOptions = {},
): Promise<WireReview> {
  if (effect !== undefined && typeof effect !== "function")
    throw new TypeError("report() takes a function as effect.");
  return readReview(
    client,
    effect && { read: (record) => effect(toCamelCase(record) as Payin | Payout) },
  );
}
