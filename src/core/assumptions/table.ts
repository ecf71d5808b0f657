import type { LocalizedText } from "../localized-text.ts";

/**
 * One assumption: a gap in the specification, its choices, and the default.
 *
 * `pix-sandbox assumptions`, `GET /_sandbox/assumptions` and the docs' table are generated from these rows.
 * A row with one choice documents a decision.
 */
export interface Assumption {
  /** What the specification does not define. */
  readonly gap: LocalizedText;
  /** What each choice does, by its name; `<seconds>` in a name stands for a positive integer. */
  readonly choices: Readonly<Record<string, LocalizedText>>;
  readonly standard: string | number;
}

export const ASSUMPTIONS = {
  "value.unit": {
    gap: {
      en: "The unit and the decimal precision of `value`, and its bounds.",
      pt: "A unidade e a precisão decimal de `value`, e seus limites.",
    },
    choices: {
      reais: {
        en: "More than 0, at most 2 decimals, at most 9999999999.99. What a floating-point sum adds beyond the 16th digit is not counted.",
        pt: "Maior que 0, no máximo 2 casas decimais, até 9999999999.99. O que uma soma de ponto flutuante acrescenta depois do 16º dígito não conta.",
      },
      centavos: {
        en: "A positive integer, at most 999999999999.",
        pt: "Um inteiro positivo, até 999999999999.",
      },
    },
    standard: "reais",
  },
  country_code: {
    gap: {
      en: "Which values `x-country-code` takes.",
      pt: "Quais valores `x-country-code` aceita.",
    },
    choices: {
      two_letters: { en: "Any two letters.", pt: "Quaisquer duas letras." },
      br_only: {
        en: "`BR` alone, in either case.",
        pt: "Somente `BR`, em maiúsculas ou minúsculas.",
      },
    },
    standard: "two_letters",
  },
  "cpf.check": {
    gap: {
      en: "Whether the check digits of a CPF are verified.",
      pt: "Se os dígitos verificadores de um CPF são conferidos.",
    },
    choices: {
      shape: { en: "11 digits are enough.", pt: "11 dígitos bastam." },
      check_digits: {
        en: "The check digits must hold too.",
        pt: "Os dígitos verificadores também devem estar corretos.",
      },
    },
    standard: "shape",
  },
  "phone.size": {
    gap: {
      en: "The specification's words give a Brazilian phone key 14 characters (`+`, country code, area code, 9 digits), its size says 13.",
      pt: "As palavras da especificação dão 14 caracteres a uma chave de telefone brasileira (`+`, código do país, DDD, 9 dígitos), o tamanho dela diz 13.",
    },
    choices: {
      either: {
        en: "`+`, a country code of 1 or 2 digits, a 2-digit area code and a 9-digit number: 13 or 14 characters.",
        pt: "`+`, um código de país de 1 ou 2 dígitos, DDD de 2 dígitos e número de 9 dígitos: 13 ou 14 caracteres.",
      },
      words: {
        en: "`+55` and 11 digits: 14 characters.",
        pt: "`+55` e 11 dígitos: 14 caracteres.",
      },
      size: {
        en: "`+` and 12 digits: exactly 13 characters.",
        pt: "`+` e 12 dígitos: exatamente 13 caracteres.",
      },
    },
    standard: "either",
  },
  "evp.form": {
    gap: { en: "Which UUIDs an `evp` key may be.", pt: "Quais UUIDs uma chave `evp` pode ser." },
    choices: {
      any: { en: "Any UUID, in either case.", pt: "Qualquer UUID, em maiúsculas ou minúsculas." },
      lower_v4: { en: "A version 4 UUID in lower case.", pt: "Um UUID versão 4 em minúsculas." },
    },
    standard: "any",
  },
  "email.size": {
    gap: {
      en: "Which e-mail addresses are valid: here ASCII alone and a dotted domain; and how long one may be.",
      pt: "Quais e-mails são válidos: aqui somente ASCII e um domínio com ponto; e que tamanho podem ter.",
    },
    choices: {
      any: { en: "No limit.", pt: "Sem limite." },
      "77": {
        en: "77 characters, the central bank's limit for a key.",
        pt: "77 caracteres, o limite do Banco Central para uma chave.",
      },
    },
    standard: "any",
  },
  "payin.generate_qrcode": {
    gap: { en: "The default of `generate_qrcode`.", pt: "O padrão de `generate_qrcode`." },
    choices: {
      false: { en: "No image unless asked for.", pt: "Sem imagem, a menos que seja pedida." },
      true: { en: "An image unless refused.", pt: "Com imagem, a menos que seja dispensada." },
    },
    standard: "false",
  },
  "qr_code_base64.form": {
    gap: { en: "How the image is encoded.", pt: "Como a imagem é codificada." },
    choices: {
      bare: { en: "Bare base64 of a PNG.", pt: "O base64 puro de um PNG." },
      data_uri: { en: "A `data:image/png;base64,` URI.", pt: "Uma URI `data:image/png;base64,`." },
    },
    standard: "bare",
  },
  "payin.v2": {
    gap: {
      en: "The path and the error format of the second version of payin creation.",
      pt: "O caminho e o formato de erro da segunda versão da criação de payins.",
    },
    choices: {
      only: {
        en: "`POST /v2/payins`: same payload and success; errors are RFC 9457 `application/problem+json` with `code` and `errors` as members.",
        pt: "`POST /v2/payins`: mesmo payload e mesmo sucesso; erros em `application/problem+json` (RFC 9457), com os campos `code` e `errors`.",
      },
    },
    standard: "only",
  },
  "payin.simulation_status": {
    gap: {
      en: "Whether a payin simulation takes another status than `completed`.",
      pt: "Se a simulação de um payin aceita outro status além de `completed`.",
    },
    choices: {
      completed_only: {
        en: "Another status is `INVALID_VALUE`.",
        pt: "Outro status é `INVALID_VALUE`.",
      },
      also_canceled: { en: "`canceled` cancels the payin.", pt: "`canceled` cancela o payin." },
    },
    standard: "completed_only",
  },
  "payin.paid_status": {
    gap: {
      en: "The status of a payin that its buyer pays; a simulation always gives `completed`.",
      pt: "O status de um payin que o comprador paga; uma simulação sempre dá `completed`.",
    },
    choices: {
      paid: { en: "`paid`.", pt: "`paid`." },
      completed: { en: "`completed`.", pt: "`completed`." },
    },
    standard: "paid",
  },
  "payin.expiry_event": {
    gap: {
      en: "Whether the merchant is told that a payin expired.",
      pt: "Se o lojista é avisado de que um payin expirou.",
    },
    choices: {
      none: { en: "No.", pt: "Não." },
      webhook: { en: "A `payin.expired` webhook.", pt: "Um webhook `payin.expired`." },
    },
    standard: "none",
  },
  "payout.recipient": {
    gap: {
      en: "What makes two payouts go to the same recipient.",
      pt: "O que faz dois payouts irem ao mesmo recebedor.",
    },
    choices: {
      receiver_cpf: { en: "The same `receiver_cpf`.", pt: "O mesmo `receiver_cpf`." },
      pix_key: {
        en: "The same `pix_key`, letter case aside.",
        pt: "A mesma `pix_key`, sem distinguir maiúsculas de minúsculas.",
      },
    },
    standard: "receiver_cpf",
  },
  "payout.rival": {
    gap: {
      en: 'A second payout to a recipient with one in progress "may be canceled".',
      pt: 'Um segundo payout a um recebedor com um em andamento "pode ser cancelado".',
    },
    choices: {
      cancel: {
        en: "It is answered 200 `waiting`, canceled in the commit that creates it, and its webhook says so.",
        pt: "É respondido 200 `waiting`, cancelado no mesmo commit que o cria, e o webhook dele diz isso.",
      },
      reject: {
        en: "It is refused: 422 `NOT_PROCESSABLE`.",
        pt: "É recusado: 422 `NOT_PROCESSABLE`.",
      },
      allow: { en: "Both go on.", pt: "Os dois seguem." },
    },
    standard: "cancel",
  },
  "payout.auto": {
    gap: {
      en: "When a payout is completed by itself.",
      pt: "Quando um payout se conclui sozinho.",
    },
    choices: {
      never: { en: "It waits for a simulation.", pt: "Ele espera uma simulação." },
      "complete_after:<seconds>": {
        en: "So many seconds of the sandbox's time after it was created, unless it is final by then. What held when it was created counts.",
        pt: "Tantos segundos do tempo do sandbox depois de criado, a menos que já seja final. Conta o que valia quando foi criado.",
      },
    },
    standard: "never",
  },
  environment: {
    gap: {
      en: "How staging differs from production, beyond the simulations being staging only.",
      pt: "Em que staging difere de produção, além de as simulações serem só de staging.",
    },
    choices: {
      staging: { en: "Simulations work.", pt: "As simulações funcionam." },
      production: {
        en: "Simulations are refused: 422 `NOT_PROCESSABLE`.",
        pt: "As simulações são recusadas: 422 `NOT_PROCESSABLE`.",
      },
    },
    standard: "staging",
  },
  "simulation.final": {
    gap: {
      en: "A simulation of a transaction that is already final, or unknown.",
      pt: "Uma simulação de uma transação que já é final, ou desconhecida.",
    },
    choices: {
      reject: {
        en: "422 `NOT_PROCESSABLE`, with an entry on `transaction_id`.",
        pt: "422 `NOT_PROCESSABLE`, com uma entrada sobre `transaction_id`.",
      },
      repeat: {
        en: "200 again for the same final status, without a second event; anything else as `reject`.",
        pt: "200 de novo para o mesmo status final, sem um segundo evento; o resto como em `reject`.",
      },
    },
    standard: "reject",
  },
  "simulation.message": {
    gap: {
      en: "The wording of a simulation's `message`.",
      pt: "O texto de `message` de uma simulação.",
    },
    choices: {
      only: {
        en: "English or Portuguese by `error.language`, worded of a charge for both.",
        pt: "Inglês ou português conforme `error.language`; nos dois casos fala de uma cobrança.",
      },
    },
    standard: "only",
  },
  "header.missing": {
    gap: {
      en: "The answer to a missing or empty header.",
      pt: "A resposta a um cabeçalho ausente ou vazio.",
    },
    choices: {
      validation: {
        en: "400 `VALIDATION_ERROR`, an entry a header (`REQUIRED_VALUE`, `EMPTY_VALUE`) whose `field` is the header's name.",
        pt: "400 `VALIDATION_ERROR`, uma entrada por cabeçalho (`REQUIRED_VALUE`, `EMPTY_VALUE`) cujo `field` é o nome dele.",
      },
      unauthorized: { en: "401 `NO_ACTIVE_CREDENTIAL`.", pt: "401 `NO_ACTIVE_CREDENTIAL`." },
    },
    standard: "validation",
  },
  credentials: {
    gap: { en: "Which tokens are active.", pt: "Quais tokens estão ativos." },
    choices: {
      any: { en: "Any non-empty token.", pt: "Qualquer token não vazio." },
      listed: {
        en: "Those of the configuration's `credentials`: `api_key` as `x-api-token` and `merchant_id` as `x-provider-id`, both of the same one; another is 401 `NO_ACTIVE_CREDENTIAL`. Its `api_secret` signs the integration's webhooks: a `whsec_…` secret as it is, the UTF-8 bytes of any other text.",
        pt: "Os de `credentials` na configuração: `api_key` como `x-api-token` e `merchant_id` como `x-provider-id`, os dois da mesma; outro é 401 `NO_ACTIVE_CREDENTIAL`. O `api_secret` dela assina os webhooks da integração: um segredo `whsec_…` como está, de qualquer outro texto os bytes em UTF-8.",
      },
    },
    standard: "any",
  },
  "error.status": {
    gap: { en: "The HTTP statuses of errors.", pt: "Os status HTTP dos erros." },
    choices: {
      distinct: {
        en: "400, 401, 409, 422 and 502 by code.",
        pt: "400, 401, 409, 422 e 502 conforme o código.",
      },
      always_400: { en: "401, 409, 422 and 502 become 400.", pt: "401, 409, 422 e 502 viram 400." },
    },
    standard: "distinct",
  },
  "error.language": {
    gap: { en: "The language of messages.", pt: "O idioma das mensagens." },
    choices: {
      en: { en: "English.", pt: "Inglês." },
      pt: { en: "Portuguese.", pt: "Português." },
    },
    standard: "en",
  },
  unknown_field: {
    gap: {
      en: "A member of the body that is not documented.",
      pt: "Um campo do corpo que não está documentado.",
    },
    choices: {
      ignore: { en: "It is ignored.", pt: "É ignorado." },
      reject: { en: "It is `INVALID_VALUE`.", pt: "É `INVALID_VALUE`." },
    },
    standard: "ignore",
  },
  "idempotency.repeat": {
    gap: {
      en: "The answer to a repeated key with the same request.",
      pt: "A resposta a uma chave repetida com a mesma requisição.",
    },
    choices: {
      replay: {
        en: "The first answer again, with the header `idempotent-replayed: true`, also while the first call runs.",
        pt: "A primeira resposta de novo, com o cabeçalho `idempotent-replayed: true`, também enquanto a primeira chamada roda.",
      },
      reject: { en: "409 `DUPLICATED_VALUE`.", pt: "409 `DUPLICATED_VALUE`." },
    },
    standard: "replay",
  },
  "idempotency.mismatch": {
    gap: {
      en: "The answer to a repeated key with another request.",
      pt: "A resposta a uma chave repetida com outra requisição.",
    },
    choices: {
      reject: { en: "409 `DUPLICATED_VALUE`.", pt: "409 `DUPLICATED_VALUE`." },
      replay: { en: "The first answer again.", pt: "A primeira resposta de novo." },
    },
    standard: "reject",
  },
  "idempotency.retention_seconds": {
    gap: { en: "How long a key is remembered.", pt: "Por quanto tempo uma chave é lembrada." },
    choices: { "<seconds>": { en: "Any positive integer.", pt: "Qualquer inteiro positivo." } },
    standard: 86_400,
  },
  "webhook.configuration": {
    gap: {
      en: "The path and semantics of the webhook configuration operation.",
      pt: "O caminho e a semântica da operação de configuração de webhooks.",
    },
    choices: {
      only: {
        en: "`PUT /v1/webhooks` sets it and answers it, `GET /v1/webhooks` reads it (404 before the first `PUT`); its events go to that address beside those to each `webhook_url`: a paid payin or completed payout is `payment.received`, a canceled payout or an expired or canceled payin `payment.failed`.",
        pt: "`PUT /v1/webhooks` define e responde com ela, `GET /v1/webhooks` lê (404 antes do primeiro `PUT`); os eventos dela vão a esse endereço, além dos que vão a cada `webhook_url`: um payin pago ou payout concluído é `payment.received`, um payout cancelado ou um payin expirado ou cancelado é `payment.failed`.",
      },
    },
    standard: "only",
  },
  "webhook.payload": {
    gap: { en: "Method and payload of a webhook.", pt: "Método e payload de um webhook." },
    choices: {
      only: {
        en: "`POST` of JSON with `id`, `type`, `created_at` and `data`, the transaction: types `payin.paid`, `payout.completed`, `payout.canceled`.",
        pt: "`POST` de JSON com `id`, `type`, `created_at` e `data`, a transação: tipos `payin.paid`, `payout.completed`, `payout.canceled`.",
      },
    },
    standard: "only",
  },
  "webhook.signature": {
    gap: { en: "The signature of a webhook.", pt: "A assinatura de um webhook." },
    choices: {
      standard_webhooks: {
        en: "The three headers of Standard Webhooks.",
        pt: "Os três cabeçalhos de Standard Webhooks.",
      },
      none: { en: "No signature.", pt: "Sem assinatura." },
    },
    standard: "standard_webhooks",
  },
  "webhook.success": {
    gap: {
      en: "Which answers of the merchant count as received.",
      pt: "Quais respostas do lojista contam como recebido.",
    },
    choices: {
      "2xx": { en: "Any 2xx.", pt: "Qualquer 2xx." },
      only_200: { en: "200 alone.", pt: "Somente 200." },
    },
    standard: "2xx",
  },
  "webhook.timeout_seconds": {
    gap: {
      en: "How long an attempt may take, to the end of the answer; the connection at most 5 s of it.",
      pt: "Quanto uma tentativa pode demorar, até o fim da resposta; a conexão, no máximo 5 s disso.",
    },
    choices: { "<seconds>": { en: "Any positive integer.", pt: "Qualquer inteiro positivo." } },
    standard: 10,
  },
  "webhook.retries": {
    gap: {
      en: "The retry policy; here a 410 ends a delivery, and a `retry-after` that asks for more time, up to a day, is given it.",
      pt: "A política de novas tentativas; aqui um 410 encerra uma entrega, e um `retry-after` que pede mais tempo, até um dia, é atendido.",
    },
    choices: {
      laptop: {
        en: "At once, then after 1, 5 and 25 s, each counted from the end of the attempt before.",
        pt: "Na hora, depois após 1, 5 e 25 s, cada um contado do fim da tentativa anterior.",
      },
      production: {
        en: "At once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, counted likewise.",
        pt: "Na hora, depois após 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h e 24 h, contados da mesma forma.",
      },
      none: { en: "One attempt.", pt: "Uma tentativa." },
    },
    standard: "laptop",
  },
  "rate_limit.per_minute": {
    gap: { en: "Request rate limits.", pt: "Limites de requisições." },
    choices: {
      "0": { en: "None.", pt: "Nenhum." },
      "<requests>": {
        en: "So many requests of an integration in any minute of real time, then 429 `NOT_PROCESSABLE` with `retry-after`. What is refused before that, or replayed, is not counted.",
        pt: "Tantas requisições de uma integração em qualquer minuto de tempo real, depois 429 `NOT_PROCESSABLE` com `retry-after`. O que é recusado antes disso, ou repetido, não conta.",
      },
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
 * Reads one choice from outside.
 * @returns the choice, or the reason why it is none.
 */
export function readChoice(
  name: string,
  choice: unknown,
): { choice: string | number } | { refusal: LocalizedText } {
  if (!Object.hasOwn(ASSUMPTIONS, name)) {
    return {
      refusal: {
        en: `Unknown assumption ${JSON.stringify(name)}. "pix-sandbox assumptions" lists all.`,
        pt: `Premissa desconhecida ${JSON.stringify(name)}. "pix-sandbox assumptions" lista todas.`,
      },
    };
  }
  const { choices, standard }: Assumption = ASSUMPTIONS[name as AssumptionName];
  const text = typeof choice === "boolean" || typeof choice === "number" ? String(choice) : choice;
  const names = Object.keys(choices);
  if (typeof text === "string" && names.some((each) => isWrittenAs(text, each)))
    return { choice: typeof standard === "number" ? Number(text) : text };
  const list = (integer: string): string =>
    names.map((each) => each.replace(/^<.*>$/, integer)).join(", ");
  return {
    refusal: {
      en: `${name} takes ${list("a positive integer")}.`,
      pt: `${name} aceita ${list("um inteiro positivo")}.`,
    },
  };
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
    const texts = Object.entries(choices).map(([choice, { en }]) => [choice, en]);
    return {
      name,
      gap: gap.en,
      default: standard,
      choice: held[name],
      choices: Object.fromEntries(texts) as Record<string, string>,
    };
  });
}
