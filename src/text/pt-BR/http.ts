export default {
  "The sandbox itself failed. Its standard error has the details. Please report it.":
    "O erro é do próprio sandbox. Os detalhes estão na saída de erro dele. Por favor, relate o problema.",
  "The sandbox cannot write its state file and refuses changes. See its standard error for the reason.":
    "O sandbox não consegue gravar o arquivo de estado e está recusando alterações. O motivo está na saída de erro dele.",
  "The header x-api-token is empty; leave it out to act on all integrations.":
    "O cabeçalho x-api-token está vazio; omita-o para agir sobre todas as integrações.",
  "The request's address is malformed.": "O endereço da requisição é inválido.",
  "The body is larger than 1 MiB.": "O corpo tem mais de 1 MiB.",
  "The body was cut short.": "O corpo foi interrompido.",
  "This path does not exist. The gateway is under /v1, the sandbox's own routes are under /_sandbox.":
    "Este caminho não existe. O gateway fica em /v1, e as rotas do próprio sandbox em /_sandbox.",
  "This path accepts {0}.": "Este caminho aceita {0}.",
  "record|payin": "cobrança",
  delivery: "entrega",
  "There is no {0} with the id {1}.": "Não há {0} com o id {1}.",
  "There is no snapshot with the name {0}; GET /_sandbox/snapshots lists the existing ones.":
    "Não há snapshot com o nome {0}; GET /_sandbox/snapshots lista os que existem.",
  "The files of this page are missing, since pix-sandbox is in a bundle. Keep it out, for example with --external:pix-sandbox.":
    "Faltam os arquivos desta página, porque o pix-sandbox está em um bundle. Deixe-o fora dele, por exemplo com --external:pix-sandbox.",
  "The sandbox is stopping.": "O sandbox está parando.",
  "More than {0} wrong control tokens came from this address within a minute. Send the token that the sandbox was started with, or try again in {1} s.":
    "Mais de {0} tokens de controle errados vieram deste endereço em um minuto. Envie o token com que o sandbox foi iniciado, ou tente de novo em {1} s.",
  "This sandbox is protected by a control token. Send it in the header authorization: Bearer TOKEN; in a browser, reload and enter it as the password, with any user name. Commands and tests read it from PIX_SANDBOX_CONTROL_TOKEN.":
    "Este sandbox é protegido por um token de controle. Envie-o no cabeçalho authorization: Bearer TOKEN; no navegador, recarregue a página e informe-o como senha, com qualquer usuário. Comandos e testes o leem de PIX_SANDBOX_CONTROL_TOKEN.",
  "The control token in the header authorization is wrong. Send the token that the sandbox was started with. Commands and tests read it from PIX_SANDBOX_CONTROL_TOKEN.":
    "O token de controle no cabeçalho authorization está errado. Envie o token com que o sandbox foi iniciado. Comandos e testes o leem de PIX_SANDBOX_CONTROL_TOKEN.",
  "The Host header is malformed.": "O cabeçalho Host é inválido.",
  "This sandbox does not accept the host {0}. To accept it, start the sandbox with --allow-host {1}.":
    "Este sandbox não aceita o host {0}. Para aceitá-lo, inicie o sandbox com --allow-host {1}.",
  "This sandbox does not accept calls from pages of another origin. To accept them, start the sandbox with --cors ORIGIN.":
    "Este sandbox não aceita chamadas de páginas de outra origem. Para aceitá-las, inicie o sandbox com --cors ORIGIN.",
  "More than {0} requests within a minute. Try again in {1} s.":
    "Mais de {0} requisições em um minuto. Tente de novo em {1} s.",
  "The sandbox is closed. Start another one with startSandbox().":
    "O sandbox está fechado. Inicie outro com startSandbox().",
  "Pay with Pix": "Pagar com Pix",
  "Sandbox.": "Sandbox.",
  "This is a simulation: no money moves.": "Isto é uma simulação: nenhum dinheiro é movimentado.",
  "Pay to": "Para",
  Amount: "Valor",
  Description: "Descrição",
  "Expires in": "Expira em",
  "The sandbox's clock is frozen. This time does not pass.":
    "O relógio do sandbox está congelado. Este prazo não corre.",
  "QR code of this charge": "QR Code desta cobrança",
  "Paid at": "Paga em",
  "Pix copy and paste": "Pix Copia e Cola",
  Decline: "Recusar",
  "Let it expire": "Deixar expirar",
  "You declined. Nothing was charged; the charge is still waiting.":
    "Você recusou. Nada foi pago; a cobrança continua aguardando.",
  "Nothing was done: choose one of the buttons below.":
    "Nada foi feito: escolha um dos botões abaixo.",
  "Waiting for payment": "Aguardando pagamento",
  "Choose what the buyer does.": "Escolha o que o comprador faz.",
  Paid: "Paga",
  "The buyer has paid this charge.": "O comprador pagou esta cobrança.",
  Completed: "Concluída",
  "The payment of this charge is complete.": "O pagamento desta cobrança foi concluído.",
  Expired: "Expirada",
  "This charge can no longer be paid.": "Esta cobrança não pode mais ser paga.",
  Canceled: "Cancelada",
  "This charge was canceled.": "Esta cobrança foi cancelada.",
  "Unknown charge": "Cobrança desconhecida",
  "This sandbox has no charge with this address. A reset may have deleted it.":
    "Este sandbox não tem uma cobrança com este endereço. Um reset pode tê-la apagado.",
  "application/json, in UTF-8": "application/json, em UTF-8",
  "The content type must be {0}, but none came.":
    "O content type deve ser {0}, mas não veio nenhum.",
  "The content type must be {0}, not {1}.": "O content type deve ser {0}, e não {1}.",
  "Only the chunked transfer coding is supported. Send the body uncompressed.":
    "A única codificação de transferência aceita é chunked; envie o corpo sem compressão.",
  "The body must not be compressed: send it without content-encoding.":
    "O corpo não pode ser comprimido: envie-o sem content-encoding.",
  "The body is empty; send a JSON object.": "O corpo está vazio; envie um objeto JSON.",
  "The body is not well-formed UTF-8.": "O corpo não está em UTF-8 válido.",
  "The body is not JSON: {0}.": "O corpo não é JSON: {0}.",
  "The body begins with a byte order mark (U+FEFF), which JSON does not allow; save or send it as UTF-8 without one.":
    "O corpo começa com uma marca de ordem de bytes (U+FEFF), que JSON não permite; salve-o ou envie-o em UTF-8 sem ela.",
  "The body is nested more than {0} levels deep.": "O corpo tem mais de {0} níveis.",
  "Begin with http:// or https://.": "Comece com http:// ou https://.",
  "Write it in quotes.": "Escreva entre aspas.",
  "Use only digits: {0}.": "Use só os dígitos: {0}.",
  "Write it without quotes.": "Escreva sem aspas.",
  "Write it without quotes and with a dot, such as 10.50.":
    "Escreva sem aspas e com ponto, como 10.50.",
  "{0} To read records, use the sandbox's own route: GET /_sandbox{1}.":
    "{0} Para ler registros, use a rota do próprio sandbox: GET /_sandbox{1}.",
  "{0} must be an integer from {1} to {2}.": "{0} deve ser um número inteiro de {1} a {2}.",
  "before cannot be combined with after.": "before não pode ser combinado com after.",
  "{0} must be text of at least 1 character.": "{0} deve ser um texto de pelo menos 1 caractere.",
  "{0} is given more than once; give it once.":
    "{0} foi informado mais de uma vez; informe uma só.",
  "final must be true or false.": "final deve ser true ou false.",
  "{0} is not a parameter of this path, or its value is invalid.":
    "{0} não é um parâmetro deste caminho, ou seu valor é inválido.",
  "after and before must be ids of rows that this list contains.":
    "after e before devem ser ids de linhas que esta lista contém.",
  "events must be a list of at least one of {0}.":
    "events deve ser uma lista com ao menos um de {0}.",
  "generate_qrcode must be true or false.": "generate_qrcode deve ser true ou false.",
  "expiration must be an integer of seconds from 20 to 172800.":
    "expiration deve ser um número inteiro de segundos de 20 a 172800.",
  "webhook_url must be an http or https URL without port 0, and not a link-local or metadata address.":
    "webhook_url deve ser uma URL http ou https, sem a porta 0, e não um endereço link-local ou de metadados.",
  "value must be a positive integer of centavos, at most 999999999999.":
    "value deve ser um número inteiro positivo de centavos, no máximo 999999999999.",
  "value must be a number more than 0 with at most 2 decimals, at most 9999999999.99.":
    "value deve ser um número maior que 0 com no máximo 2 casas decimais, até 9999999999.99.",
  "description must be text of at most 140 characters.":
    "description deve ser um texto de no máximo 140 caracteres.",
  "{0} must be a CPF of exactly 11 digits with valid check digits.":
    "{0} deve ser um CPF de 11 dígitos, com dígitos verificadores corretos.",
  "{0} must be a CPF of exactly 11 digits.": "{0} deve ser um CPF de 11 dígitos.",
  "{0} must be a valid e-mail address of at most 77 characters.":
    "{0} deve ser um e-mail válido de no máximo 77 caracteres.",
  "{0} must be a valid e-mail address.": "{0} deve ser um e-mail válido.",
  "{0} must be text.": "{0} deve ser um texto.",
  "{0} must be {1}.": "{0} deve ser {1}.",
  "{0} is required.": "{0} é obrigatório.",
  "{0} is empty.": "{0} está vazio.",
  "{0} is not a documented member.": "{0} não é um campo documentado.",
  "The body must be a JSON object.": "O corpo deve ser um objeto JSON.",

  "No active credential: send the api_key as x-api-token and its merchant_id as x-provider-id, from the sandbox's credentials.":
    "Nenhuma credencial ativa: envie a api_key em x-api-token e o merchant_id dela em x-provider-id, de uma das credenciais do sandbox.",
  "The client disconnected while a fault held the call; nothing was done.":
    "O cliente se desconectou enquanto uma falha simulada retinha a chamada; nada foi feito.",
  "The header {0} is required.": "O cabeçalho {0} é obrigatório.",
  "The header {0} is empty.": "O cabeçalho {0} está vazio.",
  "x-country-code must be BR.": "x-country-code deve ser BR.",
  "x-country-code must be two letters, such as BR.":
    "x-country-code deve ter duas letras, como BR.",
  "This call takes no x-sandbox-fault; only calls that create or simulate a transaction accept it.":
    "Esta chamada não aceita x-sandbox-fault; só as que criam ou simulam uma transação aceitam.",
  "Creating a payin sends no webhook: send x-sandbox-fault with the simulation, or add a fault on webhook with POST /_sandbox/faults.":
    "Criar uma cobrança não envia webhook: envie x-sandbox-fault com a simulação, ou crie uma falha simulada em webhook com POST /_sandbox/faults.",
  "webhook_url must not be a control route of this sandbox. Use a path of /_sandbox/sink/, or your receiver's address.":
    "webhook_url não pode ser uma rota de controle deste sandbox. Use um caminho de /_sandbox/sink/ ou o endereço do seu receptor.",
  "No active credential: the identification headers are incomplete.":
    "Nenhuma credencial ativa: os cabeçalhos de identificação estão incompletos.",
  "No credentials are listed; start the sandbox with a config file that has credentials.":
    "Nenhuma credencial está listada; inicie o sandbox com um arquivo de configuração que tenha credentials.",
  "seconds must be a number, at most 31622400.": "seconds deve ser um número, no máximo 31622400.",
  "now must be a time like 2026-11-21T12:00:00Z, before the year 9000.":
    "now deve ser um horário como 2026-11-21T12:00:00Z, antes do ano 9000.",
  "The sandbox's time does not go back. Only a reset or a restore of all integrations sets it back.":
    "O relógio do sandbox não volta. Só um reset ou a restauração de todas as integrações o faz voltar.",
  "The sandbox's time ends before the year 9000.": "O relógio do sandbox só vai até o ano 9000.",
  "last-event-id must be the number of an event.": "last-event-id deve ser o número de um evento.",
  "on must be one of {0}.": "on deve ser um de {0}.",
  "match must be an object: members that the request's body, or the event's data, must have.":
    "match deve ser um objeto: campos que o corpo da requisição, ou os dados do evento, devem ter.",
  "times must be an integer from 1 to {0}.": "times deve ser um número inteiro de 1 a {0}.",
  "probability must be a number from 0 to 1.": "probability deve ser um número de 0 a 1.",
  "The charge was marked as completed in staging.":
    "A cobrança foi marcada como concluída em staging.",
  "The charge was marked as canceled in staging.":
    "A cobrança foi marcada como cancelada em homologação.",
  "only of the address with this id at its end": "só do endereço que termina com este id",
  "code must be text.": "code deve ser um texto.",
  "The code is not of this sandbox: its location is {0}. Pay it where it was created.":
    "O código não é deste sandbox: sua location é {0}. Pague-o onde foi criado.",
  "No payin has this code. It may belong to another integration or sandbox, or to a payin that a reset deleted.":
    "Nenhuma cobrança tem este código. Ele pode ser de outra integração, de outro sandbox, ou de uma cobrança que um reset apagou.",
  "The code has a Pix key or a recurrence, but no location (26-25): it is not a payin's code.":
    "O código tem uma chave Pix ou uma recorrência, mas não uma location (26-25): não é de uma cobrança.",
  "The address must end with 1 to 64 letters, digits, - and _.":
    "O endereço deve terminar com 1 a 64 letras, dígitos, - e _.",
  "of {0}": "de {0}",
  "with the id {0}": "com o id {0}",
  " The event type is unknown; use one of {0}.": " O tipo de evento é desconhecido; use um de {0}.",
  "No {0} was delivered within {1} ms.{2} There were no webhooks at all.":
    "Nenhum {0} foi entregue em {1} ms.{2} Não houve nenhum webhook.",
  "No {0} was delivered within {1} ms.{2} Seen instead: {3}.":
    "Nenhum {0} foi entregue em {1} ms.{2} Em vez disso: {3}.",
  "No webhook is configured; PUT /v1/webhooks configures one.":
    "Nenhum webhook está configurado; PUT /v1/webhooks configura um.",
};
