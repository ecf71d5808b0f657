export default {
  "The run depended on {0}. To ask the provider: {1} {2}":
    "O resultado depende de {0}. Para perguntar ao provedor: {1} {2}",
  "{0} assumption": "{0} premissa",
  "{0} assumptions": "{0} premissas",
  "with its state in a file": "com o estado em um arquivo",
  "for a test": "para um teste",
  "the port of the shop; 0 takes a free one": "a porta da loja; com 0, uma porta livre",
  "keep the shop on this machine: no phone can open it":
    "deixa a loja só nesta máquina: nenhum celular consegue abrir",
  "buy in a browser or on a phone, pay, and watch the webhook":
    "compre no navegador ou no celular, pague e acompanhe o webhook",
  "on this machine only, at a free port": "só nesta máquina, em uma porta livre",
  "Port {0} is in use.": "A porta {0} está em uso.",
  Shop: "Loja",
  "Scan the code with a phone in the same network, or open the shop here.":
    "Leia o código com um celular na mesma rede ou abra a loja nesta máquina.",
  "Buy something and pay it: the webhook appears here. Press Ctrl-C to stop.":
    "Compre algo e pague: o webhook aparece aqui. Para parar, pressione Ctrl-C.",
  "start the gateway and a small shop": "inicia o gateway e uma pequena loja",
  "Sandbox seed: {0}.": "Seed do sandbox: {0}.",
  "A final status does not change. Create another {0}: {1} {2} create{3}":
    "Um status final não muda. Crie um registro novo ({0}): {1} {2} create{3}",
  "Set PIX_SANDBOX_CONTROL_TOKEN to the sandbox's control token, or pass --control-token.":
    "Defina PIX_SANDBOX_CONTROL_TOKEN com o token de controle do sandbox, ou passe --control-token.",
  "Use an address such as {0}.": "Use um endereço como {0}.",
  "The server at {0} speaks {1}.": "O servidor em {0} usa {1}.",
  "Use --url {0}": "Use --url {0}",
  "A fault (lost_answer) cut the connection after the sandbox did the work.":
    "Uma falha simulada (lost_answer) derrubou a conexão depois que o sandbox processou a chamada.",
  "See the fault with: {0} faults list. Remove it with faults clear.\nSee the result with payin list or payout list.":
    "Veja a falha com: {0} faults list. Remova com faults clear.\nVeja o resultado com payin list ou payout list.",
  "No sandbox responds at {0} ({1}).": "Nenhum sandbox responde em {0} ({1}).",
  "Set its address with --url or PIX_SANDBOX_URL, or start one: {0} serve":
    "Informe o endereço com --url ou PIX_SANDBOX_URL, ou inicie um: {0} serve",
  "The server at {0} is not pix-sandbox (status {1}).":
    "O servidor em {0} não é um pix-sandbox (status {1}).",
  "Set the sandbox's address with --url.": "Informe o endereço do sandbox com --url.",
  "Change one with: {0} serve --assume NAME=CHOICE":
    "Para mudar uma: {0} serve --assume NOME=ESCOLHA",
  "the choices of a running sandbox": "as escolhas de um sandbox em execução",
  "{0} (default {1})": "{0} (padrão {1})",
  "judge only this rule (its id or number); repeatable":
    "avalia só esta regra (id ou número); pode se repetir",
  "a shell command that makes the merchant create an order and prints its transaction's id; without it, --effect uses the merchant's open orders":
    "um comando de shell que cria um pedido na loja e imprime o id da transação; sem ele, --effect usa os pedidos abertos da loja",
  "the handler may be on another machine": "aceita um handler em outra máquina",
  "the address of the handler": "a URL do handler",
  "Checking {0}": "Verificando {0}",
  "The check was interrupted.": "A verificação foi interrompida.",
  "Rules broken: {0}.": "Regras reprovadas: {0}.",
  "Each curl command above sends its webhook again; its signature is valid for five minutes.":
    "Cada comando curl acima reenvia o respectivo webhook; a assinatura vale por cinco minutos.",
  "a shell command that restarts the merchant and ends; what it starts must go on in the background":
    "um comando de shell que reinicia a loja e termina; o que ele iniciar deve continuar em segundo plano",
  "The restart's command {0}.": "O comando de reinício {0}.",
  "Run it by itself: it must restart the merchant in the background, and end.":
    "Rode-o separadamente: ele deve reiniciar a loja em segundo plano e terminar.",
  "No effect was judged: {0}": "Nenhum efeito foi avaliado: {0}",
  "Nothing listens at {0}.": "Não há nenhum servidor em {0}.",
  "The check sends at most {0} webhooks, some of them forged, to {1}, for at most {2} s.":
    "A verificação envia até {0} webhooks, alguns forjados, para {1}, durante até {2} s.",
  "The check makes at most {0} orders, and sends at most {1} webhooks, some of them forged, to {2}, for at most {3} s.":
    "A verificação cria até {0} pedidos e envia até {1} webhooks, alguns forjados, para {2}, durante até {3} s.",
  "The check has removed its own integration; the orders stay in the shop.":
    "A verificação removeu a integração que criou; os pedidos continuam na loja.",
  "If the shop has two open payouts, the check completes one and cancels the other.":
    "Se a loja tem dois payouts abertos, a verificação conclui um e cancela o outro.",
  "The check pays open orders of the shop by webhooks, and at its end at the gateway.":
    "A verificação paga pedidos abertos da loja com webhooks, e no fim também no gateway.",
  "No rule was judged.": "Nenhuma regra foi avaliada.",
  "Only the time and the status of a response were judged.":
    "Só o tempo e o status de uma resposta foram avaliados.",
  "Each rule says what it needs.": "Cada regra indica o que falta para avaliá-la.",
  "Does the handler verify with the secret that you set (--secret or PIX_SANDBOX_SECRET)? Another one refuses every webhook.":
    "O handler usa o segredo que você definiu (--secret ou PIX_SANDBOX_SECRET)? Com outro, ele recusa todos os webhooks.",
  "Does the handler verify with the sandbox's secret? {0} secret prints it; --secret signs with another one.":
    "O handler usa o segredo do sandbox? Para vê-lo: {0} secret. Para assinar com outro: --secret.",
  "Assumptions that the webhooks depended on: {0}. --json has the question to ask the provider about each.":
    "Premissas que afetaram os webhooks: {0}. A saída de --json traz a pergunta a fazer ao provedor sobre cada uma.",
  "This check cannot judge that rule. See {0} report.":
    "Esta verificação não avalia essa regra. Veja {0} report.",
  "Use one of {0}, or its number.": "Use uma destas, ou o número: {0}.",
  "Moving the clock": "Avançando o relógio",
  "show the sandbox's time": "mostra a hora do sandbox",
  "advance time, and wait for every event that becomes due":
    "avança o relógio e espera tudo o que vencer",
  "like 500ms, 30s, 5m, 2h or 1d": "como 500ms, 30s, 5m, 2h ou 1d",
  "advance time to an instant": "avança o relógio até um horário",
  "ISO 8601, like 2026-11-21T12:00:00Z": "ISO 8601, como 2026-11-21T12:00:00Z",
  "freeze time": "congela o relógio",
  "resume time": "retoma o relógio",
  created: "criado",
  unchanged: "inalterado",
  "Pass a code in quotes, the path of its picture, such as ./charge.png, or the id of a payin of a running sandbox.":
    "Informe um código entre aspas, o caminho da imagem dele, como ./charge.png, ou o id de uma cobrança de um sandbox em execução.",
  "Valid. A dynamic code: the payer's bank reads the charge from the location.":
    "Válido. Um código dinâmico: o banco do pagador busca a cobrança na location.",
  "Valid. A static code: anyone can pay to its Pix key, several times.":
    "Válido. Um código estático: qualquer pessoa pode pagar para a chave Pix, quantas vezes quiser.",
  "Valid. A recurrence of Pix Automático, without a charge.":
    "Válido. Uma recorrência do Pix Automático, sem cobrança.",
  "print a variable under another name; repeatable":
    "imprime uma variável com outro nome; pode se repetir",
  "print one name=value per line, for $GITHUB_ENV and docker --env-file":
    "imprime um nome=valor por linha, para $GITHUB_ENV e docker --env-file",
  "the command and its arguments": "o comando e os argumentos dele",
  "wait for the last webhooks, then print a summary and the review to stderr":
    "espera os últimos webhooks e imprime um resumo e a avaliação em stderr",
  "sets PIX_SANDBOX_URL, _BASE_URL, _SECRET and _TOKEN":
    "define PIX_SANDBOX_URL, _BASE_URL, _SECRET e _TOKEN",
  Inspector: "Inspetor",
  "No faults.": "Nenhuma falha simulada.",
  ON: "EM",
  EFFECT: "EFEITO",
  USED: "USADA",
  LEFT: "RESTAM",
  always: "sempre",
  HELD: "RETIDAS",
  MATCH: "SE",
  "list faults, oldest first, with their use":
    "lista as falhas simuladas, da mais antiga à mais nova, com o uso de cada uma",
  "inject a fault": "simula uma falha",
  "what the fault acts on: {0}": "onde a falha age: {0}",
  "on a call: {0}; on a webhook: {1}": "em uma chamada: {0}; em um webhook: {1}",
  "how often it applies (default: always)": "quantas vezes se aplica (padrão: sempre)",
  "only if the request, or the event's data, has this field; name:=JSON for other values than text; repeatable":
    "só se a requisição, ou os dados do evento, tiver este campo; nome:=JSON para valores que não são texto; pode se repetir",
  "the chance that it applies, 0 to 1; draws depend on the seed":
    "a probabilidade de se aplicar, de 0 a 1; o sorteio depende da seed",
  "release the calls that a fault holds, and wait for their end":
    "libera as chamadas retidas por uma falha simulada e espera que terminem",
  "fault {0} holds {1} calls": "chamadas retidas pela falha simulada {0}: {1}",
  "remove a fault, and release the calls that it holds":
    "remove uma falha simulada e libera as chamadas que ela retém",
  "fault {0} removed; uses: {1}": "falha simulada {0} removida; usos: {1}",
  "remove all faults, and release the calls that they hold":
    "remove todas as falhas simuladas e libera as chamadas que elas retêm",
  "faults removed: {0}": "falhas simuladas removidas: {0}",
  "Invalid --match. Use name=value or name:=JSON.":
    "--match inválido. Use nome=valor ou nome:=JSON.",
  "Invalid --match {0}. Use JSON after :=.": "--match inválido: {0}. Use JSON depois de :=.",
  changed: "alterado",
  "the port to listen on; 0 takes a free one": "a porta; 0 usa uma livre",
  "Choose another port with --port, or a free one with --port 0.":
    "Escolha outra porta com --port, ou uma livre com --port 0.",
  "Use them as buyer_cpf of a payin, or as receiver_cpf or pix_key of a payout, with serve --magic.\nBrazil reserves no CPF for tests: a real person could have one of these, though it is unlikely.":
    "Use-os como buyer_cpf de uma cobrança, ou como receiver_cpf ou pix_key de um payout, com serve --magic.\nNão existem CPFs reservados para testes: é improvável, mas um destes pode ser de alguém.",
  "Each run has its own sandbox, in memory and on a free port.":
    "Cada execução tem o próprio sandbox, em memória e em uma porta livre.",
  "No payins.": "Nenhuma cobrança.",
  BUYER: "COMPRADOR",
  "create a payin": "cria uma cobrança",
  "draw the QR code in the terminal": "mostra o QR Code no terminal",
  "open the payer's page in the browser": "abre a página do pagador no navegador",
  Next: "Próximo passo",
  "Pay it in a browser": "Pague no navegador",
  "list the newest payins, the newest last":
    "lista as cobranças mais recentes, com a mais nova no fim",
  "pay a payin, as its buyer would": "paga uma cobrança, como o comprador faria",
  "cancel a waiting payin": "cancela uma cobrança em aberto",
  "expire a waiting payin now": "expira agora uma cobrança em aberto",
  "No payouts.": "Nenhum payout.",
  RECEIVER: "RECEBEDOR",
  "create a payout": "cria um payout",
  "The payout was canceled: this receiver has another payout in progress (assumption payout.rival).":
    "O payout foi cancelado: este recebedor tem outro payout em andamento (premissa payout.rival).",
  "list the newest payouts, the newest last":
    "lista os payouts mais recentes, com o mais novo no fim",
  "complete a waiting payout": "conclui um payout em andamento",
  "cancel a waiting payout": "cancela um payout em andamento",
  "a payin's id, a unique beginning of it, last, or a BR Code in quotes":
    "o id de uma cobrança, o começo dele (se for único), last, ou um BR Code entre aspas",
  "the .png or .svg file to write": "o arquivo .png ou .svg a gravar",
  "Create its folder, or choose another file with --output.":
    "Crie a pasta dele, ou escolha outro arquivo com --output.",
  "QR code written to {0}.": "QR Code gravado em {0}.",
  "Invalid --output {0}.": "--output inválido: {0}.",
  "Use a file name that ends in .png or .svg.":
    "Use um nome de arquivo que termine em .png ou .svg.",
  "wait until a sandbox responds": "espera até um sandbox responder",
  "how long to wait": "quanto tempo esperar",
  "Waiting for a sandbox at {0}, at most {1}": "Aguardando um sandbox em {0} por até {1}",
  "pix-sandbox {0} is ready at {1}": "pix-sandbox {0} está pronto em {1}",
  "No sandbox responded at {0} in time.": "Nenhum sandbox respondeu a tempo em {0}.",
  "Start one with: {0} serve": "Inicie um com: {0} serve",
  "show a payin": "mostra uma cobrança",
  "show a payout": "mostra um payout",
  "{0} {1} is {2}": "{0} {1}: {2}",
  "print Markdown, for a comment of a pull request":
    "imprime Markdown, para um comentário de pull request",
  "print the questions for the provider, for an e-mail":
    "imprime as perguntas ao provedor, para um e-mail",
  "also write a JUnit file": "também grava um arquivo JUnit",
  "exit with 8 if a rule has this verdict or a worse one":
    "termina com 8 se alguma regra tiver este resultado ou um pior",
  "Waiting for the webhooks that are due": "Aguardando os webhooks pendentes",
  "for continuous integration": "para a CI",
  "--{0} and --{1} cannot be combined.": "--{0} e --{1} não podem ser combinados.",
  "Run the command once for each.": "Rode o comando uma vez para cada.",
  "Check that its folder exists and is writable, or name another file with --junit.":
    "Confira se a pasta existe e permite gravação, ou informe outro arquivo com --junit.",
  "Reconnected.": "Reconectado.",
  "No requests.": "Nenhuma requisição.",
  "clock|TIME": "HORA",
  METHOD: "MÉTODO",
  PATH: "CAMINHO",
  RESULT: "RESULTADO",
  BODY: "CORPO",
  "client disconnected": "cliente desconectado",
  "All integrations": "Todas as integrações",
  "{0}: reset. The time is {1} ({2} clock).\n{3}":
    "{0}: reset feito. A hora é {1} (relógio {2}).\n{3}",
  "Deleted: payins, payouts, webhooks, keys, faults, requests, webhook\nconfigurations and changes of assumptions. Fixtures are loaded again.":
    "Apagados: cobranças, payouts, webhooks, chaves, falhas, requisições,\nconfigurações de webhook e alterações de premissas. As fixtures são carregadas de novo.",
  "a fault caused this: {0} faults list{1}": "causa: uma falha simulada: {0} faults list{1}",
  "to remove all faults: {0} faults clear{1}":
    "para remover todas as falhas simuladas: {0} faults clear{1}",
  "one fault|{0} armed": "{0} ativa",
  "to undo one, start with --assume NAME=DEFAULT":
    "para desfazer uma, inicie com --assume NOME=PADRÃO",
  "also to the URL that {0} integration configured":
    "também para a URL configurada por {0} integração",
  "also to the URLs that {0} integrations configured":
    "também para as URLs configuradas por {0} integrações",
  "Undo all": "Desfazer tudo",
  "sets back the clock, assumptions and webhook URLs;":
    "restaura o relógio, as premissas e as URLs de webhook;",
  "deletes all payins, payouts, webhooks, keys and faults":
    "apaga cobranças, payouts, webhooks, chaves e falhas",
  NAME: "NOME",
  "{0} payin": "{0} cobrança",
  "{0} payins": "{0} cobranças",
  "{0} payout": "{0} payout",
  "{0} payouts": "{0} payouts",
  "Its status is completed, not paid: a simulation always completes.\nOnly a payer pays: use {0} pay last, on a payin that waits.":
    "O status é completed, e não paid: a simulação sempre conclui.\nPara pagar como o comprador uma cobrança em aberto: {0} pay last",
  "the new status": "o novo status",
  "complete a payin": "conclui uma cobrança",
  "complete or cancel a payout": "conclui ou cancela um payout",
  "No snapshots.": "Nenhum snapshot.",
  "lower-case letters, digits, dots, hyphens and underscores":
    "letras minúsculas, dígitos, pontos, hifens e sublinhados",
  "save the records of all integrations, or of one (--token)":
    "salva os registros de todas as integrações, ou só de uma (--token)",
  "restore the records of a snapshot": "restaura os registros de um snapshot",
  "list the snapshots": "lista os snapshots",
  "delete a snapshot": "apaga um snapshot",
  "its name": "o nome dele",
  "Deleted.": "Apagado.",
  "There is no snapshot with the name {0}.": "Não há snapshot com o nome {0}.",
  "List them with: {0} snapshot list{1}. Save one with: {2} snapshot save NAME{3}":
    "Liste com: {0} snapshot list{1}. Salve um com: {2} snapshot save NOME{3}",
  "copy a state that is not in use": "copia um estado que não está em uso",
  "copy a state between files and databases, with its snapshots":
    "copia um estado entre arquivos e bancos de dados, com os snapshots",
  "a state file, or the address of a database":
    "um arquivo de estado, ou o endereço de um banco de dados",
  "the same, where no state is yet": "idem, onde ainda não haja um estado",
  "Copying {0}": "Copiando {0}",
  "Copied from {0} to {1}: {2}.": "Copiado de {0} para {1}: {2}.",
  "{0} snapshot": "{0} snapshot",
  "{0} snapshots": "{0} snapshots",
  "Waiting for {0}": "Aguardando {0}",
  "The integration {0} has no address for {1}.": "A integração {0} não tem uma URL para {1}.",
  'Configure one: PUT {0}/v1/webhooks with {"webhook_url":"…","events":["{1}"]} and the headers of a gateway call. Or use trigger {2}.':
    'Configure uma: PUT {0}/v1/webhooks com {"webhook_url":"…","events":["{1}"]} e os cabeçalhos de uma chamada do gateway. Ou use trigger {2}.',
  "The webhook of {0} {1} no longer exists.": "O webhook não existe mais ({0} {1}).",
  "A reset or a restore has removed it. Run the command again.":
    "Um reset ou um restore o removeu. Rode o comando de novo.",
  "No webhook: the assumption payin.expiry_event is none.\nTo send payin.expired: {0} serve --assume payin.expiry_event=webhook":
    "Nenhum webhook: a premissa payin.expiry_event é none.\nPara enviar payin.expired: {0} serve --assume payin.expiry_event=webhook",
  "   verified: the signature is valid": "   verificado: a assinatura é válida",
  "   signed": "   assinado",
  "not valid": "não é válido",
  "Next, your own handler": "Próximo passo, com o seu handler",
  "not sent yet": "ainda não enviado",
  "The webhook to {0} failed: {1}.": "O webhook para {0} falhou: {1}.",
  "To send it again: {0} webhooks resend {1}{2}": "Para reenviar: {0} webhooks resend {1}{2}",
  "It is due later, and the clock is frozen. Move it: {0} clock advance 1s{1}":
    "O envio é para mais tarde, e o relógio está congelado. Avance o relógio: {0} clock advance 1s{1}",
  "the event's type": "o tipo do evento",
  "the payin, the payout or the webhook (evt_…): its id, a unique beginning of it, or last for the newest payin or payout":
    "a cobrança, o payout ou o webhook (evt_…): o id, o começo dele (se for único), ou last para a transação mais nova",
  "Invalid --timeout. Use at most 10m.": "--timeout inválido. Use no máximo 10m.",
  "Waiting for {0}, at most {1}": "Aguardando {0} por até {1}",
  "only this event type": "só este tipo de evento",
  "only of this payin or payout: its id, a unique beginning of it, last, or a payin's BR Code":
    "só desta cobrança ou payout: o id, o começo dele (se for único), last, ou o BR Code de uma cobrança",
  "The sandbox's own receiver got no webhooks.": "O receptor do sandbox não recebeu webhooks.",
  TYPE: "TIPO",
  TRANSACTION: "TRANSAÇÃO",
  SIGNATURE: "ASSINATURA",
  valid: "válida",
  RECEIVED: "RECEBIDO",
  "list what the sandbox's own receiver got, the newest last":
    "lista o que o receptor do sandbox recebeu, com o mais novo no fim",
  "also send the same bytes and headers to this URL":
    "envia os mesmos bytes e cabeçalhos também para esta URL",
  "print each webhook attempt as it ends, until Ctrl-C":
    "imprime cada tentativa de webhook quando ela termina, até Ctrl-C",
  "Some events were missed. These are the attempts of the deliveries since then.":
    "Alguns eventos se perderam. Estas são as tentativas das entregas desde então.",
  "The sandbox was reset: earlier events are gone.":
    "Houve um reset do sandbox: os eventos anteriores se perderam.",
  "The sandbox was reset for {0}: earlier events are gone.":
    "Houve um reset de {0}: os eventos anteriores se perderam.",
  "Connected to {0}; waiting for webhooks. Press Ctrl-C to stop.":
    "Conectado a {0}; aguardando webhooks. Ctrl-C para sair.",
  "the time of verification, such as 2026-11-21T12:00:00Z (default: now)":
    "o horário da verificação, como 2026-11-21T12:00:00Z (padrão: agora)",
  "the maximum age of the timestamp": "a idade máxima do timestamp",
  "verify the signature of a captured webhook, and explain a mismatch":
    "verifica a assinatura de um webhook capturado e explica o que não confere",
  "the captured request, raw or as JSON (default: -, stdin)":
    "a requisição capturada, crua ou em JSON (padrão: -, stdin)",
  "Configure proxies to pass webhook-id, webhook-timestamp and webhook-signature unchanged. A sandbox with --assume webhook.signature=none sends none of them.":
    "Configure os proxies para repassar webhook-id, webhook-timestamp e webhook-signature sem alterações. Com --assume webhook.signature=none, o sandbox não envia nenhum deles.",
  "Capture the headers as they arrive: webhook-timestamp in whole seconds, webhook-signature as v1, and base64.":
    "Capture os cabeçalhos como chegam: webhook-timestamp em segundos inteiros, webhook-signature como v1, e base64.",
  "The body was read before it was captured. Read its bytes first, then parse them: express.raw(), await request.text().":
    "O corpo foi lido antes da captura. Leia primeiro os bytes e só depois faça o parse: express.raw(), await request.text().",
  "Verify the bytes as they arrive, then parse them: express.raw(), await request.text(). Capture them without an editor's final newline.":
    "Verifique os bytes como chegaram e só depois faça o parse: express.raw(), await request.text(). Cuidado com a quebra de linha que editores acrescentam no fim do arquivo.",
  "Sign webhook-id, webhook-timestamp and the body, joined by dots.":
    "Assine webhook-id, webhook-timestamp e o corpo, unidos por pontos.",
  "For the signing key, remove whsec_ from the secret and decode the rest from base64.":
    "A chave de assinatura é o segredo sem whsec_, com o resto decodificado de base64.",
  "Remove them where the secret is stored; an .env file needs no quotes.":
    "Remova-os de onde o segredo está guardado; um arquivo .env não precisa de aspas.",
  "Compare the secret with the output of {0} secret. If they are equal, compare the request with {1} webhooks show ID --json.":
    "Compare o segredo com a saída de {0} secret. Se forem iguais, compare a requisição com a saída de {1} webhooks show ID --json.",
  "Verify a webhook when it arrives, or set its time of arrival with --at. A resend has a new timestamp ({0} webhooks resend ID).":
    "Verifique um webhook quando ele chega, ou informe o horário da chegada com --at. Um reenvio tem um timestamp novo ({0} webhooks resend ID).",
  "Correct the clock of the verifying machine, or set the time of arrival with --at. A resend has a new timestamp ({0} webhooks resend ID).":
    "Acerte o relógio da máquina que verifica, ou informe o horário da chegada com --at. Um reenvio tem um timestamp novo ({0} webhooks resend ID).",
  "a webhook": "um webhook",
  "The signature is valid: {0} {1}, signed at {2}.":
    "A assinatura é válida: {0} {1}, assinado em {2}.",
  "Not valid: {0}.": "Não é válido: {0}.",
  "Invalid --at {0}.": "--at inválido: {0}.",
  "Use a time such as 2026-11-21T12:00:00Z.": "Use um horário como 2026-11-21T12:00:00Z.",
  "list the newest webhooks, the newest last":
    "lista os webhooks mais recentes, com o mais novo no fim",
  "show a webhook: its bytes, and each attempt with its response":
    "mostra um webhook: os bytes e cada tentativa, com a resposta",
  "resend a webhook, or all that match the options, with the same id and bytes":
    "reenvia um webhook, ou todos os que correspondem às opções, com o mesmo id e os mesmos bytes",
  "every webhook": "todos os webhooks",
  Resending: "Reenviando",
  "Do not combine an id with other options.": "Não combine um id com outras opções.",
  "Select the webhooks to resend.": "Selecione os webhooks a reenviar.",
  "Pass an id, or use --type, --transaction, --status or --all.":
    "Passe um id, ou use --type, --transaction, --status ou --all.",
  "Resent: {0}. Answered with 2xx: {1}. Failed: {2}.":
    "Reenviados: {0}. Respondidos com 2xx: {1}. Falharam: {2}.",
  "{0} of {1} webhooks got no 2xx response.": "Webhooks sem resposta 2xx: {0} de {1}.",
  "See the responses with: {0} webhooks show {1}{2}":
    "Veja as respostas com: {0} webhooks show {1}{2}",
  "a BR Code in quotes, the path of a PNG or JPEG of its QR code, a payin's id, or - for stdin":
    "um BR Code entre aspas, o caminho de um PNG ou JPEG do QR Code, o id de uma cobrança, ou - para stdin",
  "Invalid BR Code. {0}": "BR Code inválido. {0}",
  "{0} decode CODE explains each field.": "{0} decode CÓDIGO explica cada campo.",
  "Save the picture as PNG or JPEG, or pass the code itself in quotes.":
    "Salve a imagem como PNG ou JPEG, ou passe o próprio código entre aspas.",
  "{0} is an SVG. Only PNG and JPEG pictures can be read.":
    "{0} é um SVG. Só imagens PNG e JPEG podem ser lidas.",
  "{0} is neither a PNG nor a JPEG, nor the text of a BR Code.":
    "{0} não é um PNG nem um JPEG, nem o texto de um BR Code.",
  "The picture is larger than 10 MiB.": "A imagem tem mais de 10 MiB.",
  "The picture is larger than {0} megapixels.": "A imagem tem mais de {0} megapixels.",
  "Crop it to the QR code, or save it smaller.": "Recorte só o QR Code, ou salve em tamanho menor.",
  "The picture has no readable QR code.": "A imagem não tem um QR Code legível.",
  "Crop it to one code and its white margin: several codes in a picture cannot be read. Or photograph the code straight from the front.":
    "Recorte um só código com a margem branca: vários códigos em uma imagem não podem ser lidos. Ou fotografe o código bem de frente.",
  "Looking for a QR code": "Procurando um QR Code",
  "The picture is not a readable PNG or JPEG: it is damaged or cut short.":
    "A imagem não é um PNG ou JPEG legível: está danificada ou cortada.",
  "Save the picture again, or pass the code itself in quotes.":
    "Salve a imagem de novo ou passe o próprio código entre aspas.",
  "Unknown option {0}.": "Opção desconhecida: {0}.",
  "Unknown command {0}.": "Comando desconhecido: {0}.",
  "{0} Use one of {1}.": "{0} Use um destes: {1}.",
  "{0} See them all: {1} --help": "{0} Veja todos: {1} --help",
  "Missing argument <{0}>.": "Falta o argumento <{0}>.",
  "Missing option {0}.": "Falta a opção {0}.",
  "Missing value for {0}.": "Falta o valor de {0}.",
  'Too many arguments for "{0}": expected {1}, got {2}.':
    'Argumentos demais para "{0}": esperados {1}, recebidos {2}.',
  "a list of objects": "uma lista de objetos",
  "an object with an api_key of its own, api_secret and merchant_id, each a non-empty string (an api_secret that starts with whsec_ continues with base64)":
    "um objeto com api_key própria, api_secret e merchant_id, cada um uma string não vazia (um api_secret que começa com whsec_ continua em base64)",
  "Invalid value {0} for {1}.": "Valor inválido em {1}: {0}.",
  "Invalid value {0} for {1}. {2}": "Valor inválido para {1}: {0}. {2}",
  "See its help: {0}": "Veja a ajuda: {0}",
  "For example: {0}": "Por exemplo: {0}",
  "{0} Did you mean {1}?": "{0} Você quis dizer {1}?",
  "Name the sandbox with --url, such as --url http://127.0.0.1:7490":
    "Informe o sandbox com --url, como --url http://127.0.0.1:7490",
  "The gateway's specification shows neither refunds nor balances. pix-sandbox has no command for them.":
    "A especificação do gateway não tem devoluções nem saldos, por isso não há esse comando.",
  'Unknown command {0} of "{1}". Did you mean "{2}"?':
    'Comando desconhecido de "{1}": {0}. Você quis dizer "{2}"?',
  'Unknown command {0} of "{1}".': 'Comando desconhecido de "{1}": {0}.',
  'Use one of {0}. See "{1} {2} --help".': 'Use um destes: {0}. Veja "{1} {2} --help".',
  "Usage:": "Uso:",
  "Arguments:": "Argumentos:",
  "Options:": "Opções:",
  "Commands:": "Comandos:",
  "Common options:": "Opções comuns:",
  "choices: {0}": "valores: {0}",
  "default: {0}": "padrão: {0}",
  "env: {0}": "variável: {0}",
  "Examples:": "Exemplos:",
  "the sandbox's address (default: http://127.0.0.1:7490)":
    "o endereço do sandbox (padrão: http://127.0.0.1:7490)",
  "act only as this integration (its x-api-token)":
    "age só como esta integração (o x-api-token dela)",
  "the x-provider-id to send": "o x-provider-id a enviar",
  "the control token that the sandbox was started with":
    "o token de controle com que o sandbox foi iniciado",
  "Invalid control token.": "Token de controle inválido.",
  "Pass ASCII letters, digits and punctuation without spaces, at least one character, with --control-token or PIX_SANDBOX_CONTROL_TOKEN.":
    "Passe letras, dígitos e pontuação ASCII sem espaços, ao menos um caractere, com --control-token ou PIX_SANDBOX_CONTROL_TOKEN.",
  "the command's language (default: the system's)": "o idioma do comando (padrão: o do sistema)",
  "Use a whole number from {0} to {1}.": "Use um número inteiro de {0} a {1}.",
  "The value contains characters that a header cannot contain.":
    "O valor contém caracteres que um cabeçalho não aceita.",
  payin: "cobrança",
  "payin or payout": "cobrança ou payout",
  request: "requisição",
  "the {0}: its id, a unique beginning of it, last, or its BR Code":
    "{0}: o id, o começo dele (se for único), last, ou o BR Code",
  "the {0}: its id, a unique beginning of it, or last":
    "{0}: o id, o começo dele (se for único), ou last",
  "No payin has this BR Code.": "Nenhuma cobrança tem este BR Code.",
  "  … and more": "  … e outros",
  "Use more characters of the id.": "Digite mais caracteres do id.",
  "Several ids begin with {0}:": "Vários ids começam com {0}:",
  "No record has the id {0}.": "Nenhum registro tem o id {0}.",
  'Use the whole id, at least {0} characters of its beginning, or "last".':
    'Use o id inteiro, pelo menos os {0} primeiros caracteres, ou "last".',
  "List them with: {0}": "Liste com: {0}",
  "The integration {0} has no {1} yet.": "A integração {0} ainda não tem {1}.",
  "There is no {0} yet.": "Ainda não há {0}.",
  "There is no {0} whose id begins with {1}.": "Não há {0} com um id que comece com {1}.",
  "Invalid --as {0}.": "--as inválido: {0}.",
  "Use a form such as PIX_SANDBOX_BASE_URL=PAYMENTS_URL. The variables are {0}.":
    "Use o formato PIX_SANDBOX_BASE_URL=PAYMENTS_URL. As variáveis são {0}.",
  ASSUMPTION: "PREMISSA",
  CHOICE: "ESCOLHA",
  red: "vermelho",
  green: "verde",
  "connection refused: does the app run, and listen on that port?":
    "conexão recusada: o app está no ar e escuta nessa porta?",
  "{0} If it runs outside this container: --webhook-host-rewrite localhost=host.docker.internal":
    "{0} Se ele roda fora deste contêiner: --webhook-host-rewrite localhost=host.docker.internal",
  "unknown host: check the name": "host desconhecido: confira o nome",
  "the server does not speak HTTPS: try http://": "o servidor não fala HTTPS: tente http://",
  "the certificate is not trusted: start the sandbox with --webhook-insecure, or with NODE_EXTRA_CA_CERTS":
    "o certificado não é confiável: inicie o sandbox com --webhook-insecure ou com NODE_EXTRA_CA_CERTS",
  "The certificate of {0} is not trusted ({1}).": "O certificado de {0} não é confiável ({1}).",
  "Set NODE_EXTRA_CA_CERTS to the PEM file that the sandbox was started with (--tls-cert), or to that of its authority.":
    "Defina NODE_EXTRA_CA_CERTS com o arquivo PEM com que o sandbox foi iniciado (--tls-cert) ou com o da autoridade certificadora.",
  "the app closed the connection without a response: see its log, or try https://":
    "o app fechou a conexão sem responder: veja o log dele, ou tente https://",
  "no connection in time: check address, firewall and proxy":
    "a conexão demorou demais: confira endereço, firewall e proxy",
  "the app is slow: respond first, then do the work":
    "o app demora a responder: responda primeiro e processe depois",
  "the server does not speak HTTP: check the port": "o servidor não fala HTTP: confira a porta",
  "if the app does not know this payin: let the app create one, then {0} pay last{1}":
    "se o app não conhece esta cobrança: crie um pedido no app e depois rode {0} pay last{1}",
  "if the app refused the signature: {0} webhooks verify FILE, with the request that it received":
    "se o app recusou a assinatura: {0} webhooks verify ARQUIVO, com a requisição que ele recebeu",
  "the client received no response": "o cliente não recebeu resposta",
  "to send it again: {0}": "para reenviar: {0}",
  "{0} earlier events: --json prints all of them": "{0} eventos anteriores: --json imprime todos",
  others: "outros",
  "{0} events:": "{0} eventos:",
  reset: "reinício",
  "is {0}": "agora está: {0}",
  "gave up": "última tentativa",
  "next attempt at {0}": "próxima tentativa às {0}",
  "next attempt": "próxima tentativa",
  "forwarded to {0}": "encaminhado para {0}",
  "real time": "hora real",
  "redirects to {0}; webhooks do not follow redirects":
    "redireciona para {0}; webhooks não seguem redirecionamentos",
  "error:": "erro:",
  "The command is missing.": "Falta o comando.",
  "start the gateway": "inicia o gateway",
  "run a command with its own sandbox; exit with its exit code":
    "roda um comando com sandbox próprio e devolve o exit code dele",
  "serve the sandbox's tools to a coding agent (MCP)":
    "oferece as ferramentas do sandbox a um agente (MCP)",
  "cause an event, and show its webhook and the response":
    "provoca um evento e mostra o webhook e a resposta",
  "create, list, pay, cancel and expire payins (charges)":
    "cria, lista, paga, cancela e expira cobranças",
  "create, list and settle payouts": "cria, lista e conclui payouts",
  "draw a payin's QR code, or write it to a file":
    "mostra o QR Code de uma cobrança ou o grava em um arquivo",
  "pay a payin by its BR Code, a picture of the code, or its id":
    "paga uma cobrança pelo BR Code, por uma imagem dele ou pelo id",
  "explain each field of a BR Code, and name the wrong one":
    "explica cada campo de um BR Code e aponta o que está errado",
  "move a payin or payout to a final status, as in staging":
    "leva uma cobrança ou um payout ao status final",
  "watch, list, resend and verify webhooks": "acompanha, lista, reenvia e verifica webhooks",
  "send a handler valid and forged webhooks, and judge it":
    "envia webhooks válidos e forjados a um handler e o avalia",
  "wait until a webhook is delivered": "espera um webhook ser entregue",
  "show and move the sandbox's time": "mostra e avança o relógio do sandbox",
  "save the records under a name, and restore them": "salva os registros com um nome e os restaura",
  "delete all records and pending webhooks": "apaga todos os registros e webhooks pendentes",
  "inject faults, list them and remove them": "simula falhas, lista e remove",
  "list the gateway's newest requests and their results":
    "lista as requisições mais recentes do gateway e o resultado",
  "judge the integration by what it has done": "avalia a integração pelo que ela fez",
  "print the secret that signs the webhooks": "imprime o segredo que assina os webhooks",
  "print the environment variables of a sandbox": "imprime as variáveis de ambiente de um sandbox",
  "set up a project: config file, .gitignore, a first test":
    "prepara um projeto: arquivo de configuração, .gitignore, um primeiro teste",
  "list the choices for the gaps in the specification":
    "lista as escolhas para as lacunas da especificação",
  "list the magic values of `serve --magic`": "lista os valores mágicos de `serve --magic`",
  "print the OpenAPI 3.1 document of every route":
    "imprime o documento OpenAPI 3.1 de todas as rotas",
  "A Pix instant-payment gateway that runs on your own machine.":
    "Um gateway de pagamentos instantâneos Pix que roda na sua própria máquina.",
  "print the version": "imprime a versão",
  "print help": "imprime a ajuda",
  "cause a payment and show its webhook": "provoca um pagamento e mostra o webhook",
  VALUE: "VALOR",
  CREATED: "CRIADO",
  INTEGRATION: "INTEGRAÇÃO",
  "the amount (default: {0} reais)": "o valor (padrão: {0} reais)",
  "up to 140 characters": "até 140 caracteres",
  "11 digits": "11 dígitos",
  "the buyer": "o comprador",
  "the webhook address (default: the sandbox's own receiver)":
    "a URL do webhook (padrão: o receptor do sandbox)",
  "request the QR image too": "pede também a imagem do QR Code",
  "20 to 172800; the gateway's default is 240": "de 20 a 172800; o padrão do gateway é 240",
  "the receiver's name": "o nome do recebedor",
  "the receiver's e-mail address": "o e-mail do recebedor",
  "the Pix key (default: the receiver's CPF)": "a chave Pix (padrão: o CPF do recebedor)",
  "the idempotency key (default: a new one)": "a chave de idempotência (padrão: uma nova)",
  "exit when the sandbox stops, instead of reconnecting":
    "termina quando o sandbox para, em vez de reconectar",
  "The sandbox closed the connection; reconnecting…": "O sandbox fechou a conexão; reconectando…",
  "the maximum number of entries": "o número máximo de itens",
  "only entries newer than the one with this id": "só os itens mais novos que este id",
  "only entries older than the one with this id": "só os itens mais antigos que este id",
  "More: {0}": "Mais: {0}",
  "{0} more: --limit {1}, or {2}": "Mais {0}: --limit {1}, ou {2}",
  "Invalid amount {0}: decimals follow a point.": "Valor inválido: {0}.",
  "Use {0}, or add --lang pt-BR, which accepts a comma.": "Use {0}.",
  "Ambiguous amount {0}.": "Valor ambíguo: {0}.",
  "Use {0}{1} or {2},{3}.": "Use {0}{1} ou {2},{3}.",
  "Use the address of the handler, such as http://localhost:3000/webhooks/pix.":
    "Use a URL do handler, como http://localhost:3000/webhooks/pix.",
  "{0} is not this machine. The check sends it forged webhooks.":
    "{0} não é esta máquina. A verificação envia a ele webhooks forjados.",
  "If that server is yours and is not in production, add --yes.":
    "Se esse servidor é seu e não está em produção, acrescente --yes.",
  "took more than {0} s": "demorou mais de {0} s",
  "The command was interrupted.": "O comando foi interrompido.",
  'where to read what the merchant did: an address with {id} or {description}, or a shell command that reads "$PIX_ID" or "$PIX_DESCRIPTION"':
    'onde ler o que a loja fez: uma URL com {id} ou {description}, ou um comando de shell que lê "$PIX_ID" ou "$PIX_DESCRIPTION"',
  "The effect's command {0}: {1}": "O comando do efeito {0}: {1}",
  "{{0}} has no meaning in the effect's command: only an address has placeholders.":
    "{{0}} não tem sentido no comando do efeito: só URLs têm marcadores.",
  'Read the variable "${0}" in the command, or use an address such as http://localhost:3000/orders/{{1}}.':
    'Leia a variável "${0}" no comando, ou use uma URL como http://localhost:3000/orders/{{1}}.',
  "The run depended on no assumption.": "O resultado não depende de nenhuma premissa.",
  "We integrate with your Pix API. The specification leaves these points open:":
    "Estamos integrando com a sua API Pix. A especificação deixa estes pontos em aberto:",
  "We assume": "Supomos",
  "It implies": "Isso causa também",
  "  - {0} earlier case: {1} {2}": "  - {0} caso anterior: {1} {2}",
  "  - {0} earlier cases: {1} {2}": "  - {0} casos anteriores: {1} {2}",
  Passed: "Aprovadas",
  "Not seen, and what each needs": "Não verificadas, e o que falta para cada uma",
  "printed more than 1 MB": "imprimiu mais de 1 MB",
  "ended with {0}{1}": "terminou com {0}{1}",
  refused: "recusadas",
  "Use {0}.": "Use {0}.",
  Starting: "Iniciando",
  "{0} in {1}": "{0} em {1}",
  "--memory and --state contradict each other.": "--memory e --state não podem ser usados juntos.",
  "Use --state to store the records in a file, or --memory to store nothing.":
    "Use --state para gravar os registros em um arquivo, ou --memory para não gravar nada.",
  "Cannot write --ready-file: {0}.": "Não foi possível gravar --ready-file: {0}.",
  "Use a file in an existing folder.": "Use um arquivo em uma pasta existente.",
  "in memory": "em memória",
  clock: "relógio",
  "banner|Next": "Próximo passo",
  "Ready. Press Ctrl-C to stop.": "Pronto. Ctrl-C para sair.",
  "Port {0} of {1} is in use.": "A porta {0} de {1} está em uso.",
  "Cannot listen on port {0} of {1} ({2}).": "Não foi possível usar a porta {0} de {1} ({2}).",
  "Choose another port or host with --port or --host.":
    "Escolha outra porta ou outro host com --port ou --host.",
  "A fixtures file contains payins, payouts and faults, each in the form that its route accepts.":
    "Um arquivo de fixtures tem `payins`, `payouts` e `faults`, cada item no formato que a respectiva rota aceita.",
  "Add credentials to the config file, or remove --assume credentials=listed.":
    "Adicione credentials ao arquivo de configuração, ou remova --assume credentials=listed.",
  "Opening {0}": "Abrindo {0}",
  "Open to the network: {0}": "Aberto para a rede: {0}",
  "Warning: anyone who can reach this address can read all data, including the secret, and control the sandbox. To prevent it, set --control-token, or remove --host to accept local connections only.":
    "Aviso: qualquer um que acesse este endereço pode ler todos os dados, inclusive o segredo, e controlar o sandbox. Para impedir isso, defina --control-token, ou remova --host para aceitar só conexões locais.",
  "Stop that sandbox, use another state with --state, or store nothing with --memory.":
    "Pare esse sandbox, use outro estado com --state, ou não grave nada com --memory.",
  "Use another state with --state, or store nothing with --memory.":
    "Use outro estado com --state, ou não grave nada com --memory.",
  "Stopped at once.": "Encerrado imediatamente.",
  "Stopping…": "Encerrando…",
  "Command not found: {0}.": "Comando não encontrado: {0}.",
  "Check the name. To use shell syntax, run: sh -c '…'.":
    "Confira o nome. Para usar a sintaxe do shell, rode: sh -c '…'.",
  "The command {0} cannot be run: {1}.": "O comando {0} não pode ser executado: {1}.",
  "Check that the file is executable.": "Confira se o arquivo é executável.",
  "pass a variable under another name; repeatable":
    "passa uma variável com outro nome; pode se repetir",
  "The command is empty.": "O comando está vazio.",
  "Pass the command after --.": "Passe o comando depois de --.",
  "Make the folder writable, then run {0} init again.":
    "Torne a pasta gravável e rode {0} init de novo.",
  "Make it a file that can be read, then run {0} init again.":
    "Deixe-o como um arquivo que possa ser lido e rode {0} init de novo.",
  "Invalid duration {0}.": "Duração inválida: {0}.",
  "Use a number and a unit, such as 500ms, 30s, 5m, 2h or 1d.":
    "Use um número e uma unidade, como 500ms, 30s, 5m, 2h ou 1d.",
  "{0} cannot be written: {1}.": "{0} não pode ser gravado: {1}.",
  "… {0} lines dropped: the reader of this log is slow.":
    "… {0} linhas descartadas: a leitura deste log está lenta.",
  "The output cannot be written: {0}.": "A saída não pode ser gravada: {0}.",
  "Free some space on the disk, or write to another file.":
    "Libere espaço em disco, ou grave em outro arquivo.",
  "Could not start a browser. Open {0} yourself.":
    "Não foi possível iniciar um navegador. Abra {0} você mesmo.",
  "Check its path, or pass - to read the standard input.":
    "Confira o caminho dele, ou passe - para ler a entrada padrão.",
  now: "agora",
  "{0} ago": "há {0}",
  "Pass the request as it arrived (header lines, an empty line, the body), JSON with headers and body, or the output of webhooks show --json.":
    "Passe a requisição como chegou (linhas de cabeçalho, uma linha vazia, o corpo), um JSON com headers e body, ou a saída de webhooks show --json.",
  "Pass the file with the captured request, or pipe it in.":
    "Passe o arquivo com a requisição capturada, ou use um pipe.",
  "{0} webhooks verify captured.http; or: {1} webhooks show ID --json | {2} webhooks verify":
    "{0} webhooks verify captured.http; ou: {1} webhooks show ID --json | {2} webhooks verify",
  "The captured request is empty.": "A requisição capturada está vazia.",
  "The captured request has an invalid header line: {0}.":
    "A requisição capturada tem uma linha de cabeçalho inválida: {0}.",
  "the captured request, raw or as JSON": "a requisição capturada, crua ou em JSON",
  "The captured request is nested more than {0} levels deep.":
    "A requisição capturada tem mais de {0} níveis.",
  "The webhook has not been sent yet.": "O webhook ainda não foi enviado.",
  "Verify it afterwards: {0} webhooks show ID --json | {1} webhooks verify":
    "Verifique depois do envio: {0} webhooks show ID --json | {1} webhooks verify",
  "The captured request is not valid JSON: {0}.":
    "A requisição capturada não é um JSON válido: {0}.",
  "Pass one request, such as one line of webhooks tail --json.":
    "Passe uma requisição, como uma linha de webhooks tail --json.",
  "The captured request has no headers in its JSON.":
    "A requisição capturada não tem headers no JSON.",
  "No webhooks.": "Nenhum webhook.",
  sending: "enviando",
  ATTEMPTS: "TENTATIVAS",
  LAST: "ÚLTIMA",
  "The webhook {0} has no response after {1} s.": "O webhook {0} não tem resposta depois de {1} s.",
  "See what it waits for: {0} webhooks show {1}{2}": "Veja o motivo: {0} webhooks show {1}{2}",
  "Invalid --forward-to {0}.": "--forward-to inválido: {0}.",
  "Use a URL such as http://localhost:3000/webhooks/pix.":
    "Use uma URL como http://localhost:3000/webhooks/pix.",
  "whsec_… (default: the running sandbox's)": "whsec_… (padrão: o do sandbox que está rodando)",
  "Invalid secret.": "Segredo inválido.",
  "{0} Pass it with --secret or PIX_SANDBOX_SECRET, or leave both out for the running sandbox's.":
    "{0} Passe-o com --secret ou PIX_SANDBOX_SECRET, ou omita os dois para usar o do sandbox que está rodando.",
  "No secret to verify with. {0}": "Falta o segredo para verificar. {0}",
  "Set it with --secret whsec_… or PIX_SANDBOX_SECRET, or start the sandbox that signed.":
    "Informe-o com --secret whsec_… ou PIX_SANDBOX_SECRET, ou inicie o sandbox que assinou.",
  "printed nothing": "não imprimiu nada",
  "The order's command {0}.": "O comando do pedido {0}.",
  "It worked before: does the merchant still run? The check loses the response to one create call (rule 15), and the merchant must survive that.":
    "Ele funcionou antes: a loja ainda está no ar? A verificação perde a resposta de uma criação de cobrança (regra 15), e a loja precisa sobreviver a isso.",
  "Run it by itself: it must create an order and print the id of its transaction.":
    "Rode-o separadamente: ele deve criar um pedido e imprimir o id da transação.",
  "Nothing was sent.": "Nada foi enviado.",
  RULE: "REGRA",
  SENT: "ENVIADO",
  EXPECTED: "ESPERADO",
  SEEN: "VISTO",
  "{0} webhook": "{0} webhook",
  "{0} webhooks": "{0} webhooks",
  "fails if the review does": "falha se alguma regra for reprovada",
  "{0} needs --report.": "{0} precisa de --report.",
  "do not fail for this rule, and show the reason; repeatable":
    "ignora a reprovação desta regra e mostra o motivo; pode se repetir",
  'Give the reason, which the report shows: --ignore {0}="not used yet".':
    'Informe o motivo, que o relatório mostra: --ignore {0}="ainda não usado".',
  'Did you mean "{0}"?': 'Você quis dizer "{0}"?',
  "the staging address, with its version: https://…/v1":
    "o endereço de staging, com a versão: https://…/v1",
  "the x-api-token": "o x-api-token",
  "the x-provider-id": "o x-provider-id",
  "the x-provider": "o x-provider",
  "the x-country-code": "o x-country-code",
  "refuse this host and those below it, such as production; repeatable":
    "recusa este host e os que estão abaixo dele, como o de produção; pode se repetir",
  "an address at which the gateway reaches --port of this machine: tells the rows of webhooks":
    "um endereço em que o gateway alcança --port desta máquina: revela as premissas de webhooks",
  "where to receive webhooks; default: the port of --public-url":
    "onde receber webhooks; padrão: a porta de --public-url",
  "the most calls in a second": "o máximo de chamadas por segundo",
  "print the calls and what each tells, and make none":
    "mostra as chamadas e o que cada uma revela, sem fazer nenhuma",
  "make the calls without a question": "faz as chamadas sem perguntar",
  "set the observed choices in {0}, with the date":
    "grava as escolhas observadas em {0}, com a data",
  "print what is open as questions for the provider's support, in Markdown; without --base-url: all":
    "mostra o que está em aberto como perguntas para o suporte do provedor, em Markdown; sem --base-url: todas",
  "Missing token.": "Falta o token.",
  "Pass it in PIX_SANDBOX_TOKEN, or with --token.": "Passe-o em PIX_SANDBOX_TOKEN ou com --token.",
  "The probe was interrupted. Run it again to resume.":
    "A sondagem foi interrompida. Rode de novo para continuar.",
  "The gateway does what no choice describes: {0}.":
    "O gateway faz o que nenhuma escolha descreve: {0}.",
  "Stopped: the simulation was refused, so this is production. No more calls were made.":
    "Interrompido: a simulação foi recusada, portanto isto é produção. Nenhuma outra chamada foi feita.",
  "{0} choices are set in {1}.": "Escolhas gravadas em {1}: {0}.",
  "Pass the port that {0} reaches with --port.": "Passe com --port a porta que {0} alcança.",
  "Port {0} is in use. Choose another one.": "A porta {0} está em uso. Escolha outra.",
  "{0} must not be called: --never names it.": "{0} não deve ser chamado: está em --never.",
  "probe asks before the first call, but there is no terminal.":
    "probe pergunta antes da primeira chamada, mas não há terminal.",
  "Read the plan with --plan, then pass --yes.": "Leia o plano com --plan e depois passe --yes.",
  "Make the calls of --plan to {0} (up to {1} payouts)?":
    "Fazer as chamadas de --plan a {0} (até {1} payouts)?",
  "Calling {0}": "Chamando {0}",
  "The gateway refuses more calls.": "O gateway recusa mais chamadas.",
  "Check --base-url, or run it again later to resume.":
    "Confira --base-url, ou execute de novo mais tarde para retomar.",
  "The gateway did not respond within {0} s.": "O gateway não respondeu em {0} s.",
  "The gateway did not respond: {0}.": "O gateway não respondeu: {0}.",
  "The response to the first payin has no id. No more calls were made.":
    "A resposta à primeira cobrança não tem id. Nenhuma outra chamada foi feita.",
  "Run it in another folder.": "Execute em outra pasta.",
  "Another probe runs in this folder.": "Outro probe está em execução nesta pasta.",
  "The file {0} is damaged.": "O arquivo {0} está danificado.",
  "Remove it to begin anew. A payout may then be made again.":
    "Remova-o para começar de novo. Um payout pode então ser repetido.",
  "The calls before are in it.": "As chamadas anteriores estão nele.",
  "The recording ends here. Calls are still passed on.":
    "A gravação termina aqui. As chamadas continuam a ser repassadas.",
  "Invalid --never {0}: pass a host.": "--never {0} é inválido: passe um host.",
  "Invalid --public-url {0}.": "--public-url {0} é inválido.",
  "Pass an address such as https://tunnel.example.com.":
    "Passe um endereço como https://tunnel.example.com.",
  EXPERIMENT: "EXPERIMENTO",
  "No call was made.": "Nenhuma chamada foi feita.",
  "verdict|observed": "observada",
  "verdict|contradicted": "contrariada",
  "verdict|not observable": "não observável",
  "Nothing was observed.": "Nada foi observado.",
  REASON: "MOTIVO",
  "No calls.": "Nenhuma chamada.",
  CALLS: "CHAMADAS",
  PAYOUTS: "PAYOUTS",
  WHAT: "O QUÊ",
  "Payins are harmless: no buyer pays them. Payouts are created in staging and, where possible, canceled again.":
    "As cobranças são inofensivas: ninguém as paga. Os payouts são criados em staging e, se possível, cancelados de novo.",
  "With --public-url there are {0} more, for the rows of webhooks.":
    "Com --public-url há mais {0}, para as premissas de webhooks.",
  "Something else:": "Outra coisa:",
  "Questions about your Pix gateway": "Perguntas sobre o seu gateway Pix",
  "The choices are in the output above.": "As escolhas estão na saída acima.",
  "find out what a staging gateway does, assumption by assumption":
    "descobre o que um gateway de staging faz, premissa por premissa",
  "the HTML file to write": "o arquivo HTML a gravar",
  "Create its folder, or choose another file.": "Crie a pasta, ou escolha outro arquivo.",
  "Trace written to {0}. Open it in a browser.": "Trace gravado em {0}. Abra-o em um navegador.",
  "write what happened to one HTML file": "grava em um arquivo HTML o que aconteceu",
  "set the observed choices in this profile, such as profiles/staging.json":
    "define as escolhas observadas neste perfil, como profiles/staging.json",
  "The gateway refused the first payin: {0}. No more calls were made.":
    "O gateway recusou a primeira cobrança: {0}. Nenhuma outra chamada foi feita.",
  "Check --base-url, the token, --provider-id, --provider and --country-code.":
    "Confira --base-url, o token, --provider-id, --provider e --country-code.",
  "credentials=listed is not set, because {0} lists no credentials: add them, then set it.":
    "credentials=listed não foi definido, pois {0} não lista credenciais: adicione-as, depois defina-o.",
  "The file {0} is not a config file or a profile in JSON.":
    "O arquivo {0} não é um arquivo de configuração nem um perfil em JSON.",
  "The config file {0}": "O arquivo de configuração {0}",
  "The profile {0}": "O perfil {0}",
  "{0} cannot be read: {1}.": "{0} não pode ser lido: {1}.",
  "{0} is not JSON: {1}.": "{0} não é JSON: {1}.",
  "{0} has the unknown member {1}.": "{0} tem o campo desconhecido {1}.",
  "{0} is not a JSON object.": "{0} não é um objeto JSON.",
  "The profile {0} accepts only listed tokens, but the config file lists no credentials: every token is accepted.":
    "O perfil {0} só aceita tokens listados, mas o arquivo de configuração não lista credenciais: todo token é aceito.",
  "the recording": "a gravação",
  "the choices of a profile": "as escolhas de um perfil",
  "The sandbox differs from the recording in {0} members.":
    "O sandbox difere da gravação em {0} campos.",
  "The recording {0} cannot be read: {1}.": "A gravação {0} não pode ser lida: {1}.",
  "The recording {0} cannot be used. {1}": "A gravação {0} não pode ser usada. {1}",
  "the new file of the recording": "o novo arquivo da gravação",
  "an address at which the gateway reaches --port of this machine: records webhooks too":
    "um endereço em que o gateway alcança --port desta máquina: grava também os webhooks",
  "{0} exists. Choose another file.": "{0} já existe. Escolha outro arquivo.",
  "Recording: use {0} as the base URL. Its calls go to {1}.":
    "Gravando: use {0} como URL base. As chamadas vão para {1}.",
  "Ctrl-C to stop.": "Ctrl-C para sair.",
  "{0} calls and {1} webhooks are in {2}. Next: {3} drift {4}":
    "{0} chamadas e {1} webhooks estão em {2}. Depois: {3} drift {4}",
  "Pass the staging address, which ends in /v1, with {0}.":
    "Passe o endereço de staging, que termina em /v1, com {0}.",
  "For example: {0} {1} {2} https://staging.example.com/v1":
    "Por exemplo: {0} {1} {2} https://staging.example.com/v1",
  "{0} calls and {1} webhooks, recorded on {2}, {3} days ago.":
    "{0} chamadas e {1} webhooks, gravados em {2}, há {3} dias.",
  "The recording is old: the gateway may have changed. Record it again.":
    "A gravação é antiga: o gateway pode ter mudado. Grave de novo.",
  "Members: {0} equal, {1} equal in shape, {2} different, {3} missing.":
    "Campos: {0} iguais, {1} iguais na forma, {2} diferentes, {3} ausentes.",
  "No choice describes some of it. An issue to file, without private values:":
    "Nenhuma escolha descreve uma parte. Uma issue para abrir, sem valores privados:",
  "No difference.": "Nenhuma diferença.",
  CALL: "CHAMADA",
  MEMBER: "CAMPO",
  RECORDED: "GRAVADO",
  SANDBOX: "SANDBOX",
  "MENDED BY": "RESOLVIDO POR",
  "no choice": "nenhuma escolha",
  "record your calls to a staging gateway": "grava as suas chamadas a um gateway de staging",
  "show what the sandbox does otherwise than a recording":
    "mostra o que o sandbox faz diferente de uma gravação",
  "Pass an existing file with {0}.": "Passe um arquivo existente com {0}.",
  "not reached": "não alcançada",
  "{0} was not run: {1}": "{0} não foi executada: {1}",
  "Running the command with {0}": "Executando o comando com {0}",
  "The runs were interrupted.": "As execuções foram interrompidas.",
  "the choices in force": "as escolhas em vigor",
  "--each {0}: {1} is in force, and there is no other choice to try.":
    "--each {0}: {1} já está em vigor, e não há outra escolha para testar.",
  "{0} does not apply to exec --each.": "{0} não se aplica a exec --each.",
  "The command failed with the choices in force: exit code {0}. Nothing else ran.":
    "O comando falhou com as escolhas em vigor: código de saída {0}. Nada mais foi executado.",
  "Make it pass with: {0} exec -- COMMAND. Then run it with --each again.":
    "Corrija até que passe com: {0} exec -- COMANDO. Depois rode de novo com --each.",
  "The command made no call to the sandbox of exec: let your code call PIX_SANDBOX_BASE_URL, or pass that address under another name with --as. In tests, replace startSandbox() with useSandbox(), and leave out the options of test set-ups.":
    "O comando não chamou o sandbox do exec: o seu código precisa chamar a URL de PIX_SANDBOX_BASE_URL; se ele espera outro nome de variável, use --as. Em testes, troque startSandbox() por useSandbox() e não passe opções às configurações de teste.",
  "No other choice was tried.": "Nenhuma outra escolha foi testada.",
  "shape|text": "texto",
  "shape|number": "número",
  "shape|time": "horário",
  "a text in English": "um texto em inglês",
  "a text in Portuguese": "um texto em português",
  "a text in an unknown language": "um texto em idioma desconhecido",
  "The command passed with every choice that was tried.":
    "O comando passou com todas as escolhas testadas.",
  "Ask the provider what your tests depend on:":
    "Seus testes dependem destes pontos; pergunte ao provedor:",
  "run once more for each other choice of these assumptions, or of all":
    "roda mais uma vez para cada escolha alternativa destas premissas, ou de todas",
  "shows which gaps of the specification it depends on":
    "mostra de quais lacunas da especificação os testes dependem",
  "exec, with a test of your own": "exec, com um teste seu",
  "requests --json, or the curl line of a request in the inspector":
    "requests --json, ou a linha curl de uma requisição no inspetor",
  "webhooks received, webhooks tail, or receiver() in a test":
    "webhooks received, webhooks tail ou, em um teste, receiver()",
  "serve, which names the file and the line if it refuses a state":
    "serve, que informa o arquivo e a linha quando recusa um estado",
  "check-webhook, on the machine of the handler": "check-webhook, na máquina do handler",
  "requests --json, or the log of serve": "requests --json, ou o log do serve",
  "It was removed. Use instead: {0}": "Não existe mais. Em vez disso, use: {0}",
  "This command is pix-sandbox {0}.": "Este comando é o pix-sandbox {0}.",
  "{0} armed": "{0} ativas",
  "none changed": "nenhuma alterada",
  "show whether a sandbox is ready, and its settings":
    "mostra se um sandbox está pronto e como está configurado",
  "Port {0} of {1} is in use by pix-sandbox {2}.":
    "A porta {0} de {1} está em uso pelo pix-sandbox {2}.",
  "Each option has a variable too, such as {0}.": "Cada opção também tem uma variável, como {0}.",
  "First day:": "Primeiro dia:",
  "More commands:": "Outros comandos:",
  "The sandbox is not ready: it cannot write its state, or waits until another process no longer uses it.":
    "O sandbox não está pronto: não consegue gravar seu estado, ou espera até que outro processo deixe de usá-lo.",
  "Its standard error gives the reason. To wait until it is ready: {0} ready --wait":
    "O motivo está na saída de erro dele. Para esperar até que esteja pronto: {0} ready --wait",
  "Another process uses this state now.": "Outro processo usa este estado agora.",
  "Stop that one, or start this one again: it waits until that one ends.":
    "Pare o outro, ou inicie este de novo: ele espera até que o outro termine.",
  "overwrite the config file without a question":
    "sobrescreve o arquivo de configuração sem perguntar",
  "{0} exists. Overwrite it?": "{0} já existe. Sobrescrever?",
  "\nA first test, for the file {0}:\n\n{1}\nNext:":
    "\nUm primeiro teste, para o arquivo {0}:\n\n{1}\nPróximo passo:",
  "{0} [y/N]": "{0} [s/N]",
  "the event; payment.received and payment.failed go to the configured address":
    "o evento; payment.received e payment.failed vão para o endereço configurado",
  "{0} is an event of a {1}, which has no --{2}.": "{0} é um evento de {1}, que não tem --{2}.",
  "Its bytes and headers": "Bytes e cabeçalhos",
  "list the newest requests, the newest last":
    "lista as requisições mais novas, a mais nova por último",
  "show a request and its response, with their headers":
    "mostra uma requisição e sua resposta, com os cabeçalhos",
};
