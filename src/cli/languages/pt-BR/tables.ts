/** The tables of `assumptions` and `magic`: what the core says of each row. */
export const TABLES: Readonly<Record<string, string>> = {
  // assumptions: value and formats
  "The unit and the decimal precision of `value`, and its bounds.":
    "A unidade e a precisão decimal de `value`, e seus limites.",
  "More than 0, at most 2 decimals, at most 9999999999.99. What a floating-point sum adds beyond the 16th digit is not counted.":
    "Maior que 0, no máximo 2 casas decimais, até 9999999999.99. O que uma soma de ponto flutuante acrescenta depois do 16º dígito não conta.",
  "A positive integer, at most 999999999999.": "Um inteiro positivo, até 999999999999.",
  "Which values `x-country-code` takes.": "Quais valores `x-country-code` aceita.",
  "Any two letters.": "Quaisquer duas letras.",
  "`BR` alone, in either case.": "Somente `BR`, em maiúsculas ou minúsculas.",
  "Whether the check digits of a CPF are verified.":
    "Se os dígitos verificadores de um CPF são conferidos.",
  "11 digits are enough.": "11 dígitos bastam.",
  "The check digits must hold too.": "Os dígitos verificadores também devem estar corretos.",
  "The specification's words give a Brazilian phone key 14 characters (`+`, country code, area code, 9 digits), its size says 13.":
    "As palavras da especificação dão 14 caracteres a uma chave de telefone brasileira (`+`, código do país, DDD, 9 dígitos), o tamanho dela diz 13.",
  "`+`, a country code of 1 or 2 digits, a 2-digit area code and a 9-digit number: 13 or 14 characters.":
    "`+`, um código de país de 1 ou 2 dígitos, DDD de 2 dígitos e número de 9 dígitos: 13 ou 14 caracteres.",
  "`+55` and 11 digits: 14 characters.": "`+55` e 11 dígitos: 14 caracteres.",
  "`+` and 12 digits: exactly 13 characters.": "`+` e 12 dígitos: exatamente 13 caracteres.",
  "Which UUIDs an `evp` key may be.": "Quais UUIDs uma chave `evp` pode ser.",
  "Any UUID, in either case.": "Qualquer UUID, em maiúsculas ou minúsculas.",
  "A version 4 UUID in lower case.": "Um UUID versão 4 em minúsculas.",
  "Which e-mail addresses are valid: here ASCII alone and a dotted domain; and how long one may be.":
    "Quais e-mails são válidos: aqui somente ASCII e um domínio com ponto; e que tamanho podem ter.",
  "No limit.": "Sem limite.",
  "77 characters, the central bank's limit for a key.":
    "77 caracteres, o limite do Banco Central para uma chave.",

  // assumptions: payins
  "The default of `generate_qrcode`.": "O padrão de `generate_qrcode`.",
  "No image unless asked for.": "Sem imagem, a menos que seja pedida.",
  "An image unless refused.": "Com imagem, a menos que seja dispensada.",
  "How the image is encoded.": "Como a imagem é codificada.",
  "Bare base64 of a PNG.": "O base64 puro de um PNG.",
  "A `data:image/png;base64,` URI.": "Uma URI `data:image/png;base64,`.",
  "The path and the error format of the second version of payin creation.":
    "O caminho e o formato de erro da segunda versão da criação de payins.",
  "`POST /v2/payins`: same payload and success; errors are RFC 9457 `application/problem+json` with `code` and `errors` as members.":
    "`POST /v2/payins`: mesmo payload e mesmo sucesso; erros em `application/problem+json` (RFC 9457), com os campos `code` e `errors`.",
  "Whether a payin simulation takes another status than `completed`.":
    "Se a simulação de um payin aceita outro status além de `completed`.",
  "Another status is `INVALID_VALUE`.": "Outro status é `INVALID_VALUE`.",
  "`canceled` cancels the payin.": "`canceled` cancela o payin.",
  "The status of a payin that its buyer pays; a simulation always gives `completed`.":
    "O status de um payin que o comprador paga; uma simulação sempre dá `completed`.",
  "Whether the merchant is told that a payin expired.":
    "Se o lojista é avisado de que um payin expirou.",
  "No.": "Não.",
  "A `payin.expired` webhook.": "Um webhook `payin.expired`.",

  // assumptions: payouts and simulations
  "What makes two payouts go to the same recipient.":
    "O que faz dois payouts irem ao mesmo recebedor.",
  "The same `receiver_cpf`.": "O mesmo `receiver_cpf`.",
  "The same `pix_key`, letter case aside.":
    "A mesma `pix_key`, sem distinguir maiúsculas de minúsculas.",
  'A second payout to a recipient with one in progress "may be canceled".':
    'Um segundo payout a um recebedor com um em andamento "pode ser cancelado".',
  "It is answered 200 `waiting`, canceled in the commit that creates it, and its webhook says so.":
    "É respondido 200 `waiting`, cancelado no mesmo commit que o cria, e o webhook dele diz isso.",
  "It is refused: 422 `NOT_PROCESSABLE`.": "É recusado: 422 `NOT_PROCESSABLE`.",
  "Both go on.": "Os dois seguem.",
  "When a payout is completed by itself.": "Quando um payout se conclui sozinho.",
  "It waits for a simulation.": "Ele espera uma simulação.",
  "So many seconds of the sandbox's time after it was created, unless it is final by then. What held when it was created counts.":
    "Tantos segundos do tempo do sandbox depois de criado, a menos que já seja final. Conta o que valia quando foi criado.",
  "How staging differs from production, beyond the simulations being staging only.":
    "Em que staging difere de produção, além de as simulações serem só de staging.",
  "Simulations work.": "As simulações funcionam.",
  "Simulations are refused: 422 `NOT_PROCESSABLE`.":
    "As simulações são recusadas: 422 `NOT_PROCESSABLE`.",
  "A simulation of a transaction that is already final, or unknown.":
    "Uma simulação de uma transação que já é final, ou desconhecida.",
  "422 `NOT_PROCESSABLE`, with an entry on `transaction_id`.":
    "422 `NOT_PROCESSABLE`, com uma entrada sobre `transaction_id`.",
  "200 again for the same final status, without a second event; anything else as `reject`.":
    "200 de novo para o mesmo status final, sem um segundo evento; o resto como em `reject`.",
  "The wording of a simulation's `message`.": "O texto de `message` de uma simulação.",
  "English or Portuguese by `error.language`, worded of a charge for both.":
    "Inglês ou português conforme `error.language`; nos dois casos fala de uma cobrança.",

  // assumptions: headers, credentials, errors
  "The answer to a missing or empty header.": "A resposta a um cabeçalho ausente ou vazio.",
  "400 `VALIDATION_ERROR`, an entry a header (`REQUIRED_VALUE`, `EMPTY_VALUE`) whose `field` is the header's name.":
    "400 `VALIDATION_ERROR`, uma entrada por cabeçalho (`REQUIRED_VALUE`, `EMPTY_VALUE`) cujo `field` é o nome dele.",
  "Which tokens are active.": "Quais tokens estão ativos.",
  "Any non-empty token.": "Qualquer token não vazio.",
  "Those of the configuration's `credentials`: `api_key` as `x-api-token` and `merchant_id` as `x-provider-id`, both of the same one; another is 401 `NO_ACTIVE_CREDENTIAL`. Its `api_secret` signs the integration's webhooks: a `whsec_…` secret as it is, the UTF-8 bytes of any other text.":
    "Os de `credentials` na configuração: `api_key` como `x-api-token` e `merchant_id` como `x-provider-id`, os dois da mesma; outro é 401 `NO_ACTIVE_CREDENTIAL`. O `api_secret` dela assina os webhooks da integração: um segredo `whsec_…` como está, de qualquer outro texto os bytes em UTF-8.",
  "The HTTP statuses of errors.": "Os status HTTP dos erros.",
  "400, 401, 409, 422 and 502 by code.": "400, 401, 409, 422 e 502 conforme o código.",
  "401, 409, 422 and 502 become 400.": "401, 409, 422 e 502 viram 400.",
  "The language of messages.": "O idioma das mensagens.",
  "English.": "Inglês.",
  "Portuguese.": "Português.",
  "A member of the body that is not documented.": "Um campo do corpo que não está documentado.",
  "It is ignored.": "É ignorado.",
  "It is `INVALID_VALUE`.": "É `INVALID_VALUE`.",

  // assumptions: idempotency
  "The answer to a repeated key with the same request.":
    "A resposta a uma chave repetida com a mesma requisição.",
  "The first answer again, with the header `idempotent-replayed: true`, also while the first call runs.":
    "A primeira resposta de novo, com o cabeçalho `idempotent-replayed: true`, também enquanto a primeira chamada roda.",
  "The answer to a repeated key with another request.":
    "A resposta a uma chave repetida com outra requisição.",
  "The first answer again.": "A primeira resposta de novo.",
  "How long a key is remembered.": "Por quanto tempo uma chave é lembrada.",
  "Any positive integer.": "Qualquer inteiro positivo.",

  // assumptions: webhooks and limits
  "The path and semantics of the webhook configuration operation.":
    "O caminho e a semântica da operação de configuração de webhooks.",
  "`PUT /v1/webhooks` sets it and answers it, `GET /v1/webhooks` reads it (404 before the first `PUT`); its events go to that address beside those to each `webhook_url`: a paid payin or completed payout is `payment.received`, a canceled payout or an expired or canceled payin `payment.failed`.":
    "`PUT /v1/webhooks` define e responde com ela, `GET /v1/webhooks` lê (404 antes do primeiro `PUT`); os eventos dela vão a esse endereço, além dos que vão a cada `webhook_url`: um payin pago ou payout concluído é `payment.received`, um payout cancelado ou um payin expirado ou cancelado é `payment.failed`.",
  "Method and payload of a webhook.": "Método e payload de um webhook.",
  "`POST` of JSON with `id`, `type`, `created_at` and `data`, the transaction: types `payin.paid`, `payout.completed`, `payout.canceled`.":
    "`POST` de JSON com `id`, `type`, `created_at` e `data`, a transação: tipos `payin.paid`, `payout.completed`, `payout.canceled`.",
  "The signature of a webhook.": "A assinatura de um webhook.",
  "The three headers of Standard Webhooks.": "Os três cabeçalhos de Standard Webhooks.",
  "No signature.": "Sem assinatura.",
  "Which answers of the merchant count as received.":
    "Quais respostas do lojista contam como recebido.",
  "Any 2xx.": "Qualquer 2xx.",
  "200 alone.": "Somente 200.",
  "How long an attempt may take, to the end of the answer; the connection at most 5 s of it.":
    "Quanto uma tentativa pode demorar, até o fim da resposta; a conexão, no máximo 5 s disso.",
  "The retry policy; here a 410 ends a delivery, and a `retry-after` that asks for more time, up to a day, is given it.":
    "A política de novas tentativas; aqui um 410 encerra uma entrega, e um `retry-after` que pede mais tempo, até um dia, é atendido.",
  "At once, then after 1, 5 and 25 s, each counted from the end of the attempt before.":
    "Na hora, depois após 1, 5 e 25 s, cada um contado do fim da tentativa anterior.",
  "At once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, counted likewise.":
    "Na hora, depois após 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h e 24 h, contados da mesma forma.",
  "One attempt.": "Uma tentativa.",
  "Request rate limits.": "Limites de requisições.",
  "None.": "Nenhum.",
  "So many requests of an integration in any minute of real time, then 429 `NOT_PROCESSABLE` with `retry-after`. What is refused before that, or replayed, is not counted.":
    "Tantas requisições de uma integração em qualquer minuto de tempo real, depois 429 `NOT_PROCESSABLE` com `retry-after`. O que é recusado antes disso, ou repetido, não conta.",

  // magic
  "The call is refused: 422 `NOT_PROCESSABLE`. Nothing is done, its key stays free.":
    "A chamada é recusada: 422 `NOT_PROCESSABLE`. Nada é feito, a chave dela continua livre.",
  "The call is refused: 502 `EXTERNAL_ERROR`. Nothing is done, its key stays free.":
    "A chamada é recusada: 502 `EXTERNAL_ERROR`. Nada é feito, a chave dela continua livre.",
  "The call waits for 3 s of real time before its work.":
    "A chamada espera 3 s de tempo real antes de trabalhar.",
  "The work is done, then the connection dies; a retry with the same key is the first answer again.":
    "O trabalho é feito, depois a conexão cai; uma nova tentativa com a mesma chave recebe a primeira resposta de novo.",
  "What is created is canceled after 5 s of the sandbox's time, unless it is final by then. A payout's webhook says so, a payin's where one for `payment.failed` is configured.":
    "O que é criado é cancelado após 5 s do tempo do sandbox, a menos que já seja final. O webhook de um payout diz isso, o de um payin onde há um configurado para `payment.failed`.",
};
