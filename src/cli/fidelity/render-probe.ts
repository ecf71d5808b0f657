import { type Assumption, ASSUMPTIONS, isAssumptionName } from "../../core/assumptions/table.ts";
import type { Verdict } from "../../fidelity/own-verdicts.ts";
import { type Experiment, EXPERIMENTS } from "../../fidelity/plan.ts";
import { experimentsFor, type Observed } from "../../fidelity/runner.ts";
import { english } from "../../text/languages.ts";
import { type Message, say } from "../../text/message.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { foldText, renderTable, type Table } from "../terminal/table.ts";

/** The document of `--json`, in English. */
export function toDocument(verdicts: readonly Verdict[], { calls }: Observed) {
  return {
    rows: verdicts.map(({ name, verdict, choice, says, evidence }) => ({
      name,
      verdict,
      choice,
      says: english(says),
      evidence: evidence.map(({ method, path, response: { status } }) => ({
        method,
        path,
        status,
      })),
    })),
    calls,
  };
}

const WORDS: Readonly<Record<Verdict["verdict"], Message>> = {
  observed: say.for("verdict")`observed`,
  contradicted: say.for("verdict")`contradicted`,
  not_observable: say.for("verdict")`not observable`,
};

const VERDICTS: Table<Verdict> = {
  none: say`Nothing was observed.`,
  columns: [
    { title: say`ASSUMPTION`, text: ({ name }) => name },
    {
      title: say`CHOICE`,
      text: ({ verdict, choice }) => (choice === null ? localize(WORDS[verdict]) : String(choice)),
      isFailure: ({ verdict }) => verdict === "contradicted",
    },
    { title: say`REASON`, text: ({ says }) => localize(says), wraps: true, least: 20 },
  ],
};

export function renderVerdicts(verdicts: readonly Verdict[], io: Io): string {
  return renderTable(VERDICTS, verdicts, io);
}

type Planned = readonly [name: string, experiment: Experiment];

/** The plan as a document. */
export function planDocument() {
  return {
    experiments: Object.entries(EXPERIMENTS).map((planned) => ({
      name: planned[0],
      says: english(planned[1].says),
      rows: rowsOf(planned),
      calls: planned[1].steps.length,
      payouts: payoutsOf(planned),
      needs_webhooks: planned[1].receives !== undefined,
    })),
  };
}

function rowsOf([, { steps }]: Planned): string[] {
  return [...new Set(steps.flatMap(({ tells = [] }) => tells))];
}

function payoutsOf([, { steps }]: Planned): number {
  return steps.filter(({ call }) => call === "payout").length;
}

/** How many calls it has, at least and at most. */
function callsOf([, { steps, isBurst, isWanted }]: Planned): string {
  const least = isWanted ? 0 : steps.filter((step) => !step.isWanted).length;
  if (isBurst) return `${least}+`;
  return least === steps.length ? `${least}` : `${least}–${steps.length}`;
}

const PLAN: Table<Planned> = {
  none: say`No calls.`,
  columns: [
    { title: say`EXPERIMENT`, text: ([name]) => name },
    { title: say`CALLS`, text: callsOf },
    { title: say`PAYOUTS`, text: (planned) => String(payoutsOf(planned)) },
    {
      title: say`WHAT`,
      text: (planned) =>
        [localize(planned[1].says), ...rowsOf(planned).map((row) => `→ ${row}`)].join(" "),
      wraps: true,
      least: 30,
    },
  ],
};

export function mostPayouts(hasReceiver: boolean): number {
  return experimentsFor(hasReceiver).reduce((sum, planned) => sum + payoutsOf(planned), 0);
}

/** Renders every call, what it tells, and what it leaves behind. */
export function renderPlan(hasReceiver: boolean, io: Io): string {
  const all = Object.entries(EXPERIMENTS);
  const shown = experimentsFor(hasReceiver);
  const notes = [
    localize(
      say`Payins are harmless: no buyer pays them. Payouts are created in staging and, where possible, canceled again.`,
    ),
    ...(hasReceiver
      ? []
      : [
          localize(
            say`With --public-url there are ${all.length - shown.length} more, for the rows of webhooks.`,
          ),
        ]),
  ];
  return [renderTable(PLAN, shown, io), ...notes.map((note) => foldText(note, io.columns))].join(
    "\n\n",
  );
}

/** The questions for a provider's support, in Markdown; without the rows that are known. */
export function renderQuestions(verdicts: readonly Verdict[]): string {
  const known = new Set(
    verdicts.filter(({ verdict }) => verdict === "observed").map(({ name }) => name),
  );
  const open = Object.entries(ASSUMPTIONS).filter(
    ([name]) => isAssumptionName(name) && !known.has(name),
  );
  const questions = open.map(([name, row]: [string, Assumption], index) => {
    const choices = Object.entries(row.choices).map(([choice, text]) =>
      Object.keys(row.choices).length > 1
        ? `- [ ] ${localize(text)} (\`${choice}\`)`
        : `- [ ] ${localize(text)}`,
    );
    return [
      `## ${index + 1}. ${localize(row.question)}`,
      [...choices, `- [ ] ${localize(say`Something else:`)}`].join("\n"),
      `<!-- ${name} -->`,
    ].join("\n\n");
  });
  const title = localize(say`Questions about your Pix gateway`);
  return [`# ${title}`, ...questions].join("\n\n");
}
