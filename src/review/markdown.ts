import { toSafeLine } from "../text/plain/safe-text.ts";
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
  const inWords = (words: Message): string => translate(words, language);
  const implies = inWords(say`This implies`);
  const lines = [
    `## ${inWords(LABELS.title)}`,
    "",
    counts.map((one) => inWords(one.text)).join(", "),
    ...causes.flatMap((cause) => [
      "",
      ...toSection(cause, language),
      ...broken
        .filter(({ implied_by }) => implied_by === cause.id)
        .map((implied) => `- ${implies}: ${headOf(implied)}`),
    ]),
    ...toDetails(
      inWords(LABELS.ignored),
      ignored.map(
        ({ id, verdict, ignored: reason = "" }) =>
          `${nameOf(id)} (${inWords(VERDICT_WORDS[verdict])}): ${text(reason)}`,
      ),
    ),
    ...toDetails(inWords(LABELS.passed), of("pass").map(headOf)),
    ...toDetails(inWords(say`Not seen`), of("not_seen").map(headOf)),
    ...toDetails(
      inWords(say`Questions for the provider`),
      assumptions.map(
        ({ name, choice, question }) => `${code(`${name}=${choice}`)}: ${text(question)}`,
      ),
    ),
    "",
  ];
  return lines.join("\n");
}

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

function toDetails(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  return [
    "",
    `<details><summary>${title} (${items.length})</summary>`,
    "",
    ...items.map((item) => `- ${item}`),
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

/** Text from outside must not become markup. */
function text(given: string): string {
  return toSafeLine(given.replace(/\s+/g, " ")).replace(
    /[\\`*_[\]<>&|#~@]/g,
    (character) => `\\${character}`,
  );
}

/** A code span whose fence is longer than any in the text. */
function code(given: string): string {
  const line = toSafeLine(given.replace(/\s+/g, " "));
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest > 0 ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}
