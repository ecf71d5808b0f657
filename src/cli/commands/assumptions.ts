import type { Command } from "commander";
import {
  type AssumptionRow,
  describeAssumptions,
  isWrittenAs,
  STANDARD_ASSUMPTIONS,
} from "../../core/assumptions/table.ts";
import type { ClientOptions } from "../client.ts";
import type { Io } from "../io.ts";
import { t, tell } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";

export function assumptionsCommand(io: Io): Command {
  const command = clientCommand("assumptions")
    .description("list the choices made where the specification is silent")
    .action(async ({ json, ...options }: ClientOptions & { json?: boolean }) => {
      const table = await readTable(options);
      if (json) io.printJson(table);
      else io.print(table.data.map((row) => renderRow(row, io)).join("\n\n"));
      if (!json) io.say(`\n${t`Change one with: pix-sandbox serve --assume NAME=CHOICE`}`);
    });
  return withExamples(command, [
    "assumptions",
    "assumptions --json",
    "assumptions --url http://127.0.0.1:7490    what holds there",
  ]);
}

interface Table {
  readonly data: readonly AssumptionRow[];
  readonly next: null;
}

/** The defaults need no sandbox; what holds in one that is named is asked of it. */
async function readTable(options: ClientOptions): Promise<Table> {
  if (options.url !== undefined) return clientFor(options).control<Table>("GET", "/assumptions");
  return { data: describeAssumptions(STANDARD_ASSUMPTIONS), next: null };
}

function renderRow(
  { name, gap, choice, default: standard, choices }: AssumptionRow,
  { colour }: Io,
): string {
  const lines = Object.entries(choices).map(([one, meaning]) => {
    return `  ${isWrittenAs(String(choice), one) ? colour.green("*") : " "} ${one}: ${tell(meaning)}`;
  });
  const held = choice === standard ? `${choice}` : t`${choice} (default ${standard})`;
  return [`${colour.bold(name)} = ${held}`, `  ${tell(gap)}`, ...lines].join("\n");
}
