import { Command } from "commander";
import { describeMagic, MAGIC_KINDS, type MagicRow } from "../../core/faults/magic-values.ts";
import type { Io } from "../io.ts";
import { tell } from "../language.ts";
import { jsonOption, withExamples } from "../options.ts";

export function magicCommand(io: Io): Command {
  const command = new Command("magic")
    .description("list the values that mean something to `serve --magic`")
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) => {
      const data = describeMagic();
      if (json) return io.printJson({ data, next: null });
      io.print(data.map((row) => renderRow(row, io)).join("\n\n"));
      return io.say(`\n${tell(WHERE)}`);
    });
  return withExamples(command, ["magic", "magic --json"]);
}

function renderRow(row: MagicRow, { colour }: Io): string {
  const values = MAGIC_KINDS.map((kind) => `  ${kind.padEnd(5)}  ${row[kind]}`);
  return [`${colour.bold(row.name)}: ${tell(row.happens)}`, ...values].join("\n");
}

const WHERE = `As buyer_cpf of a payin, as receiver_cpf or pix_key of a payout, in a sandbox that was started with --magic.
No CPF is set aside for tests: that nobody has one of these is likely, not certain.`;
