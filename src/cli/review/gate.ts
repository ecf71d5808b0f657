import { InvalidArgumentError } from "commander";
import { writeFile } from "node:fs/promises";
import {
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
import { joined, type Message, say } from "../../text/message.ts";
import { PROGRAM } from "../../platform/program.ts";
import { flag, type Given, oneOf, parsed, word } from "../definition/parameters.ts";
import { CliError, EXIT, unwritableFile, usageError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { foldText } from "../terminal/table.ts";

/** The options of commands that print a review, and fail if it is not good enough. */
export const GATE_FLAGS = {
  markdown: flag(say`print Markdown, for a comment of a pull request`),
  junit: word("file", say`also write a JUnit file`),
  fail_on: oneOf(FAIL_LEVELS, "level", say`exit with 8 if a rule has this verdict or a worse one`),
  ignore: parsed(
    "rule=reason",
    collectIgnored,
    say`do not fail for this rule, and show the reason; repeatable`,
    { isRepeatable: true },
  ),
};

export type GateFlags = Given<unknown, typeof GATE_FLAGS>;

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
  const review = withIgnored(found, gate);
  print(review);
  if (junit !== undefined) await write(pathIn(io, junit), toJunit(review));
  const next = gate.unjudged ? undefined : NEXT;
  const reasons = reasonsToFail(review, gate);
  const [first] = reasons;
  if (first)
    return new CliError(
      EXIT.checkFailed,
      first.code,
      joined(reasons.map(({ text }) => text)),
      first.code === "NOTHING_JUDGED" ? next : undefined,
    );
  const unjudged = whyUnjudged(review, gate);
  if (unjudged && !json) {
    const texts = next ? [unjudged, next] : [unjudged];
    io.printError(foldText(texts.map((text) => localize(text)).join(" "), io.columns));
  }
  return undefined;
}

const NEXT = say`Each rule says what it needs.`;

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

/** Why a run of `exec` shows nothing, if its command made no call to its sandbox: every call depends on an assumption. */
export function whyUncalled({ assumptions }: Pick<WireReview, "assumptions">): Message | undefined {
  if (assumptions.length > 0) return undefined;
  return say`The command made no call to the sandbox of exec: let your code call PIX_SANDBOX_BASE_URL, or pass that address under another name with --as. In tests, replace startSandbox() with useSandbox(), and leave out the options of test set-ups.`;
}
