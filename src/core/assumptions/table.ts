import { isWrittenAs, patternOf } from "../../wire/forms.ts";
import { closest } from "../../text/suggestion.ts";
import { joined, type Message, say } from "../../text/message.ts";
import {
  type Language,
  LANGUAGE_NAMES,
  LANGUAGES,
  english,
  translate,
} from "../../text/languages.ts";

/**
 * One assumption: a gap in the specification, its choices, and the default.
 *
 * The command `assumptions`, `GET /_sandbox/assumptions` and the docs' table are generated from these rows.
 * A row with one choice documents a decision.
 */
export interface Assumption {
  /** What the specification does not define. */
  readonly gap: Message;
  /** What to ask the provider. */
  readonly question: Message;
  /** What each choice does, by its name; `<seconds>` in a name stands for a positive integer. */
  readonly choices: Readonly<Record<string, Message>>;
  /** The default, if it is not the first choice: a number, or a name that JavaScript sorts behind one. */
  readonly standard?: string | number;
  /** The integer for `<seconds>` when `exec --each` tries that choice: one that differs from what a merchant expects. */
  readonly tried?: number;
}

export const ASSUMPTIONS = {
  "value.unit": {
    gap: say`The unit, precision and limits of \`value\`.`,
    question: say`Is value in reais or in centavos, with how many decimals, and what are its limits?`,
    choices: {
      reais: say`More than 0, with at most 2 decimals, up to 9999999999.99. Floating-point noise after the 16th digit is ignored.`,
      centavos: say`A positive integer, at most 999999999999.`,
    },
  },
  country_code: {
    gap: say`The valid values of \`x-country-code\`.`,
    question: say`Which values of x-country-code do you accept?`,
    choices: {
      two_letters: say`Any two letters.`,
      br_only: say`Only \`BR\`, in upper or lower case.`,
    },
  },
  "cpf.check": {
    gap: say`Whether the check digits of a CPF are verified.`,
    question: say`Do you verify the check digits of a CPF?`,
    choices: {
      shape: say`11 digits are enough.`,
      check_digits: say`The check digits must be correct too.`,
    },
  },
  "phone.size": {
    gap: say`The length of a Brazilian phone key: the specification's description gives 14 characters (\`+\`, country code, area code, 9 digits), its size 13.`,
    question: say`How many characters does a phone key have: 13 or 14?`,
    choices: {
      either: say`\`+\`, a country code of 1 or 2 digits, a 2-digit area code and a 9-digit number: 13 or 14 characters.`,
      words: say`\`+55\` and 11 digits: 14 characters.`,
      size: say`\`+\` and 12 digits: exactly 13 characters.`,
    },
  },
  "evp.form": {
    gap: say`The valid UUIDs of an \`evp\` key.`,
    question: say`Which UUIDs do you accept as an evp key?`,
    choices: {
      any: say`Any UUID, in upper or lower case.`,
      lower_v4: say`A version 4 UUID in lower case.`,
    },
  },
  "email.size": {
    gap: say`The valid e-mail addresses and their length. Here: only ASCII, and a domain with a dot.`,
    question: say`Which e-mail addresses do you accept, and up to which length?`,
    choices: {
      any: say`No limit.`,
      "77": say`77 characters, the central bank's limit for a key.`,
    },
    standard: "any",
  },
  "payin.generate_qrcode": {
    gap: say`The default of \`generate_qrcode\`.`,
    question: say`What is the default of generate_qrcode?`,
    choices: {
      false: say`No image by default.`,
      true: say`An image by default.`,
    },
  },
  "qr_code_base64.form": {
    gap: say`The encoding of the image.`,
    question: say`Is qr_code_base64 a bare base64 or a data URI, and of which image format?`,
    choices: {
      bare: say`The base64 of a PNG.`,
      data_uri: say`A \`data:image/png;base64,\` URI.`,
    },
  },
  "payin.v2": {
    gap: say`The path and the error format of the second version of payin creation.`,
    question: say`What are the path and the error format of the second version of payin creation?`,
    choices: {
      only: say`\`POST /v2/payins\`: same payload and success; errors are RFC 9457 \`application/problem+json\` with \`code\` and \`errors\` as members.`,
    },
  },
  "payin.simulation_status": {
    gap: say`Whether a payin simulation accepts other statuses than \`completed\`.`,
    question: say`Which statuses does a payin simulation accept?`,
    choices: {
      completed_only: say`Another status is \`INVALID_VALUE\`.`,
      also_canceled: say`\`canceled\` cancels the payin.`,
    },
  },
  "payin.paid_status": {
    gap: say`The status of a payin that its buyer pays; a simulation always gives \`completed\`.`,
    question: say`Which status does a payin have after its buyer has paid: paid or completed?`,
    choices: {
      paid: say`\`paid\`.`,
      completed: say`\`completed\`.`,
    },
  },
  "payin.expiry_event": {
    gap: say`Whether the merchant is notified when a payin expires.`,
    question: say`Do you send a webhook when a payin expires?`,
    choices: {
      none: say`No.`,
      webhook: say`A \`payin.expired\` webhook.`,
    },
  },
  "payout.recipient": {
    gap: say`Which payouts have the same recipient.`,
    question: say`When do two payouts have the same recipient: the same CPF, or the same Pix key?`,
    choices: {
      receiver_cpf: say`The same \`receiver_cpf\`.`,
      pix_key: say`The same \`pix_key\`, ignoring case.`,
    },
  },
  "payout.rival": {
    gap: say`A second payout to a recipient with one in progress "may be canceled".`,
    question: say`What happens to a second payout to a recipient with one in progress: is it refused, or canceled later?`,
    choices: {
      cancel: say`The response is 200 \`waiting\`; the payout is canceled at once, and a webhook reports it.`,
      reject: say`It is refused: 422 \`NOT_PROCESSABLE\`.`,
      allow: say`Both continue.`,
    },
  },
  "payout.auto": {
    gap: say`When a payout completes without a simulation.`,
    question: say`How long does a payout usually take until it is completed?`,
    choices: {
      never: say`Never: it waits for a simulation.`,
      "complete_after:<seconds>": say`This many seconds of sandbox time after its creation, unless it is already final. Changing this choice does not affect existing payouts.`,
    },
    tried: 1,
  },
  environment: {
    gap: say`The differences between staging and production. Here: only the simulations.`,
    question: say`How does staging differ from production?`,
    choices: {
      staging: say`Simulations work.`,
      production: say`Simulations are refused: 422 \`NOT_PROCESSABLE\`.`,
    },
  },
  "simulation.final": {
    gap: say`A simulation of a transaction that is already final, or unknown.`,
    question: say`How do you respond to a simulation of a transaction that is already final, or unknown?`,
    choices: {
      reject: say`422 \`NOT_PROCESSABLE\`, with an entry on \`transaction_id\`.`,
      repeat: say`The same final status gets 200 again, without a second event. Any other simulation is refused as with \`reject\`.`,
    },
  },
  "simulation.message": {
    gap: say`The wording of a simulation's \`message\`.`,
    question: say`What does the message of a simulation say?`,
    choices: {
      only: say`English or Portuguese, as \`error.language\` selects. The text names a charge for payouts too.`,
    },
  },
  "header.missing": {
    gap: say`The response to a missing or empty header.`,
    question: say`How do you respond to a missing or empty header?`,
    choices: {
      validation: say`400 \`VALIDATION_ERROR\`, with an entry for each such header: \`REQUIRED_VALUE\` or \`EMPTY_VALUE\`, and the header's name as \`field\`.`,
      unauthorized: say`401 \`NO_ACTIVE_CREDENTIAL\`.`,
    },
  },
  credentials: {
    gap: say`Which tokens are active.`,
    question: say`How do api_key, api_secret and merchant_id relate to the headers x-api-token and x-provider-id?`,
    choices: {
      any: say`Any non-empty token.`,
      listed: say`Only those of \`credentials\` in the config file: \`x-api-token\` must be an \`api_key\`, and \`x-provider-id\` the \`merchant_id\` of the same credential. Others get 401 \`NO_ACTIVE_CREDENTIAL\`. The \`api_secret\` signs the integration's webhooks. The key is the decoded base64 of a \`whsec_…\` secret, or the UTF-8 bytes of any other text.`,
    },
  },
  "error.status": {
    gap: say`The HTTP statuses of errors.`,
    question: say`Which HTTP status has each error code?`,
    choices: {
      distinct: say`400, 401, 409, 422 and 502 by code.`,
      always_400: say`401, 409, 422 and 502 become 400.`,
    },
  },
  "error.language": {
    gap: say`The language of messages.`,
    question: say`In which language are error messages?`,
    choices: Object.fromEntries(
      LANGUAGE_NAMES.map((name) => [name, say`${LANGUAGES[name].name}.`]),
    ) as Record<Language, Message>,
  },
  unknown_field: {
    gap: say`An undocumented member of the body.`,
    question: say`Do you refuse a body with an undocumented member?`,
    choices: {
      ignore: say`It is ignored.`,
      reject: say`It is \`INVALID_VALUE\`.`,
    },
  },
  "idempotency.repeat": {
    gap: say`The response to a repeated key with the same request.`,
    question: say`How do you respond to a repeated x-idempotency-key with the same request?`,
    choices: {
      replay: say`The first response again, with the header \`idempotent-replayed: true\`, also while the first call is running.`,
      reject: say`409 \`DUPLICATED_VALUE\`.`,
    },
  },
  "idempotency.mismatch": {
    gap: say`The response to a repeated key with another request.`,
    question: say`How do you respond to a repeated x-idempotency-key with another request?`,
    choices: {
      reject: say`409 \`DUPLICATED_VALUE\`.`,
      replay: say`The first response again.`,
    },
  },
  "idempotency.retention_seconds": {
    gap: say`How long a key is stored.`,
    question: say`For how long do you remember an x-idempotency-key?`,
    choices: { "<seconds>": say`Any positive integer.` },
    standard: 86_400,
    tried: 60,
  },
  "webhook.configuration": {
    gap: say`The path and behavior of the webhook configuration.`,
    question: say`What are the path and the behavior of the webhook configuration, and of its events?`,
    choices: {
      only: say`\`PUT /v1/webhooks\` sets and returns it, \`GET /v1/webhooks\` reads it (404 before the first \`PUT\`). Its address receives events in addition to each \`webhook_url\`: \`payment.received\` for a paid payin or completed payout, \`payment.failed\` for a canceled payout or an expired or canceled payin.`,
    },
  },
  "webhook.payload": {
    gap: say`The method and payload of a webhook.`,
    question: say`What does a webhook look like: its method, its members and its types?`,
    choices: {
      only: say`\`POST\` with JSON: \`id\`, \`type\`, \`created_at\` and the transaction as \`data\`. The types are \`payin.paid\`, \`payout.completed\` and \`payout.canceled\`.`,
    },
  },
  "webhook.signature": {
    gap: say`The signature of a webhook.`,
    question: say`How do you sign webhooks, and with which secret?`,
    choices: {
      standard_webhooks: say`The three headers of Standard Webhooks.`,
      none: say`No signature.`,
    },
  },
  "webhook.success": {
    gap: say`Which responses of the merchant count as success.`,
    question: say`Which of our responses to a webhook count as success: any 2xx, or only 200?`,
    choices: {
      "2xx": say`Any 2xx.`,
      only_200: say`Only 200.`,
    },
  },
  "webhook.timeout_seconds": {
    gap: say`The time that an attempt may take, up to the end of the response. Connecting may take at most 5 s of it.`,
    question: say`How long do you wait for our response to a webhook?`,
    choices: { "<seconds>": say`Any positive integer.` },
    standard: 10,
    tried: 1,
  },
  "webhook.retries": {
    gap: say`The retry schedule. With every choice, a 410 ends the delivery, and a \`retry-after\` can extend the wait, up to a day.`,
    question: say`How often, and after which waits, do you repeat a webhook that failed?`,
    choices: {
      laptop: say`At once, then after 1, 5 and 25 s, each after the end of the previous attempt.`,
      production: say`At once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each after the end of the previous attempt.`,
      none: say`One attempt.`,
    },
  },
  "rate_limit.per_minute": {
    gap: say`The rate limit of requests.`,
    question: say`How many requests per minute do you accept, and how do you respond to more?`,
    choices: {
      "0": say`None.`,
      "<requests>": say`At most this many requests of an integration per minute of real time. Further ones get 429 \`NOT_PROCESSABLE\` with \`retry-after\`. Repeats and calls that are refused earlier do not count.`,
    },
    standard: 0,
    tried: 10,
  },
} as const satisfies Record<string, Assumption>;

export type AssumptionName = keyof typeof ASSUMPTIONS;

type ChoiceOf<Row extends Assumption> = Row extends { standard: number }
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
  Object.entries(ASSUMPTIONS).map(([name, { choices, standard }]: [string, Assumption]) => [
    name,
    standard ?? Object.keys(choices)[0],
  ]),
) as unknown as Assumptions;

export type AssumptionChanges = Partial<Record<AssumptionName, string | number>>;

/** `base` with some choices changed; `base` itself if none is. */
export function withChanges(base: Assumptions, changes: AssumptionChanges): Assumptions {
  return Object.keys(changes).length === 0 ? base : ({ ...base, ...changes } as Assumptions);
}

export function isAssumptionName(name: string): name is AssumptionName {
  return Object.hasOwn(ASSUMPTIONS, name);
}

/** Every choice of an assumption, in the order of the table, with an integer in place of `<seconds>`. */
export function triedChoices(name: AssumptionName): (string | number)[] {
  const { choices, standard, tried = 1 }: Assumption = ASSUMPTIONS[name];
  const texts = Object.keys(choices).map((choice) => choice.replace(/<.*>$/, String(tried)));
  return typeof standard === "number" ? texts.map(Number) : texts;
}

/** Reads one choice from outside: the choice, or the reason why it is invalid. */
export function readChoice(
  name: string,
  choice: unknown,
): { choice: string | number } | { refusal: Message } {
  if (!isAssumptionName(name)) {
    const meant = closest(name, ASSUMPTION_NAMES);
    const unknown = JSON.stringify(name);
    const refusal = meant
      ? say`Unknown assumption ${unknown}. Did you mean ${JSON.stringify(meant)}?`
      : say`Unknown assumption ${unknown}. The command "assumptions" lists all.`;
    return { refusal };
  }
  const { choices, standard }: Assumption = ASSUMPTIONS[name];
  const text = typeof choice === "boolean" || typeof choice === "number" ? String(choice) : choice;
  const names = Object.keys(choices);
  if (typeof text === "string" && names.some((each) => isWrittenAs(text, each)))
    return { choice: typeof standard === "number" ? Number(text) : text };
  const forms = names.map((each) => (/^<.*>$/.test(each) ? say`a positive integer` : each));
  return { refusal: say`${name} takes ${joined(forms, ", ")}.` };
}

/** The JSON Schema of what {@link readChoice} accepts: a number or a truth may be written as such. */
export function choiceSchema(name: AssumptionName) {
  const { gap, choices }: Assumption = ASSUMPTIONS[name];
  const anyOf = Object.entries(choices).flatMap(([choice, text]): object[] => {
    const description = english(text);
    const spellings = /^(?:true|false|\d+)$/.test(choice) ? [JSON.parse(choice), choice] : [choice];
    if (!choice.endsWith(">"))
      return spellings.map((one: unknown) => ({ const: one, description }));
    const spelled = { type: "string", pattern: patternOf(choice), description };
    const integer = { type: "integer", minimum: 1, maximum: 999_999_999_999_999, description };
    return choice.startsWith("<") ? [integer, spelled] : [spelled];
  });
  return { description: english(gap), anyOf };
}

/** One row in the control route and the command. */
export type AssumptionRow = ReturnType<typeof describeAssumptions>[number];

/** The whole table, with the choices in force. @param language of the texts */
export function describeAssumptions(
  held: Assumptions,
  language: Language = "en",
  profile?: Profile,
) {
  return ASSUMPTION_NAMES.map((name) => {
    const { gap, choices }: Assumption = ASSUMPTIONS[name];
    const texts = Object.entries(choices).map(([one, text]) => [one, translate(text, language)]);
    return {
      name,
      gap: translate(gap, language),
      default: STANDARD_ASSUMPTIONS[name] as string | number,
      choice: held[name] as string | number,
      choices: Object.fromEntries(texts) as Readonly<Record<string, string>>,
      ...(profile?.assumptions[name] === held[name] && {
        /** The profile that the choice comes from; absent if it comes from none. */
        profile: profile.name,
        /** When it was observed, in ISO 8601; null if the profile does not say. */
        observed: profile.observed?.[name]?.at ?? null,
      }),
    };
  });
}

/** When and how a choice was observed at a gateway. */
export interface Observation {
  /** In ISO 8601. */
  readonly at: string;
  readonly by: "probe" | "recording";
  /** The calls that showed it, each with its response, such as `POST /v1/payouts 422 NOT_PROCESSABLE`. */
  readonly evidence?: readonly string[] | undefined;
}

/** The choices of one gateway, with their evidence: a file that teams share. */
export interface Profile {
  readonly name: string;
  readonly assumptions: AssumptionChanges;
  readonly observed?: Readonly<Partial<Record<AssumptionName, Observation>>> | undefined;
}

/** A merchant's credentials, for the assumption `credentials`=`listed`. */
export interface Credential {
  /** `x-api-token`: the integration. */
  readonly apiKey: string;
  /** Signs the integration's webhooks: a `whsec_…` secret as it is, or the UTF-8 bytes of any other text. */
  readonly apiSecret: string;
  /** `x-provider-id`. */
  readonly merchantId: string;
}

/** By `apiKey`. */
export type Credentials = ReadonlyMap<string, Credential>;
