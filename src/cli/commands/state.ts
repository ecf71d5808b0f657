import { isFile, labelOf, wrongAddress } from "../../server/options/state-kinds.ts";
import type { CopiedState, StateProblem, StateReport } from "../../server/tools/tools.ts";
import { countsOf } from "../output/render.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import { pathIn } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { withProgress } from "../client/progress.ts";
import { defineGroup, defineOwnCommand, type Run } from "../definition/define-command.ts";
import { freeText } from "../definition/parameters.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { PROGRAM } from "../../platform/program.ts";
import { listed, plural, say } from "../../text/message.ts";
import { english } from "../../text/languages.ts";

/** The maximum of damaged lines and of invalid records to print. */
const SHOWN_DAMAGES = 10;

const FILE = ".pix-sandbox/state.json";

const STATE_FILE = freeText("file", say`the state file`);

const check = defineOwnCommand("state check", {
  summary: say`check whether a state file can be opened; changes nothing`,
  isLocal: true,
  arguments: { file: STATE_FILE },
  async run({ file }, { io, json }) {
    refuseDatabase(file);
    const { checkState } = await import("../../server/tools/tools.ts");
    const label = localize(say`Checking ${file}`);
    const checked = await work(() => checkState(pathIn(io, file)), label, { io, json });
    const report = { ...checked, file };
    if (json) io.printJson({ ...toWire(report), ...problemsOf(report) });
    else io.print(render(report));
    if (!canStart(report)) throw damaged(file);
    if (report.problems.length > 0) throw invalid(file);
  },
  examples: [`state check ${FILE}`, `state check ${FILE} --json`],
});

const repair = defineOwnCommand("state repair", {
  summary: say`recover what can be read, and quarantine the damaged files`,
  isLocal: true,
  arguments: { file: STATE_FILE },
  async run({ file }, { io, json }) {
    refuseDatabase(file);
    const { repairState } = await import("../../server/tools/tools.ts");
    const label = localize(say`Repairing ${file}`);
    const repaired = await work(() => repairState(pathIn(io, file)), label, { io, json });
    const report = { ...repaired, file };
    if (json) io.printJson(toWire(report));
    else io.print(renderRepaired(report));
  },
  examples: [`state repair ${FILE}`],
});

const copy = defineOwnCommand("state copy", {
  summary: say`copy a state between files and databases, with its snapshots`,
  isLocal: true,
  arguments: {
    from: freeText("from", say`a state file, or the address of a database`),
    to: freeText("to", say`the same, where no state is yet`),
  },
  async run({ from, to }, { io, json }) {
    for (const address of [from, to]) refuseAddress(address);
    const { copyState } = await import("../../server/tools/tools.ts");
    const place = (one: string): string => (isFile(one) ? pathIn(io, one) : one);
    const names = { from: labelOf(from), to: labelOf(to) };
    const label = localize(say`Copying ${names.from}`);
    const copied = await work(() => copyState(place(from), place(to)), label, { io, json });
    if (json) io.printJson({ ...names, ...copied });
    else io.print(toSafeLine(renderCopied(copied, names)));
  },
  examples: [
    `state copy ${FILE} copy.json`,
    'state copy copy.json "postgres://user@host/db?sandbox=team"',
  ],
});

export const stateCommand = defineGroup(
  "state",
  [`state check ${FILE}`, `state repair ${FILE}`, `state copy ${FILE} copy.json`],
  [check, repair, copy],
);

/** Does some work on a state, with a progress line and the errors of commands. */
async function work<Result>(
  start: () => Promise<Result>,
  label: string,
  { io, json }: Pick<Run, "io" | "json">,
): Promise<Result> {
  const { toStateError } = await import("../serving/state-errors.ts");
  return withProgress(io, { label: toSafeLine(label), isSilent: json }, () =>
    start().catch(toStateError),
  );
}

function invalid(file: string): CliError {
  return new CliError(
    EXIT.checkFailed,
    "STATE_INVALID",
    say`${file} contains records that the API could not have created.`,
    say`A sandbox can still open it. Correct the listed records, or restore the file.`,
  );
}

function damaged(file: string): CliError {
  return new CliError(
    EXIT.checkFailed,
    "STATE_DAMAGED",
    say`A sandbox cannot open ${file}.`,
    say`To recover the records above and quarantine the damaged files: ${PROGRAM} state repair ${file}`,
  );
}

function refuseAddress(address: string): void {
  const wrong = wrongAddress(address);
  if (wrong) throw usageError(wrong);
}

function renderCopied(
  { payins, payouts, deliveries, snapshots }: CopiedState,
  { from, to }: { readonly from: string; readonly to: string },
): string {
  const counts = listed([
    countsOf(payins, payouts),
    plural(deliveries, say`${deliveries} webhook`, say`${deliveries} webhooks`),
    plural(snapshots, say`${snapshots} snapshot`, say`${snapshots} snapshots`),
  ]);
  return localize(say`Copied from ${from} to ${to}: ${counts}.`);
}

/** @throws CliError for an address, whose password a message about a file would show. */
function refuseDatabase(state: string): void {
  if (isFile(state)) return;
  const label = labelOf(state);
  throw usageError(
    say`${label} is not the path of a state file.`,
    say`For a state in a database, serve and exec check it when they start: ${PROGRAM} serve --state <address>`,
  );
}

/** Whether `serve` can start with the state. It cuts off an incomplete last line. */
function canStart({ damages, hasStateFile }: StateReport): boolean {
  return damages.length === 0 && hasStateFile;
}

function render(report: StateReport & Problems): string {
  const { file, damages, tornTail, hasStateFile, changed, problems } = report;
  const lines = canStart(report)
    ? [
        problems.length === 0
          ? localize(say`${file} is intact: ${describe(report)}.`)
          : localize(say`${file} can be opened: ${describe(report)}.`),
      ]
    : [
        ...(hasStateFile ? [] : [localize(say`${file} is missing, but its journal exists.`)]),
        ...damages
          .slice(0, SHOWN_DAMAGES)
          .map((damage) =>
            localize(say`line ${damage.line} of ${damage.file} is damaged: ${damage.reason}.`),
          ),
        ...(damages.length > SHOWN_DAMAGES
          ? [localize(say`and ${damages.length - SHOWN_DAMAGES} more lines.`)]
          : []),
        localize(say`Recoverable: ${describe(report)}.`),
      ];
  if (changed !== undefined)
    lines.push(localize(say`${file} was edited after the sandbox wrote it: ${changed}.`));
  for (const { list, id, text: reason } of problems.slice(0, SHOWN_DAMAGES))
    lines.push(describeProblem(list, id, localize(reason)));
  if (problems.length > SHOWN_DAMAGES)
    lines.push(localize(say`and ${problems.length - SHOWN_DAMAGES} more records.`));
  if (tornTail)
    lines.push(
      localize(
        say`Line ${tornTail.line} of ${tornTail.file} is incomplete: the next start cuts it off and quarantines it.`,
      ),
    );
  return lines.map(toSafeLine).join("\n");
}

function renderRepaired(report: StateReport): string {
  const { file, damages, aside, tornTail } = report;
  if (aside.length === 0 && damages.length === 0 && !tornTail)
    return toSafeLine(localize(say`${file} is intact, nothing was changed: ${describe(report)}.`));
  return [
    localize(say`${file} contains the recovered records: ${describe(report)}.`),
    ...aside.map((folder) => localize(say`The damaged files are in ${folder}.`)),
  ]
    .map(toSafeLine)
    .join("\n");
}

function describe({ payins, payouts, deliveries, commits }: StateReport): string {
  return localize(
    say`${payins} payins, ${payouts} payouts and ${deliveries} webhooks, after ${commits} commits`,
  );
}

interface Problems {
  readonly problems: readonly StateProblem[];
}

/** The members of a check's report that a repair's report does not have. */
function problemsOf(report: StateReport & Problems) {
  return {
    sound: canStart(report) && report.problems.length === 0,
    changed: (report.changed && english(report.changed)) ?? null,
    problems: report.problems.map((one) => ({
      list: one.list,
      id: one.id,
      reason: english(one.text),
    })),
  };
}

function describeProblem(list: StateProblem["list"], id: string, sentence: string): string {
  if (list === "payins") return localize(say`payin ${id}: ${sentence}`);
  return list === "payouts"
    ? localize(say`payout ${id}: ${sentence}`)
    : localize(say`webhook ${id}: ${sentence}`);
}

function toWire(report: StateReport) {
  return {
    file: report.file,
    sound: canStart(report),
    has_state_file: report.hasStateFile,
    payins: report.payins,
    payouts: report.payouts,
    deliveries: report.deliveries,
    commits: report.commits,
    damages: report.damages.map((damage) => ({ ...damage, reason: english(damage.reason) })),
    torn_tail: report.tornTail ?? null,
    aside: report.aside,
  };
}
