import type { Command } from "commander";
import { isWrittenAs } from "../../core/assumptions/choice-name.ts";
import {
  type Assumption,
  type AssumptionRow,
  ASSUMPTIONS,
  describeAssumptions,
  STANDARD_ASSUMPTIONS,
} from "../../core/assumptions/table.ts";
import type { ClientOptions } from "../command-client.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { foldText } from "../table.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { PROGRAM } from "../../platform/program.ts";

export function assumptionsCommand(io: Io): Command {
  const command = clientCommand("assumptions").action(
    async ({ json, ...options }: ClientOptions & { json?: boolean }) => {
      // JSON is for programs: it does not depend on the language of the command.
      const table = await readTable(json ? { ...options, language: "en" } : options);
      if (json) io.printJson(table);
      else {
        const text = table.data.map((row) => renderRow(row, io)).join("\n\n");
        io.print(foldText(text, io.columns));
      }
      if (!json)
        io.printError(
          `\n${localize({ en: `Change one with: ${PROGRAM} serve --assume NAME=CHOICE`, pt: `Mude uma com: ${PROGRAM} serve --assume NOME=ESCOLHA` })}`,
        );
    },
  );
  return withExamples(command, [
    "assumptions",
    "assumptions --json",
    [
      "assumptions --url http://127.0.0.1:7490",
      { en: "the choices of a running sandbox", pt: "as escolhas de um sandbox que está rodando" },
    ],
  ]);
}

interface Table {
  readonly data: readonly AssumptionRow[];
  readonly next: null;
}

/** Reads the choices of a running sandbox if its address is set, else the defaults. */
async function readTable(options: ClientOptions): Promise<Table> {
  if (options.url !== undefined) return clientFor(options).control<Table>("GET", "/assumptions");
  return { data: describeAssumptions(STANDARD_ASSUMPTIONS), next: null };
}

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
  const value =
    choice === standard
      ? `${choice}`
      : localize({
          en: `${choice} (default ${standard})`,
          pt: `${choice} (padrão ${standard})`,
        });
  return [`${color.bold(name)} = ${value}`, `  ${gap}`, ...lines].join("\n");
}
