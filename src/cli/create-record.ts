import type { Command } from "commander";
import { SAMPLE, sinkUrl } from "../client/sample.ts";
import { withCheckDigits } from "../core/records/cpf.ts";
import type { WirePayin } from "../core/records/payin.ts";
import type { WirePayout } from "../core/records/payout.ts";
import { PIX_KEY_TYPES } from "../core/records/pix-key.ts";
import type { ClientOptions, CommandClient } from "./command-client.ts";
import { localize } from "./language.ts";
import { arg } from "./placeholders.ts";
import { readAmount, readNumber } from "./sample.ts";

interface CommonFields extends Pick<ClientOptions, "token"> {
  readonly value: string;
  readonly description?: string;
  readonly webhookUrl?: string;
  readonly idempotencyKey?: string;
}

/** The options that are the fields of a payin. */
export interface PayinFields extends CommonFields {
  readonly buyerCpf: string;
  readonly buyerName: string;
  readonly buyerEmail: string;
  readonly generateQrcode?: boolean;
  readonly expiration?: string;
}

/** The options that are the fields of a payout. */
export interface PayoutFields extends CommonFields {
  readonly receiverCpf: string;
  readonly receiverName: string;
  readonly receiverEmail: string;
  readonly pixKey?: string;
  readonly pixKeyType: string;
}

/** Adds an option for each field of a payin. */
export function withPayinFields(command: Command): Command {
  withAmount(command)
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
    );
  return withWebhookUrl(command)
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
    );
}

/** Adds an option for each field of a payout. */
export function withPayoutFields(command: Command): Command {
  withAmount(command)
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
    );
  return withWebhookUrl(command)
    .option(
      `--pix-key ${arg("key")}`,
      localize({
        en: "the PIX key (default: the receiver's CPF)",
        pt: "a chave PIX (padrão: o CPF do recebedor)",
      }),
    )
    .option(`--pix-key-type ${arg("type")}`, PIX_KEY_TYPES.join(", "), "cpf");
}

/** Creates a payin through the gateway. @returns the control record */
export function createPayin(client: CommandClient, fields: PayinFields): Promise<WirePayin> {
  return create<WirePayin>(client, "payin", fields, {
    buyer_cpf: fields.buyerCpf,
    buyer_name: fields.buyerName,
    buyer_email: fields.buyerEmail,
    generate_qrcode: fields.generateQrcode,
    expiration: fields.expiration === undefined ? undefined : readNumber(fields.expiration),
  });
}

/** Creates a payout through the gateway. @returns the control record */
export function createPayout(client: CommandClient, fields: PayoutFields): Promise<WirePayout> {
  return create<WirePayout>(client, "payout", fields, {
    receiver_cpf: fields.receiverCpf,
    receiver_name: fields.receiverName,
    receiver_email: fields.receiverEmail,
    pix_key: fields.pixKey ?? fields.receiverCpf,
    pix_key_type: fields.pixKeyType,
  });
}

/** A CPF that no other record is likely to have, with valid check digits. */
export function randomCpf(): string {
  return withCheckDigits(
    String(process.getBuiltinModule("node:crypto").randomInt(1e9)).padStart(9, "0"),
  );
}

async function create<Row>(
  client: CommandClient,
  noun: "payin" | "payout",
  { value, description, webhookUrl, token, idempotencyKey }: CommonFields,
  others: object,
): Promise<Row> {
  const body = {
    value: readAmount(value),
    description,
    webhook_url: webhookUrl ?? sinkUrl(client.url),
    ...others,
  };
  const { id } = await client.gateway<{ id: string }>("POST", `/${noun}s`, body, {
    token: token ?? SAMPLE.token,
    idempotencyKey: idempotencyKey ?? crypto.randomUUID(),
  });
  return client.control<Row>("GET", `/${noun}s/${id}`);
}

function withAmount(command: Command): Command {
  return command
    .option(`--value ${arg("number")}`, localize({ en: "the amount", pt: "o valor" }), SAMPLE.value)
    .option(
      `--description ${arg("text")}`,
      localize({ en: "up to 140 characters", pt: "até 140 caracteres" }),
    );
}

function withWebhookUrl(command: Command): Command {
  return command.option(
    "--webhook-url <url>",
    localize({
      en: "the webhook address (default: the sandbox's own receiver)",
      pt: "o endereço do webhook (padrão: o receptor do próprio sandbox)",
    }),
  );
}
