import type { Verdict } from "../../review/labels.ts";
import type { RuleId } from "../../review/rules.ts";
import type { Place } from "./place.ts";
import type { WireDelivery, WireEvidence, WireFinding, WireReview } from "./wire.ts";
import { joined, type Message, say } from "../../text/message.ts";

/** How many rules ended with a verdict. */
export function countOf({ rules }: Pick<WireReview, "rules">, verdict: Verdict): number {
  return rules.filter((rule) => rule.verdict === verdict).length;
}

/** A broken rule, and the broken rules that it can be the only reason for. */
export interface Cause {
  readonly finding: WireFinding;
  readonly implied: readonly WireFinding[];
}

/** The rules that are or may be broken, by their causes: failures first, then in the order of their numbers. */
export function causesOf({ rules }: Pick<WireReview, "rules">): readonly Cause[] {
  const broken = [
    ...rules.filter(({ verdict }) => verdict === "fail"),
    ...rules.filter(({ verdict }) => verdict === "warning"),
    ...rules.filter(({ verdict }) => verdict === "pending"),
  ];
  const byId = new Map(broken.map((finding) => [finding.id, finding]));
  const rootOf = (finding: WireFinding): RuleId => {
    let root = finding;
    const passed = new Set([root]);
    for (;;) {
      const cause = root.implied_by && byId.get(root.implied_by);
      if (!cause || passed.has(cause)) return root.id;
      passed.add((root = cause));
    }
  };
  return broken
    .filter((finding) => rootOf(finding) === finding.id)
    .map((finding) => ({
      finding,
      implied: broken.filter((other) => other !== finding && rootOf(other) === finding.id),
    }));
}

/** The rules that were not seen, by what a run needs so that they can be judged. */
export function needsOf({
  rules,
}: Pick<WireReview, "rules">): ReadonlyMap<string, readonly WireFinding[]> {
  const needs = new Map<string, WireFinding[]>();
  for (const rule of rules)
    if (rule.verdict === "not_seen") needs.set(rule.says, [...(needs.get(rule.says) ?? []), rule]);
  return needs;
}

/** The questions for the provider as plain text, ready for an e-mail. */
export function questionsText({ assumptions }: Pick<WireReview, "assumptions">): Message {
  const questions = assumptions.map(
    ({ name, choice, question }, index) =>
      say`${index + 1}. ${question}\n   We assume: ${choice} (${name})`,
  );
  const title = say`Questions about your Pix API:`;
  return joined([title, ...questions], "\n\n");
}

/** What the page knows of records, to tell payins from payouts. */
export interface KnownRecords {
  readonly isPayout: (id: string) => boolean;
  readonly delivery: (id: string) => Pick<WireDelivery, "type"> | undefined;
}

/** The records that evidence is about, the most telling one first. */
export function recordsOf(
  { request, delivery, transaction }: WireEvidence,
  known: KnownRecords,
): readonly (Place & { readonly id: string })[] {
  const isPayout = (id: string): boolean =>
    known.isPayout(id) ||
    (delivery !== undefined && (known.delivery(delivery)?.type.startsWith("payout.") ?? false));
  return [
    ...(request === undefined ? [] : [{ pane: "requests", id: request } as const]),
    ...(delivery === undefined ? [] : [{ pane: "webhooks", id: delivery } as const]),
    ...(transaction === undefined
      ? []
      : [{ pane: isPayout(transaction) ? "payouts" : "payins", id: transaction } as const]),
  ];
}
