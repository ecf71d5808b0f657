import { code, text } from "../text/plain/markdown.ts";
import { LABELS, VERDICT_WORDS } from "./labels.ts";
import { labelOf, sorted, type WireFinding, type WireReview } from "./report.ts";
import { ruleOf } from "./rules.ts";
import { type Message, say } from "../text/message.ts";
import { type Language, translate } from "../text/languages.ts";

/** The report for a comment of a pull request. */
export function toMarkdown({ rules, assumptions }: WireReview, language: Language): string {
  const { of, ignored, counts } = sorted(rules);
  const broken = [...of("fail"), ...of("warning"), ...of("pending")];
  const ids = new Set(broken.map(({ id }) => id));
  const causes = broken.filter(({ implied_by: cause }) => cause === undefined || !ids.has(cause));
  const lines = [
    `## ${translate(LABELS.title, language)}`,
    "",
    counts.map((one) => translate(one.text, language)).join(", "),
    ...causes.flatMap((cause) => [
      "",
      ...toSection(cause, language),
      ...broken
        .filter(({ implied_by }) => implied_by === cause.id)
        .map((implied) => `- ${translate(TEXTS.implies, language)}: ${headOf(implied)}`),
    ]),
    ...toDetails(
      translate(LABELS.ignored, language),
      ignored.map(
        ({ id, verdict, ignored: reason = "" }) =>
          `- ${nameOf(id)} (${translate(VERDICT_WORDS[verdict], language)}): ${text(reason)}`,
      ),
    ),
    ...toDetails(
      translate(LABELS.passed, language),
      of("pass").map((rule) => `- ${headOf(rule)}`),
    ),
    ...toDetails(
      translate(TEXTS.notSeen, language),
      of("not_seen").map((rule) => `- ${headOf(rule)}`),
    ),
    ...toDetails(
      translate(TEXTS.questions, language),
      assumptions.map(
        ({ name, choice, question }) => `- ${code(`${name}=${choice}`)}: ${text(question)}`,
      ),
    ),
    "",
  ];
  return lines.join("\n");
}

const TEXTS = {
  implies: say`This implies`,
  notSeen: say`Not seen`,
  questions: say`Questions for the provider`,
} satisfies Record<string, Message>;

function toSection(finding: WireFinding, language: Language): readonly string[] {
  const kind = translate(LABELS[labelOf(finding)], language);
  return [
    `### ${kind}: ${headOf(finding)}`,
    "",
    ...(["harm", "change"] as const).flatMap((what) => [
      `${translate(LABELS[what], language)}: ${text(translate(ruleOf(finding.id)[what], language))}`,
      "",
    ]),
    ...finding.evidence.map(({ says, command }) => `- ${text(says)} ${code(command)}`),
  ];
}

function toDetails(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  return [
    "",
    `<details><summary>${title} (${lines.length})</summary>`,
    "",
    ...lines,
    "",
    "</details>",
  ];
}

function headOf({ id, says }: WireFinding): string {
  return `${nameOf(id)} ${text(says)}`;
}

function nameOf(id: WireFinding["id"]): string {
  return code(`${ruleOf(id).number} ${id}`);
}
