import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import { PAYOUT_STATUSES, type WirePayout } from "../../core/payments/payout.ts";
import { PIX_KEY_TYPES } from "../../core/payments/pix-key.ts";
import { SAMPLE, sinkUrl } from "../../api/sample.ts";
import type { ClientOptions } from "../command-client.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { CREATED, ID, INTEGRATION } from "../columns.ts";
import { renderRecord } from "../render.ts";
import type { Table } from "../table.ts";
import { readNumber } from "../sample.ts";
import { listCommand, moveCommand, showCommand } from "./records.ts";
import { arg } from "../placeholders.ts";
import { CliCommand } from "../command.ts";

interface CreateOptions extends ClientOptions {
  readonly value: string;
  readonly description?: string;
  readonly receiverCpf: string;
  readonly receiverName: string;
  readonly receiverEmail: string;
  readonly webhookUrl?: string;
  readonly pixKey?: string;
  readonly pixKeyType: string;
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
  const command = clientCommand("create")
    .description(localize({ en: "create a payout", pt: "cria um payout" }))
    .option(`--value ${arg("number")}`, localize({ en: "the amount", pt: "o valor" }), SAMPLE.value)
    .option(
      `--description ${arg("text")}`,
      localize({ en: "up to 140 characters", pt: "até 140 caracteres" }),
    )
    .option("--receiver-cpf <cpf>", localize({ en: "11 digits", pt: "11 dígitos" }), SAMPLE.cpf)
    .option(
      `--receiver-name ${arg("text")}`,
      localize({ en: "the receiver's name", pt: "o nome do recebedor" }),
      SAMPLE.name,
    )
    .option(
      `--receiver-email ${arg("email")}`,
      localize({ en: "the receiver's e-mail address", pt: "o e-mail do recebedor" }),
      SAMPLE.email,
    )
    .option(
      "--webhook-url <url>",
      localize({
        en: "the webhook address (default: the sandbox's own receiver)",
        pt: "o endereço do webhook (padrão: o receptor do próprio sandbox)",
      }),
    )
    .option(
      `--pix-key ${arg("key")}`,
      localize({
        en: "the PIX key (default: the receiver's CPF)",
        pt: "a chave PIX (padrão: o CPF do recebedor)",
      }),
    )
    .option(`--pix-key-type ${arg("type")}`, PIX_KEY_TYPES.join(", "), "cpf")
    .option(
      `--idempotency-key ${arg("key")}`,
      localize({
        en: "the idempotency key (default: a new one)",
        pt: "a chave de idempotência (padrão: uma nova)",
      }),
    )
    .action(async (options: CreateOptions) => {
      const client = clientFor(options);
      const body = {
        value: readNumber(options.value),
        description: options.description,
        receiver_cpf: options.receiverCpf,
        receiver_name: options.receiverName,
        receiver_email: options.receiverEmail,
        webhook_url: options.webhookUrl ?? sinkUrl(client.url),
        pix_key: options.pixKey ?? options.receiverCpf,
        pix_key_type: options.pixKeyType,
      };
      const { id } = await client.gateway<{ id: string }>("POST", "/payouts", body, {
        token: options.token ?? SAMPLE.token,
        idempotencyKey: options.idempotencyKey ?? randomUUID(),
      });
      const payout = await client.control<WirePayout>("GET", `/payouts/${id}`);
      if (options.json) return io.printJson(payout);
      io.print(renderRecord(payout));
      return io.printError(`\n${nextStep(payout)}`);
    });
  return withExamples(command, [
    "payout create --value 25 --receiver-cpf 52998224725",
    "payout create --pix-key maria@example.com --pix-key-type email",
  ]);
}

function nextStep({ id, status }: WirePayout): string {
  return status === "canceled"
    ? localize({
        en: "The payout was canceled: this receiver has another payout in progress (assumption payout.rival).",
        pt: "O payout foi cancelado: este recebedor tem outro payout em andamento (premissa payout.rival).",
      })
    : localize({
        en: `Next: pix-sandbox simulate payout ${id} --status completed`,
        pt: `A seguir: pix-sandbox simulate payout ${id} --status completed`,
      });
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
