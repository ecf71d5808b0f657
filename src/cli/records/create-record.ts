import { SAMPLE, sinkUrl } from "../../client/sample.ts";
import { withCheckDigits } from "../../core/records/cpf.ts";
import type { WirePayin } from "../../core/records/payin.ts";
import type { WirePayout } from "../../core/records/payout.ts";
import { PIX_KEY_TYPES } from "../../core/records/pix-key.ts";
import {
  CREATE_PAYIN,
  CREATE_PAYOUT,
  SHOW_PAYIN,
  SHOW_PAYOUT,
  type WireRoute,
} from "../../core/state/wire-routes.ts";
import type { CommandClient } from "../client/command-client.ts";
import { flag, freeText, type Given, parsed } from "../definition/parameters.ts";
import { readAmount, readNumber } from "./sample.ts";

const AMOUNT = {
  value: parsed(
    "number",
    readAmount,
    { en: "the amount", pt: "o valor" },
    { default: Number(SAMPLE.value), defaultText: JSON.stringify(SAMPLE.value) },
  ),
  description: freeText("text", { en: "up to 140 characters", pt: "até 140 caracteres" }),
};
const ELEVEN_DIGITS = { en: "11 digits", pt: "11 dígitos" };
const BUYER = { en: "the buyer", pt: "o comprador" };
const ADDRESS = {
  webhook_url: freeText("url", {
    en: "the webhook address (default: the sandbox's own receiver)",
    pt: "o endereço do webhook (padrão: o receptor do próprio sandbox)",
  }),
};

/** The options that are the fields of a payin. */
export const PAYIN_FIELDS = {
  ...AMOUNT,
  buyer_cpf: freeText("cpf", ELEVEN_DIGITS, { default: SAMPLE.cpf }),
  buyer_name: freeText("text", BUYER, { default: SAMPLE.name }),
  buyer_email: freeText("email", BUYER, { default: SAMPLE.email }),
  ...ADDRESS,
  generate_qrcode: flag({ en: "request the QR image too", pt: "pede também a imagem do QR Code" }),
  expiration: parsed("seconds", readNumber, {
    en: "20 to 172800; the gateway's default is 240",
    pt: "de 20 a 172800; o padrão do gateway é 240",
  }),
};

/** The options that are the fields of a payout. */
export const PAYOUT_FIELDS = {
  ...AMOUNT,
  receiver_cpf: freeText("cpf", ELEVEN_DIGITS, { default: SAMPLE.cpf }),
  receiver_name: freeText(
    "text",
    { en: "the receiver's name", pt: "o nome do recebedor" },
    { default: SAMPLE.name },
  ),
  receiver_email: freeText(
    "email",
    { en: "the receiver's e-mail address", pt: "o e-mail do recebedor" },
    { default: SAMPLE.email },
  ),
  ...ADDRESS,
  pix_key: freeText("key", {
    en: "the PIX key (default: the receiver's CPF)",
    pt: "a chave PIX (padrão: o CPF do recebedor)",
  }),
  pix_key_type: freeText("type", () => PIX_KEY_TYPES.join(", "), { default: "cpf" }),
};

export const IDEMPOTENCY_KEY = freeText("key", {
  en: "the idempotency key (default: a new one)",
  pt: "a chave de idempotência (padrão: uma nova)",
});

/** The help of an option that selects records by their status. */
export const ONLY_STATUS = { en: "only with this status", pt: "só com este status" };

/** Who creates a record, and with which key. */
interface Caller {
  readonly token?: string | undefined;
  readonly idempotency_key?: string | undefined;
}

type PayinFields = Given<unknown, typeof PAYIN_FIELDS>;
type PayoutFields = Given<unknown, typeof PAYOUT_FIELDS>;

/** Creates a payin through the gateway. @returns the control record */
export function createPayin(
  client: CommandClient,
  fields: PayinFields,
  caller: Caller,
): Promise<WirePayin> {
  return create(client, [CREATE_PAYIN, SHOW_PAYIN], fields, caller);
}

/** Creates a payout through the gateway. @returns the control record */
export function createPayout(
  client: CommandClient,
  fields: PayoutFields,
  caller: Caller,
): Promise<WirePayout> {
  const { receiver_cpf, receiver_name, receiver_email, pix_key = receiver_cpf, ...rest } = fields;
  const body = { receiver_cpf, receiver_name, receiver_email, pix_key, ...rest };
  return create(client, [CREATE_PAYOUT, SHOW_PAYOUT], body, caller);
}

/** A CPF that no other record is likely to have, with valid check digits. */
export function randomCpf(): string {
  return withCheckDigits(
    String(process.getBuiltinModule("node:crypto").randomInt(1e9)).padStart(9, "0"),
  );
}

async function create<Row, Name extends string>(
  client: CommandClient,
  [creation, show]: readonly [WireRoute<{ readonly id: string }, Name>, WireRoute<Row, "id">],
  fields: Given<unknown, typeof AMOUNT & typeof ADDRESS>,
  { token = SAMPLE.token, idempotency_key: idempotencyKey = crypto.randomUUID() }: Caller,
): Promise<Row> {
  const { value, description, webhook_url = sinkUrl(client.url), ...others } = fields;
  const body = { value, description, webhook_url, ...others };
  const { id } = await client.callGateway(creation, body, { token, idempotencyKey });
  return client.call(show, { id });
}
