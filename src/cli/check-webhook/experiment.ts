import type { LocalizedText } from "../../text/localized-text.ts";
import type { RuleId } from "../../review/rules.ts";
import type { Shop } from "./shop.ts";

/** What an experiment showed: undefined if the merchant made no mistake. */
export type Mistake = LocalizedText | undefined;

/** Shows by an order of the merchant whether it makes one mistake. */
export interface Experiment {
  readonly rule: RuleId;
  readonly what: LocalizedText;
  /** What a correct merchant does. */
  readonly expected: LocalizedText;
  /** @throws Unseen if the rule cannot be judged. */
  readonly run: (shop: Shop) => Promise<Mistake>;
}
