import { type Magic, MAGIC } from "../../core/faults/magic.ts";
import { defineLoading } from "../definition/define-command.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { foldText } from "../terminal/table.ts";
import { english } from "../../text/languages.ts";
import { say } from "../../text/message.ts";

export const magicCommand = defineLoading("magic", {
  isLocal: true,
  load: () => ({
    data: MAGIC.map(({ name, happens, cpf }) => ({ name, happens: english(happens), cpf })),
    next: null,
  }),
  show(_data, { io }) {
    io.print(foldText(MAGIC.map((row) => renderRow(row, io)).join("\n\n"), io.columns));
    io.printError(foldText(`\n${localize(WHERE)}`, io.columns));
  },
  examples: ["magic", "magic --json"],
});

function renderRow(row: Magic, { color }: Io): string {
  return `${color.bold(row.name)}: ${localize(row.happens)}\n  ${row.cpf}`;
}

const WHERE = say`Use them as buyer_cpf of a payin, or as receiver_cpf or pix_key of a payout, with serve --magic.\nBrazil reserves no CPF for tests: a real person could have one of these, though it is unlikely.`;
