import { type AssumptionName, ASSUMPTIONS } from "../core/assumptions/table.ts";
import { toIso } from "../wire/timestamp.ts";
import type { Evidence, Finding } from "./finding.ts";
import { COUNTED, type Verdict, VERDICTS } from "./labels.ts";
import type { RuleId } from "./rules.ts";
import { type Language, translate } from "../text/languages.ts";

/** An assumption that the run depended on. */
export interface UsedAssumption {
  readonly name: AssumptionName;
  /** The choice in force. */
  readonly choice: string;
}

/** What the reviewer knows of an integration, or of all. */
export interface Review {
  readonly rules: readonly Finding[];
  readonly assumptions: readonly UsedAssumption[];
}

/** A review as `report --json` and `GET /_sandbox/report` show it. */
export interface WireReview {
  readonly rules: WireFinding[];
  readonly assumptions: WireUsedAssumption[];
}

export interface WireFinding {
  readonly id: RuleId;
  readonly verdict: Verdict;
  readonly says: string;
  readonly evidence: WireEvidence[];
  readonly implied_by?: RuleId | undefined;
  /** Of a broken rule: the assumptions that the verdict depends on. */
  readonly depends_on?: AssumptionName[] | undefined;
  /** Of a pending rule: how long it may take until the verdict, in real time. */
  readonly pending_ms?: number | undefined;
  /** Why the rule does not count, if an option excludes it. */
  readonly ignored?: string | undefined;
}

export interface WireEvidence {
  readonly at: string;
  readonly says: string;
  readonly request?: string | undefined;
  readonly delivery?: string | undefined;
  readonly transaction?: string | undefined;
  readonly command: string;
}

export interface WireUsedAssumption extends UsedAssumption {
  /** The question to ask the provider. */
  readonly question: string;
}

/** @param program the words that start the program, for the commands */
export function toWireReview(
  { rules, assumptions }: Review,
  language: Language,
  program: string,
): WireReview {
  return {
    rules: rules.map((finding) => toWireFinding(finding, language, program)),
    assumptions: assumptions.map((one) => toWireAssumption(one, language)),
  };
}

export function toWireAssumption(
  { name, choice }: UsedAssumption,
  language: Language,
): WireUsedAssumption {
  return { name, choice, question: translate(ASSUMPTIONS[name].question, language) };
}

export function toWireFinding(finding: Finding, language: Language, program: string): WireFinding {
  const { id, verdict, text, evidence, impliedBy, dependsOn, pendingMs } = finding;
  return {
    id,
    verdict,
    says: withProgram(translate(text, language), program),
    evidence: evidence.map((one) => toWireEvidence(one, language, program)),
    ...(impliedBy && { implied_by: impliedBy }),
    ...(dependsOn && { depends_on: [...dependsOn] }),
    ...(pendingMs !== undefined && { pending_ms: Math.ceil(pendingMs) }),
  };
}

/** The texts of the rules call the program by the words with which npx starts it. */
function withProgram(text: string, program: string): string {
  return text.replaceAll("npx pix-sandbox", () => program);
}

function toWireEvidence(evidence: Evidence, language: Language, program: string): WireEvidence {
  const { atMs, text, requestId, deliveryId, transactionId, command } = evidence;
  return {
    at: toIso(atMs),
    says: translate(text, language),
    ...(requestId !== undefined && { request: requestId }),
    ...(deliveryId !== undefined && { delivery: deliveryId }),
    ...(transactionId !== undefined && { transaction: transactionId }),
    command: withProgram(command, program),
  };
}

/** The rules that count, by their verdicts; those that do not; and how many there are of each kind, worst first. */
export function sorted(rules: readonly WireFinding[]) {
  const ignored = rules.filter((rule) => rule.ignored !== undefined);
  const of = (verdict: Verdict): readonly WireFinding[] =>
    rules.filter((rule) => rule.verdict === verdict && rule.ignored === undefined);
  const counts = ([...VERDICTS, "ignored"] as const)
    .map((kind) => {
      const { length: count } = kind === "ignored" ? ignored : of(kind);
      return { kind, count, text: COUNTED[kind](count) };
    })
    .filter(({ kind, count }) => count > 0 || (kind !== "pending" && kind !== "ignored"));
  return { of, ignored, counts };
}

/** The word above a finding that is shown with its evidence. */
export function labelOf({ verdict }: Pick<WireFinding, "verdict">): "fail" | "warning" | "pending" {
  return verdict === "fail" || verdict === "pending" ? verdict : "warning";
}
