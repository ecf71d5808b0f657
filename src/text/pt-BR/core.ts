export default {
  "The unit, precision and limits of `value`.": "A unidade, a precisão e os limites de `value`.",
  "Is value in reais or in centavos, with how many decimals, and what are its limits?":
    "O value é em reais ou em centavos? Com quantas casas decimais e quais limites?",
  "More than 0, with at most 2 decimals, up to 9999999999.99. Floating-point noise after the 16th digit is ignored.":
    "Maior que 0, com no máximo 2 casas decimais, até 9999999999.99. Ruído de ponto flutuante depois do 16º dígito é ignorado.",
  "A positive integer, at most 999999999999.": "Um inteiro positivo, até 999999999999.",
  "The valid values of `x-country-code`.": "Os valores válidos de `x-country-code`.",
  "Which values of x-country-code do you accept?": "Quais valores de x-country-code vocês aceitam?",
  "Any two letters.": "Quaisquer duas letras.",
  "Only `BR`, in upper or lower case.": "Só `BR`, em maiúsculas ou minúsculas.",
  "Whether the check digits of a CPF are verified.":
    "Se os dígitos verificadores de um CPF são conferidos.",
  "Do you verify the check digits of a CPF?": "Vocês conferem os dígitos verificadores de um CPF?",
  "11 digits are enough.": "11 dígitos bastam.",
  "The check digits must be correct too.": "Os dígitos verificadores também devem estar corretos.",
  "The length of a Brazilian phone key: the specification's description gives 14 characters (`+`, country code, area code, 9 digits), its size 13.":
    "O tamanho de uma chave de telefone brasileira: a descrição da especificação dá 14 caracteres (`+`, código do país, DDD, 9 dígitos), mas o tamanho indicado é 13.",
  "How many characters does a phone key have: 13 or 14?":
    "Uma chave de telefone tem 13 ou 14 caracteres?",
  "`+`, a country code of 1 or 2 digits, a 2-digit area code and a 9-digit number: 13 or 14 characters.":
    "`+`, um código de país de 1 ou 2 dígitos, DDD de 2 dígitos e número de 9 dígitos: 13 ou 14 caracteres.",
  "`+55` and 11 digits: 14 characters.": "`+55` e 11 dígitos: 14 caracteres.",
  "`+` and 12 digits: exactly 13 characters.": "`+` e 12 dígitos: exatamente 13 caracteres.",
  "The valid UUIDs of an `evp` key.": "Os UUIDs válidos de uma chave `evp`.",
  "Which UUIDs do you accept as an evp key?": "Quais UUIDs vocês aceitam como chave evp?",
  "Any UUID, in upper or lower case.": "Qualquer UUID, em maiúsculas ou minúsculas.",
  "A version 4 UUID in lower case.": "Um UUID versão 4 em minúsculas.",
  "The valid e-mail addresses and their length. Here: only ASCII, and a domain with a dot.":
    "Os e-mails válidos e o tamanho máximo. Aqui: só ASCII e um domínio com ponto.",
  "Which e-mail addresses do you accept, and up to which length?":
    "Quais e-mails vocês aceitam e com que tamanho máximo?",
  "No limit.": "Sem limite.",
  "77 characters, the central bank's limit for a key.":
    "77 caracteres, o limite do Banco Central para uma chave.",
  "The default of `generate_qrcode`.": "O padrão de `generate_qrcode`.",
  "What is the default of generate_qrcode?": "Qual é o padrão de generate_qrcode?",
  "No image by default.": "Sem imagem por padrão.",
  "An image by default.": "Com imagem por padrão.",
  "The encoding of the image.": "A codificação da imagem.",
  "Is qr_code_base64 a bare base64 or a data URI, and of which image format?":
    "O qr_code_base64 é só o base64 ou uma data URI? E qual é o formato da imagem?",
  "The base64 of a PNG.": "O base64 de um PNG.",
  "A `data:image/png;base64,` URI.": "Uma URI `data:image/png;base64,`.",
  "The path and the error format of the second version of payin creation.":
    "O caminho e o formato de erro da segunda versão da criação de cobranças.",
  "What are the path and the error format of the second version of payin creation?":
    "Quais são o caminho e o formato de erro da segunda versão da criação de cobranças?",
  "`POST /v2/payins`: same payload and success; errors are RFC 9457 `application/problem+json` with `code` and `errors` as members.":
    "`POST /v2/payins`: mesmo payload e mesma resposta de sucesso; erros em `application/problem+json` (RFC 9457), com os campos `code` e `errors`.",
  "Whether a payin simulation accepts other statuses than `completed`.":
    "Se a simulação de uma cobrança aceita outro status além de `completed`.",
  "Which statuses does a payin simulation accept?":
    "Quais status a simulação de uma cobrança aceita?",
  "Another status is `INVALID_VALUE`.": "Outro status dá `INVALID_VALUE`.",
  "`canceled` cancels the payin.": "`canceled` cancela a cobrança.",
  "The status of a payin that its buyer pays; a simulation always gives `completed`.":
    "O status de uma cobrança que o comprador paga; a simulação sempre leva a `completed`.",
  "Which status does a payin have after its buyer has paid: paid or completed?":
    "Com que status fica uma cobrança depois que o comprador paga: paid ou completed?",
  "`paid`.": "`paid`.",
  "`completed`.": "`completed`.",
  "Whether the merchant is notified when a payin expires.":
    "Se o lojista é avisado quando uma cobrança expira.",
  "Do you send a webhook when a payin expires?":
    "Vocês enviam um webhook quando uma cobrança expira?",
  "No.": "Não.",
  "A `payin.expired` webhook.": "Um webhook `payin.expired`.",
  "Which payouts have the same recipient.": "Quais payouts têm o mesmo recebedor.",
  "When do two payouts have the same recipient: the same CPF, or the same Pix key?":
    "O que define que dois payouts têm o mesmo recebedor: o CPF ou a chave Pix?",
  "The same `receiver_cpf`.": "O mesmo `receiver_cpf`.",
  "The same `pix_key`, ignoring case.":
    "A mesma `pix_key`, sem distinguir maiúsculas de minúsculas.",
  'A second payout to a recipient with one in progress "may be canceled".':
    'Um segundo payout para um recebedor que já tem um em andamento "pode ser cancelado".',
  "What happens to a second payout to a recipient with one in progress: is it refused, or canceled later?":
    "O que acontece com um segundo payout para um recebedor que já tem um em andamento: é recusado ou é cancelado depois?",
  "The response is 200 `waiting`; the payout is canceled at once, and a webhook reports it.":
    "A resposta é 200 `waiting`; o payout é cancelado na hora, e um webhook avisa.",
  "It is refused: 422 `NOT_PROCESSABLE`.": "É recusado: 422 `NOT_PROCESSABLE`.",
  "Both continue.": "Os dois continuam.",
  "When a payout completes without a simulation.": "Quando um payout é concluído sem simulação.",
  "How long does a payout usually take until it is completed?":
    "Quanto tempo um payout costuma levar até ser concluído?",
  "Never: it waits for a simulation.": "Nunca: o payout espera uma simulação.",
  "This many seconds of sandbox time after its creation, unless it is already final. Changing this choice does not affect existing payouts.":
    "Depois desse número de segundos no relógio do sandbox, contados da criação, a menos que já tenha um status final. Mudar esta escolha não afeta payouts existentes.",
  "The differences between staging and production. Here: only the simulations.":
    "As diferenças entre staging e produção. Aqui: só as simulações.",
  "How does staging differ from production?": "O que muda entre staging e produção?",
  "Simulations work.": "As simulações funcionam.",
  "Simulations are refused: 422 `NOT_PROCESSABLE`.":
    "As simulações são recusadas: 422 `NOT_PROCESSABLE`.",
  "A simulation of a transaction that is already final, or unknown.":
    "A simulação de uma transação desconhecida ou que já tem um status final.",
  "How do you respond to a simulation of a transaction that is already final, or unknown?":
    "Como vocês respondem à simulação de uma transação desconhecida ou que já tem um status final?",
  "422 `NOT_PROCESSABLE`, with an entry on `transaction_id`.":
    "422 `NOT_PROCESSABLE`, com uma entrada sobre `transaction_id`.",
  "The same final status gets 200 again, without a second event. Any other simulation is refused as with `reject`.":
    "Repetir o mesmo status final dá 200 de novo, sem um segundo evento. Qualquer outra simulação é recusada como em `reject`.",
  "The wording of a simulation's `message`.": "O texto de `message` de uma simulação.",
  "What does the message of a simulation say?":
    "Qual é o texto de message na resposta de uma simulação?",
  "English or Portuguese, as `error.language` selects. The text names a charge for payouts too.":
    'Em inglês ou português, conforme `error.language`. O texto diz "cobrança" também para payouts.',
  "The response to a missing or empty header.": "A resposta a um cabeçalho ausente ou vazio.",
  "How do you respond to a missing or empty header?":
    "Como vocês respondem a um cabeçalho ausente ou vazio?",
  "400 `VALIDATION_ERROR`, with an entry for each such header: `REQUIRED_VALUE` or `EMPTY_VALUE`, and the header's name as `field`.":
    "400 `VALIDATION_ERROR`, com uma entrada para cada um desses cabeçalhos: `REQUIRED_VALUE` ou `EMPTY_VALUE`, e o nome do cabeçalho em `field`.",
  "401 `NO_ACTIVE_CREDENTIAL`.": "401 `NO_ACTIVE_CREDENTIAL`.",
  "Which tokens are active.": "Quais tokens estão ativos.",
  "How do api_key, api_secret and merchant_id relate to the headers x-api-token and x-provider-id?":
    "Qual é a relação de api_key, api_secret e merchant_id com os cabeçalhos x-api-token e x-provider-id?",
  "Any non-empty token.": "Qualquer token não vazio.",
  "Only those of `credentials` in the config file: `x-api-token` must be an `api_key`, and `x-provider-id` the `merchant_id` of the same credential. Others get 401 `NO_ACTIVE_CREDENTIAL`. The `api_secret` signs the integration's webhooks. The key is the decoded base64 of a `whsec_…` secret, or the UTF-8 bytes of any other text.":
    "Só os de `credentials` no arquivo de configuração: `x-api-token` deve ser uma `api_key`, e `x-provider-id`, o `merchant_id` da mesma credencial. Os demais recebem 401 `NO_ACTIVE_CREDENTIAL`. O `api_secret` assina os webhooks da integração. A chave é o base64 decodificado de um segredo `whsec_…`, ou os bytes UTF-8 de qualquer outro texto.",
  "The HTTP statuses of errors.": "Os status HTTP dos erros.",
  "Which HTTP status has each error code?": "Qual é o status HTTP de cada código de erro?",
  "400, 401, 409, 422 and 502 by code.": "400, 401, 409, 422 e 502 conforme o código.",
  "401, 409, 422 and 502 become 400.": "401, 409, 422 e 502 viram 400.",
  "The language of messages.": "O idioma das mensagens.",
  "In which language are error messages?": "Em que idioma vêm as mensagens de erro?",
  "An undocumented member of the body.": "Um campo não documentado do corpo.",
  "Do you refuse a body with an undocumented member?":
    "Vocês recusam um corpo com um campo não documentado?",
  "It is ignored.": "É ignorado.",
  "It is `INVALID_VALUE`.": "Dá `INVALID_VALUE`.",
  "The response to a repeated key with the same request.":
    "A resposta a uma chave repetida com a mesma requisição.",
  "How do you respond to a repeated x-idempotency-key with the same request?":
    "Como vocês respondem a uma x-idempotency-key repetida com a mesma requisição?",
  "The first response again, with the header `idempotent-replayed: true`, also while the first call is running.":
    "A primeira resposta de novo, com o cabeçalho `idempotent-replayed: true`, inclusive enquanto a primeira chamada ainda está em andamento.",
  "409 `DUPLICATED_VALUE`.": "409 `DUPLICATED_VALUE`.",
  "The response to a repeated key with another request.":
    "A resposta a uma chave repetida com outra requisição.",
  "How do you respond to a repeated x-idempotency-key with another request?":
    "Como vocês respondem a uma x-idempotency-key repetida com outra requisição?",
  "The first response again.": "A primeira resposta de novo.",
  "How long a key is stored.": "Por quanto tempo uma chave é armazenada.",
  "For how long do you remember an x-idempotency-key?":
    "Por quanto tempo vocês guardam uma x-idempotency-key?",
  "Any positive integer.": "Qualquer inteiro positivo.",
  "The path and behavior of the webhook configuration.":
    "O caminho e o comportamento da configuração de webhooks.",
  "What are the path and the behavior of the webhook configuration, and of its events?":
    "Quais são o caminho e o comportamento da configuração de webhooks e dos eventos dela?",
  "`PUT /v1/webhooks` sets and returns it, `GET /v1/webhooks` reads it (404 before the first `PUT`). Its address receives events in addition to each `webhook_url`: `payment.received` for a paid payin or completed payout, `payment.failed` for a canceled payout or an expired or canceled payin.":
    "`PUT /v1/webhooks` define e devolve a configuração, `GET /v1/webhooks` a lê (404 antes do primeiro `PUT`). Essa URL recebe eventos além dos de cada `webhook_url`: `payment.received` para uma cobrança paga ou um payout concluído, `payment.failed` para um payout cancelado ou uma cobrança expirada ou cancelada.",
  "The method and payload of a webhook.": "O método e o payload de um webhook.",
  "What does a webhook look like: its method, its members and its types?":
    "Como é um webhook: qual o método, os campos e os tipos?",
  "`POST` with JSON: `id`, `type`, `created_at` and the transaction as `data`. The types are `payin.paid`, `payout.completed` and `payout.canceled`.":
    "`POST` com JSON: `id`, `type`, `created_at` e a transação em `data`. Os tipos são `payin.paid`, `payout.completed` e `payout.canceled`.",
  "The signature of a webhook.": "A assinatura de um webhook.",
  "How do you sign webhooks, and with which secret?":
    "Como vocês assinam os webhooks, e com qual segredo?",
  "The three headers of Standard Webhooks.": "Os três cabeçalhos do Standard Webhooks.",
  "No signature.": "Sem assinatura.",
  "Which responses of the merchant count as success.":
    "Quais respostas do lojista contam como sucesso.",
  "Which of our responses to a webhook count as success: any 2xx, or only 200?":
    "Quais das nossas respostas a um webhook contam como sucesso: qualquer 2xx ou só 200?",
  "Any 2xx.": "Qualquer 2xx.",
  "Only 200.": "Só 200.",
  "The time that an attempt may take, up to the end of the response. Connecting may take at most 5 s of it.":
    "O tempo máximo de uma tentativa, até o fim da resposta. Desse tempo, a conexão pode levar no máximo 5 s.",
  "How long do you wait for our response to a webhook?":
    "Quanto tempo vocês esperam pela nossa resposta a um webhook?",
  "The retry schedule. With every choice, a 410 ends the delivery, and a `retry-after` can extend the wait, up to a day.":
    "A política de novas tentativas. Em todas as escolhas, um 410 encerra a entrega, e um `retry-after` pode aumentar a espera, até um dia.",
  "How often, and after which waits, do you repeat a webhook that failed?":
    "Quantas vezes e com que intervalos vocês reenviam um webhook que falhou?",
  "At once, then after 1, 5 and 25 s, each after the end of the previous attempt.":
    "Na hora e depois de 1, 5 e 25 s, cada intervalo contado do fim da tentativa anterior.",
  "At once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each after the end of the previous attempt.":
    "Na hora e depois de 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h e 24 h, cada intervalo contado do fim da tentativa anterior.",
  "One attempt.": "Uma só tentativa.",
  "The rate limit of requests.": "O limite de requisições.",
  "How many requests per minute do you accept, and how do you respond to more?":
    "Quantas requisições por minuto vocês aceitam e como respondem às que passam do limite?",
  "None.": "Nenhum.",
  "At most this many requests of an integration per minute of real time. Further ones get 429 `NOT_PROCESSABLE` with `retry-after`. Repeats and calls that are refused earlier do not count.":
    "No máximo esse número de requisições de cada integração por minuto de tempo real. As seguintes recebem 429 `NOT_PROCESSABLE` com `retry-after`. Repetições e chamadas recusadas antes não contam.",
  'Unknown assumption {0}. The command "assumptions" lists all.':
    'Premissa desconhecida {0}. O comando "assumptions" lista todas.',
  "Unknown assumption {0}. Did you mean {1}?": "Premissa desconhecida {0}. Você quis dizer {1}?",
  "a positive integer": "um inteiro positivo",
  "{0} takes {1}.": "{0} aceita {1}.",
  "Refuses the call with this error. Nothing is created, and the idempotency key stays unused.":
    "Recusa a chamada com este erro. Nada é criado, e a chave de idempotência continua livre.",
  "Waits N milliseconds of real time, then handles the call.":
    "Espera N milissegundos de tempo real e depois processa a chamada.",
  "Handles the call, then closes the connection without a response. A retry with the same key gets the first response.":
    "Processa a chamada e depois fecha a conexão sem responder. Uma nova tentativa com a mesma chave recebe a primeira resposta.",
  "Holds the call before it is handled, until the fault is released.":
    "Retém a chamada, antes de processá-la, até ser liberada.",
  'Handles the call, then changes the JSON of the response by a merge patch (RFC 7396), such as `{"pix_id":null}`. A repeat with the same key gets the unchanged response.':
    'Processa a chamada e depois altera o JSON da resposta com um merge patch (RFC 7396), como `{"pix_id":null}`. Uma repetição com a mesma chave recebe a resposta sem alteração.',
  "Sends the webhook once more after its delivery.":
    "Envia o webhook mais uma vez depois da entrega.",
  "Sends the first attempt twice at the same time.":
    "Envia a primeira tentativa duas vezes ao mesmo tempo.",
  "Delays the first attempt by N milliseconds of sandbox time.":
    "Atrasa a primeira tentativa em N milissegundos do relógio do sandbox.",
  "Sends the webhook after the next one to the same address. Waits at most 30 s for that one.":
    "Envia o webhook depois do próximo para o mesmo endereço. Espera por ele no máximo 30 s.",
  "Does not send the first N attempts, and records them as failed.":
    "Não envia as primeiras N tentativas e as registra como se tivessem falhado.",
  "Signs different bytes from those it sends, at every attempt.":
    "Assina bytes diferentes dos que são enviados, em cada tentativa.",
  "Responds to the call that caused the event only after the first attempt.":
    "Responde à chamada que causou o evento só depois da primeira tentativa.",
  'A fault of the sandbox refuses this call. Nothing was done. The command "faults list" shows the fault, and "faults clear" removes it.':
    'Uma falha simulada recusa esta chamada. Nada foi feito. O comando "faults list" mostra a falha, e "faults clear" remove.',
  "A fault of the sandbox refuses this call, as requested. Nothing was done.":
    "Uma falha simulada recusa esta chamada, como solicitado. Nada foi feito.",
  "{0} to {1}": "{0} a {1}",
  "an object of at most {0} levels": "um objeto de no máximo {0} níveis",
  "The call is refused with 422 `NOT_PROCESSABLE`. Nothing is created; its key stays unused.":
    "A chamada é recusada com 422 `NOT_PROCESSABLE`. Nada é criado; a chave dela continua sem uso.",
  "The call is refused with 502 `EXTERNAL_ERROR`. Nothing is created; its key stays unused.":
    "A chamada é recusada com 502 `EXTERNAL_ERROR`. Nada é criado; a chave dela continua sem uso.",
  "The call waits for 3 s of real time first.": "A chamada espera antes 3 s de tempo real.",
  "The record is created, then the connection closes without a response. A retry with the same key gets the first response.":
    "O registro é criado e depois a conexão é fechada sem resposta. Uma nova tentativa com a mesma chave recebe a primeira resposta.",
  "The record is canceled after 5 s of sandbox time, unless it is final by then. A webhook reports it: for a payout always, for a payin if `payment.failed` is configured.":
    "O registro é cancelado depois de 5 s no relógio do sandbox, a menos que já tenha um status final. Um webhook avisa: de um payout, sempre; de uma cobrança, se `payment.failed` estiver configurado.",
  "A magic value of this call means {0}, and the sandbox refuses it; nothing was done. Send any other value, or start the sandbox without --magic.":
    "Um valor mágico desta chamada significa {0}, por isso o sandbox a recusa; nada foi feito. Envie outro valor ou inicie o sandbox sem --magic.",
  "No transaction of this integration has this transaction_id.":
    "Nenhuma transação desta integração tem este transaction_id.",
  "Simulations exist in the staging environment only.":
    "As simulações existem apenas no ambiente de staging.",
  "This receiver has a payout in progress; wait until it is completed or canceled.":
    "Este recebedor já tem um payout em andamento; aguarde sua conclusão ou cancelamento.",
  "The sandbox was reset while a fault held this call. Nothing was done.":
    "O sandbox passou por um reset enquanto uma falha simulada retinha esta chamada. Nada foi feito.",
  "x-idempotency-key was used by this request before.":
    "x-idempotency-key já foi usada por esta requisição.",
  "x-idempotency-key was used for another request; use a new key for each operation.":
    "x-idempotency-key já foi usada em outra requisição; use uma chave nova para cada operação.",
  "only with this status": "só com este status",
  "only with this pix_id, the last part of a BR Code's location":
    "só com este pix_id, a última parte da location de um BR Code",
  "only of this kind": "só deste tipo",
  "only of this event type, such as payin.paid": "só deste tipo de evento, como payin.paid",
  "only of the payin or payout with this id": "só da cobrança ou do payout com este id",
  "can be paid several times": "pode ser pago várias vezes",
  "for one payment": "só para um pagamento",
  "not given": "não informada",
  "BRL, the real": "BRL, o real",
  correct: "correto",
  "must come first, but {0} does": "deve vir primeiro, mas no lugar veio {0}",
  "appears twice": "aparece duas vezes",
  "payload format": "formato do payload",
  "point of initiation": "método de iniciação",
  "merchant account": "conta do lojista",
  arrangement: "arranjo",
  "Pix key": "chave Pix",
  description: "descrição",
  "withdrawal provider": "facilitador de saque",
  "merchant category": "categoria do lojista",
  currency: "moeda",
  amount: "valor",
  country: "país",
  "merchant name": "nome do lojista",
  "merchant city": "cidade do lojista",
  "postal code": "CEP",
  "additional data": "dados adicionais",
  "further template": "outro template",
  "recurrence location": "location da recorrência",
  "not defined by Pix": "não definido pelo Pix",
  "Field {0} {1}.": "O campo {0} {1}.",
  "1 character": "1 caractere",
  "{0} characters": "{0} caracteres",
  "host/path, no https://, up to 77 characters": "host/caminho, sem https://, até 77 caracteres",
  "({0}) must be {1}, but is {2}": "({0}) deve ser {1}, mas é {2}",
  "({0}) must be {1}, but is missing": "({0}) deve ser {1}, mas não está no código",
  "1 to {0} printable characters": "1 a {0} caracteres imprimíveis",
  "11 or 12": "11 ou 12",
  "four digits": "quatro dígitos",
  "986, the real": "986, o real",
  "must be {0}, here or in a template up to 51": "deve ser {0}, aqui ou em um template até 51",
  "a CPF or CNPJ without punctuation, an e-mail address in lower case, a phone number such as +5561912345678, or a random key in lower case with its dashes":
    "um CPF ou CNPJ sem pontuação, um e-mail em minúsculas, um telefone como +5561912345678 ou uma chave aleatória em minúsculas e com hífens",
  "an ISPB of 8 characters": "um ISPB de 8 caracteres",
  "(amount) must be more than 0, or absent if the payer chooses it, but is {0}":
    "(valor) deve ser maior que 0, ou ficar fora do código se é o pagador que escolhe o valor, mas é {0}",
  "some banks accept only letters and digits": "alguns bancos aceitam só letras e dígitos",
  "no valid CPF; a phone number begins with +55": "não é um CPF válido; um telefone começa com +55",
  "some banks refuse {0}": "alguns bancos recusam {0}",
  "the invisible character U+{0}": "o caractere invisível U+{0}",
  "quotes or other text around it": "aspas ou outro texto em volta",
  "({0}) announces {1}, but {2}": "({0}) anuncia {1}, mas {2}",
  "{0}; an accented letter or an emoji is one character":
    "{0}; uma letra acentuada ou um emoji é um caractere",
  "no other field follows them, but {0}": "depois deles não vem outro campo, e sim {0}",
  "its length has three digits: shorten the fields in it":
    "o tamanho tem três dígitos: encurte os campos dentro dele",
  "only {0} follow": "só restam {0}",
  "the CRC must follow as field 63": "depois deles deve vir o CRC, no campo 63",
  "The CRC is right: the code is as its generator wrote it. Correct it there.":
    "O CRC está certo: o código está como o gerador o escreveu. Corrija o gerador.",
  "Copy the whole code again, in quotes: one lost or changed character makes it invalid. If it is whole, its generator writes a wrong CRC.":
    "Copie o código inteiro de novo, entre aspas: um caractere a menos ou trocado já o invalida. Se ele está inteiro, o gerador escreve um CRC errado.",
  "The code is whole. Correct how its generator calculates the CRC: CRC-16/CCITT-FALSE.":
    "O código está inteiro. Corrija como o gerador calcula o CRC: CRC-16/CCITT-FALSE.",
  "its letters must be capitals": "as letras devem ser maiúsculas",
  'it was calculated without "6304"': 'foi calculado sem "6304"',
  "it was calculated over Latin-1 instead of UTF-8; write the names without accents":
    "foi calculado sobre Latin-1 em vez de UTF-8; escreva os nomes sem acentos",
  "a line break": "uma quebra de linha",
  "a txid (62-05) whose three asterisks a chat may have changed":
    "um txid (62-05) cujos três asteriscos um chat pode ter alterado",
  "The code contains {0}.": "O código contém {0}.",
  "With this mended, the CRC is right. The mended code:":
    "Com isso corrigido, o CRC está certo. O código corrigido:",
  "BRL; some banks require two decimals: {0}": "BRL; alguns bancos exigem duas casas decimais: {0}",
  "(location) must be absent beside {0}-01, a Pix key":
    "(location) não pode estar junto com {0}-01, uma chave Pix",
  "must have a Pix key (01) or a location (25), but has neither":
    "deve ter uma chave Pix (01) ou uma location (25), mas não tem nenhuma",
  "*** or 1 to 25 letters and digits": "*** ou 1 a 25 letras e dígitos",
  "in reais, such as 10.50": "em reais, como 10.50",
  'This is not a BR Code: a BR Code begins with "000201", contains "{0}" and has up to {1} characters.':
    'Isto não é um BR Code: um BR Code começa com "000201", contém "{0}" e tem até {1} caracteres.',
  '(CRC) must end the code as "6304" and 4 digits, not {0}':
    '(CRC) deve terminar o código com "6304" e 4 dígitos, não {0}',
  '(CRC) must be "{0}", but is {1}': '(CRC) deve ser "{0}", mas é {1}',
  "Check these fields: {0}.": "Verifique estes campos: {0}.",
  "This payin is already {0}.": "Esta cobrança já está com o status {0}.",
  "A payin that is {0} cannot become {1}.":
    "Uma cobrança com o status {0} não pode passar para {1}.",
  "This payout is already {0}.": "Este payout já está com o status {0}.",
  "A payout that is {0} cannot become {1}.": "Um payout com o status {0} não pode passar para {1}.",
  "pix_key must be a CPF of 11 digits, because pix_key_type is cpf.":
    "pix_key deve ser um CPF de 11 dígitos, pois pix_key_type é cpf.",
  "pix_key must be a valid e-mail address, because pix_key_type is email.":
    "pix_key deve ser um e-mail válido, pois pix_key_type é email.",
  "pix_key must be + followed by country code, area code and a 9-digit number (+5511987654321), because pix_key_type is phone.":
    "pix_key deve ser + seguido de código do país, DDD e número de 9 dígitos (+5511987654321), pois pix_key_type é phone.",
  "pix_key must be a UUID of 36 characters, because pix_key_type is evp.":
    "pix_key deve ser um UUID de 36 caracteres, pois pix_key_type é evp.",
  ': this receiver has another payout in progress; give one of them the status "completed" or "canceled", or assume payout.rival=allow.':
    ': este recebedor tem outro payout em andamento; dê a um deles o status "completed" ou "canceled", ou assuma payout.rival=allow.',
  "From the profile {0}.": "Do perfil {0}.",
  "From the profile {0}, observed on {1}.": "Do perfil {0}, observado em {1}.",
};
