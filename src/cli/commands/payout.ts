import type { Command } from "commander";
import { PAYOUT_STATUSES, type WirePayout } from "../../core/records/payout.ts";
import { type ClientOptions, type CommandClient, urlOption } from "../command-client.ts";
import { createPayout, type PayoutFields, withPayoutFields } from "../create-record.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { CREATED, ID, INTEGRATION } from "../columns.ts";
import { renderRecord } from "../render.ts";
import type { Table } from "../table.ts";
import { listCommand, moveCommand, showCommand } from "./records.ts";
import { arg } from "../placeholders.ts";
import { CliCommand } from "../command.ts";
import { PROGRAM } from "../../platform/program.ts";

interface CreateOptions extends ClientOptions, PayoutFields {
  readonly idempotencyKey?: string;
  readonly json?: boolean;
}

export function payoutCommand(io: Io): Command {
  const command = new CliCommand("payout")
    .addCommand(createCommand(io))
    .addCommand(listCommand(io, "payout", PAYOUT_STATUSES, PAYOUTS))
    .addCommand(showCommand(io, "payout"))
    .addCommand(
      moveCommand(io, "payout", "complete", {
        en: "complete a waiting payout",
        pt: "conclui um payout em espera",
      }),
    )
    .addCommand(
      moveCommand(io, "payout", "cancel", {
        en: "cancel a waiting payout",
        pt: "cancela um payout em espera",
      }),
    );
  return withExamples(command, ["payout create --value 25", "payout list --status waiting"]);
}

function createCommand(io: Io): Command {
  const command = withPayoutFields(
    clientCommand("create").description(localize({ en: "create a payout", pt: "cria um payout" })),
  )
    .option(
      `--idempotency-key ${arg("key")}`,
      localize({
        en: "the idempotency key (default: a new one)",
        pt: "a chave de idempotência (padrão: uma nova)",
      }),
    )
    .action(async (options: CreateOptions) => {
      const client = clientFor(options);
      const payout = await createPayout(client, options);
      if (options.json) return io.printJson(payout);
      io.print(renderRecord(payout));
      return io.printError(`\n${nextStep(payout, client)}`);
    });
  return withExamples(command, [
    "payout create --value 25 --receiver-cpf 52998224725",
    "payout create --pix-key ana@example.com --pix-key-type email",
  ]);
}

function nextStep({ id, status }: WirePayout, { url }: CommandClient): string {
  return status === "canceled"
    ? localize({
        en: "The payout was canceled: this receiver has another payout in progress (assumption payout.rival).",
        pt: "O payout foi cancelado: este recebedor tem outro payout em andamento (premissa payout.rival).",
      })
    : `${localize({ en: "Next", pt: "A seguir" })}: ${PROGRAM} simulate payout ${id} --status completed${urlOption(url)}`;
}

export const PAYOUTS: Table<WirePayout> = {
  none: { en: "No payouts.", pt: "Nenhum payout." },
  columns: [
    ID,
    { title: "STATUS", text: ({ status }) => status },
    { title: { en: "VALUE", pt: "VALOR" }, text: ({ value }) => String(value) },
    CREATED,
    {
      title: { en: "RECEIVER", pt: "RECEBEDOR" },
      text: ({ receiver_name }) => receiver_name,
      least: 12,
    },
    INTEGRATION,
  ],
};
