import { stripVTControlCharacters } from "node:util";
import { type AssumptionName, ASSUMPTIONS } from "../../core/assumptions/table.ts";
import { hasLocalizedText } from "../../core/records/errors.ts";
import { toSafeLine, toSafeText } from "../../text/plain/safe-text.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { cutToWidth, foldText, renderTable, type Table } from "../terminal/table.ts";
import type { Ended, Run } from "./run.ts";
import { rounded, say } from "../../text/message.ts";
import { english } from "../../text/languages.ts";

/** How many lines of a failed run's output are shown if none of them is known to begin a failure. */
const SHOWN_LINES = 10;
/** How many lines are shown of a failure: the first one says what failed. */
const FAILURE_LINES = 7;
/** How test runners begin a failure, the most exact first: an assertion says more than a test's name. */
const FAILURES: readonly RegExp[] = [
  /AssertionError|Failed asserting|^E {3}/,
  /^\s*--- FAIL|^\s*not ok\b/,
  /Error:/,
  /✕|\bFAIL\b/,
];

export interface Matrix {
  readonly baseline: Ended;
  readonly runs: readonly Run[];
}

export type RepeatCommand = (run: Run) => string;

/** The document of `--json`, which does not depend on the language of the command. */
export function toDocument({ baseline, runs }: Matrix) {
  return {
    baseline: toWireResult(baseline),
    runs: runs.map(({ name, choice, result, refusal }) => ({
      name,
      choice,
      ...(result
        ? { ...toWireResult(result), reached: result.reached.includes(name), error: null }
        : {
            ok: null,
            exit_code: null,
            duration_ms: null,
            output_tail: "",
            reached: null,
            error: hasLocalizedText(refusal?.cause)
              ? english(refusal.cause.text)
              : refusal?.message,
          }),
      question: english(ASSUMPTIONS[name].question),
    })),
    depends_on: dependsOn(runs),
  };
}

function toWireResult({ exitCode, durationMs, output }: Ended) {
  return {
    ok: exitCode === 0,
    exit_code: exitCode,
    duration_ms: durationMs,
    output_tail: output,
  };
}

/** The assumptions of which a choice makes the command fail, in the order of the table. */
function dependsOn(runs: readonly Run[]): AssumptionName[] {
  return [...new Set(runs.filter(isRed).map(({ name }) => name))];
}

function isRed({ result }: Pick<Run, "result">): boolean {
  return result !== undefined && result.exitCode !== 0;
}

/** Whether a run passed without a use of the assumption that was changed: it shows nothing. */
function isIdle({ name, result }: GridRow): boolean {
  return name !== undefined && result?.exitCode === 0 && !result.reached.includes(name);
}

/** Renders the grid, the conclusion, and what to ask the provider. */
export function renderMatrix({ baseline, runs }: Matrix, repeat: RepeatCommand, io: Io): string {
  const rows: GridRow[] = [{ result: baseline }, ...runs];
  const red = dependsOn(runs);
  return [
    renderTable(GRID, rows, io),
    foldText(renderConclusion(red, runs, baseline.reached.length > 0), io.columns),
    ...red.map((name) =>
      renderDependency(
        name,
        runs.filter((run) => run.name === name && isRed(run)),
        repeat,
        io,
      ),
    ),
    ...runs
      .filter(({ refusal }) => refusal !== undefined)
      .map((run) => foldText(renderNotStarted(run), io.columns)),
  ].join("\n\n");
}

/** The baseline has no name. */
type GridRow = Pick<Run, "result"> & Partial<Run>;

const GRID: Table<GridRow> = {
  none: say`No runs.`,
  columns: [
    {
      title: say`ASSUMPTION`,
      text: ({ name }) => name ?? localize(say`(baseline)`),
    },
    {
      title: say`CHOICE`,
      text: ({ choice }) => String(choice ?? ""),
    },
    {
      title: say`RESULT`,
      text: (row) => resultOf(row),
      isFailure: isRed,
    },
    {
      title: say`EXIT`,
      text: ({ result }) => String(result?.exitCode ?? "-"),
    },
    {
      title: say`TIME`,
      text: ({ result }) =>
        result ? localize(say`${rounded(result.durationMs / 1000, 1)} s`) : "-",
    },
  ],
};

function resultOf(row: GridRow): string {
  if (!row.result) return localize(say`not started`);
  if (isRed(row)) return localize(say`red`);
  return isIdle(row) ? localize(say`green, not reached`) : localize(say`green`);
}

function renderConclusion(
  red: readonly AssumptionName[],
  runs: readonly Run[],
  isSandboxUsed: boolean,
): string {
  const tested = new Set(runs.filter(({ result }) => result).map(({ name }) => name)).size;
  if (tested === 0) return localize(say`No alternative could be started.`);
  if (red.length === 0 && !isSandboxUsed)
    return localize(
      say`The tests made no gateway call to their sandbox, so the runs show nothing about the open questions.`,
    );
  const idle = [...new Set(runs.filter(isIdle).map(({ name }) => name))];
  const conclusion =
    red.length === 0
      ? localize(
          say`The tests pass with every choice that ran: they depend on none of these open questions (assumptions changed: ${tested}).`,
        )
      : localize(
          say`The integration depends on ${red.length} of the ${tested} open questions that were changed: ${red.join(", ")}. Ask the provider before production.`,
        );
  if (idle.length === 0 || !isSandboxUsed) return conclusion;
  return [
    conclusion,
    localize(
      say`The tests did not get to where these apply, so their green runs show nothing: ${idle.join(", ")}.`,
    ),
  ].join("\n");
}

/** One question, and each choice that makes the command fail. */
function renderDependency(
  name: AssumptionName,
  runs: readonly Run[],
  repeat: RepeatCommand,
  { columns, color }: Io,
): string {
  const { gap, question } = ASSUMPTIONS[name];
  const facts = [
    `  ${localize(say`Open question`)}: ${localize(gap)}`,
    `  ${localize(say`Ask the provider`)}: ${localize(question)}`,
  ];
  return [
    color.bold(name),
    foldText(facts.join("\n"), columns),
    ...runs.flatMap((run) => [
      `  ${color.red(`${name}=${run.choice}`)}`,
      ...failureLines(run.result?.output ?? "").map(
        (line) => `    | ${columns === undefined ? line : cutToWidth(line, columns - 6)}`,
      ),
      // Not folded: it is to be copied.
      `    ${localize(say`Repeat`)}: ${repeat(run)}`,
    ]),
  ].join("\n");
}

function renderNotStarted({ name, choice, refusal }: Run): string {
  const { message = "", hint, cause } = refusal ?? {};
  const reason = toSafeText(hasLocalizedText(cause) ? localize(cause.text) : message);
  return [
    localize(say`${name}=${choice} could not be started: ${reason}`),
    ...(hint === undefined ? [] : [`  ${toSafeText(hint)}`]),
  ].join("\n");
}

/** The lines that say what failed, or else the last ones. */
function failureLines(output: string): string[] {
  const lines = readableLines(output);
  if (lines.length === 0) return [localize(say`(no output)`)];
  for (const failure of FAILURES) {
    const start = lines.findIndex((line) => failure.test(line));
    if (start >= 0) return lines.slice(start, start + FAILURE_LINES);
  }
  return lines.slice(-SHOWN_LINES);
}

/** The lines of a command's output that are safe to print, without colors and empty lines at the end. */
export function readableLines(output: string): string[] {
  const text = stripVTControlCharacters(output).replaceAll("\r\n", "\n").trimEnd();
  return text === "" ? [] : text.split("\n").map(toSafeLine);
}
