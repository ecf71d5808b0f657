import { isFile, labelOf, wrongAddress } from "../../server/options/state-kinds.ts";
import type { CopiedState, StateProblem, StateReport } from "../../server/tools/tools.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import { pathIn } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { withProgress } from "../client/progress.ts";
import { defineGroup, defineOwnCommand, type Run } from "../definition/define-command.ts";
import { freeText } from "../definition/parameters.ts";
import { toSafeLine } from "../../text/safe-text.ts";
import { PROGRAM } from "../../platform/program.ts";

/** The maximum of damaged lines and of invalid records to print. */
const SHOWN_DAMAGES = 10;

const FILE = ".pix-sandbox/state.json";

const STATE_FILE = freeText("file", { en: "the state file", pt: "o arquivo de estado" });

const check = defineOwnCommand("state check", {
  summary: {
    en: "check whether a state file can be opened; changes nothing",
    pt: "verifica se um arquivo de estado pode ser aberto; não muda nada",
  },
  isLocal: true,
  arguments: { file: STATE_FILE },
  async run({ file }, { io, json }) {
    refuseDatabase(file);
    const { checkState } = await import("../../server/tools/tools.ts");
    const label = localize({ en: `Checking ${file}`, pt: `Verificando ${file}` });
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
  summary: {
    en: "recover what can be read, and quarantine the damaged files",
    pt: "recupera o que pode ser lido e põe os arquivos danificados em quarentena",
  },
  isLocal: true,
  arguments: { file: STATE_FILE },
  async run({ file }, { io, json }) {
    refuseDatabase(file);
    const { repairState } = await import("../../server/tools/tools.ts");
    const label = localize({ en: `Repairing ${file}`, pt: `Reparando ${file}` });
    const repaired = await work(() => repairState(pathIn(io, file)), label, { io, json });
    const report = { ...repaired, file };
    if (json) io.printJson(toWire(report));
    else io.print(renderRepaired(report));
  },
  examples: [`state repair ${FILE}`],
});

const copy = defineOwnCommand("state copy", {
  summary: {
    en: "copy a state between files and databases, with its snapshots",
    pt: "copia um estado entre arquivos e bancos de dados, com os snapshots",
  },
  isLocal: true,
  arguments: {
    from: freeText("from", {
      en: "a state file, or the address of a database",
      pt: "um arquivo de estado, ou o endereço de um banco de dados",
    }),
    to: freeText("to", {
      en: "the same, where no state is yet",
      pt: "o mesmo, onde ainda não há um estado",
    }),
  },
  async run({ from, to }, { io, json }) {
    for (const address of [from, to]) refuseAddress(address);
    const { copyState } = await import("../../server/tools/tools.ts");
    const place = (one: string): string => (isFile(one) ? pathIn(io, one) : one);
    const names = { from: labelOf(from), to: labelOf(to) };
    const label = localize({ en: `Copying ${names.from}`, pt: `Copiando ${names.from}` });
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
    localize({
      en: `${file} contains records that the API could not have created.`,
      pt: `${file} contém registros que a API não poderia ter criado.`,
    }),
    localize({
      en: "A sandbox can still open it. Correct the listed records, or restore the file.",
      pt: "Um sandbox ainda consegue abri-lo. Corrija os registros listados, ou restaure o arquivo.",
    }),
  );
}

function damaged(file: string): CliError {
  return new CliError(
    EXIT.checkFailed,
    "STATE_DAMAGED",
    localize({
      en: `A sandbox cannot open ${file}.`,
      pt: `Um sandbox não consegue abrir ${file}.`,
    }),
    localize({
      en: `To recover the records above and quarantine the damaged files: ${PROGRAM} state repair ${file}`,
      pt: `Para recuperar os registros acima e pôr os arquivos danificados em quarentena: ${PROGRAM} state repair ${file}`,
    }),
  );
}

/** @throws CliError for an address of no supported kind. */
function refuseAddress(address: string): void {
  const wrong = wrongAddress(address);
  if (wrong) throw usageError(localize(wrong));
}

function renderCopied(
  { payins, payouts, deliveries, snapshots }: CopiedState,
  { from, to }: { readonly from: string; readonly to: string },
): string {
  const count = (number: number, noun: string): string =>
    `${number} ${noun}${number === 1 ? "" : "s"}`;
  return localize({
    en: `Copied ${count(payins, "payin")}, ${count(payouts, "payout")}, ${count(deliveries, "webhook")} and ${count(snapshots, "snapshot")} from ${from} to ${to}.`,
    pt: `Copiado de ${from} para ${to}: ${count(payins, "payin")}, ${count(payouts, "payout")}, ${count(deliveries, "webhook")} e ${count(snapshots, "snapshot")}.`,
  });
}

/** @throws CliError for an address, whose password a message about a file would show. */
function refuseDatabase(state: string): void {
  if (isFile(state)) return;
  const label = labelOf(state);
  throw usageError(
    localize({
      en: `${label} is not the path of a state file.`,
      pt: `${label} não é o caminho de um arquivo de estado.`,
    }),
    localize({
      en: `For a state in a database, serve and exec check it when they start: ${PROGRAM} serve --state <address>`,
      pt: `Para um estado em um banco de dados, serve e exec o verificam ao iniciar: ${PROGRAM} serve --state <endereço>`,
    }),
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
          ? localize({
              en: `${file} is intact: ${describe(report)}.`,
              pt: `${file} está íntegro: ${describe(report)}.`,
            })
          : localize({
              en: `${file} can be opened: ${describe(report)}.`,
              pt: `${file} pode ser aberto: ${describe(report)}.`,
            }),
      ]
    : [
        ...(hasStateFile
          ? []
          : [
              localize({
                en: `${file} is missing, but its journal exists.`,
                pt: `${file} não existe, mas o journal dele existe.`,
              }),
            ]),
        ...damages.slice(0, SHOWN_DAMAGES).map((damage) =>
          localize({
            en: `line ${damage.line} of ${damage.file} is damaged: ${localize(damage.reason)}.`,
            pt: `a linha ${damage.line} de ${damage.file} está danificada: ${localize(damage.reason)}.`,
          }),
        ),
        ...(damages.length > SHOWN_DAMAGES
          ? [
              localize({
                en: `and ${damages.length - SHOWN_DAMAGES} more lines.`,
                pt: `e mais estas linhas: ${damages.length - SHOWN_DAMAGES}.`,
              }),
            ]
          : []),
        localize({
          en: `Recoverable: ${describe(report)}.`,
          pt: `Recuperável: ${describe(report)}.`,
        }),
      ];
  if (changed !== undefined)
    lines.push(
      localize({
        en: `${file} was edited after the sandbox wrote it: ${localize(changed)}.`,
        pt: `${file} foi editado depois que o sandbox o gravou: ${localize(changed)}.`,
      }),
    );
  for (const { list, id, text: reason } of problems.slice(0, SHOWN_DAMAGES))
    lines.push(describeProblem(list, id, localize(reason)));
  if (problems.length > SHOWN_DAMAGES)
    lines.push(
      localize({
        en: `and ${problems.length - SHOWN_DAMAGES} more records.`,
        pt: `e mais ${problems.length - SHOWN_DAMAGES} registros.`,
      }),
    );
  if (tornTail)
    lines.push(
      localize({
        en: `Line ${tornTail.line} of ${tornTail.file} is incomplete: the next start cuts it off and quarantines it.`,
        pt: `A linha ${tornTail.line} de ${tornTail.file} está incompleta: o próximo início a corta e a põe em quarentena.`,
      }),
    );
  return lines.map(toSafeLine).join("\n");
}

function renderRepaired(report: StateReport): string {
  const { file, damages, aside, tornTail } = report;
  if (aside.length === 0 && damages.length === 0 && !tornTail)
    return toSafeLine(
      localize({
        en: `${file} is intact, nothing was changed: ${describe(report)}.`,
        pt: `${file} está íntegro, nada mudou: ${describe(report)}.`,
      }),
    );
  return [
    localize({
      en: `${file} contains the recovered records: ${describe(report)}.`,
      pt: `${file} contém os registros recuperados: ${describe(report)}.`,
    }),
    ...aside.map((folder) =>
      localize({
        en: `The damaged files are in ${folder}.`,
        pt: `Os arquivos danificados estão em ${folder}.`,
      }),
    ),
  ]
    .map(toSafeLine)
    .join("\n");
}

function describe({ payins, payouts, deliveries, commits }: StateReport): string {
  return localize({
    en: `${payins} payins, ${payouts} payouts and ${deliveries} webhooks, after ${commits} commits`,
    pt: `payins: ${payins}, payouts: ${payouts}, webhooks: ${deliveries}, commits até aqui: ${commits}`,
  });
}

interface Problems {
  readonly problems: readonly StateProblem[];
}

/** The members of a check's report that a repair's report does not have. */
function problemsOf(report: StateReport & Problems) {
  return {
    sound: canStart(report) && report.problems.length === 0,
    changed: report.changed?.en ?? null,
    problems: report.problems.map((one) => ({ list: one.list, id: one.id, reason: one.text.en })),
  };
}

function describeProblem(list: StateProblem["list"], id: string, sentence: string): string {
  if (list === "payins")
    return localize({ en: `payin ${id}: ${sentence}`, pt: `cobrança ${id}: ${sentence}` });
  return list === "payouts"
    ? localize({ en: `payout ${id}: ${sentence}`, pt: `pagamento ${id}: ${sentence}` })
    : localize({ en: `webhook ${id}: ${sentence}`, pt: `webhook ${id}: ${sentence}` });
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
