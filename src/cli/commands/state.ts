import { Command } from "commander";
import type { StateProblem, StateReport } from "../../sandbox/tools.ts";
import { CliError, EXIT } from "../errors.ts";
import type { Io } from "../io.ts";
import { t, tellSentence } from "../language.ts";
import { jsonOption, withExamples } from "../options.ts";
import { toSafeLine } from "../../core/safe-text.ts";

/** So many damaged lines, and so many records that break a rule, are printed one by one. */
const SHOWN_DAMAGES = 10;

export function stateCommand(io: Io): Command {
  const command = new Command("state").description(
    "look after a state file; no sandbox may run on it",
  );
  command.addCommand(checkCommand(io));
  command.addCommand(repairCommand(io));
  return withExamples(command, [`state check ${FILE}`, `state repair ${FILE}`]);
}

const FILE = ".pix-sandbox/state.json";

function checkCommand(io: Io): Command {
  const command = new Command("check")
    .description("say whether a state can be opened, and what is wrong with it; changes nothing")
    .argument("<file>", "the state file")
    .addOption(jsonOption())
    .action(async (file: string, { json }: { json?: boolean }) => {
      const { checkState } = await import("../../sandbox/tools.ts");
      const { toStateError } = await import("../state-errors.ts");
      const report = await checkState(file).catch(toStateError);
      if (json) io.printJson({ ...toWire(report), ...problemsOf(report) });
      else io.print(render(report));
      if (canStart(report) && report.problems.length === 0) return;
      if (canStart(report)) {
        throw new CliError(
          EXIT.checkFailed,
          "STATE_INVALID",
          t`${file} holds records that the API would not have made.`,
          t`A sandbox can still open it. Correct the records that are named, or restore the file.`,
        );
      }
      throw new CliError(
        EXIT.checkFailed,
        "STATE_DAMAGED",
        t`A sandbox cannot be started on ${file}.`,
        t`pix-sandbox state repair ${file} keeps what is said above, and puts the damaged files aside.`,
      );
    });
  return withExamples(command, [`state check ${FILE}`, `state check ${FILE} --json`]);
}

function repairCommand(io: Io): Command {
  const command = new Command("repair")
    .description("keep what can be read, and put the damaged files aside")
    .argument("<file>", "the state file")
    .addOption(jsonOption())
    .action(async (file: string, { json }: { json?: boolean }) => {
      const { repairState } = await import("../../sandbox/tools.ts");
      const { toStateError } = await import("../state-errors.ts");
      const report = await repairState(file).catch(toStateError);
      if (json) io.printJson(toWire(report));
      else io.print(renderRepaired(report));
    });
  return withExamples(command, [`state repair ${FILE}`]);
}

/** Whether `serve` starts on it; a last line that was not finished it cuts off by itself. */
function canStart({ damages, hasStateFile }: StateReport): boolean {
  return damages.length === 0 && hasStateFile;
}

function render(report: StateReport & Problems): string {
  const { file, damages, tornTail, hasStateFile, changed, problems } = report;
  const lines = canStart(report)
    ? [
        problems.length === 0
          ? t`${file} is sound: ${describe(report)}.`
          : t`${file} can be opened: ${describe(report)}.`,
      ]
    : [
        ...(hasStateFile ? [] : [t`${file} is gone, and its journal is there.`]),
        ...damages
          .slice(0, SHOWN_DAMAGES)
          .map(
            (damage) =>
              t`line ${damage.line} of ${damage.file} is damaged: ${tellSentence(damage.reason)}.`,
          ),
        ...(damages.length > SHOWN_DAMAGES
          ? [t`and ${damages.length - SHOWN_DAMAGES} more lines.`]
          : []),
        t`What can be kept: ${describe(report)}.`,
      ];
  if (changed !== undefined)
    lines.push(t`${file} has changed since it was written: ${tellSentence(changed)}.`);
  for (const { list, id, text } of problems.slice(0, SHOWN_DAMAGES))
    lines.push(describeProblem(list, id, tellSentence(text)));
  if (problems.length > SHOWN_DAMAGES)
    lines.push(t`and ${problems.length - SHOWN_DAMAGES} more records.`);
  if (tornTail)
    lines.push(
      t`Line ${tornTail.line} of ${tornTail.file} was not finished: the next start cuts it off and keeps it aside.`,
    );
  return lines.map(toSafeLine).join("\n");
}

function renderRepaired(report: StateReport): string {
  const { file, damages, aside, tornTail } = report;
  if (aside.length === 0 && damages.length === 0 && !tornTail)
    return toSafeLine(t`${file} is sound, nothing was changed: ${describe(report)}.`);
  return [
    t`${file} holds what could be kept: ${describe(report)}.`,
    ...aside.map((kept) => t`What was damaged is kept in ${kept}.`),
  ]
    .map(toSafeLine)
    .join("\n");
}

function describe({ payins, payouts, deliveries, commits }: StateReport): string {
  return t`${payins} payins, ${payouts} payouts and ${deliveries} webhooks, after ${commits} commits`;
}

interface Problems {
  readonly problems: readonly StateProblem[];
}

/** The members of a check's report that a repair's has not. */
function problemsOf(report: StateReport & Problems) {
  return {
    sound: canStart(report) && report.problems.length === 0,
    changed: report.changed?.en ?? null,
    problems: report.problems.map(({ list, id, text }) => ({ list, id, reason: text.en })),
  };
}

function describeProblem(list: StateProblem["list"], id: string, sentence: string): string {
  if (list === "payins") return t`payin ${id}: ${sentence}`;
  return list === "payouts" ? t`payout ${id}: ${sentence}` : t`webhook ${id}: ${sentence}`;
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
    damages: report.damages.map((damage) => ({ ...damage, reason: damage.reason.en })),
    torn_tail: report.tornTail ?? null,
    aside: report.aside,
  };
}
