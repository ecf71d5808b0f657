import { randomUUID } from "node:crypto";
import { Command } from "commander";
import type { WirePayin } from "../../core/payments/payin.ts";
import { SAMPLE } from "../../api/sample.ts";
import type { ClientOptions } from "../client.ts";
import type { Io } from "../io.ts";
import { t } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { drawQrCode } from "../qr.ts";
import { renderPayins, renderRecord } from "../render.ts";
import { readNumber } from "../sample.ts";
import { listCommand, moveCommand, showCommand } from "./records.ts";

interface CreateOptions extends ClientOptions {
  readonly value: string;
  readonly description?: string;
  readonly buyerCpf: string;
  readonly buyerName: string;
  readonly buyerEmail: string;
  readonly webhookUrl: string;
  readonly generateQrcode?: boolean;
  readonly expiration?: string;
  readonly idempotencyKey?: string;
  readonly qr?: boolean;
  readonly json?: boolean;
}

export function payinCommand(io: Io): Command {
  const command = new Command("payin")
    .description("create, list and move payins (charges)")
    .addCommand(createCommand(io))
    .addCommand(
      listCommand(
        io,
        "payin",
        ["waiting", "paid", "completed", "canceled", "expired"],
        renderPayins,
      ),
    )
    .addCommand(showCommand(io, "payin"))
    .addCommand(moveCommand(io, "payin", "pay", "pay a payin, as its buyer would"))
    .addCommand(moveCommand(io, "payin", "cancel", "cancel a waiting payin"))
    .addCommand(moveCommand(io, "payin", "expire", "let a waiting payin expire now"));
  return withExamples(command, ["payin create --value 10.50 --qr", "payin list --status waiting"]);
}

function createCommand(io: Io): Command {
  const command = clientCommand("create")
    .description("create a payin")
    .option("--value <number>", "the amount", SAMPLE.value)
    .option("--description <text>", "up to 140 characters")
    .option("--buyer-cpf <cpf>", "11 digits", SAMPLE.cpf)
    .option("--buyer-name <text>", "who pays", SAMPLE.name)
    .option("--buyer-email <email>", "who pays", SAMPLE.email)
    .option("--webhook-url <url>", "who is told when it is paid", SAMPLE.webhookUrl)
    .option("--generate-qrcode", "let the gateway make the image too")
    .option("--expiration <seconds>", "20 to 172800; the gateway's default is 240")
    .option("--idempotency-key <key>", "repeat an earlier call; default: a new one")
    .option("--qr", "draw the QR code in the terminal")
    .action(async (options: CreateOptions) => {
      const client = clientFor(options);
      const token = options.token ?? SAMPLE.token;
      const body = {
        value: readNumber(options.value),
        description: options.description,
        buyer_cpf: options.buyerCpf,
        buyer_name: options.buyerName,
        buyer_email: options.buyerEmail,
        webhook_url: options.webhookUrl,
        generate_qrcode: options.generateQrcode,
        expiration: options.expiration === undefined ? undefined : readNumber(options.expiration),
      };
      const headers = { "x-idempotency-key": options.idempotencyKey ?? randomUUID() };
      const { id } = await client.gateway<{ id: string }>(
        "POST",
        "/v1/payins",
        token,
        body,
        headers,
      );
      const payin = await client.control<WirePayin>("GET", `/payins/${id}`);
      if (options.json) return io.printJson(payin);
      io.print(renderRecord(payin));
      if (options.qr) io.print(drawQrCode(payin.qr_code));
      return io.say(`\n${t`Next: pix-sandbox simulate payin ${id}`}`);
    });
  return withExamples(command, [
    "payin create --value 10.50 --qr",
    "payin create --value 10.50 --webhook-url http://localhost:3000/webhooks/pix",
    "payin create --json | jq -r .qr_code",
  ]);
}
