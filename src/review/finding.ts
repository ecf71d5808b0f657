import type { AssumptionName } from "../core/assumptions/table.ts";
import type { Verdict } from "./labels.ts";
import { impliedBy, RULE_IDS, type RuleId, ruleOf } from "./rules.ts";
import { type Message, rounded, say } from "../text/message.ts";

/** What was seen of a mistake. */
export interface Evidence {
  /** Sandbox time. */
  readonly atMs: number;
  /** What happened: a sentence that names the request or the delivery. */
  readonly text: Message;
  /** In the request log. */
  readonly requestId?: string | undefined;
  readonly deliveryId?: string | undefined;
  readonly transactionId?: string | undefined;
  /** A command line that shows it, or makes it happen again. */
  readonly command: string;
  /** Whether only a status shows it: a merchant may respond first, and check later. */
  readonly isByStatus?: boolean | undefined;
  /** Whether no money is at risk in this case: it is a warning, whatever the rule says. */
  readonly isMinor?: boolean;
}

/** The verdict on one rule. */
export interface Finding {
  readonly id: RuleId;
  readonly verdict: Verdict;
  /** A sentence: what was or was not seen. */
  readonly text: Message;
  /** The newest, oldest first; none unless the rule is broken, or may be. */
  readonly evidence: readonly Evidence[];
  /** Of a pending rule: how long it may still take until the verdict, in real time. */
  readonly pendingMs?: number | undefined;
  /** The broken rule that can be the only reason for this one. */
  readonly impliedBy?: RuleId | undefined;
  /** Of a broken rule: the assumptions that the verdict depends on. */
  readonly dependsOn?: readonly AssumptionName[] | undefined;
}

/** How much evidence a finding has at most. */
export const MAX_EVIDENCE = 20;

/** How many cases of a broken rule are counted in an integration; the oldest is dropped first. */
export const MAX_COUNTED = 100;

/** What was seen about one rule. */
export interface Observed {
  /** The rule had a chance, and was kept. */
  readonly isKept: boolean;
  /** Of each case in which it was broken, oldest first. */
  readonly broken: readonly Evidence[];
  /** Of each case that may still be mended, oldest first, and how long the last of them may take. */
  readonly pending?: { readonly cases: readonly Evidence[]; readonly ms: number } | undefined;
  /** Why it could not be judged, if that is not the rule's own text. */
  readonly unseen?: Message | undefined;
}

/** The findings on all rules, in their order. @param observed by rule; nothing was seen of those that are missing */
export function findingsOf(observed: ReadonlyMap<RuleId, Observed>): readonly Finding[] {
  const casesOf = (id: RuleId): readonly Evidence[] => observed.get(id)?.broken ?? [];
  return RULE_IDS.map((id) => {
    const { isKept = false, broken = [], pending, unseen } = observed.get(id) ?? {};
    const { severity, mistake, kept, chance, dependsOn } = ruleOf(id);
    if (broken.length > 0) {
      const causes = RULE_IDS.filter(
        (other) => casesOf(other).length > 0 && impliedBy(other).includes(id),
      );
      const [cause] = areExplained(broken, causes.map(casesOf)) ? causes : [];
      const isCertain = broken.some(
        ({ isByStatus = false, isMinor = false }) => !isByStatus && !isMinor,
      );
      const times = counted(mistake, broken.length);
      const isByStatus = broken.every((one) => one.isByStatus ?? false);
      const text = isByStatus ? say`${times} ${BY_STATUS}` : times;
      return {
        id,
        verdict: severity === "failure" && isCertain ? "fail" : "warning",
        text: dependsOn ? say`${text} This depends on an assumption: ${quoted(dependsOn)}.` : text,
        evidence: broken.slice(-MAX_EVIDENCE),
        ...(cause && { impliedBy: cause }),
        ...(dependsOn && { dependsOn }),
      };
    }
    if (pending)
      return {
        id,
        verdict: "pending",
        text: say`${mistake} Not decided yet: it has another ${rounded(pending.ms / 1000, 0)} s.`,
        evidence: pending.cases.slice(-MAX_EVIDENCE),
        pendingMs: pending.ms,
      };
    const text = isKept ? kept : (unseen ?? chance);
    return { id, verdict: isKept ? "pass" : "not_seen", text, evidence: [] };
  });
}

/**
 * Whether the causes can be the only reason for all cases of a broken rule. A webhook that none of them is about has
 * another reason.
 */
function areExplained(
  cases: readonly Evidence[],
  causes: readonly (readonly Evidence[])[],
): boolean {
  // The evidence is not complete.
  if ([cases, ...causes].some(({ length }) => length >= MAX_COUNTED)) return true;
  const explained = new Set(causes.flat().map(({ deliveryId }) => deliveryId));
  if (explained.has(undefined)) return true;
  return cases.every(({ deliveryId }) => deliveryId === undefined || explained.has(deliveryId));
}

const BY_STATUS = say`Judged by the status alone: \`--order\` and \`--effect\` also show what it does.`;

function quoted(names: readonly AssumptionName[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function counted(text: Message, count: number): Message {
  if (count === 1) return text;
  if (count >= MAX_COUNTED) return say`${text} Seen at least ${count} times.`;
  return say`${text} Seen ${count} times.`;
}
