import { SAMPLE, sinkUrl } from "../../wire/sample.ts";
import { PIX_KEY_TYPES, withCheckDigits } from "../../core/records/checks.ts";
import type { WirePayin, WirePayout } from "../../core/records/transaction.ts";
import type { AnswerOf } from "../../http/routes/table.ts";
import type { Calls } from "../../client/calls.ts";
import { flag, freeText, type Given, parsed } from "../definition/parameters.ts";
import { say } from "../../text/message.ts";
import { type CliError, usageError } from "../terminal/errors.ts";
import { chosenLanguage } from "../terminal/language.ts";

const AMOUNT = {
  value: parsed("number", readAmount, say`the amount (default: ${SAMPLE.value} reais)`),
  description: freeText("text", say`up to 140 characters`),
};
const ELEVEN_DIGITS = say`11 digits`;
const BUYER = say`the buyer`;
const ADDRESS = {
  webhook_url: freeText("url", say`the webhook address (default: the sandbox's own receiver)`),
};

export const PAYIN_FIELDS = {
  ...AMOUNT,
  buyer_cpf: freeText("cpf", ELEVEN_DIGITS, { default: SAMPLE.cpf }),
  buyer_name: freeText("text", BUYER, { default: SAMPLE.name }),
  buyer_email: freeText("email", BUYER, { default: SAMPLE.email }),
  ...ADDRESS,
  generate_qrcode: flag(say`request the QR image too`),
  expiration: parsed("seconds", readNumber, say`20 to 172800; the gateway's default is 240`),
};

export const PAYOUT_FIELDS = {
  ...AMOUNT,
  receiver_cpf: freeText("cpf", ELEVEN_DIGITS, { default: SAMPLE.cpf }),
  receiver_name: freeText("text", say`the receiver's name`, { default: SAMPLE.name }),
  receiver_email: freeText("email", say`the receiver's e-mail address`, { default: SAMPLE.email }),
  ...ADDRESS,
  pix_key: freeText("key", say`the Pix key (default: the receiver's CPF)`),
  pix_key_type: freeText("type", () => PIX_KEY_TYPES.join(", "), { default: "cpf" }),
};

export const IDEMPOTENCY_KEY = freeText("key", say`the idempotency key (default: a new one)`);

/** Who creates a record, and with which key. */
interface Caller {
  readonly token?: string | undefined;
  readonly idempotency_key?: string | undefined;
}

type PayinFields = Given<unknown, typeof PAYIN_FIELDS>;
type PayoutFields = Given<unknown, typeof PAYOUT_FIELDS>;

/** Creates a payin through the gateway. @returns the control record */
export function createPayin(
  client: Calls,
  fields: PayinFields,
  caller: Caller,
): Promise<WirePayin> {
  return create(client, ["POST /v1/payins", "GET /payins/{id}"], fields, caller);
}

/** Creates a payout through the gateway. @returns the control record */
export function createPayout(
  client: Calls,
  fields: PayoutFields,
  caller: Caller,
): Promise<WirePayout> {
  const { receiver_cpf, receiver_name, receiver_email, pix_key = receiver_cpf, ...rest } = fields;
  const body = { receiver_cpf, receiver_name, receiver_email, pix_key, ...rest };
  return create(client, ["POST /v1/payouts", "GET /payouts/{id}"], body, caller);
}

/** A CPF that no other record is likely to have, with valid check digits. */
export function randomCpf(): string {
  return withCheckDigits(
    String(process.getBuiltinModule("node:crypto").randomInt(1e9)).padStart(9, "0"),
  );
}

type ShowKey = "GET /payins/{id}" | "GET /payouts/{id}";

async function create<Show extends ShowKey>(
  client: Calls,
  [creation, show]: readonly ["POST /v1/payins" | "POST /v1/payouts", Show],
  fields: Given<unknown, typeof AMOUNT & typeof ADDRESS>,
  { token = SAMPLE.token, idempotency_key: idempotencyKey = crypto.randomUUID() }: Caller,
): Promise<AnswerOf<Show>> {
  const { value = await client.sampleValue(token), description, ...rest } = fields;
  const { webhook_url = sinkUrl(client.url), ...others } = rest;
  const body = { value, description, webhook_url, ...others };
  const { id } = await client.call(creation, body, { token, idempotencyKey });
  return client.call<ShowKey>(show, { id }) as Promise<AnswerOf<Show>>;
}

/** Reads a number. Returns other texts unchanged, so that the gateway refuses them. */
function readNumber(text: string): number | string {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? text : number;
}

/**
 * Reads an amount. In Portuguese decimals follow a comma or a point: `10,50`, `1.234,56`, `10.50`.
 * @throws CliError in English for decimals after a comma, and in Portuguese for `1.000`, where the point could precede
 * decimals or group digits.
 */
function readAmount(text: string): number | string {
  const amount = text.trim();
  const isPortuguese = chosenLanguage() === "pt-BR";
  if (isPortuguese && /^[1-9]\d{0,2}\.\d{3}$/.test(amount)) throw ambiguous(amount);
  if (!/^(?:\d+|\d{1,3}(?:\.\d{3})+),\d{1,2}$/.test(amount)) return readNumber(text);
  const withPoint = amount.replaceAll(".", "").replace(",", ".");
  if (isPortuguese) return readNumber(withPoint);
  throw usageError(
    say`Invalid amount ${JSON.stringify(text)}: decimals follow a point.`,
    say`Use ${withPoint}, or add --lang pt-BR, which accepts a comma.`,
  );
}

function ambiguous(amount: string): CliError {
  const [whole = "", rest = ""] = amount.split(".");
  const text = say`Ambiguous amount ${JSON.stringify(amount)}.`;
  const hint = say`Use ${whole}${rest} or ${whole},${rest.slice(0, 2)}.`;
  return usageError(text, hint);
}
