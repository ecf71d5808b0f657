import type { WireFinding } from "./report.ts";
import type { RuleId } from "./rules.ts";

/** What a check of a webhook handler shows. Nothing of a response's body is in it. */
export interface WireWebhookCheck {
  readonly rules: WireFinding[];
  readonly probes: WireProbe[];
  /** What the user should know about the run. */
  readonly notes: string[];
}

/** One webhook that was sent, what a correct handler does with it, and what this one did. */
export interface WireProbe {
  readonly rules: RuleId[];
  readonly what: string;
  readonly expected: string;
  readonly seen: string;
  /** Whether the handler did what a correct one does. */
  readonly result: "equal" | "changed";
}
