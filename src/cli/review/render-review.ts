import type { ChalkInstance } from "chalk";
import { LABELS, VERDICT_WORDS } from "../../review/labels.ts";
import {
  labelOf,
  sorted,
  type WireEvidence,
  type WireFinding,
  type WireReview,
} from "../../review/report.ts";
import { type RuleId, ruleOf } from "../../review/rules.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { DEFAULT_URL, urlOption } from "../client/command-client.ts";
import { localize } from "../terminal/language.ts";
import { foldText } from "../terminal/table.ts";
import { toFullTime } from "../terminal/times.ts";
import { ANY_PROGRAM, PROGRAM } from "../../platform/program.ts";
import { plural, say } from "../../text/message.ts";

/** How a review is printed: colors, and the width of a terminal. */
export interface ReviewLook {
  readonly color: ChalkInstance;
  readonly columns?: number | undefined;
  /** The address of the sandbox, for the commands. Default: the default address. */
  readonly url?: string;
  /** The command that prints the questions to the provider. Default: `report --questions`. */
  readonly questions?: string;
  /** The command that prints all evidence. Default: `report --json`. */
  readonly all?: string;
  /** Whether the commands of the evidence are printed elsewhere. */
  readonly withoutCommands?: boolean;
}

/** The newest evidence of a rule that is shown; the rest is counted. */
const SHOWN_EVIDENCE = 3;

/** The review as text: what is wrong first, each cause with what it implies. */
export function renderReview({ rules, assumptions }: WireReview, look: ReviewLook): string {
  const { of, ignored } = sorted(rules);
  const broken = [...of("fail"), ...of("warning"), ...of("pending")];
  // A rule whose cause was not selected, or does not count, stands alone.
  const ids = new Set(broken.map(({ id }) => id));
  const causes = broken.filter(
    ({ implied_by }) => implied_by === undefined || !ids.has(implied_by),
  );
  const blocks = [
    renderHeader(rules, look),
    ...causes.map((cause) => renderCause(cause, broken, look)),
    ...renderIgnored(ignored, look),
    ...renderPassed(of("pass"), look),
    ...renderNotSeen(of("not_seen"), look),
    ...(assumptions.length > 0 ? [renderAssumptions(assumptions, look)] : []),
  ];
  return blocks.join("\n\n");
}

/** The questions to the provider, for an e-mail. */
export function renderQuestions({ assumptions }: Pick<WireReview, "assumptions">): string {
  if (assumptions.length === 0) return localize(say`The run depended on no assumption.`);
  return [
    localize(say`We integrate with your Pix API. The specification leaves these points open:`),
    ...assumptions.map(({ name, choice, question }, index) => {
      const assumed = localize(say`We assume`);
      return toSafeLines([`${index + 1}. ${question}`, `   (${assumed}: ${name}=${choice})`]);
    }),
  ].join("\n\n");
}

function renderHeader(rules: readonly WireFinding[], { color, columns }: ReviewLook): string {
  const counts = sorted(rules).counts.map(({ kind, count, text }) => {
    const shown = localize(text);
    return count > 0 ? painted(kind === "ignored" ? "not_seen" : kind, color)(shown) : shown;
  });
  const title = color.bold(localize(LABELS.title));
  return foldText(`${title}: ${counts.join(", ")}`, columns);
}

function painted(verdict: WireFinding["verdict"], color: ChalkInstance): (text: string) => string {
  const { red, yellow, cyan, green, dim } = color;
  return { fail: red, warning: yellow, pending: cyan, pass: green, not_seen: dim }[verdict];
}

function renderCause(
  cause: WireFinding,
  rules: readonly WireFinding[],
  { color, columns, url = DEFAULT_URL, all, withoutCommands = false }: ReviewLook,
): string {
  const { id, verdict, says, evidence } = cause;
  const kind = localize(LABELS[labelOf(cause)]);
  const implied = rules.filter(({ implied_by }) => implied_by === id);
  const text = (lines: readonly string[]): string => foldText(toSafeLines(lines), columns);
  return [
    painted(verdict, color)(`${kind} ${nameOf(id)}`),
    text([
      `  ${says}`,
      ...(["harm", "change"] as const).map(
        (what) => `  ${localize(LABELS[what])}: ${localize(ruleOf(id)[what])}`,
      ),
      ...implied.map((one) => `  ${localize(say`It implies`)} ${nameOf(one.id)}: ${one.says}`),
    ]),
    ...evidence.slice(-SHOWN_EVIDENCE).flatMap(({ at, says: seen, command }: WireEvidence) => [
      text([`  - ${toFullTime(new Date(at))} ${seen}`]),
      // A command that is broken into lines cannot be copied.
      ...(withoutCommands ? [] : [color.cyan(toSafeLine(`      ${toOwnCommand(command, url)}`))]),
    ]),
    ...renderRest(
      evidence.length - SHOWN_EVIDENCE,
      columns,
      all ?? `report --json${urlOption(url)}`,
    ),
  ].join("\n");
}

function renderRest(count: number, columns: number | undefined, all: string): readonly string[] {
  if (count <= 0) return [];
  const rest = plural(
    count,
    say`  - ${count} earlier case: ${PROGRAM} ${all}`,
    say`  - ${count} earlier cases: ${PROGRAM} ${all}`,
  );
  return [foldText(localize(rest), columns)];
}

/** The rules that do not count, with their reasons. */
function renderIgnored(ignored: readonly WireFinding[], { color, columns }: ReviewLook): string[] {
  if (ignored.length === 0) return [];
  const lines = ignored.map(
    ({ id, verdict, ignored: reason = "" }) =>
      `  ${nameOf(id)} (${localize(VERDICT_WORDS[verdict])}): ${reason}`,
  );
  return [`${color.dim(localize(LABELS.ignored))}\n${foldText(toSafeLines(lines), columns)}`];
}

function renderPassed(passed: readonly WireFinding[], { color, columns }: ReviewLook): string[] {
  if (passed.length === 0) return [];
  const lines = passed.map(({ id, says }) => `  ${nameOf(id)}: ${says}`);
  return [`${color.green(localize(LABELS.passed))}\n${foldText(toSafeLines(lines), columns)}`];
}

/** The rules that were not judged, together if the run lacked the same for them. */
function renderNotSeen(unseen: readonly WireFinding[], { color, columns }: ReviewLook): string[] {
  if (unseen.length === 0) return [];
  const bySays = new Map<string, WireFinding[]>();
  for (const one of unseen) bySays.set(one.says, [...(bySays.get(one.says) ?? []), one]);
  const lines = [...bySays].map(
    ([says, rules]) =>
      `${foldNames(rules, columns)}\n${foldText(toSafeLine(`    ${toOwnCommand(says)}`), columns)}`,
  );
  const title = localize(say`Not seen, and what each needs`);
  return [[color.dim(title), ...lines].join("\n")];
}

/** How many choices of ours the run depended on; the questions are long, and for the provider. */
function renderAssumptions(
  { length }: WireReview["assumptions"],
  { columns, url = DEFAULT_URL, questions = `report --questions${urlOption(url)}` }: ReviewLook,
): string {
  const assumptions = plural(length, say`${length} assumption`, say`${length} assumptions`);
  return foldText(
    localize(say`The run depended on ${assumptions}. To ask the provider: ${PROGRAM} ${questions}`),
    columns,
  );
}

function nameOf(id: RuleId): string {
  return `${ruleOf(id).number} ${id}`;
}

/** A line of names, broken only between them. */
function foldNames(rules: readonly WireFinding[], columns: number | undefined): string {
  const names = rules.map(({ id }) => nameOf(id).replace(" ", NO_BREAK));
  return foldText(`  ${names.join(", ")}`, columns).replaceAll(NO_BREAK, " ");
}

const NO_BREAK = "\u00a0";

/** The sandbox's texts name its program as any reader can start it, and no address. */
function toOwnCommand(text: string, url = DEFAULT_URL): string {
  return text.replace(
    new RegExp(`${ANY_PROGRAM.source}([^;]*)`, "g"),
    (_, rest: string) => PROGRAM + rest + urlOption(url),
  );
}

/** Lines whose texts can come from outside. */
function toSafeLines(lines: readonly string[]): string {
  return lines.map(toSafeLine).join("\n");
}
