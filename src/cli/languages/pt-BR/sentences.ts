/** What the command line says itself, by the file that says it. */
export const SENTENCES: Readonly<Record<string, string>> = {
  // in several places
  " or ": " ou ",
  "There are {0}.": "Existem {0}.",
  "{0} does not take {1}.": "{0} não aceita {1}.",
  "{0} cannot be read: {1}": "{0} não pode ser lido: {1}",
  "Write it like 2026-11-21T12:00:00Z.": "Escreva como 2026-11-21T12:00:00Z.",
  "Start one with: pix-sandbox serve.": "Inicie um com: pix-sandbox serve.",
  "error:": "erro:",

  // advice.ts
  "nothing listens there: is the app up, and on that port? To a container, localhost is the container itself; its host is host.docker.internal":
    "nada escuta ali: o app está no ar, e nessa porta? Para um contêiner, localhost é o próprio contêiner; a máquina dele é host.docker.internal",
  "no such host: check the name": "esse host não existe: confira o nome",
  "no HTTPS is spoken there: try http://": "ali não se fala HTTPS: tente http://",
  "the certificate is not trusted: use http:// locally, or start with NODE_EXTRA_CA_CERTS":
    "o certificado não é confiável: use http:// localmente, ou inicie com NODE_EXTRA_CA_CERTS",
  "the app closed the connection without an answer: see its log; or is it https:// that it speaks?":
    "o app fechou a conexão sem responder: veja o log dele; ou será que ele fala https://?",
  "packets are lost on the way: check address, firewall and proxy":
    "pacotes se perdem no caminho: confira endereço, firewall e proxy",
  "the app takes long: answer first, then do the work":
    "o app demora: responda primeiro, depois faça o trabalho",
  "what answers there speaks no HTTP: check the port":
    "o que responde ali não fala HTTP: confira a porta",

  // captured-request.ts
  "Give the request as it arrived (header lines, an empty line, the body), JSON with headers and body, or what webhooks show --json prints.":
    "Passe a requisição como chegou (linhas de cabeçalho, uma linha vazia, o corpo), um JSON com headers e body, ou o que webhooks show --json imprime.",
  "Name the file that holds the captured request, or pipe it in.":
    "Indique o arquivo com a requisição capturada, ou passe-a por um pipe.",
  "pix-sandbox webhooks verify captured.http; or: pix-sandbox webhooks show ID --json | pix-sandbox webhooks verify":
    "pix-sandbox webhooks verify captured.http; ou: pix-sandbox webhooks show ID --json | pix-sandbox webhooks verify",
  "The captured request is empty.": "A requisição capturada está vazia.",
  "The captured request": "A requisição capturada",
  "{0} has no header in {1}.": "{0} não tem um cabeçalho em {1}.",
  "That webhook has not been sent yet.": "Esse webhook ainda não foi enviado.",
  "Verify it once it has: pix-sandbox webhooks show ID --json | pix-sandbox webhooks verify":
    "Verifique depois que for: pix-sandbox webhooks show ID --json | pix-sandbox webhooks verify",
  "The captured request begins like JSON and is none: {0}.":
    "A requisição capturada começa como JSON e não é: {0}.",
  "Give one request; of what webhooks tail --json prints, one line.":
    "Passe uma requisição; do que webhooks tail --json imprime, uma linha.",
  "That JSON holds no headers, so it is no captured request.":
    "Esse JSON não tem cabeçalhos, então não é uma requisição capturada.",

  // child.ts
  "{0} did not end within {1} s of SIGTERM: killing it.":
    "{0} não terminou em {1} s após o SIGTERM: será encerrado à força.",
  "What {0} left behind did not end within {1} s of SIGTERM: killed.":
    "O que {0} deixou rodando não terminou em {1} s após o SIGTERM: encerrado à força.",
  "There is no command {0}.": "Não existe o comando {0}.",
  "Check its name. What only a shell understands runs as: pix-sandbox exec -- sh -c '…'.":
    "Confira o nome. O que só um shell entende roda como: pix-sandbox exec -- sh -c '…'.",
  "The command {0} cannot be run: {1}.": "O comando {0} não pode ser executado: {1}.",
  "Check that it is a program, and that you may run it.":
    "Confira se é um programa e se você tem permissão para executá-lo.",

  // client.ts
  "No sandbox answers at {0} ({1}).": "Nenhum sandbox responde em {0} ({1}).",
  "Start one with: pix-sandbox serve. Or name its address with --url or PIX_SANDBOX_URL.":
    "Inicie um com: pix-sandbox serve. Ou indique o endereço com --url ou PIX_SANDBOX_URL.",
  "{0} is no address.": "{0} não é um endereço.",
  "Write it like http://127.0.0.1:7490.": "Escreva como http://127.0.0.1:7490.",
  "What answers there is no pix-sandbox (status {0}).":
    "O que responde ali não é um pix-sandbox (status {0}).",
  "The sandbox cannot write its state file, so that it refuses changes.":
    "O sandbox não consegue gravar seu arquivo de estado e por isso recusa mudanças.",
  "See the sandbox's standard error for the reason. It accepts changes again when writing works.":
    "Veja o motivo na saída de erro do sandbox. Ele volta a aceitar mudanças quando a gravação funcionar.",
  "Name its address with --url.": "Indique o endereço com --url.",
  "The sandbox's seed is {0}.": "A seed do sandbox é {0}.",
  "The answer is longer than 512 MB, which is more than a command can hold.":
    "A resposta tem mais de 512 MB, mais do que um comando consegue manter.",
  "Ask for less of it with --limit, or read the route itself (GET /_sandbox/…), which streams.":
    "Peça menos com --limit, ou leia a própria rota (GET /_sandbox/…), que responde em stream.",

  // config.ts
  "It takes a text.": "Deve ser um texto.",
  "It must not be empty.": "Não pode ficar vazio.",
  "It takes a text or a whole number.": "Deve ser um texto ou um número inteiro.",
  "Each needs an api_key of its own.": "Cada uma precisa de uma api_key própria.",
  "It takes an object of choices by their names.": "Deve ser um objeto de escolhas por nome.",
  "It takes true or false.": "Deve ser true ou false.",
  "It takes {0}.": "Deve ser {0}.",
  "It takes a list of texts.": "Deve ser uma lista de textos.",
  "It takes a text or a number.": "Deve ser um texto ou um número.",
  "The config file {0} cannot be read: {1}.":
    "O arquivo de configuração {0} não pode ser lido: {1}.",
  "Name a file that exists with --config.": "Indique um arquivo que existe com --config.",
  "The config file {0} is not JSON: {1}.": "O arquivo de configuração {0} não é JSON: {1}.",
  "The config file {0} has the member {1}, which there is not.":
    "O arquivo de configuração {0} tem o campo {1}, que não existe.",
  "The config file {0} holds no JSON object.":
    "O arquivo de configuração {0} não contém um objeto JSON.",
  "The config file {0}, member {1}: {2}": "O arquivo de configuração {0}, campo {1}: {2}",

  // cursor.ts
  "holds no cursor": "não contém um cursor",
  "holds the place of another command that runs now":
    "guarda a posição de outro comando que está rodando",
  "cannot be written: {0}": "não pode ser gravado: {0}",
  "cannot be read: {0}": "não pode ser lido: {0}",
  "The cursor file {0} {1}.": "O arquivo de cursor {0} {1}.",
  "Name another file with --cursor, in a folder that exists; the command makes it.":
    "Indique outro arquivo com --cursor, em uma pasta que existe; o comando o cria.",

  // duration.ts, forwarder.ts
  "{0} is no duration.": "{0} não é uma duração.",
  "Write it like 500ms, 30s, 5m, 2h or 1d.": "Escreva como 500ms, 30s, 5m, 2h ou 1d.",
  "--forward-to does not take {0}.": "--forward-to não aceita {0}.",
  "Write it like http://localhost:3000/webhooks/pix.":
    "Escreva como http://localhost:3000/webhooks/pix.",

  // following.ts, io.ts
  "The sandbox closed the connection; trying again…":
    "O sandbox fechou a conexão; tentando de novo…",
  "The output cannot be written: {0}.": "A saída não pode ser gravada: {0}.",
  "Free some space there, or write it elsewhere.": "Libere espaço ali, ou grave em outro lugar.",

  // options.ts
  '"{0}" has no {1}.': '"{0}" não tem {1}.',
  'There are {0}; "pix-sandbox {1} --help" says more.':
    'Existem {0}; "pix-sandbox {1} --help" diz mais.',
  "It takes a whole number from {0} to {1}.": "Deve ser um número inteiro de {0} a {1}.",
  "It is empty.": "Está vazio.",
  "It holds characters that no header can carry.":
    "Contém caracteres que nenhum cabeçalho pode levar.",

  // render.ts
  "No payins.": "Nenhum payin.",
  "No payouts.": "Nenhum payout.",
  "No webhooks.": "Nenhum webhook.",
  "No faults.": "Nenhuma falha.",
  VALUE: "VALOR",
  CREATED: "CRIADO",
  BUYER: "COMPRADOR",
  RECEIVER: "RECEBEDOR",
  INTEGRATION: "INTEGRAÇÃO",
  TYPE: "TIPO",
  ATTEMPTS: "TENTATIVAS",
  LAST: "ÚLTIMA",
  TRANSACTION: "TRANSAÇÃO",
  ON: "EM",
  EFFECT: "EFEITO",
  USED: "USADA",
  LEFT: "RESTAM",
  HELD: "RETIDAS",
  MATCH: "SE",
  "for ever": "sempre",
  all: "todas",
  "gave up": "desistiu",
  "next attempt at {0}": "próxima tentativa às {0}",
  resent: "reenviado",
  "attempt {0}": "tentativa {0}",
  "forwarded to {0}": "encaminhado para {0}",
  "No attempts yet.": "Nenhuma tentativa ainda.",
  "redirects to {0}, which is not followed": "redireciona para {0}, o que não é seguido",
  reset: "reinício",
  "is {0}": "está {0}",

  // report.ts
  requests: "requisições",
  refused: "recusadas",

  // state-errors.ts, variables.ts
  "Stop that one, or name another file.": "Pare esse, ou indique outro arquivo.",
  "Make its folder writable and room on its disk, name another file with --state, or keep none with --memory.":
    "Deixe a pasta dele gravável e com espaço em disco, indique outro arquivo com --state, ou não guarde nenhum com --memory.",
  "--as does not take {0}.": "--as não aceita {0}.",
  "Write it like PIX_SANDBOX_BASE_URL=PAYMENTS_URL; there are {0}.":
    "Escreva como PIX_SANDBOX_BASE_URL=PAYMENTS_URL; existem {0}.",

  // commands/assumptions.ts, magic.ts
  "Change one with: pix-sandbox serve --assume NAME=CHOICE":
    "Mude uma com: pix-sandbox serve --assume NOME=ESCOLHA",
  "{0} (default {1})": "{0} (padrão {1})",
  "As buyer_cpf of a payin, as receiver_cpf or pix_key of a payout, in a sandbox that was started with --magic.\nNo CPF is set aside for tests: that nobody has one of these is likely, not certain.":
    "Como buyer_cpf de um payin, como receiver_cpf ou pix_key de um payout, em um sandbox iniciado com --magic.\nNenhum CPF é reservado para testes: que ninguém tenha um destes é provável, não certo.",

  // commands/exec.ts, faults.ts
  "The command is empty.": "O comando está vazio.",
  "Name one behind --.": "Indique um depois de --.",
  "fault {0} holds {1} calls": "chamadas retidas pela falha {0}: {1}",
  "fault {0} is gone; it was used {1} times": "a falha {0} foi retirada; vezes que foi usada: {1}",
  "faults taken away: {0}": "falhas retiradas: {0}",
  "--match takes name=value, or name:=JSON.": "--match aceita nome=valor, ou nome:=JSON.",
  "--match {0}: what stands behind := is no JSON.":
    "--match {0}: o que vem depois de := não é JSON.",
  "It takes a number from 0 to 1.": "Deve ser um número de 0 a 1.",

  // commands/payin.ts, payout.ts, qr.ts, records.ts
  "Next: pix-sandbox simulate payin {0}": "A seguir: pix-sandbox simulate payin {0}",
  "Next: pix-sandbox simulate payout {0} --status completed":
    "A seguir: pix-sandbox simulate payout {0} --status completed",
  "It was canceled at once: this receiver has another payout in progress (assumption payout.rival).":
    "Foi cancelado na hora: este recebedor tem outro payout em andamento (premissa payout.rival).",
  "The QR code is in {0}.": "O QR Code está em {0}.",
  "That BR code is wrong in field {0}: {1}": "Esse BR Code está errado no campo {0}: {1}",
  "{0} is neither .png nor .svg.": "{0} não é .png nem .svg.",
  "Give the file one of these endings.": "Dê ao arquivo uma dessas terminações.",
  "{0} {1} is {2}": "{0} {1} está {2}",
  "There are more: --after {0}": "Há mais: --after {0}",

  // commands/ready.ts, requests.ts, reset.ts
  "pix-sandbox {0} is ready at {1}": "pix-sandbox {0} está pronto em {1}",
  "No sandbox answered at {0} in time.": "Nenhum sandbox respondeu a tempo em {0}.",
  "No requests.": "Nenhuma requisição.",
  "Connected to {0}; waiting for requests. Ctrl-C stops.":
    "Conectado a {0}; esperando requisições. Ctrl-C para.",
  "nobody was there to hear it": "ninguém estava lá para ouvir",
  "All integrations": "Todas as integrações",
  "{0}: reset. It is {1} there ({2} clock).": "{0}: reiniciado. Lá são {1} (relógio {2}).",

  // commands/scenario.ts
  NAME: "NOME",
  STORY: "HISTÓRIA",
  "The story was not played to its end.": "A história não foi executada até o fim.",
  "The sandbox's seed is {0}, the story's integration {1}.":
    "A seed do sandbox é {0}, a integração da história é {1}.",
  "{0}: all {1} steps went as the story has it.":
    "{0}: todos os passos ({1}) foram como a história diz.",
  "There is no story with the name {0}.": "Não há história com o nome {0}.",
  "There are {0}; a story of your own is named by its file.":
    "Existem {0}; uma história sua é indicada pelo arquivo.",
  "{0} failed at step {1}: {2}": "{0} falhou no passo {1}: {2}",
  "{0}: expected {1}, found {2}": "{0}: esperado {1}, encontrado {2}",
  nothing: "nada",
  "any value": "qualquer valor",
  "none: the connection died": "nenhuma: a conexão caiu",

  // commands/serve.ts
  "{0} in {1}": "{0} em {1}",
  "--ready-file cannot be written: {0}.": "--ready-file não pode ser gravado: {0}.",
  "Name a file in a folder that exists.": "Indique um arquivo em uma pasta que existe.",
  "Write it like 2026-11-21T12:00:00Z, before the year 9000.":
    "Escreva como 2026-11-21T12:00:00Z, antes do ano 9000.",
  "Write it like https://pix.example.com.": "Escreva como https://pix.example.com.",
  "A BR Code cannot contain any of these characters. Use Latin letters, such as Recife.":
    "Um BR Code não aceita nenhum desses caracteres. Use letras latinas, como Recife.",
  "Write the origin of one page, without a path, such as http://localhost:5173.":
    "Escreva a origem de uma página, sem caminho, como http://localhost:5173.",
  "Listening beyond this machine: {0}": "Escutando além desta máquina: {0}",
  "Warning: anyone who can connect there can read everything in this sandbox, its secret included, and control it. To listen on this machine alone, leave out --host.":
    "Aviso: quem puder se conectar ali pode ler tudo neste sandbox, inclusive o segredo, e controlá-lo. Para escutar só nesta máquina, omita --host.",
  "Port {0} of {1} is taken.": "A porta {0} de {1} está ocupada.",
  "Choose another with --port, or a free one with --port 0.":
    "Escolha outra com --port, ou uma livre com --port 0.",
  "Nothing can listen on port {0} of {1} ({2}).": "Nada pode escutar na porta {0} de {1} ({2}).",
  "Choose another with --port or --host.": "Escolha outra com --port ou --host.",
  "A fixtures file holds payins, payouts and faults, each as its route takes it.":
    "Um arquivo de fixtures contém payins, payouts e faults, cada um como a rota dele aceita.",
  "List some under credentials in a config file, or assume any.":
    "Liste algumas em credentials em um arquivo de configuração, ou assuma any.",
  State: "Estado",
  clock: "relógio",
  "in memory": "em memória",
  "{0} payins, {1} payouts": "payins: {0}, payouts: {1}",
  "Ready. Ctrl-C stops.": "Pronto. Ctrl-C para.",
  "Stopping…": "Parando…",
  "Stopped at once.": "Parado imediatamente.",

  // commands/snapshot.ts, state.ts, wait.ts
  TAKEN: "FEITO",
  "No snapshots.": "Nenhum snapshot.",
  "Deleted.": "Apagado.",
  "(all)": "(todas)",
  "A sandbox cannot be started on {0}.": "Um sandbox não pode ser iniciado com {0}.",
  "pix-sandbox state repair {0} keeps what is said above, and puts the damaged files aside.":
    "pix-sandbox state repair {0} guarda o que está dito acima e põe de lado os arquivos danificados.",
  "{0} is sound: {1}.": "{0} está íntegro: {1}.",
  "{0} is gone, and its journal is there.": "{0} sumiu, e o journal dele existe.",
  "line {0} of {1} is damaged: {2}.": "a linha {0} de {1} está danificada: {2}.",
  "and {0} more lines.": "e mais estas linhas: {0}.",
  "What can be kept: {0}.": "O que pode ser guardado: {0}.",
  "Line {0} of {1} was not finished: the next start cuts it off and keeps it aside.":
    "A linha {0} de {1} não foi terminada: o próximo início a corta e a guarda à parte.",
  "{0} is sound, nothing was changed: {1}.": "{0} está íntegro, nada foi mudado: {1}.",
  "{0} holds what could be kept: {1}.": "{0} contém o que pôde ser guardado: {1}.",
  "{0} can be opened: {1}.": "{0} pode ser aberto: {1}.",
  "{0} has changed since it was written: {1}.": "{0} mudou desde que foi gravado: {1}.",
  "payin {0}: {1}": "cobrança {0}: {1}",
  "payout {0}: {1}": "pagamento {0}: {1}",
  "webhook {0}: {1}": "webhook {0}: {1}",
  "and {0} more records.": "e mais {0} registros.",
  "{0} holds records that the API would not have made.":
    "{0} contém registros que a API não teria criado.",
  "A sandbox can still open it. Correct the records that are named, or restore the file.":
    "Um sandbox inicia com ele mesmo assim. Corrija os registros indicados ou restaure o arquivo.",
  "What was damaged is kept in {0}.": "O que estava danificado está guardado em {0}.",
  "{0} payins, {1} payouts and {2} webhooks, after {3} commits":
    "payins: {0}, payouts: {1}, webhooks: {2}, commits até aqui: {3}",
  "--timeout takes at most 10m.": "--timeout aceita no máximo 10m.",

  // commands/webhooks.ts, webhooks-tail.ts
  "An id names one webhook already; it goes with no other option.":
    "Um id já indica um webhook; não combina com outra opção.",
  "Say what to resend.": "Diga o que reenviar.",
  "Name an id, or choose with --type, --transaction or --status, or say --all.":
    "Indique um id, ou escolha com --type, --transaction ou --status, ou diga --all.",
  "--since does not take {0}.": "--since não aceita {0}.",
  "Name a webhook's id (evt_…), an event number, or all.":
    "Indique o id de um webhook (evt_…), um número de evento, ou all.",
  "Events {0} to {1} are told from the records, as far as they go.":
    "Os eventos {0} a {1} são contados a partir dos registros, até onde eles vão.",
  "The sandbox was reset: what came before is gone.":
    "O sandbox foi reiniciado: o que veio antes se foi.",
  "The sandbox was reset for {0}: what came before is gone.":
    "O sandbox foi reiniciado para {0}: o que veio antes se foi.",
  "That is another sandbox than before, or it began anew: all of it is unseen.":
    "Este é outro sandbox, ou ele começou de novo: nada dele foi visto ainda.",
  "Connected again.": "Conectado de novo.",
  "Connected to {0}; waiting for webhooks. Ctrl-C stops.":
    "Conectado a {0}; esperando webhooks. Ctrl-C para.",

  // commands/webhooks-verify.ts
  "The signature holds: {0} {1}, signed at {2}.": "A assinatura confere: {0} {1}, assinado em {2}.",
  "a webhook": "um webhook",
  "Not valid: {0}.": "Não é válido: {0}.",
  "--at does not take {0}.": "--at não aceita {0}.",
  "--header and --body go together, and with no other file.":
    "--header e --body vão juntas, e sem outro arquivo.",
  "Give each header with --header 'name: value', and the body's file with --body.":
    "Passe cada cabeçalho com --header 'nome: valor', e o arquivo do corpo com --body.",
  "There is no secret to verify with. {0}": "Não há segredo com que verificar. {0}",
  "Give it with --secret whsec_… or PIX_SANDBOX_SECRET, or start the sandbox that signed.":
    "Passe-o com --secret whsec_… ou PIX_SANDBOX_SECRET, ou inicie o sandbox que assinou.",
  "Let proxies pass webhook-id, webhook-timestamp and webhook-signature under these names. A sandbox with --assume webhook.signature=none sends none of them.":
    "Faça os proxies deixarem passar webhook-id, webhook-timestamp e webhook-signature com esses nomes. Um sandbox com --assume webhook.signature=none não envia nenhum deles.",
  "Capture the headers as they arrive: webhook-timestamp in whole seconds, webhook-signature as v1, and base64.":
    "Capture os cabeçalhos como chegam: webhook-timestamp em segundos inteiros, webhook-signature como v1, e base64.",
  "Something read the body before it was captured. Take its bytes first, then parse them: express.raw(), await request.text().":
    "Algo leu o corpo antes de ele ser capturado. Pegue primeiro os bytes, depois interprete: express.raw(), await request.text().",
  "Verify the bytes as they arrive, and parse them after that: express.raw(), await request.text(). Capture them without an editor's newline.":
    "Verifique os bytes como chegam, e interprete depois: express.raw(), await request.text(). Capture sem a quebra de linha de um editor.",
  "Whoever signs has to sign webhook-id, webhook-timestamp and the body, joined by dots.":
    "Quem assina deve assinar webhook-id, webhook-timestamp e o corpo, unidos por pontos.",
  "Whoever signs has to take whsec_ off the secret and decode the rest from base64: that is the key.":
    "Quem assina deve tirar whsec_ do segredo e decodificar o resto de base64: essa é a chave.",
  "Take them off where the secret is kept; in an .env file it needs no quotes.":
    "Tire-os de onde o segredo é guardado; em um arquivo .env ele não precisa de aspas.",
  "Compare the secret with what pix-sandbox secret prints. If it is the same, compare the request with what was sent: pix-sandbox webhooks show ID --json.":
    "Compare o segredo com o que pix-sandbox secret imprime. Se for o mesmo, compare a requisição com o que foi enviado: pix-sandbox webhooks show ID --json.",
  "Verify a webhook when it arrives; a resend has a new timestamp (pix-sandbox webhooks resend ID). Here, --at says when it arrived.":
    "Verifique um webhook quando ele chega; um reenvio tem um timestamp novo (pix-sandbox webhooks resend ID). Aqui, --at diz quando ele chegou.",
  "Set the clock of the machine that verifies; a resend has a new timestamp (pix-sandbox webhooks resend ID). Here, --at says when it arrived.":
    "Acerte o relógio da máquina que verifica; um reenvio tem um timestamp novo (pix-sandbox webhooks resend ID). Aqui, --at diz quando ele chegou.",

  // scenario/story.ts
  "It takes HTTP statuses from 200 on, and nothing for a connection that is closed.":
    "Deve ter status HTTP de 200 em diante, e nothing para uma conexão que é fechada.",
  "It takes a name.": "Deve ser um nome.",
  "It takes a name of letters, digits and underscores.":
    "Deve ser um nome de letras, dígitos e sublinhados.",
  "It is no name of a header.": "Não é nome de cabeçalho.",
  "It holds what no header can carry.": "Contém o que nenhum cabeçalho pode levar.",
  "It takes an object.": "Deve ser um objeto.",
  "It takes true.": "Deve ser true.",
  "It takes a whole number.": "Deve ser um número inteiro.",
  "It takes a duration, such as 5m.": "Deve ser uma duração, como 5m.",
  "It takes a duration, such as 500ms, 30s, 5m, 2h or 1d.":
    "Deve ser uma duração, como 500ms, 30s, 5m, 2h ou 1d.",
  "It takes an HTTP status.": "Deve ser um status HTTP.",
  "It takes completed or canceled.": "Deve ser completed ou canceled.",
  "It takes a method and a path.": "Deve ser um método e um caminho.",
  "It takes a method and a path, such as PUT /v1/webhooks.":
    "Deve ser um método e um caminho, como PUT /v1/webhooks.",
  "It takes freeze, resume, advance with a duration such as 5m, or set with a time.":
    "Deve ser freeze, resume, advance com uma duração como 5m, ou set com um instante.",
  "It takes one of {0}.": "Deve ser um de {0}.",
  "It takes 1 or more.": "Deve ser 1 ou mais.",
  "It takes a list.": "Deve ser uma lista.",
  "It takes at least one.": "Deve ter ao menos um.",
  "It takes pending, delivered or failed.": "Deve ser pending, delivered ou failed.",
  "It takes holds or fails.": "Deve ser holds ou fails.",
  "It takes a list of steps.": "Deve ser uma lista de passos.",
  "It takes at least one step.": "Deve ter ao menos um passo.",
  "It holds no JSON object.": "Não contém um objeto JSON.",
  "The story {0} cannot be read: {1}.": "A história {0} não pode ser lida: {1}.",
  "Name a JSON file, or one of those that pix-sandbox scenario list shows.":
    "Indique um arquivo JSON, ou um dos que pix-sandbox scenario list mostra.",
  "The story {0}": "A história {0}",
  "The story {0}, step {1}": "A história {0}, passo {1}",
  "{0}: nothing in it says what it does; it has {1}.":
    "{0}: nada nele diz o que ele faz; ele tem {1}.",
  "no members": "nenhum campo",
  "Each step has one of {0}.": "Cada passo tem um de {0}.",
  "{0} does two things, {1} and {2}.": "{0} faz duas coisas, {1} e {2}.",
  "Make two steps of it.": "Divida-o em dois passos.",
  "{0}, member {1}: {{any}} stands where something is expected, as the whole of it.":
    "{0}, campo {1}: {{any}} fica onde algo é esperado, sozinho no lugar do valor.",
  '{0}, member "later": its answer comes later.': '{0}, campo "later": a resposta dele vem depois.',
  "Give it a name with as, and let a step answer_of expect its answer.":
    "Dê-lhe um nome com as, e deixe um passo answer_of esperar a resposta.",
  '{0}, member "as": the name {1} is taken.': '{0}, campo "as": o nome {1} já foi usado.',
  "Each step gives another name.": "Cada passo dá um nome diferente.",
  "{0}: no step before it names anything {1}.": "{0}: nenhum passo anterior chama algo de {1}.",
  "{0}: no step before it names a {1} {2}.": "{0}: nenhum passo anterior chama um {1} de {2}.",
  'A step gives a name with "as".': 'Um passo dá um nome com "as".',
  "{0}: {1} is no call that is answered later.":
    "{0}: {1} não é uma chamada que é respondida depois.",
  'A step that creates a record can say "later": true.':
    'Um passo que cria um registro pode dizer "later": true.',
  "{0}, member {1}: there is no such member there.": "{0}, campo {1}: não existe esse campo ali.",
  "member {0}": "campo {0}",
  "It is required.": "É obrigatório.",
  "The story {0} is not JSON: {1}.": "A história {0} não é JSON: {1}.",
};
