import type { RuleId } from "../../review/rules.ts";
import type { Shop } from "./shop.ts";
import type { Message } from "../../text/message.ts";

/** What an experiment showed: undefined if the merchant made no mistake. */
export type Mistake = Message | undefined;

/** Shows by an order of the merchant whether it makes one mistake. */
export interface Experiment {
  readonly rule: RuleId;
  readonly what: Message;
  /** What a correct merchant does. */
  readonly expected: Message;
  /** @throws Unseen if the rule cannot be judged. */
  readonly run: (shop: Shop) => Promise<Mistake>;
}
