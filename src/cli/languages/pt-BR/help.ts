/** What help says: commander's own words, the names of what is to be put somewhere, and the descriptions. */
export const HELP: Readonly<Record<string, string>> = {
  // commander
  "Usage:": "Uso:",
  "Arguments:": "Argumentos:",
  "Options:": "Opções:",
  "Commands:": "Comandos:",
  "choices:": "valores:",
  "default:": "padrão:",
  "env:": "variável:",
  "display help for command": "mostra a ajuda do comando",
  "output the version number": "mostra o número da versão",
  "Examples:": "Exemplos:",

  // names of what is to be put somewhere
  arguments: "argumentos",
  calls: "chamadas",
  command: "comando",
  duration: "duração",
  effect: "efeito",
  email: "e-mail",
  "event type": "tipo de evento",
  file: "arquivo",
  "file|name": "arquivo|nome",
  header: "cabeçalho",
  key: "chave",
  language: "idioma",
  mode: "modo",
  name: "nome",
  "name=choice": "nome=escolha",
  "name=value": "nome=valor",
  "name=variable": "nome=variável",
  number: "número",
  on: "onde",
  options: "opções",
  origin: "origem",
  "payin id or BR code": "id do payin ou BR Code",
  port: "porta",
  seconds: "segundos",
  secret: "segredo",
  text: "texto",
  time: "instante",
  type: "tipo",
  when: "quando",
  where: "onde",

  // every command
  "print JSON: one document, or one a line for a stream":
    "imprime JSON: um documento, ou um por linha quando é um fluxo",
  "the language of what is printed here (default: the machine's); what the gateway answers is in that of the assumption error.language":
    "o idioma do que é impresso aqui (padrão: o da máquina); o que o gateway responde segue a premissa error.language",
  "the sandbox's address (default: http://127.0.0.1:7490)":
    "o endereço do sandbox (padrão: http://127.0.0.1:7490)",
  "act as this integration alone (its x-api-token)":
    "age somente como esta integração (o x-api-token dela)",
  "the x-provider-id of what it creates and simulates":
    "o x-provider-id do que o comando cria e simula",
  "A PIX instant-payment gateway that runs on your own machine.":
    "Um gateway de pagamentos instantâneos PIX que roda na sua própria máquina.",
  "create a charge and draw its QR code": "cria uma cobrança e desenha o QR Code dela",
  "pay it: its webhook is sent": "paga a cobrança: o webhook dela é enviado",
  "watch the webhooks": "acompanha os webhooks",

  // serve
  "start the gateway": "inicia o gateway",
  "0 takes a free one": "0 usa uma porta livre",
  "the interface to listen on": "a interface de rede em que ele escuta",
  "the JSON file that keeps the state": "o arquivo JSON que guarda o estado",
  "keep nothing beyond this run": "não guarda nada além desta execução",
  "refuse a state file that was changed since it was written":
    "recusa um arquivo de estado mudado desde que foi gravado",
  "answer when a change outlasts a loss of power, or none":
    "se a resposta espera até que a mudança resista a uma queda de energia, ou não",
  "a JSON file of these options, assumptions and credentials (default: pix-sandbox.config.json, if it is there)":
    "um arquivo JSON com estas opções, premissas e credenciais (padrão: pix-sandbox.config.json, se existir)",
  "how many requests are remembered, in memory": "quantas requisições são lembradas, em memória",
  "how many finished webhooks are remembered": "quantos webhooks concluídos são lembrados",
  "a JSON file of payins, payouts and faults to begin with; may be repeated":
    "um arquivo JSON de payins, payouts e falhas com que começar; pode ser repetida",
  "the same seed, the same ids, also after a reset; without one no id repeats":
    "a mesma seed, os mesmos ids, também depois de um reset; sem seed nenhum id se repete",
  "how time passes": "como o tempo passa",
  "the sandbox's time at the start, ISO 8601": "a hora do sandbox no início, em ISO 8601",
  "change a choice; may be repeated": "muda uma escolha; pode ser repetida",
  "name every assumption asked, in x-sandbox-assumption":
    "cita cada premissa consultada, em x-sandbox-assumption",
  "let the values that `pix-sandbox magic` lists mean something":
    "dá significado aos valores que `pix-sandbox magic` lista",
  "serve HTTPS, with a certificate made for the occasion":
    "atende por HTTPS, com um certificado feito na hora",
  "the address that BR codes carry": "o endereço que os BR Codes levam",
  "the city on BR codes (default: SAO PAULO)": "a cidade nos BR Codes (padrão: SAO PAULO)",
  "answer to this host name too; may be repeated":
    "responde também por este nome de host; pode ser repetida",
  "let pages of this origin call; may be repeated":
    "deixa páginas desta origem chamarem; pode ser repetida",
  "send webhooks to this machine alone": "envia webhooks somente para esta máquina",
  "write the ready object there once the port answers":
    "grava ali o objeto ready assim que a porta responde",
  "print no banner and no webhooks": "não imprime nem a apresentação nem os webhooks",
  "keeps its state in .pix-sandbox/state.json": "guarda o estado em .pix-sandbox/state.json",
  "for a test: a free port, nothing on disk": "para um teste: uma porta livre, nada em disco",
  "time moves when told to; the same ids every run":
    "o tempo só anda quando mandado; os mesmos ids toda vez",
  "another choice where the specification is silent": "outra escolha onde a especificação se cala",

  // exec, env, ready
  "run a command beside a sandbox of its own, and end as it ends":
    "roda um comando ao lado de um sandbox só dele e termina como ele termina",
  "pass a variable under another name; may be repeated":
    "passa uma variável com outro nome; pode ser repetida",
  "wait for the last webhooks, then say on stderr what happened":
    "espera os últimos webhooks e então diz em stderr o que aconteceu",
  "print a variable under another name; may be repeated":
    "imprime uma variável com outro nome; pode ser repetida",
  "print name=value a line, as $GITHUB_ENV and docker --env-file take it":
    "imprime nome=valor por linha, como $GITHUB_ENV e docker --env-file aceitam",
  "what to run, and its arguments": "o que rodar, com os seus argumentos",
  "PIX_SANDBOX_URL, _BASE_URL, _SECRET and _TOKEN are set":
    "define PIX_SANDBOX_URL, _BASE_URL, _SECRET e _TOKEN",
  "the base address as PIX_API instead": "em vez disso, o endereço base como PIX_API",
  "what happened is said at the end": "diz no fim o que aconteceu",
  "tell whether a sandbox answers": "diz se um sandbox responde",
  "wait until it does": "espera até que responda",
  "how long to wait": "quanto tempo esperar",
  "print what points a program at the sandbox, for a shell to eval":
    "imprime o que aponta um programa para o sandbox, para o eval de um shell",

  // payin, payout, qr, simulate
  "create, list and move payins (charges)": "cria, lista e movimenta payins (cobranças)",
  "create a payin": "cria um payin",
  "the amount": "o valor",
  "up to 140 characters": "até 140 caracteres",
  "11 digits": "11 dígitos",
  "who pays": "quem paga",
  "who is told when it is paid": "quem é avisado quando for pago",
  "let the gateway make the image too": "pede ao gateway também a imagem",
  "20 to 172800; the gateway's default is 240": "de 20 a 172800; o padrão do gateway é 240",
  "repeat an earlier call; default: a new one":
    "repete uma chamada anterior; padrão: uma chave nova",
  "draw the QR code in the terminal": "desenha o QR Code no terminal",
  "list payins, oldest first": "lista os payins, do mais antigo ao mais novo",
  "only those with this status": "somente os que têm este status",
  "at most so many": "no máximo tantos",
  "only those behind this one": "somente os que vêm depois deste",
  "show a payin": "mostra um payin",
  "its id": "o id dele",
  "pay a payin, as its buyer would": "paga um payin, como o comprador faria",
  "cancel a waiting payin": "cancela um payin que espera",
  "let a waiting payin expire now": "faz expirar agora um payin que espera",
  "create, list and settle payouts": "cria, lista e conclui payouts",
  "create a payout": "cria um payout",
  "who gets it": "quem recebe",
  "who is told when it is completed or canceled":
    "quem é avisado quando for concluído ou cancelado",
  "where it goes; default: the receiver's CPF": "para onde vai; padrão: o CPF do recebedor",
  "cpf, email, phone or evp": "cpf, email, phone ou evp",
  "list payouts, oldest first": "lista os payouts, do mais antigo ao mais novo",
  "show a payout": "mostra um payout",
  "complete a waiting payout": "conclui um payout que espera",
  "cancel a waiting payout": "cancela um payout que espera",
  "draw a payin's QR code in the terminal, or write it to a file":
    "desenha o QR Code de um payin no terminal, ou o grava em um arquivo",
  "write it there, as .png or .svg": "grava ali, como .png ou .svg",
  "force a payin or payout to a final status, as the staging endpoints do":
    "força um payin ou payout a um status final, como fazem os endpoints de staging",
  "simulate that a payin is completed": "simula que um payin foi concluído",
  "simulate that a payout is completed or canceled":
    "simula que um payout foi concluído ou cancelado",
  "what it becomes": "o que ele passa a ser",

  // webhooks, wait
  "watch, list, repeat and verify webhooks": "acompanha, lista, repete e verifica webhooks",
  "print each webhook as it is sent and answered, until Ctrl-C":
    "imprime cada webhook quando é enviado e respondido, até Ctrl-C",
  "send the same bytes and headers there too": "envia os mesmos bytes e cabeçalhos também para lá",
  "only those of this event type, such as payin.paid":
    "somente os deste tipo de evento, como payin.paid",
  "only those of this payin or payout": "somente os deste payin ou payout",
  "begin behind this webhook or event number, or with all (default: now)":
    "começa depois deste webhook ou número de evento, ou com all (padrão: agora)",
  "keep the place there, and begin where the last run ended":
    "guarda ali a posição e começa onde a última execução terminou",
  "end when the sandbox does, instead of waiting for it":
    "termina quando o sandbox termina, em vez de esperar por ele",
  "list webhooks, oldest first": "lista os webhooks, do mais antigo ao mais novo",
  "show a webhook: its bytes, and each attempt with its answer":
    "mostra um webhook: os bytes e cada tentativa com a resposta",
  "the webhook's id (evt_…)": "o id do webhook (evt_…)",
  "send a webhook once more, or all that the options name: same id, same bytes":
    "envia um webhook de novo, ou todos os que as opções indicam: mesmo id, mesmos bytes",
  "every webhook there is": "todos os webhooks que existem",
  "say whether a captured webhook's signature holds, and if not, why":
    "diz se a assinatura de um webhook capturado confere e, se não, por quê",
  "whsec_… (default: the running sandbox's)": "whsec_… (padrão: o do sandbox que está rodando)",
  "a header as 'name: value', with --body; repeatable":
    "um cabeçalho como 'nome: valor', com --body; pode ser repetida",
  "the file that holds the body alone, with --header": "o arquivo só com o corpo, com --header",
  "when it is verified, such as 2026-11-21T12:00:00Z (default: now)":
    "quando é verificado, como 2026-11-21T12:00:00Z (padrão: agora)",
  "how far off its timestamp may lie": "quanto o timestamp pode se afastar",
  "the captured request, raw or as JSON; - is stdin, and so is nothing":
    "a requisição capturada, crua ou em JSON; - é stdin, e nada também",
  "wait until a webhook is delivered; one that was delivered before counts too":
    "espera até que um webhook seja entregue; um que já foi entregue também conta",
  "of this payin or payout, or the webhook's own id (evt_…)":
    "deste payin ou payout, ou o id do próprio webhook (evt_…)",
  "such as payin.paid": "como payin.paid",

  // clock, snapshot, reset
  "show and move the sandbox's time": "mostra e move o tempo do sandbox",
  "what time it is there": "que horas são lá",
  "move time forward; ends when all that fell due has happened":
    "avança o tempo; termina quando tudo o que venceu já aconteceu",
  "like 500ms, 30s, 5m, 2h or 1d": "como 500ms, 30s, 5m, 2h ou 1d",
  "move time forward to an instant": "avança o tempo até um instante",
  "ISO 8601, like 2026-11-21T12:00:00Z": "ISO 8601, como 2026-11-21T12:00:00Z",
  "let time stand still": "para o tempo",
  "let time go on from where it stands": "faz o tempo seguir de onde está",
  "keep the records under a name, and put them back":
    "guarda os registros com um nome e os devolve",
  "keep the records as they are, of all integrations or of one (--token)":
    "guarda os registros como estão, de todas as integrações ou de uma (--token)",
  "small letters, digits, dots, hyphens and underscores":
    "letras minúsculas, dígitos, pontos, hifens e sublinhados",
  "put everything back as it was when the snapshot was taken":
    "devolve tudo a como estava quando o snapshot foi feito",
  "list the snapshots": "lista os snapshots",
  "delete a snapshot": "apaga um snapshot",
  "its name": "o nome dele",
  "go back to the fixtures, if any: other records and pending webhooks are gone, snapshots and secret stay":
    "volta às fixtures, se houver: os outros registros e os webhooks pendentes se vão, snapshots e segredo ficam",

  // faults, requests
  "order failures, see how often each was used, and take them away":
    "encomenda falhas, mostra quantas vezes cada uma foi usada e as retira",
  "list faults, oldest first, with how often each was used":
    "lista as falhas, da mais antiga à mais nova, com quantas vezes cada uma foi usada",
  "order a failure": "encomenda uma falha",
  "what it acts on: payins.create, payouts.create, payins.simulate, payouts.simulate, webhook":
    "sobre o que age: payins.create, payouts.create, payins.simulate, payouts.simulate, webhook",
  "on a call: error=CODE, latency_ms=N, lost_answer, hold; on a webhook: duplicate, duplicate_at_once, delay_ms=N, reorder, drop_attempts=N, bad_signature, early":
    "em uma chamada: error=CODE, latency_ms=N, lost_answer, hold; em um webhook: duplicate, duplicate_at_once, delay_ms=N, reorder, drop_attempts=N, bad_signature, early",
  "how often it acts (default: for ever)": "quantas vezes age (padrão: sempre)",
  "only where the request, or the event's data, has that member; name:=JSON for what is no text (repeatable)":
    "somente onde a requisição, ou os dados do evento, têm esse campo; nome:=JSON para o que não é texto (pode ser repetida)",
  "how likely it is to act, from 0 to 1, drawn from the seed":
    "a probabilidade de agir, de 0 a 1, sorteada a partir da seed",
  "let the calls go that a fault holds; ends when they are done":
    "solta as chamadas que uma falha retém; termina quando elas terminam",
  "which go first, with commas between: each by its place of arrival, from 0 on, or by its x-idempotency-key":
    "quais vão primeiro, separadas por vírgula: cada uma pela posição de chegada, a partir de 0, ou por sua x-idempotency-key",
  "a call that goes first, by its x-idempotency-key, whatever is in it; after those of --order (repeatable)":
    "uma chamada que vai primeiro, por sua x-idempotency-key, com quaisquer caracteres; depois das de --order (pode se repetir)",
  "the fault's id": "o id da falha",
  "take a fault away; the calls that it holds go on":
    "retira uma falha; as chamadas que ela retém seguem",
  "take all faults away; the calls that they hold go on":
    "retira todas as falhas; as chamadas que elas retêm seguem",
  "list what the gateway was sent and what it answered, newest last":
    "lista o que foi enviado ao gateway e o que ele respondeu, o mais novo por último",
  "go on with those that come, until it is interrupted":
    "segue com as que chegam, até ser interrompido",
  "at most so many; at a time, with --follow": "no máximo tantas; por vez, com --follow",

  // scenario, secret, state
  "play stories of what production brings, and see where one goes otherwise":
    "executa histórias do que a produção traz e mostra onde uma delas toma outro rumo",
  "play a story against a running sandbox, as an integration of its own":
    "executa uma história em um sandbox que está rodando, como uma integração só dela",
  "a JSON file of steps, or a name that `scenario list` shows":
    "um arquivo JSON de passos, ou um nome que `scenario list` mostra",
  "list the stories that the package brings": "lista as histórias que vêm no pacote",
  "print the secret that signs the webhooks, and nothing else":
    "imprime o segredo que assina os webhooks, e nada mais",
  "look after a state file; no sandbox may run on it":
    "cuida de um arquivo de estado; nenhum sandbox pode estar usando o arquivo",
  "say whether a state can be opened, and what is wrong with it; changes nothing":
    "diz se um estado pode ser aberto e o que há de errado nele; não muda nada",
  "the state file": "o arquivo de estado",
  "keep what can be read, and put the damaged files aside":
    "guarda o que pode ser lido e põe de lado os arquivos danificados",

  // assumptions, magic, openapi, completion
  "list the choices made where the specification is silent":
    "lista as escolhas feitas onde a especificação se cala",
  "what holds there": "o que vale lá",
  "list the values that mean something to `serve --magic`":
    "lista os valores que significam algo para `serve --magic`",
  "print the OpenAPI 3.1 document of every route; no sandbox is needed":
    "imprime o documento OpenAPI 3.1 de todas as rotas; não precisa de sandbox",
  "print what completes commands and options in a shell":
    "imprime o que completa comandos e opções em um shell",
  whose: "de qual shell",
  'in ~/.bashrc: eval "$(pix-sandbox completion bash)"':
    'no ~/.bashrc: eval "$(pix-sandbox completion bash)"',
  'in ~/.zshrc, behind compinit: eval "$(pix-sandbox completion zsh)"':
    'no ~/.zshrc, depois de compinit: eval "$(pix-sandbox completion zsh)"',
  "in config.fish: pix-sandbox completion fish | source":
    "no config.fish: pix-sandbox completion fish | source",
};
