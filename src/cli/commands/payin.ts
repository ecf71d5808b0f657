import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import { PAYIN_STATUSES, type WirePayin } from "../../core/payments/payin.ts";
import { SAMPLE, sinkUrl } from "../../api/sample.ts";
import type { ClientOptions } from "../command-client.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { drawQrCode } from "../draw-qr.ts";
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
  readonly buyerCpf: string;
  readonly buyerName: string;
  readonly buyerEmail: string;
  readonly webhookUrl?: string;
  readonly generateQrcode?: boolean;
  readonly expiration?: string;
  readonly idempotencyKey?: string;
  readonly qr?: boolean;
  readonly json?: boolean;
}

export function payinCommand(io: Io): Command {
  const command = new CliCommand("payin")
    .addCommand(createCommand(io))
    .addCommand(listCommand(io, "payin", PAYIN_STATUSES, PAYINS))
    .addCommand(showCommand(io, "payin"))
    .addCommand(
      moveCommand(io, "payin", "pay", {
        en: "pay a payin, as its buyer would",
        pt: "paga um payin, como o comprador faria",
      }),
    )
    .addCommand(
      moveCommand(io, "payin", "cancel", {
        en: "cancel a waiting payin",
        pt: "cancela um payin em espera",
      }),
    )
    .addCommand(
      moveCommand(io, "payin", "expire", {
        en: "expire a waiting payin now",
        pt: "expira agora um payin que espera",
      }),
    );
  return withExamples(command, ["payin create --value 10.50 --qr", "payin list --status waiting"]);
}

function createCommand(io: Io): Command {
  const command = clientCommand("create")
    .description(localize({ en: "create a payin", pt: "cria um payin" }))
    .option(`--value ${arg("number")}`, localize({ en: "the amount", pt: "o valor" }), SAMPLE.value)
    .option(
      `--description ${arg("text")}`,
      localize({ en: "up to 140 characters", pt: "até 140 caracteres" }),
    )
    .option("--buyer-cpf <cpf>", localize({ en: "11 digits", pt: "11 dígitos" }), SAMPLE.cpf)
    .option(
      `--buyer-name ${arg("text")}`,
      localize({ en: "the buyer", pt: "o comprador" }),
      SAMPLE.name,
    )
    .option(
      `--buyer-email ${arg("email")}`,
      localize({ en: "the buyer", pt: "o comprador" }),
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
      "--generate-qrcode",
      localize({ en: "request the QR image too", pt: "pede também a imagem do QR Code" }),
    )
    .option(
      `--expiration ${arg("seconds")}`,
      localize({
        en: "20 to 172800; the gateway's default is 240",
        pt: "de 20 a 172800; o padrão do gateway é 240",
      }),
    )
    .option(
      `--idempotency-key ${arg("key")}`,
      localize({
        en: "the idempotency key (default: a new one)",
        pt: "a chave de idempotência (padrão: uma nova)",
      }),
    )
    .option(
      "--qr",
      localize({ en: "draw the QR code in the terminal", pt: "desenha o QR Code no terminal" }),
    )
    .action(async (options: CreateOptions) => {
      const client = clientFor(options);
      const token = options.token ?? SAMPLE.token;
      const body = {
        value: readNumber(options.value),
        description: options.description,
        buyer_cpf: options.buyerCpf,
        buyer_name: options.buyerName,
        buyer_email: options.buyerEmail,
        webhook_url: options.webhookUrl ?? sinkUrl(client.url),
        generate_qrcode: options.generateQrcode,
        expiration: options.expiration === undefined ? undefined : readNumber(options.expiration),
      };
      const { id } = await client.gateway<{ id: string }>("POST", "/payins", body, {
        token,
        idempotencyKey: options.idempotencyKey ?? randomUUID(),
      });
      const payin = await client.control<WirePayin>("GET", `/payins/${id}`);
      if (options.json) return io.printJson(payin);
      io.print(renderRecord(payin));
      if (options.qr) io.print(drawQrCode(payin.qr_code));
      return io.printError(
        `\n${localize({ en: `Next: pix-sandbox simulate payin ${id}`, pt: `A seguir: pix-sandbox simulate payin ${id}` })}`,
      );
    });
  return withExamples(command, [
    "payin create --value 10.50 --qr",
    "payin create --value 10.50 --webhook-url http://localhost:3000/webhooks/pix",
    "payin create --json | jq -r .qr_code",
  ]);
}

export const PAYINS: Table<WirePayin> = {
  none: { en: "No payins.", pt: "Nenhum payin." },
  columns: [
    ID,
    { title: "STATUS", text: ({ status }) => status },
    { title: { en: "VALUE", pt: "VALOR" }, text: ({ value }) => String(value) },
    CREATED,
    {
      title: { en: "BUYER", pt: "COMPRADOR" },
      text: ({ buyer_name }) => buyer_name,
      least: 12,
    },
    INTEGRATION,
  ],
};
