/**
 * One assumption: a gap in the specification, its choices, and the default.
 *
 * `pix-sandbox assumptions`, `GET /_sandbox/assumptions` and the docs' table are generated from these rows.
 * A row with one choice documents a decision.
 */
export interface Assumption {
  /** What the specification does not define. */
  readonly gap: string;
  /** What each choice does, by its name; `<seconds>` in a name stands for a positive integer. */
  readonly choices: Readonly<Record<string, string>>;
  readonly standard: string | number;
}

export const ASSUMPTIONS = {
  "value.unit": {
    gap: "The unit and the decimal precision of `value`, and its bounds.",
    choices: {
      reais:
        "More than 0, at most 2 decimals, at most 9999999999.99. What a floating-point sum adds beyond the 16th digit is not counted.",
      centavos: "A positive integer, at most 999999999999.",
    },
    standard: "reais",
  },
  country_code: {
    gap: "Which values `x-country-code` takes.",
    choices: { two_letters: "Any two letters.", br_only: "`BR` alone, in either case." },
    standard: "two_letters",
  },
  "cpf.check": {
    gap: "Whether the check digits of a CPF are verified.",
    choices: { shape: "11 digits are enough.", check_digits: "The check digits must hold too." },
    standard: "shape",
  },
  "phone.size": {
    gap: "The specification's words give a Brazilian phone key 14 characters (`+`, country code, area code, 9 digits), its size says 13.",
    choices: {
      either:
        "`+`, a country code of 1 or 2 digits, a 2-digit area code and a 9-digit number: 13 or 14 characters.",
      words: "`+55` and 11 digits: 14 characters.",
      size: "`+` and 12 digits: exactly 13 characters.",
    },
    standard: "either",
  },
  "evp.form": {
    gap: "Which UUIDs an `evp` key may be.",
    choices: { any: "Any UUID, in either case.", lower_v4: "A version 4 UUID in lower case." },
    standard: "any",
  },
  "email.size": {
    gap: "Which e-mail addresses are valid: here ASCII alone and a dotted domain; and how long one may be.",
    choices: { any: "No limit.", "77": "77 characters, the central bank's limit for a key." },
    standard: "any",
  },
  "payin.generate_qrcode": {
    gap: "The default of `generate_qrcode`.",
    choices: { false: "No image unless asked for.", true: "An image unless refused." },
    standard: "false",
  },
  "qr_code_base64.form": {
    gap: "How the image is encoded.",
    choices: { bare: "Bare base64 of a PNG.", data_uri: "A `data:image/png;base64,` URI." },
    standard: "bare",
  },
  "payin.v2": {
    gap: "The path and the error format of the second version of payin creation.",
    choices: {
      only: "`POST /v2/payins`: same payload and success; errors are RFC 9457 `application/problem+json` with `code` and `errors` as members.",
    },
    standard: "only",
  },
  "payin.simulation_status": {
    gap: "Whether a payin simulation takes another status than `completed`.",
    choices: {
      completed_only: "Another status is `INVALID_VALUE`.",
      also_canceled: "`canceled` cancels the payin.",
    },
    standard: "completed_only",
  },
  "payin.paid_status": {
    gap: "The status of a payin that its buyer pays; a simulation always gives `completed`.",
    choices: { paid: "`paid`.", completed: "`completed`." },
    standard: "paid",
  },
  "payin.expiry_event": {
    gap: "Whether the merchant is told that a payin expired.",
    choices: { none: "No.", webhook: "A `payin.expired` webhook." },
    standard: "none",
  },
  "payout.recipient": {
    gap: "What makes two payouts go to the same recipient.",
    choices: {
      receiver_cpf: "The same `receiver_cpf`.",
      pix_key: "The same `pix_key`, letter case aside.",
    },
    standard: "receiver_cpf",
  },
  "payout.rival": {
    gap: 'A second payout to a recipient with one in progress "may be canceled".',
    choices: {
      cancel:
        "It is answered 200 `waiting`, canceled in the commit that creates it, and its webhook says so.",
      reject: "It is refused: 422 `NOT_PROCESSABLE`.",
      allow: "Both go on.",
    },
    standard: "cancel",
  },
  "payout.auto": {
    gap: "When a payout is completed by itself.",
    choices: {
      never: "It waits for a simulation.",
      "complete_after:<seconds>":
        "So many seconds of the sandbox's time after it was created, unless it is final by then. What held when it was created counts.",
    },
    standard: "never",
  },
  environment: {
    gap: "How staging differs from production, beyond the simulations being staging only.",
    choices: {
      staging: "Simulations work.",
      production: "Simulations are refused: 422 `NOT_PROCESSABLE`.",
    },
    standard: "staging",
  },
  "simulation.final": {
    gap: "A simulation of a transaction that is already final, or unknown.",
    choices: {
      reject: "422 `NOT_PROCESSABLE`, with an entry on `transaction_id`.",
      repeat:
        "200 again for the same final status, without a second event; anything else as `reject`.",
    },
    standard: "reject",
  },
  "simulation.message": {
    gap: "The wording of a simulation's `message`.",
    choices: { only: "English or Portuguese by `error.language`, worded of a charge for both." },
    standard: "only",
  },
  "header.missing": {
    gap: "The answer to a missing or empty header.",
    choices: {
      validation:
        "400 `VALIDATION_ERROR`, an entry a header (`REQUIRED_VALUE`, `EMPTY_VALUE`) whose `field` is the header's name.",
      unauthorized: "401 `NO_ACTIVE_CREDENTIAL`.",
    },
    standard: "validation",
  },
  credentials: {
    gap: "Which tokens are active.",
    choices: {
      any: "Any non-empty token.",
      listed:
        "Those of the configuration's `credentials`: `api_key` as `x-api-token` and `merchant_id` as `x-provider-id`, both of the same one; another is 401 `NO_ACTIVE_CREDENTIAL`. Its `api_secret` signs the integration's webhooks: a `whsec_…` secret as it is, the UTF-8 bytes of any other text.",
    },
    standard: "any",
  },
  "error.status": {
    gap: "The HTTP statuses of errors.",
    choices: {
      distinct: "400, 401, 409, 422 and 502 by code.",
      always_400: "401, 409, 422 and 502 become 400.",
    },
    standard: "distinct",
  },
  "error.language": {
    gap: "The language of messages.",
    choices: { en: "English.", pt: "Portuguese." },
    standard: "en",
  },
  unknown_field: {
    gap: "A member of the body that is not documented.",
    choices: { ignore: "It is ignored.", reject: "It is `INVALID_VALUE`." },
    standard: "ignore",
  },
  "idempotency.repeat": {
    gap: "The answer to a repeated key with the same request.",
    choices: {
      replay:
        "The first answer again, with the header `idempotent-replayed: true`, also while the first call runs.",
      reject: "409 `DUPLICATED_VALUE`.",
    },
    standard: "replay",
  },
  "idempotency.mismatch": {
    gap: "The answer to a repeated key with another request.",
    choices: { reject: "409 `DUPLICATED_VALUE`.", replay: "The first answer again." },
    standard: "reject",
  },
  "idempotency.retention_seconds": {
    gap: "How long a key is remembered.",
    choices: { "<seconds>": "Any positive integer." },
    standard: 86_400,
  },
  "webhook.configuration": {
    gap: "The path and semantics of the webhook configuration operation.",
    choices: {
      only: "`PUT /v1/webhooks` sets it and answers it, `GET /v1/webhooks` reads it (404 before the first `PUT`); its events go to that address beside those to each `webhook_url`: a paid payin or completed payout is `payment.received`, a canceled payout or an expired or canceled payin `payment.failed`.",
    },
    standard: "only",
  },
  "webhook.payload": {
    gap: "Method and payload of a webhook.",
    choices: {
      only: "`POST` of JSON with `id`, `type`, `created_at` and `data`, the transaction: types `payin.paid`, `payout.completed`, `payout.canceled`.",
    },
    standard: "only",
  },
  "webhook.signature": {
    gap: "The signature of a webhook.",
    choices: {
      standard_webhooks: "The three headers of Standard Webhooks.",
      none: "No signature.",
    },
    standard: "standard_webhooks",
  },
  "webhook.success": {
    gap: "Which answers of the merchant count as received.",
    choices: { "2xx": "Any 2xx.", only_200: "200 alone." },
    standard: "2xx",
  },
  "webhook.timeout_seconds": {
    gap: "How long an attempt may take, to the end of the answer; the connection at most 5 s of it.",
    choices: { "<seconds>": "Any positive integer." },
    standard: 10,
  },
  "webhook.retries": {
    gap: "The retry policy; here a 410 ends a delivery, and a `retry-after` that asks for more time, up to a day, is given it.",
    choices: {
      laptop: "At once, then after 1, 5 and 25 s, each counted from the end of the attempt before.",
      production:
        "At once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, counted likewise.",
      none: "One attempt.",
    },
    standard: "laptop",
  },
  "rate_limit.per_minute": {
    gap: "Request rate limits.",
    choices: {
      "0": "None.",
      "<requests>":
        "So many requests of an integration in any minute of real time, then 429 `NOT_PROCESSABLE` with `retry-after`. What is refused before that, or replayed, is not counted.",
    },
    standard: 0,
  },
} as const satisfies Record<string, Assumption>;

export type AssumptionName = keyof typeof ASSUMPTIONS;

type ChoiceOf<Row extends Assumption> = Row["standard"] extends number
  ? number
  : Filled<Extract<keyof Row["choices"], string>>;

type Filled<Choice extends string> = Choice extends `${infer Before}<${string}>`
  ? `${Before}${number}`
  : Choice;

/** One choice for each assumption. */
export type Assumptions = {
  readonly [Name in AssumptionName]: ChoiceOf<(typeof ASSUMPTIONS)[Name]>;
};

export const ASSUMPTION_NAMES = Object.keys(ASSUMPTIONS) as AssumptionName[];

/** The default choices. */
export const STANDARD_ASSUMPTIONS = Object.fromEntries(
  ASSUMPTION_NAMES.map((name) => [name, ASSUMPTIONS[name].standard]),
) as unknown as Assumptions;

/** Changed choices by name, as {@link readChoice} returns them. */
export type AssumptionChanges = Partial<Record<AssumptionName, string | number>>;

/** `base` with some choices changed. */
export function withChanges(base: Assumptions, changes: AssumptionChanges): Assumptions {
  return { ...base, ...changes } as Assumptions;
}

/**
 * Reads a choice from outside.
 * @returns the choice, or a message that lists the allowed choices.
 */
export function readChoice(
  name: string,
  choice: unknown,
): { choice: string | number } | { refusal: string } {
  if (!Object.hasOwn(ASSUMPTIONS, name)) {
    return {
      refusal: `There is no assumption ${JSON.stringify(name)}; "pix-sandbox assumptions" lists them.`,
    };
  }
  const { choices, standard }: Assumption = ASSUMPTIONS[name as AssumptionName];
  const text = typeof choice === "boolean" || typeof choice === "number" ? String(choice) : choice;
  const names = Object.keys(choices);
  if (typeof text === "string" && names.some((each) => isWrittenAs(text, each)))
    return { choice: typeof standard === "number" ? Number(text) : text };
  const allowed = names.map((each) => each.replace(/^<.*>$/, "a positive integer")).join(", ");
  return { refusal: `${name} takes ${allowed}.` };
}

/** The positive integers that `<seconds>` stands for. */
export const POSITIVE_INTEGER = "[1-9][0-9]{0,14}";

/** Whether a text matches a choice's name, with a number in place of `<seconds>`. */
export function isWrittenAs(text: string, choice: string): boolean {
  const [before = "", name] = choice.split("<");
  if (name === undefined) return text === choice;
  return text.startsWith(before) && WHOLE_INTEGER.test(text.slice(before.length));
}

const WHOLE_INTEGER = new RegExp(`^${POSITIVE_INTEGER}$`);

/** One row in the control route and the command. */
export interface AssumptionRow {
  readonly name: AssumptionName;
  readonly gap: string;
  readonly default: string | number;
  readonly choice: string | number;
  readonly choices: Readonly<Record<string, string>>;
}

/** The whole table, with the choices in force. */
export function describeAssumptions(held: Assumptions): AssumptionRow[] {
  return ASSUMPTION_NAMES.map((name) => {
    const { gap, choices, standard }: Assumption = ASSUMPTIONS[name];
    return { name, gap, default: standard, choice: held[name], choices };
  });
}
