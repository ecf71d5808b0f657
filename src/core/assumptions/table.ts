import type { Language, LocalizedText } from "../../text/localized-text.ts";
import { closest } from "../../text/suggestion.ts";
import { isWrittenAs, withInteger } from "./choice-name.ts";

/**
 * One assumption: a gap in the specification, its choices, and the default.
 *
 * `npx pix-sandbox assumptions`, `GET /_sandbox/assumptions` and the docs' table are generated from these rows.
 * A row with one choice documents a decision.
 */
export interface Assumption {
  /** What the specification does not define. */
  readonly gap: LocalizedText;
  /** What to ask the provider. */
  readonly question: LocalizedText;
  /** What each choice does, by its name; `<seconds>` in a name stands for a positive integer. */
  readonly choices: Readonly<Record<string, LocalizedText>>;
  readonly standard: string | number;
  /** The integer for `<seconds>` when `matrix` tries that choice: one that differs from what a merchant expects. */
  readonly tried?: number;
}

export const ASSUMPTIONS = {
  "value.unit": {
    gap: {
      en: "The unit, precision and limits of `value`.",
      pt: "A unidade, a precisão e os limites de `value`.",
    },
    question: {
      en: "Is value in reais or in centavos, with how many decimals, and what are its limits?",
      pt: "O value é em reais ou em centavos, com quantas casas decimais, e quais são os limites?",
    },
    choices: {
      reais: {
        en: "More than 0, with at most 2 decimals, up to 9999999999.99. Floating-point noise after the 16th digit is ignored.",
        pt: "Maior que 0, com no máximo 2 casas decimais, até 9999999999.99. Ruído de ponto flutuante depois do 16º dígito é ignorado.",
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
      en: "The valid values of `x-country-code`.",
      pt: "Os valores válidos de `x-country-code`.",
    },
    question: {
      en: "Which values of x-country-code do you accept?",
      pt: "Quais valores de x-country-code vocês aceitam?",
    },
    choices: {
      two_letters: { en: "Any two letters.", pt: "Quaisquer duas letras." },
      br_only: {
        en: "Only `BR`, in upper or lower case.",
        pt: "Só `BR`, em maiúsculas ou minúsculas.",
      },
    },
    standard: "two_letters",
  },
  "cpf.check": {
    gap: {
      en: "Whether the check digits of a CPF are verified.",
      pt: "Se os dígitos verificadores de um CPF são conferidos.",
    },
    question: {
      en: "Do you verify the check digits of a CPF?",
      pt: "Vocês conferem os dígitos verificadores de um CPF?",
    },
    choices: {
      shape: { en: "11 digits are enough.", pt: "11 dígitos bastam." },
      check_digits: {
        en: "The check digits must be correct too.",
        pt: "Os dígitos verificadores também devem estar corretos.",
      },
    },
    standard: "shape",
  },
  "phone.size": {
    gap: {
      en: "The length of a Brazilian phone key: the specification's description gives 14 characters (`+`, country code, area code, 9 digits), its size 13.",
      pt: "O tamanho de uma chave de telefone brasileira: a descrição na especificação dá 14 caracteres (`+`, código do país, DDD, 9 dígitos), o tamanho indicado, 13.",
    },
    question: {
      en: "How many characters does a phone key have: 13 or 14?",
      pt: "Quantos caracteres tem uma chave de telefone: 13 ou 14?",
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
    gap: { en: "The valid UUIDs of an `evp` key.", pt: "Os UUIDs válidos de uma chave `evp`." },
    question: {
      en: "Which UUIDs do you accept as an evp key?",
      pt: "Quais UUIDs vocês aceitam como chave evp?",
    },
    choices: {
      any: {
        en: "Any UUID, in upper or lower case.",
        pt: "Qualquer UUID, em maiúsculas ou minúsculas.",
      },
      lower_v4: { en: "A version 4 UUID in lower case.", pt: "Um UUID versão 4 em minúsculas." },
    },
    standard: "any",
  },
  "email.size": {
    gap: {
      en: "The valid e-mail addresses and their length. Here: only ASCII, and a domain with a dot.",
      pt: "Os e-mails válidos e o tamanho deles. Aqui: só ASCII e um domínio com ponto.",
    },
    question: {
      en: "Which e-mail addresses do you accept, and up to which length?",
      pt: "Quais e-mails vocês aceitam, e até que tamanho?",
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
    question: {
      en: "What is the default of generate_qrcode?",
      pt: "Qual é o padrão de generate_qrcode?",
    },
    choices: {
      false: { en: "No image by default.", pt: "Sem imagem por padrão." },
      true: { en: "An image by default.", pt: "Com imagem por padrão." },
    },
    standard: "false",
  },
  "qr_code_base64.form": {
    gap: { en: "The encoding of the image.", pt: "A codificação da imagem." },
    question: {
      en: "Is qr_code_base64 a bare base64 or a data URI, and of which image format?",
      pt: "O qr_code_base64 é só o base64 ou uma data URI, e de qual formato de imagem?",
    },
    choices: {
      bare: { en: "The base64 of a PNG.", pt: "O base64 de um PNG." },
      data_uri: { en: "A `data:image/png;base64,` URI.", pt: "Uma URI `data:image/png;base64,`." },
    },
    standard: "bare",
  },
  "payin.v2": {
    gap: {
      en: "The path and the error format of the second version of payin creation.",
      pt: "O caminho e o formato de erro da segunda versão da criação de payins.",
    },
    question: {
      en: "What are the path and the error format of the second version of payin creation?",
      pt: "Quais são o caminho e o formato de erro da segunda versão da criação de payins?",
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
      en: "Whether a payin simulation accepts other statuses than `completed`.",
      pt: "Se a simulação de um payin aceita outro status além de `completed`.",
    },
    question: {
      en: "Which statuses does a payin simulation accept?",
      pt: "Quais status uma simulação de payin aceita?",
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
    question: {
      en: "Which status does a payin have after its buyer has paid: paid or completed?",
      pt: "Que status tem um payin depois que o comprador paga: paid ou completed?",
    },
    choices: {
      paid: { en: "`paid`.", pt: "`paid`." },
      completed: { en: "`completed`.", pt: "`completed`." },
    },
    standard: "paid",
  },
  "payin.expiry_event": {
    gap: {
      en: "Whether the merchant is notified when a payin expires.",
      pt: "Se o lojista é avisado quando um payin expira.",
    },
    question: {
      en: "Do you send a webhook when a payin expires?",
      pt: "Vocês enviam um webhook quando um payin expira?",
    },
    choices: {
      none: { en: "No.", pt: "Não." },
      webhook: { en: "A `payin.expired` webhook.", pt: "Um webhook `payin.expired`." },
    },
    standard: "none",
  },
  "payout.recipient": {
    gap: {
      en: "Which payouts have the same recipient.",
      pt: "Quais payouts têm o mesmo recebedor.",
    },
    question: {
      en: "When do two payouts have the same recipient: the same CPF, or the same PIX key?",
      pt: "Quando dois payouts têm o mesmo recebedor: com o mesmo CPF ou com a mesma chave PIX?",
    },
    choices: {
      receiver_cpf: { en: "The same `receiver_cpf`.", pt: "O mesmo `receiver_cpf`." },
      pix_key: {
        en: "The same `pix_key`, ignoring case.",
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
    question: {
      en: "What happens to a second payout to a recipient with one in progress: is it refused, or canceled later?",
      pt: "O que acontece com um segundo payout para um recebedor com um em andamento: é recusado ou cancelado depois?",
    },
    choices: {
      cancel: {
        en: "The response is 200 `waiting`; the payout is canceled at once, and a webhook reports it.",
        pt: "A resposta é 200 `waiting`; o payout é cancelado na hora, e um webhook avisa.",
      },
      reject: {
        en: "It is refused: 422 `NOT_PROCESSABLE`.",
        pt: "É recusado: 422 `NOT_PROCESSABLE`.",
      },
      allow: { en: "Both continue.", pt: "Os dois continuam." },
    },
    standard: "cancel",
  },
  "payout.auto": {
    gap: {
      en: "When a payout completes without a simulation.",
      pt: "Quando um payout se conclui sem simulação.",
    },
    question: {
      en: "How long does a payout usually take until it is completed?",
      pt: "Quanto tempo um payout costuma levar até ser concluído?",
    },
    choices: {
      never: { en: "Never: it waits for a simulation.", pt: "Nunca: ele espera uma simulação." },
      "complete_after:<seconds>": {
        en: "This many seconds of sandbox time after its creation, unless it is already final. Changing this choice does not affect existing payouts.",
        pt: "Esse número de segundos do tempo do sandbox depois da criação, a menos que já seja final. Mudar esta escolha não afeta payouts existentes.",
      },
    },
    standard: "never",
    tried: 1,
  },
  environment: {
    gap: {
      en: "The differences between staging and production. Here: only the simulations.",
      pt: "As diferenças entre staging e produção. Aqui: só as simulações.",
    },
    question: {
      en: "How does staging differ from production?",
      pt: "Em que o staging difere da produção?",
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
    question: {
      en: "How do you respond to a simulation of a transaction that is already final, or unknown?",
      pt: "Como vocês respondem à simulação de uma transação que já é final, ou desconhecida?",
    },
    choices: {
      reject: {
        en: "422 `NOT_PROCESSABLE`, with an entry on `transaction_id`.",
        pt: "422 `NOT_PROCESSABLE`, com uma entrada sobre `transaction_id`.",
      },
      repeat: {
        en: "The same final status gets 200 again, without a second event. Any other simulation is refused as with `reject`.",
        pt: "O mesmo status final recebe 200 de novo, sem um segundo evento. Qualquer outra simulação é recusada como em `reject`.",
      },
    },
    standard: "reject",
  },
  "simulation.message": {
    gap: {
      en: "The wording of a simulation's `message`.",
      pt: "O texto de `message` de uma simulação.",
    },
    question: {
      en: "What does the message of a simulation say?",
      pt: "O que diz a message de uma simulação?",
    },
    choices: {
      only: {
        en: "English or Portuguese, as `error.language` selects. The text names a charge for payouts too.",
        pt: "Inglês ou português conforme `error.language`; o texto fala de cobrança também para payouts.",
      },
    },
    standard: "only",
  },
  "header.missing": {
    gap: {
      en: "The response to a missing or empty header.",
      pt: "A resposta a um cabeçalho ausente ou vazio.",
    },
    question: {
      en: "How do you respond to a missing or empty header?",
      pt: "Como vocês respondem a um cabeçalho ausente ou vazio?",
    },
    choices: {
      validation: {
        en: "400 `VALIDATION_ERROR`, with an entry for each such header: `REQUIRED_VALUE` or `EMPTY_VALUE`, and the header's name as `field`.",
        pt: "400 `VALIDATION_ERROR`, com uma entrada para cada um desses cabeçalhos: `REQUIRED_VALUE` ou `EMPTY_VALUE`, e o nome do cabeçalho em `field`.",
      },
      unauthorized: { en: "401 `NO_ACTIVE_CREDENTIAL`.", pt: "401 `NO_ACTIVE_CREDENTIAL`." },
    },
    standard: "validation",
  },
  credentials: {
    gap: { en: "Which tokens are active.", pt: "Quais tokens estão ativos." },
    question: {
      en: "How do api_key, api_secret and merchant_id relate to the headers x-api-token and x-provider-id?",
      pt: "Qual é a relação de api_key, api_secret e merchant_id com os cabeçalhos x-api-token e x-provider-id?",
    },
    choices: {
      any: { en: "Any non-empty token.", pt: "Qualquer token não vazio." },
      listed: {
        en: "Only those of `credentials` in the config file: `x-api-token` must be an `api_key`, and `x-provider-id` the `merchant_id` of the same credential. Others get 401 `NO_ACTIVE_CREDENTIAL`. The `api_secret` signs the integration's webhooks. The key is the decoded base64 of a `whsec_…` secret, or the UTF-8 bytes of any other text.",
        pt: "Só os de `credentials` no arquivo de configuração: `x-api-token` deve ser um `api_key`, e `x-provider-id`, o `merchant_id` da mesma credencial. Os outros recebem 401 `NO_ACTIVE_CREDENTIAL`. O `api_secret` assina os webhooks da integração. A chave é o base64 decodificado de um segredo `whsec_…`, ou os bytes UTF-8 de qualquer outro texto.",
      },
    },
    standard: "any",
  },
  "error.status": {
    gap: { en: "The HTTP statuses of errors.", pt: "Os status HTTP dos erros." },
    question: {
      en: "Which HTTP status has each error code?",
      pt: "Qual status HTTP tem cada código de erro?",
    },
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
    question: {
      en: "In which language are error messages?",
      pt: "Em que idioma são as mensagens de erro?",
    },
    choices: {
      en: { en: "English.", pt: "Inglês." },
      pt: { en: "Portuguese.", pt: "Português." },
    },
    standard: "en",
  },
  unknown_field: {
    gap: {
      en: "An undocumented member of the body.",
      pt: "Um campo não documentado do corpo.",
    },
    question: {
      en: "Do you refuse a body with an undocumented member?",
      pt: "Vocês recusam um corpo com um campo não documentado?",
    },
    choices: {
      ignore: { en: "It is ignored.", pt: "É ignorado." },
      reject: { en: "It is `INVALID_VALUE`.", pt: "É `INVALID_VALUE`." },
    },
    standard: "ignore",
  },
  "idempotency.repeat": {
    gap: {
      en: "The response to a repeated key with the same request.",
      pt: "A resposta a uma chave repetida com a mesma requisição.",
    },
    question: {
      en: "How do you respond to a repeated x-idempotency-key with the same request?",
      pt: "Como vocês respondem a uma x-idempotency-key repetida com a mesma requisição?",
    },
    choices: {
      replay: {
        en: "The first response again, with the header `idempotent-replayed: true`, also while the first call is running.",
        pt: "A primeira resposta de novo, com o cabeçalho `idempotent-replayed: true`, também enquanto a primeira chamada roda.",
      },
      reject: { en: "409 `DUPLICATED_VALUE`.", pt: "409 `DUPLICATED_VALUE`." },
    },
    standard: "replay",
  },
  "idempotency.mismatch": {
    gap: {
      en: "The response to a repeated key with another request.",
      pt: "A resposta a uma chave repetida com outra requisição.",
    },
    question: {
      en: "How do you respond to a repeated x-idempotency-key with another request?",
      pt: "Como vocês respondem a uma x-idempotency-key repetida com outra requisição?",
    },
    choices: {
      reject: { en: "409 `DUPLICATED_VALUE`.", pt: "409 `DUPLICATED_VALUE`." },
      replay: { en: "The first response again.", pt: "A primeira resposta de novo." },
    },
    standard: "reject",
  },
  "idempotency.retention_seconds": {
    gap: { en: "How long a key is stored.", pt: "Por quanto tempo uma chave é armazenada." },
    question: {
      en: "For how long do you remember an x-idempotency-key?",
      pt: "Por quanto tempo vocês guardam uma x-idempotency-key?",
    },
    choices: { "<seconds>": { en: "Any positive integer.", pt: "Qualquer inteiro positivo." } },
    standard: 86_400,
    tried: 60,
  },
  "webhook.configuration": {
    gap: {
      en: "The path and behavior of the webhook configuration.",
      pt: "O caminho e o comportamento da configuração de webhooks.",
    },
    question: {
      en: "What are the path and the behavior of the webhook configuration, and of its events?",
      pt: "Quais são o caminho e o comportamento da configuração de webhooks e dos eventos dela?",
    },
    choices: {
      only: {
        en: "`PUT /v1/webhooks` sets and returns it, `GET /v1/webhooks` reads it (404 before the first `PUT`). Its address receives events in addition to each `webhook_url`: `payment.received` for a paid payin or completed payout, `payment.failed` for a canceled payout or an expired or canceled payin.",
        pt: "`PUT /v1/webhooks` define e devolve a configuração, `GET /v1/webhooks` a lê (404 antes do primeiro `PUT`). O endereço recebe eventos além dos de cada `webhook_url`: `payment.received` para um payin pago ou payout concluído, `payment.failed` para um payout cancelado ou um payin expirado ou cancelado.",
      },
    },
    standard: "only",
  },
  "webhook.payload": {
    gap: { en: "The method and payload of a webhook.", pt: "O método e o payload de um webhook." },
    question: {
      en: "What does a webhook look like: its method, its members and its types?",
      pt: "Como é um webhook: o método, os campos e os tipos?",
    },
    choices: {
      only: {
        en: "`POST` with JSON: `id`, `type`, `created_at` and the transaction as `data`. The types are `payin.paid`, `payout.completed` and `payout.canceled`.",
        pt: "`POST` com JSON: `id`, `type`, `created_at` e a transação em `data`. Os tipos são `payin.paid`, `payout.completed` e `payout.canceled`.",
      },
    },
    standard: "only",
  },
  "webhook.signature": {
    gap: { en: "The signature of a webhook.", pt: "A assinatura de um webhook." },
    question: {
      en: "How do you sign webhooks, and with which secret?",
      pt: "Como vocês assinam os webhooks, e com qual segredo?",
    },
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
      en: "Which responses of the merchant count as success.",
      pt: "Quais respostas do lojista contam como sucesso.",
    },
    question: {
      en: "Which of our responses to a webhook count as success: any 2xx, or only 200?",
      pt: "Quais das nossas respostas a um webhook contam como sucesso: qualquer 2xx ou só 200?",
    },
    choices: {
      "2xx": { en: "Any 2xx.", pt: "Qualquer 2xx." },
      only_200: { en: "Only 200.", pt: "Só 200." },
    },
    standard: "2xx",
  },
  "webhook.timeout_seconds": {
    gap: {
      en: "The time that an attempt may take, up to the end of the response. Connecting may take at most 5 s of it.",
      pt: "O tempo que uma tentativa pode levar, até o fim da resposta. A conexão pode levar no máximo 5 s desse tempo.",
    },
    question: {
      en: "How long do you wait for our response to a webhook?",
      pt: "Quanto tempo vocês esperam pela nossa resposta a um webhook?",
    },
    choices: { "<seconds>": { en: "Any positive integer.", pt: "Qualquer inteiro positivo." } },
    standard: 10,
    tried: 1,
  },
  "webhook.retries": {
    gap: {
      en: "The retry schedule. With every choice, a 410 ends the delivery, and a `retry-after` can extend the wait, up to a day.",
      pt: "A política de novas tentativas. Em todas as escolhas, um 410 encerra a entrega, e um `retry-after` pode aumentar a espera, até um dia.",
    },
    question: {
      en: "How often, and after which waits, do you repeat a webhook that failed?",
      pt: "Quantas vezes, e depois de quanto tempo, vocês repetem um webhook que falhou?",
    },
    choices: {
      laptop: {
        en: "At once, then after 1, 5 and 25 s, each after the end of the previous attempt.",
        pt: "Na hora, depois após 1, 5 e 25 s, cada um contado do fim da tentativa anterior.",
      },
      production: {
        en: "At once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each after the end of the previous attempt.",
        pt: "Na hora, depois após 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h e 24 h, cada um contado do fim da tentativa anterior.",
      },
      none: { en: "One attempt.", pt: "Uma tentativa." },
    },
    standard: "laptop",
  },
  "rate_limit.per_minute": {
    gap: { en: "The rate limit of requests.", pt: "O limite de requisições." },
    question: {
      en: "How many requests per minute do you accept, and how do you respond to more?",
      pt: "Quantas requisições por minuto vocês aceitam, e como respondem às demais?",
    },
    choices: {
      "0": { en: "None.", pt: "Nenhum." },
      "<requests>": {
        en: "At most this many requests of an integration per minute of real time. Further ones get 429 `NOT_PROCESSABLE` with `retry-after`. Repeats and calls that are refused earlier do not count.",
        pt: "No máximo esse número de requisições de uma integração por minuto de tempo real. As seguintes recebem 429 `NOT_PROCESSABLE` com `retry-after`. Repetições e chamadas recusadas antes não contam.",
      },
    },
    standard: 0,
    tried: 10,
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

/** Changed choices by name, each as {@link readChoice} returns it. */
export type AssumptionChanges = Partial<Record<AssumptionName, string | number>>;

/** `base` with some choices changed. */
export function withChanges(base: Assumptions, changes: AssumptionChanges): Assumptions {
  return { ...base, ...changes } as Assumptions;
}

export function isAssumptionName(name: string): name is AssumptionName {
  return Object.hasOwn(ASSUMPTIONS, name);
}

/** The refusal of an unknown name. */
export function unknownAssumption(name: string): LocalizedText {
  const suggestion = closest(name, ASSUMPTION_NAMES);
  const [unknown, meant] = [JSON.stringify(name), JSON.stringify(suggestion)];
  return suggestion === undefined
    ? {
        en: `Unknown assumption ${unknown}. "npx pix-sandbox assumptions" lists all.`,
        pt: `Premissa desconhecida ${unknown}. "npx pix-sandbox assumptions" lista todas.`,
      }
    : {
        en: `Unknown assumption ${unknown}. Did you mean ${meant}?`,
        pt: `Premissa desconhecida ${unknown}. Você quis dizer ${meant}?`,
      };
}

/** Every choice of an assumption, in the order of the table, with an integer in place of `<seconds>`. */
export function triedChoices(name: AssumptionName): (string | number)[] {
  const { choices, standard, tried = 1 }: Assumption = ASSUMPTIONS[name];
  const texts = Object.keys(choices).map((choice) => withInteger(choice, tried));
  return typeof standard === "number" ? texts.map(Number) : texts;
}

/**
 * Reads one choice from outside.
 * @returns the choice, or the reason why it is invalid.
 */
export function readChoice(
  name: string,
  choice: unknown,
): { choice: string | number } | { refusal: LocalizedText } {
  if (!isAssumptionName(name)) return { refusal: unknownAssumption(name) };
  const { choices, standard }: Assumption = ASSUMPTIONS[name];
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

/** One row in the control route and the command. */
export interface AssumptionRow {
  readonly name: AssumptionName;
  readonly gap: string;
  readonly default: string | number;
  readonly choice: string | number;
  readonly choices: Readonly<Record<string, string>>;
}

/** The whole table, with the choices in force. @param language of the texts */
export function describeAssumptions(held: Assumptions, language: Language = "en"): AssumptionRow[] {
  return ASSUMPTION_NAMES.map((name) => {
    const { gap, choices, standard }: Assumption = ASSUMPTIONS[name];
    const texts = Object.entries(choices).map(([choice, text]) => [choice, text[language]]);
    return {
      name,
      gap: gap[language],
      default: standard,
      choice: held[name],
      choices: Object.fromEntries(texts) as Record<string, string>,
    };
  });
}
