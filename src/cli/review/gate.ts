import { InvalidArgumentError } from "commander";
import { writeFile } from "node:fs/promises";
import {
  type Baseline,
  FAIL_LEVELS,
  type Gate,
  reasonsToFail,
  withIgnored,
  whyUnjudged,
} from "../../review/gate.ts";
import { toJunit } from "../../review/junit.ts";
import type { WireReview } from "../../review/report.ts";
import { RULE_IDS, type RuleId, ruleOf } from "../../review/rules.ts";
import { closest } from "../../text/suggestion.ts";
import { joined, say } from "../../text/message.ts";
import { PROGRAM } from "../../platform/program.ts";
import { flag, type Given, oneOf, parsed, word } from "../definition/parameters.ts";
import { CliError, EXIT, unwritableFile, usageError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { coreLanguage, localize } from "../terminal/language.ts";
import { readBytes } from "../terminal/read-bytes.ts";

/** The options of commands that print a review, and fail if it is not good enough. */
export const GATE_FLAGS = {
  markdown: flag(say`print Markdown, for a comment of a pull request`),
  junit: word("file", say`also write a JUnit file`),
  fail_on: oneOf(FAIL_LEVELS, "level", say`exit with 8 if a rule has this verdict or a worse one`),
  require: parsed("rule", collectRule, say`exit with 8 unless this rule has passed; repeatable`),
  ignore: parsed(
    "rule=reason",
    collectIgnored,
    say`do not fail for this rule, and show the reason; repeatable`,
  ),
  baseline: word("file", say`fail only for what is worse than in this report, written with --json`),
};

export type GateFlags = Given<unknown, typeof GATE_FLAGS>;

/**
 * Reads what a review has to fulfil.
 * @param judged what is known of the review before
 * @throws CliError if the options contradict each other, or the baseline is not a report.
 */
export async function readGate(
  { fail_on, require = [], ignore = new Map(), baseline }: GateFlags,
  io: Io,
  judged: Pick<Gate, "token" | "effect"> = {},
): Promise<Gate> {
  const both = require.find((id) => ignore.has(id));
  if (both !== undefined)
    throw usageError(
      say`--require ${both} and --ignore ${both} cannot be combined.`,
      say`Leave one of them out.`,
    );
  return {
    ...judged,
    failOn: fail_on,
    required: require,
    ignored: ignore,
    baseline: baseline === undefined ? undefined : await readBaseline(baseline, io),
  };
}

/** @throws CliError for more than one of them. */
export function assertOneFormat(formats: Readonly<Record<string, boolean | undefined>>): void {
  const [one, other] = Object.keys(formats).filter((name) => formats[name]);
  if (other === undefined) return;
  throw usageError(
    say`--${one ?? ""} and --${other} cannot be combined.`,
    say`Run the command once for each.`,
  );
}

/**
 * Shows a review, writes its JUnit file, and decides.
 * @param options.print shows the review, with the rules that do not count
 * @returns the error with which the command ends, if the review does not pass
 * @throws CliError if the JUnit file cannot be written.
 */
export async function applyGate(
  found: WireReview,
  gate: Gate,
  {
    junit,
    json,
    io,
    print,
  }: {
    readonly junit: string | undefined;
    readonly json: boolean;
    readonly io: Io;
    readonly print: (review: WireReview) => void;
  },
): Promise<CliError | undefined> {
  // JSON is for programs: it does not depend on the language of the command.
  const review = withIgnored(found, gate, json ? "en" : coreLanguage());
  print(review);
  if (junit !== undefined) await write(pathIn(io, junit), toJunit(review));
  const reasons = reasonsToFail(review, gate);
  const [first] = reasons;
  if (first)
    return new CliError(
      EXIT.checkFailed,
      first.code,
      joined(reasons.map(({ text }) => text)),
      first.code === "NOTHING_JUDGED" ? NEXT : undefined,
    );
  const unjudged = whyUnjudged(review, gate);
  if (unjudged && !json) io.printError(`${localize(unjudged)} ${localize(NEXT)}`);
  return undefined;
}

const NEXT = say`Each rule says what it needs.`;

async function readBaseline(file: string, io: Io): Promise<Baseline> {
  const bytes = await readBytes(file, io);
  const { parseBaseline } = await import("./baseline.ts");
  const baseline = parseBaseline(bytes.toString());
  if (baseline) return baseline;
  throw usageError(
    say`The baseline ${file} is not a report.`,
    say`Write one: ${PROGRAM} report --json > ${file}`,
  );
}

function collectRule(text: string, before: readonly RuleId[] = []): readonly RuleId[] {
  return [...before, readRule(text, RULE_IDS)];
}

function collectIgnored(
  text: string,
  before: ReadonlyMap<RuleId, string> = new Map(),
): ReadonlyMap<RuleId, string> {
  const [, name = text, reason = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const rule = readRule(name, RULE_IDS);
  if (reason.trim() !== "") return new Map([...before, [rule, reason.trim()]]);
  throw new InvalidArgumentError(
    localize(say`Give the reason, which the report shows: --ignore ${rule}="not used yet".`),
  );
}

/** Reads a rule's id or number. @throws InvalidArgumentError for another text, with a suggestion. */
export function readRule(text: string, allowed: readonly RuleId[]): RuleId {
  const rule = RULE_IDS.find((id) => id === text || String(ruleOf(id).number) === text);
  if (rule && allowed.includes(rule)) return rule;
  const meant = closest(text, allowed);
  throw new InvalidArgumentError(
    rule
      ? localize(say`This check cannot judge that rule. See ${PROGRAM} report.`)
      : meant === undefined
        ? localize(say`Use one of ${allowed.join(", ")}, or its number.`)
        : localize(say`Did you mean "${meant}"?`),
  );
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: Error) => {
    throw unwritableFile(
      file,
      error,
      say`Check that its folder exists and is writable, or name another file with --junit.`,
    );
  });
}
