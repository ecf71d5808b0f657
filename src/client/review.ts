import { pause } from "../platform/pause.ts";
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
  /** Whether the merchant makes no more calls: what is pending is then decided. */
  readonly final?: boolean | undefined;
}

/**
 * Waits for the webhooks that are in flight or due, then reads the review.
 * @param options.effect judges the rules about duplicates, see {@link provokeDuplicates}
 * @param options.language that of the client's calls
 * @param options.final whether the merchant makes no more calls
 * @param options.isAwaited whether to wait until nothing is pending
 */
export async function readReview(
  client: Pick<WireClient, "control">,
  {
    effect,
    language = "en",
    final = false,
    isAwaited = false,
  }: {
    readonly effect?: EffectReader | undefined;
    readonly language?: Language;
    readonly final?: boolean;
    readonly isAwaited?: boolean;
  } = {},
): Promise<WireReview> {
  await client.control("POST", "/settle");
  // Before the review is read: the merchant's responses to duplicates are judged too.
  const observed = effect && (await provokeDuplicates(client, effect));
  for (;;) {
    const review = await client.control<WireReview>(
      "GET",
      final ? "/report?final=true" : "/report",
    );
    const pendingMs = Math.max(0, ...review.rules.map(({ pending_ms }) => pending_ms ?? 0));
    if (!isAwaited || pendingMs === 0)
      return observed ? withObserved(review, observed, language) : review;
    // What is missing may be done sooner.
    await pause(Math.min(pendingMs, LOOK_MS));
  }
}

/** How often a review with something pending is read again. */
const LOOK_MS = 1000;

/** The test API's form of {@link readReview}. */
export function reviewWith(
  client: Pick<WireClient, "control">,
  { effect, final = false }: ReportOptions = {},
): Promise<WireReview> {
  if (effect !== undefined && typeof effect !== "function")
    throw new TypeError("report() takes a function as effect.");
  return readReview(client, {
    effect: effect && { read: (record) => effect(toCamelCase(record) as Payin | Payout) },
    final,
  });
}
