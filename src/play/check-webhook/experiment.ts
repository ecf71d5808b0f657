import type { RuleId } from "../../review/rules.ts";
import type { Trial } from "./trial.ts";
import { type Message, say } from "../../text/message.ts";

/** What an experiment showed: undefined if the merchant made no mistake. */
export type Mistake = Message | undefined;

/** A mistake against another rule than that of its experiment. */
export interface OtherMistake {
  readonly rule: RuleId;
  readonly text: Message;
}

/** Where all that was sent must have had its effect: the check waits once for all experiments. */
export type Steps = AsyncGenerator<undefined, Mistake | OtherMistake, void>;

/** Shows by orders of the merchant whether it makes one mistake. */
export interface Experiment {
  readonly rule: RuleId;
  readonly what: Message;
  /** What a correct merchant does. Default: it acts once. */
  readonly expected?: Message;
  /** The rule that a late change of one of its orders breaks. Default: `rule`. */
  readonly lateRule?: RuleId;
  /** Ends with the mistake. @throws Unseen if the rule cannot be judged. */
  readonly run: (trial: Trial) => Steps;
}

export const ONCE: Message = say`acts once`;
export const UNMOVED: Message = say`does not act`;
