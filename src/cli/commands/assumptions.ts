import { fromProfile } from "../../text/terms.ts";
import {
  type Assumption,
  type AssumptionRow,
  ASSUMPTIONS,
  describeAssumptions,
  STANDARD_ASSUMPTIONS,
} from "../../core/assumptions/table.ts";
import { isWrittenAs } from "../../wire/forms.ts";
import type { Page } from "../../wire/route-key.ts";
import { PROGRAM } from "../../platform/program.ts";
import { defineLoading } from "../definition/define-command.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { foldText } from "../terminal/table.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { say } from "../../text/message.ts";

export const assumptionsCommand = defineLoading("assumptions", {
  /** Reads the choices of a running sandbox if its address is set, else the defaults. */
  async load(_given, run): Promise<Page<AssumptionRow>> {
    if (run.connection.url === undefined)
      return { data: describeAssumptions(STANDARD_ASSUMPTIONS), next: null };
    return run.client.call("GET /assumptions");
  },
  show({ data }, { io }) {
    io.print(foldText(data.map((row) => renderRow(row, io)).join("\n\n"), io.columns));
    io.printError(`\n${localize(say`Change one with: ${PROGRAM} serve --assume NAME=CHOICE`)}`);
  },
  examples: [
    "assumptions",
    "assumptions --json",
    ["assumptions --url http://127.0.0.1:7490", say`the choices of a running sandbox`],
  ],
});

/** The texts of an assumption that this version does not know are in English. */
function renderRow(row: AssumptionRow, { color }: Io): string {
  const { name, choice, default: standard } = row;
  const known: Assumption | undefined = ASSUMPTIONS[name];
  const gap = known ? localize(known.gap) : row.gap;
  const lines = Object.entries(row.choices).map(([one, text]) => {
    const meaning = known?.choices[one];
    const mark = isWrittenAs(String(choice), one) ? color.green("*") : " ";
    return `  ${mark} ${one}: ${meaning ? localize(meaning) : text}`;
  });
  const value = choice === standard ? `${choice}` : localize(say`${choice} (default ${standard})`);
  const origin =
    row.profile === undefined
      ? []
      : [`  ${color.dim(localize(fromProfile(toSafeLine(row.profile), row.observed)))}`];
  return [`${color.bold(name)} = ${value}`, ...origin, `  ${gap}`, ...lines].join("\n");
}
