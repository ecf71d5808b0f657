import type { Evidence, Observed } from "../../review/finding.ts";
import type { RuleId } from "../../review/rules.ts";
import type { Outcome } from "./handler.ts";
import { type Message, inSeconds, say } from "../../text/message.ts";

/** One webhook that was sent, what a correct handler does with it, and what this one did. */
export interface Sent {
  /** What it shows. */
  readonly rules: readonly RuleId[];
  readonly what: Message;
  readonly expected: Message;
  readonly seen: Message;
  /** The rules that it shows to be broken. */
  readonly broken: readonly RuleId[];
  /** The command line that sends it again. */
  readonly command: string;
}

/** What a check has seen so far. */
export class Verdicts {
  readonly sent: Sent[] = [];
  readonly observed = new Map<RuleId, Observed>();

  kept(rule: RuleId): void {
    this.observed.set(rule, { ...this.#of(rule), isKept: true });
  }

  broken(rule: RuleId, evidence: Evidence): void {
    const before = this.#of(rule);
    this.observed.set(rule, { ...before, broken: [...before.broken, evidence] });
  }

  /** Gives the reason why a rule could not be judged. */
  unseen(rule: RuleId, reason: Message): void {
    this.observed.set(rule, { ...this.#of(rule), unseen: reason });
  }

  isBroken(rule: RuleId): boolean {
    return this.#of(rule).broken.length > 0;
  }

  #of(rule: RuleId): Observed {
    return this.observed.get(rule) ?? { isKept: false, broken: [] };
  }
}

/** What became of a webhook, such as `401 after 0.1 s`. */
export function describeOutcome({ status, error, durationMs, location }: Outcome): Message {
  const seconds = inSeconds(durationMs);
  if (status === null) return say`no response: ${error ?? ""}`;
  const to = location === undefined ? "" : ` (${location})`;
  return say`${status}${to} after ${seconds} s`;
}
