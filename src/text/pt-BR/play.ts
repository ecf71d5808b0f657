export default {
  "The valid webhook {0} ({1}): {2}.": "O webhook válido {0} ({1}): {2}.",
  "a valid webhook": "um webhook válido",
  "The handler did not respond to {0}: {1}.": "O handler não respondeu a: {0} ({1}).",
  "Sent {0}: {1}.": "Enviado: {0}; {1}.",
  "2xx": "2xx",
  "not 2xx": "não 2xx",
  "something else": "outra coisa",
  "The check stopped before it judged this rule.":
    "A verificação parou antes de avaliar esta regra.",
  "There was no time left: the handler responds slowly.":
    "O tempo acabou: o handler responde devagar.",
  "The handler did not accept a valid webhook, so its other responses show nothing.":
    "O handler não aceitou um webhook válido, então as outras respostas dele não mostram nada.",
  "The handler refused a valid webhook. Check the path of its address. If it does not know the transaction, pass --order, or --effect with open orders in the shop.":
    "O handler recusou um webhook válido. Confira o caminho da URL. Se ele não conhece a transação, use --order, ou --effect com pedidos abertos na loja.",
  "the first payment of all, again": "o primeiro pagamento de todos, de novo",
  "the payment of an order twice, both at once":
    "o pagamento de um pedido duas vezes, as duas ao mesmo tempo",
  "a name with letters that are not ASCII": "um nome com letras fora do ASCII",
  "The effects of two orders differ in more than their ids, so they cannot be compared.":
    "Os efeitos de dois pedidos diferem em mais do que os ids e não podem ser comparados.",
  "The effect did not change when the webhook arrived twice at the same time.":
    "O efeito não mudou quando o webhook chegou duas vezes ao mesmo tempo.",
  "a payment before the create response": "um pagamento antes da resposta",
  "acts, now or when it is sent again": "age, agora ou quando é reenviado",
  "The merchant did not repeat the create call with its key after the response was lost.":
    "O lojista não repetiu a criação com a chave dela depois que a resposta se perdeu.",
  "The handler accepted the early webhook, and after {0} s the effect is still that of an unpaid order: {1}.":
    "O handler aceitou o webhook adiantado, e após {0} s o efeito ainda é o de um pedido não pago: {1}.",
  "The effect is neither that of an unpaid order nor that of a paid one.":
    "O efeito não é nem o de um pedido não pago, nem o de um pago.",
  "The merchant repeated the create call before it responded to the webhook.":
    "O lojista repetiu a criação antes de responder ao webhook.",
  "The handler refused the early webhook, and the order is still unpaid after the same again.":
    "O handler recusou o webhook adiantado, e o pedido continua sem pagamento depois do mesmo webhook de novo.",
  "the payment of another value": "o pagamento de outro valor",
  "not as paid": "não como pago",
  "The effect changed, but not as when the order's value was paid: {0}":
    "O efeito mudou, mas não como quando o valor do pedido foi pago: {0}",
  "The order's value is so low that no payment can be lower.":
    "O valor do pedido é tão baixo que nenhum pagamento pode ser menor.",
  "The webhook of the check no longer exists: a reset has removed it.":
    "O webhook da verificação não existe mais: um reset o removeu.",
  "Run the command again.": "Rode o comando de novo.",
  "a payment in the last second": "um pagamento no último segundo",
  "The effect did not change: the payment of {0} was dropped.":
    "O efeito não mudou: o pagamento de {0} foi descartado.",
  "acts once": "age uma vez",
  "does not act": "não age",
  "The effect changed.": "O efeito mudou.",
  "The effect's address responded with 404, before and after the payment. Check the address, and that the shop knows the order.":
    "A URL do efeito respondeu 404, antes e depois do pagamento. Confira a URL, e se a loja conhece o pedido.",
  "The open orders of the shop do not look alike. Cancel at the gateway what the shop has canceled.":
    "Os pedidos abertos da loja não são parecidos. Cancele no gateway o que a loja cancelou.",
  "The effect of one order changed when another was paid. Print only what the merchant did about the order.":
    "O efeito de um pedido mudou quando outro foi pago. Imprima só o que a loja fez com o pedido.",
  "Only a new order can be paid before the create response. Pass --order on the command line.":
    "Só um pedido novo pode ser pago antes da resposta de criação. Use --order na linha de comando.",
  "the end of two open payouts: one completed, one canceled":
    "o fim de dois payouts abertos: um concluído, um cancelado",
  "not the same": "não é igual",
  "Before the check the shop had no two open payouts.":
    "Antes da verificação a loja não tinha dois payouts abertos.",
  "The effect does not show in a word that one payout was completed.":
    "O efeito não mostra com uma palavra que um payout foi concluído.",
  "The shop has no open order left whose webhooks go to this address and that lives for another minute. Create more, about 40 of one value for all rules, or pass --order on the command line.":
    "A loja não tem mais pedidos abertos com webhooks para esta URL e com mais de um minuto de vida. Crie mais, uns 40 do mesmo valor para todas as regras, ou use --order na linha de comando.",
  "the value that an order shows, and its charge's": "o valor que um pedido mostra e o da cobrança",
  equal: "iguais",
  "The value of the charge {0} is {1}, and its order shows a centavo more or less.":
    "O valor da cobrança {0} é {1}, e o pedido dela mostra um centavo a mais ou a menos.",
  "The effect does not show the order's value.": "O efeito não mostra o valor do pedido.",
  "Payout {0} was canceled. It looks paid as {1}, which was completed, and looked so before.":
    "O payout {0} foi cancelado. Ele parece pago como {1}, que foi concluído, e já parecia antes.",
  "Payout {0} was canceled, and looks like {1}, which was completed. {2}":
    "O payout {0} foi cancelado e parece {1}, que foi concluído. {2}",
  "The effect changed from {0} to {1}.": "O efeito mudou de {0} para {1}.",
  "The payment's value was {0}, the order's is {1}. {2}":
    "O valor do pagamento foi {0}, o do pedido é {1}. {2}",
  "an older payin.expired after it": "um payin.expired mais antigo depois dele",
  "the same webhook again": "o mesmo webhook de novo",
  "a signature of other bytes": "assinatura de outros bytes",
  "a signature by another secret": "assinatura com outro segredo",
  "any text as the signature": "um texto qualquer como assinatura",
  "signed ten minutes ago": "assinado há dez minutos",
  "The handler verifies {0}. This line mends it: {1}":
    "O handler verifica {0}. Esta linha corrige: {1}",
  "the body as Python's json.dumps writes it, not the bytes that were sent":
    "o corpo como o json.dumps do Python o escreve, não os bytes enviados",
  "the body as PHP's json_encode writes it, not the bytes that were sent":
    "o corpo como o json_encode do PHP o escreve, não os bytes enviados",
  "the body as JSON with an indentation of two, not the bytes that were sent":
    "o corpo como JSON com indentação de dois espaços, não os bytes enviados",
  "the body as it writes it itself, not the bytes that were sent":
    "o corpo como ele mesmo o escreve, não os bytes enviados",
  "with the text after whsec_ as the key, not its decoded base64":
    "com o texto depois de whsec_ como chave, não o base64 decodificado",
  "with the text of the whole secret as the key, not the decoded base64 after whsec_":
    "com o texto do segredo inteiro como chave, não o base64 decodificado depois de whsec_",
  "the body alone, without id and timestamp": "só o corpo, sem id e timestamp",
  "a timestamp in milliseconds, not in seconds": "um timestamp em milissegundos, não em segundos",
  "signed in ten minutes": "assinado daqui a dez minutos",
  "no header {0}": "sem o cabeçalho {0}",
  "half of the signature": "metade da assinatura",
  "a signature with nothing after v1,": "uma assinatura sem nada depois de v1,",
  "two signatures, the second one valid": "duas assinaturas, a segunda válida",
  "the payments of several orders, all at once":
    "os pagamentos de vários pedidos, todos ao mesmo tempo",
  "The payment of {0} arrived at the same time as those of others, and the effect did not change.":
    "O pagamento de {0} chegou ao mesmo tempo que os de outros, e o efeito não mudou.",
  "the headers as Webhook-Id, not webhook-id": "os cabeçalhos como Webhook-Id, não webhook-id",
  "two signatures, the first one valid": "duas assinaturas, a primeira válida",
  "payment.received after its payin.paid": "payment.received depois de payin.paid",
  "The handler took payin.expired for a payment. {0}":
    "O handler tratou payin.expired como pagamento. {0}",
  "The payment of {0} came twice after payin.expired, and was sent back twice: the second payout is {1}.":
    "O pagamento de {0} chegou duas vezes depois de payin.expired e foi devolvido duas vezes: o segundo payout é {1}.",
  "The order's command was not run, since the handler accepts a transaction that it does not know. Pass --effect too, to judge what the merchant does about its orders.":
    "O comando do pedido não foi executado, pois o handler aceita uma transação que não conhece. Passe também --effect para avaliar o que o lojista faz com os pedidos dele.",
  "the same, after payin.expired": "o mesmo, depois de payin.expired",
  "The effect did not change: the payment of {0} was dropped, since payin.expired had arrived before it.":
    "O efeito não mudou: o pagamento de {0} foi descartado, pois payin.expired tinha chegado antes dele.",
  "a payment in time, whose webhook comes after the end of the order":
    "um pagamento no prazo, cujo webhook chega depois do fim do pedido",
  "The effect did not change: the payment of {0} was dropped, since its webhook arrived after the end of the order.":
    "O efeito não mudou: o pagamento de {0} foi descartado, pois o webhook dele chegou depois do fim do pedido.",
  "a payin.paid whose status is completed": "um payin.paid cujo status é completed",
  "The handler accepted the payment of {0} just before the restart, and the effect did not change within {1} s after it.":
    "O handler aceitou o pagamento de {0} pouco antes da reinicialização, e o efeito não mudou em {1} s depois dela.",
  "the same JSON, written differently": "o mesmo JSON, escrito de outra forma",
  "an unknown type of event": "um tipo de evento desconhecido",
  "additional members": "campos a mais",
  "The handler did not accept the payment of the order: {0}.":
    "O handler não aceitou o pagamento do pedido: {0}.",
  "The handler accepted the payment of {0}, and the effect did not change within {1} s.":
    "O handler aceitou o pagamento de {0}, e o efeito não mudou em {1} s.",
  "Two runs of the order's command returned one transaction, {0}. Make it create a new order. If it does, then two orders share a charge: give each its own idempotency key.":
    "Duas execuções do comando do pedido devolveram uma só transação, {0}. Faça com que ele crie um pedido novo. Se ele já o faz, dois pedidos usam a mesma cobrança: dê a cada um sua própria chave de idempotência.",
  "the payment of an order, and a restart": "o pagamento de um pedido, e um reinício",
  "The payment of {0} changed the order of {1}. {2}":
    "O pagamento de {0} mudou o pedido de {1}. {2}",
  "Sent {0}: {1}. The effect did not change.": "Enviado {0}: {1}. O efeito não mudou.",
  "The effect did not change when the order was paid.":
    "O efeito não mudou quando o pedido foi pago.",
  "The effect changes by itself, without a webhook. Print only what the merchant did.":
    "O efeito muda sozinho, sem um webhook. Imprima só o que o lojista fez.",
  "The webhook_url of the order is {0}, but the check sends to {1}.":
    "A webhook_url do pedido é {0}, mas a verificação envia para {1}.",
  "The order's command printed {0}, which is not the id of a payin in the sandbox.":
    "O comando do pedido imprimiu {0}, que não é o id de uma cobrança do sandbox.",
  "Print the id of the transaction that the sandbox returned, and nothing after it.":
    "Imprima o id da transação que o sandbox retornou e nada depois dele.",
  "no response: {0}": "sem resposta: {0}",
  "{0}{1} after {2} s": "{0}{1} após {2} s",
  "The response was: {0}": "A resposta foi: {0}",
  "There are no webhooks.": "Não há webhooks.",
  "There is {0} of {1}: {2}.": "Há {0} de {1}: {2}.",
  'The fault "hold" on {0} holds this call, so no later step would run.':
    'A falha simulada "hold" em {0} retém esta chamada, e nenhum passo seguinte seria executado.',
  "{0} has no members.": "{0} não tem campos.",
  "{0} has the members {1}.": "{0} tem os campos {1}.",
  'Set "later": true in this step, then use release and answer_of.':
    'Defina "later": true neste passo e depois use release e answer_of.',
  "Use release before this step.": "Use release antes deste passo.",
  'Hold only create_payin and create_payout, with "later": true.':
    'Retenha só create_payin e create_payout, com "later": true.',
  "none: the connection died": "nenhuma: a conexão caiu",
  "Use HTTP statuses from 200, or nothing to close the connection.":
    "Use status HTTP a partir de 200, ou nothing para fechar a conexão.",
  "Use a name.": "Use um nome.",
  "Use a name of letters, digits and underscores.": "Use um nome de letras, dígitos e sublinhados.",
  "Invalid header name.": "Nome de cabeçalho inválido.",
  "Invalid header value.": "Valor de cabeçalho inválido.",
  "Use an object.": "Use um objeto.",
  "Use true.": "Use true.",
  "Use a whole number.": "Use um número inteiro.",
  "Use a duration, such as 5m.": "Use uma duração, como 5m.",
  "Use a duration, such as 500ms, 30s, 5m, 2h or 1d.":
    "Use uma duração, como 500ms, 30s, 5m, 2h ou 1d.",
  "Use an HTTP status.": "Use um status HTTP.",
  "Use completed or canceled.": "Use completed ou canceled.",
  "Use a method and a path.": "Use um método e um caminho.",
  "Use a method and a path, such as PUT /v1/webhooks.":
    "Use um método e um caminho, como PUT /v1/webhooks.",
  "Use freeze, resume, advance with a duration such as 5m, or set with a time.":
    "Use freeze, resume, advance com uma duração como 5m, ou set com um instante.",
  "Use 1 or more.": "Use 1 ou mais.",
  "Use a list.": "Use uma lista.",
  "Use at least one entry.": "Use ao menos um item.",
  "Use pending, delivered or failed.": "Use pending, delivered ou failed.",
  "Use holds or fails.": "Use holds ou fails.",
  "Use a list of steps.": "Use uma lista de passos.",
  "Use at least one step.": "Use ao menos um passo.",
  "Use a JSON object.": "Use um objeto JSON.",
  "The scenario {0} cannot be read: {1}.": "O cenário {0} não pode ser lido: {1}.",
  "Use a JSON file, or a name from {0} scenario list.":
    "Use um arquivo JSON, ou um nome de {0} scenario list.",
  "The scenario {0}": "O cenário {0}",
  "The scenario {0}, step {1}": "O cenário {0}, passo {1}",
  "{0}: the step has no action; its members are {1}.":
    "{0}: o passo não tem uma ação; os campos dele são {1}.",
  "Give each step one of {0}.": "Dê a cada passo um destes: {0}.",
  "{0}: the step has two actions, {1} and {2}.": "{0}: o passo tem duas ações, {1} e {2}.",
  "Split it into two steps.": "Divida-o em dois passos.",
  "{0}, member {1}: use {{{{any}}}} only as a whole expected value.":
    "{0}, campo {1}: use {{{{any}}}} só como um valor esperado inteiro.",
  '{0}, member "later": the response comes later.': '{0}, campo "later": a resposta vem depois.',
  "Name the step with as, and expect its response in a step answer_of.":
    "Dê um nome ao passo com as, e espere a resposta em um passo answer_of.",
  '{0}, member "as": the name {1} is in use.': '{0}, campo "as": o nome {1} já está em uso.',
  "Use another name in each step.": "Use outro nome em cada passo.",
  "{0}: no earlier step defines the name {1}.": "{0}: nenhum passo anterior define o nome {1}.",
  "{0}: no earlier step defines a {1} with the name {2}.":
    "{0}: nenhum passo anterior define um {1} com o nome {2}.",
  'A step defines a name with "as".': 'Um passo define um nome com "as".',
  "{0}: {1} is not a call with a later response.":
    "{0}: {1} não é uma chamada com resposta posterior.",
  'A step that creates a record can set "later": true.':
    'Um passo que cria um registro pode definir "later": true.',
  "{0}: unknown member {1}.": "{0}: campo desconhecido {1}.",
  "member {0}": "campo {0}",
  "The member is required.": "O campo é obrigatório.",
  "The scenario {0} is nested more than {1} levels deep.": "O cenário {0} tem mais de {1} níveis.",
  "The gateway accepts bodies of at most {0} levels.":
    "O gateway aceita corpos de no máximo {0} níveis.",
  "The scenario {0} is not JSON: {1}.": "O cenário {0} não é JSON: {1}.",
  "A webhook whose signature is not valid reports a payment that does not exist.":
    "Um webhook com assinatura inválida informa um pagamento que não existe.",
  "The shop creates a charge": "A loja cria uma cobrança",
  "Mistake: the shop accepts everything": "Erro: a loja aceita tudo",
  "A forged webhook arrives: its signature is of other bytes":
    "Chega um webhook forjado: a assinatura é de outros bytes",
  "Nobody has paid, and the shop serves the order": "Ninguém pagou, e a loja entrega o pedido",
  "The right way: it computes the signature of the bytes, and compares":
    "O certo: ela calcula a assinatura dos bytes e compara",
  "Such a webhook is refused": "Um webhook desses é recusado",
  "The buyer really pays": "O comprador paga de verdade",
  "The gateway's own webhook is accepted": "O webhook do próprio gateway é aceito",
  "A webhook is valid, but its JSON is written in an unusual way.":
    "Um webhook é válido, mas o JSON dele tem uma formatação incomum.",
  "The buyer pays": "O comprador paga",
  "The usual webhook is accepted": "O webhook comum é aceito",
  "Mistake: the shop parses the body and writes it again before it verifies":
    "Erro: a loja faz o parse do corpo e o serializa de novo antes de verificar",
  "A valid webhook with blanks, 10.50 and escaped letters is refused":
    "Um webhook válido com espaços, 10.50 e letras escapadas é recusado",
  "The right way: it verifies the raw bytes, and parses them afterwards":
    "O certo: ela verifica os bytes originais e só depois faz o parse",
  "The same webhook is accepted": "O mesmo webhook é aceito",
  "Every signature was valid": "Todas as assinaturas eram válidas",
  "The shop sends money": "A loja faz um payout",
  "The payout is canceled": "O payout é cancelado",
  "It sends money to another receiver": "Ela faz um payout a outro recebedor",
  "This payout is canceled too": "Este payout também é cancelado",
  "The shop is notified": "A loja é avisada",
  "The right way: it sends a new payout, with a new key":
    "O certo: ela envia um payout novo, com uma chave nova",
  "It is completed": "Ele é concluído",
  "The second receiver is paid": "O segundo recebedor foi pago",
  "The first never is": "O primeiro nunca é",
  "The buyer and the value are the key: the buyer's second order gets the charge of the first one.":
    "O comprador e o valor são a chave: o segundo pedido do comprador recebe a cobrança do primeiro.",
  "The buyer orders a ticket, and the shop creates a charge":
    "O comprador pede um ingresso, e a loja cria uma cobrança",
  "The buyer pays it": "O comprador paga",
  "Mistake: another ticket for the same buyer has the same key, and gets the old charge":
    "Erro: outro ingresso do mesmo comprador tem a mesma chave e recebe a cobrança antiga",
  "The right way: each order has a key of its own":
    "O jeito certo: cada pedido tem a própria chave",
  "Two tickets are paid": "Dois ingressos são pagos",
  "A double click creates the same charge twice: the buyer can pay both.":
    "Um clique duplo cria a mesma cobrança duas vezes, e o comprador pode pagar as duas.",
  "The buyer clicks, and the shop creates a charge":
    "O comprador clica, e a loja cria uma cobrança",
  "Mistake: a second click creates it again, under another key":
    "Erro: um segundo clique cria outra, com outra chave",
  "The buyer pays one": "O comprador paga uma",
  "And the other": "E a outra",
  "Two payments for one order": "Dois pagamentos para um pedido",
  "The right way: the order's number is the key": "O certo: o número do pedido é a chave",
  "A second click gets the same charge": "Um segundo clique retorna a mesma cobrança",
  "One webhook arrives twice at the same time: checking first and storing later is too late.":
    "Um webhook chega duas vezes ao mesmo tempo: verificar antes e guardar depois é tarde demais.",
  "The next webhook will be sent twice at the same time":
    "O próximo webhook será enviado duas vezes ao mesmo tempo",
  "The buyer pays once": "O comprador paga uma vez",
  "Two arrive at once. Mistake: both look for the id before either has stored it":
    "Chegam dois ao mesmo tempo. Erro: ambos procuram o id antes de qualquer um gravá-lo",
  "The right way: one insert that fails for a known id, in the transaction of the credit":
    "O certo: um insert que falha se o id já existe, na mesma transação do crédito",
  "One webhook arrives twice: a shop that acts on both credits the order twice.":
    "Um webhook chega duas vezes: a loja que processa os dois credita o pedido em dobro.",
  "The next webhook will be sent twice": "O próximo webhook será enviado duas vezes",
  "Both attempts are accepted": "As duas tentativas são aceitas",
  "Two arrive with one id. Mistake: a shop that acts on each credits 21 instead of 10.5":
    "Chegam dois com o mesmo id. Erro: a loja que processa os dois credita R$ 21,00 em vez de R$ 10,50",
  "The right way: it stores webhook-id with the credit, and ignores a repeat":
    "O certo: ela guarda o webhook-id junto com o crédito e ignora a repetição",
  "The handler refuses a webhook that it has accepted before.":
    "O handler recusa um webhook que já aceitou antes.",
  "Webhooks are sent twice": "Os webhooks são enviados duas vezes",
  "Mistake: the handler refuses the second one with 409":
    "Erro: o handler recusa o segundo com 409",
  "All retries pass": "Todas as novas tentativas são feitas",
  "The shop has the payment, and the gateway sees a failure":
    "A loja registrou o pagamento, mas o gateway vê uma falha",
  "The right way: it responds to a repeat as to the first":
    "O certo: ele responde à repetição como respondeu à primeira",
  "The shop creates another charge": "A loja cria outra cobrança",
  "Its buyer pays": "O comprador paga",
  "Both are accepted": "Os dois são aceitos",
  "They are one webhook: the id is the same": "É um webhook só: o id é o mesmo",
  "A webhook arrives twice with the same id and bytes, and must count once.":
    "Um webhook chega duas vezes com o mesmo id e os mesmos bytes, e deve contar uma vez.",
  "The shop receives one webhook twice": "A loja recebe um webhook duas vezes",
  "Both have the same webhook-id and valid signatures":
    "Os dois têm o mesmo webhook-id e assinaturas válidas",
  "Its buyer pays too": "O comprador também paga",
  "The shop receives its webhook once": "A loja recebe o webhook uma vez",
  "A webhook arrives before the response to the create call; a 2xx makes the gateway forget it.":
    "Um webhook chega antes da resposta à criação; com um 2xx, o gateway não o envia mais.",
  "Webhooks arrive before the response to the call that caused them":
    "Os webhooks chegam antes da resposta à chamada que os causou",
  "Mistake: the shop does not know the payout yet, and responds with 200":
    "Erro: a loja ainda não conhece o payout e responde com 200",
  "It sends money to the same receiver, which is canceled at once":
    "Ela faz outro payout ao mesmo recebedor, que é cancelado na hora",
  "The webhook does not come again: the payout stays waiting in the shop":
    "O webhook não vem de novo: na loja, o payout continua pendente",
  "The right way: 404 for an unknown payout. (Or the shop stores the webhook for later)":
    "O certo: 404 para um payout desconhecido. (Ou a loja guarda o webhook para depois)",
  "The same once more": "A mesma coisa mais uma vez",
  "Two seconds pass": "Dois segundos depois",
  "The webhook came again, after the response": "O webhook veio de novo, depois da resposta",
  "The shop received it twice": "A loja o recebeu duas vezes",
  "The first payout is completed": "O primeiro payout é concluído",
  "A charge expires unpaid, and the sandbox sends no webhook.":
    "Uma cobrança expira sem pagamento, e o sandbox não envia webhook.",
  "The shop creates a charge that expires in one minute":
    "A loja cria uma cobrança que expira em um minuto",
  "Two minutes pass": "Dois minutos depois",
  "The charge has expired": "A cobrança expirou",
  "It expired at its expiry time": "Ela expirou na hora certa",
  "Paying it fails": "Tentar pagar dá erro",
  "Simulating its payment fails": "Simular o pagamento dá erro",
  "No webhook was sent": "Nenhum webhook foi enviado",
  "The shop received none": "A loja não recebeu nenhum",
  "A valid webhook reports the payment of a transaction that the shop never created.":
    "Um webhook válido informa o pagamento de uma transação que a loja nunca criou.",
  "The shop creates a charge for order 1001": "A loja cria uma cobrança para o pedido 1001",
  "A webhook arrives about another transaction with the same description":
    "Chega um webhook de outra transação com a mesma descrição",
  "Mistake: the shop finds the order by description or value, and serves it":
    "Erro: a loja encontra o pedido pela descrição ou pelo valor e o entrega",
  "The right way: it looks for the id that it stored, whose charge is unpaid":
    "O certo: ela procura o id que guardou, cuja cobrança não foi paga",
  "One key is used for two different charges: the second is refused.":
    "Uma chave é usada para duas cobranças diferentes: a segunda é recusada.",
  "The shop creates a charge; the key is the buyer's cart":
    "A loja cria uma cobrança; a chave é o carrinho do comprador",
  "Mistake: the buyer adds an item, and the shop uses the key again: a lost sale":
    "Erro: o comprador adiciona um item, e a loja usa a mesma chave: a venda se perde",
  "The right way: each order has its own key": "O certo: cada pedido tem a própria chave",
  "The order is paid": "O pedido está pago",
  "The buyer pays in the last second, and the webhook arrives after the deadline.":
    "O comprador paga no último segundo, e o webhook chega depois do prazo.",
  "Freeze time, for exact seconds": "Congela o relógio, para ter segundos exatos",
  "The next webhook will take five seconds": "O próximo webhook vai demorar cinco segundos",
  "59 seconds pass": "59 segundos depois",
  "The deadline passes, and the shop knows of no payment":
    "O prazo vence, e a loja não sabe de nenhum pagamento",
  "Mistake: the shop cancels the order by its own clock":
    "Erro: a loja cancela o pedido pelo próprio relógio",
  "Three seconds pass": "Três segundos depois",
  "The webhook arrives: the buyer paid in time": "O webhook chega: o comprador pagou a tempo",
  "The right way: the gateway's status decides, not the shop's clock":
    "O certo: vale o status do gateway, não o relógio da loja",
  "The response to a payout is lost; a retry with the same key returns it, and money moves once.":
    "A resposta a um payout se perde; repetir com a mesma chave a devolve, e o dinheiro sai uma vez só.",
  "The next response to a payout will be lost": "A próxima resposta a um payout se perderá",
  "The shop sends money, and the connection dies": "A loja faz um payout, e a conexão cai",
  "It retries with the same key, and gets the first response":
    "Ela tenta de novo com a mesma chave e recebe a primeira resposta",
  "It retries once more": "Ela tenta mais uma vez",
  "The same key for another payout is refused": "A mesma chave para outro payout é recusada",
  "The payout is in progress; no retry has canceled it":
    "O payout está em andamento; nenhuma nova tentativa o cancelou",
  "One webhook was sent in all": "Ao todo, foi enviado um webhook",
  "A recorded webhook is sent again ten minutes later.":
    "Um webhook capturado é reenviado dez minutos depois.",
  "The handler accepts a payment and does nothing about it: the gateway has no reason to send it again.":
    "O handler aceita um pagamento e não faz nada com ele: o gateway não tem por que reenviar o webhook.",
  "The handler responds 200: for the gateway the webhook is delivered. Mistake: a shop that only keeps it in memory forgets it at a restart":
    "O handler responde 200: para o gateway, o webhook foi entregue. Erro: a loja que só guarda o pagamento em memória o perde ao reiniciar",
  "The right way: it stores the payment, and only then responds":
    "O certo: ela grava o pagamento e só então responde",
  "A recorded webhook arrives: it was signed ten minutes ago":
    "Chega um webhook capturado: foi assinado há dez minutos",
  "The right way: it refuses a webhook-timestamp that is over five minutes away":
    "O certo: ela recusa um webhook-timestamp a mais de cinco minutos de agora",
  "An older event arrives after a newer one: a paid order becomes unpaid.":
    "Um evento antigo chega depois de um mais novo, e um pedido pago deixa de constar como pago.",
  "The shop knows that it is paid": "A loja sabe que a cobrança está paga",
  "The gateway knows when the charge was created": "O gateway sabe quando a cobrança foi criada",
  "An event from before the payment arrives late": "Um evento anterior ao pagamento chega atrasado",
  "Mistake: the shop stores the status of the last webhook. The charge is still paid":
    "Erro: a loja guarda o status do último webhook. A cobrança continua paga",
  "One charge is paid a second before it expires; another is paid a second too late.":
    "Uma cobrança é paga um segundo antes de expirar; outra, um segundo depois.",
  "The buyer of the first pays": "O comprador da primeira paga",
  "The last second passes": "Passa o último segundo",
  "The buyer of the second is too late": "O comprador da segunda tenta pagar tarde demais",
  "An hour passes": "Uma hora depois",
  "The first is paid, and did not expire": "A primeira está paga e não expirou",
  "The second has expired": "A segunda expirou",
  "The shop receives a webhook for the first": "A loja recebe o webhook da primeira",
  "The shop receives none for the second": "A loja não recebe nenhum da segunda",
  "The shop received one webhook in all, with a valid signature":
    "A loja recebeu um webhook ao todo, com assinatura válida",
  "A charge is paid, and its webhook arrives once, signed.":
    "Uma cobrança é paga, e o webhook dela chega uma vez, assinado.",
  "The charge waits for its buyer": "A cobrança espera o comprador",
  "No webhook has been sent": "Nenhum webhook foi enviado ainda",
  "The charge is paid": "A cobrança está paga",
  "One webhook was sent, and received at once": "Um webhook foi enviado e recebido de primeira",
  "The shop received it once, with a valid signature":
    "A loja o recebeu uma vez, com assinatura válida",
  "Paying a second time fails": "Pagar de novo dá erro",
  "A second payout to the same receiver is canceled; only its webhook reports it.":
    "Um segundo payout ao mesmo recebedor é cancelado; só o webhook avisa.",
  "It sends money to the same receiver again, and gets a normal response":
    "Ela faz outro payout ao mesmo recebedor e recebe uma resposta normal",
  "The second is canceled": "O segundo é cancelado",
  "The first is still in progress": "O primeiro continua em andamento",
  "A webhook reports that the second is canceled": "Um webhook avisa que o segundo foi cancelado",
  "The shop received only that one, with a valid signature":
    "A loja recebeu só esse, com assinatura válida",
  "The first is completed": "O primeiro é concluído",
  "Money can be sent to that receiver again":
    "Agora já dá para fazer outro payout a esse recebedor",
  "That payout is completed": "Esse payout é concluído",
  "The shop receives its webhook": "A loja recebe o webhook dele",
  "A payout is completed while the shop is down; its webhook is retried until the shop receives it.":
    "Um payout é concluído com a loja fora do ar; o webhook é reenviado até a loja o receber.",
  "The shop's handler fails once": "O handler da loja falha uma vez",
  "The payout is completed": "O payout é concluído",
  "Ten seconds pass": "Dez segundos depois",
  "The webhook was retried, and then received": "O webhook foi reenviado e então recebido",
  "Both attempts had the same id and a valid signature":
    "As duas tentativas tiveram o mesmo id e assinatura válida",
  "Canceling it fails": "Cancelar dá erro",
  "A payout is repeated under a new key after a lost response: the money can go twice.":
    "Um payout é repetido com uma chave nova depois de uma resposta perdida: o dinheiro pode sair duas vezes.",
  "The shop sends a refund, and the connection dies": "A loja envia um reembolso, e a conexão cai",
  "Mistake: it sends the refund again under a new key":
    "Erro: ela envia o reembolso de novo com uma chave nova",
  "The gateway cancels it, since the first is in progress (assumption payout.rival)":
    "O gateway o cancela, pois o primeiro está em andamento (premissa payout.rival)",
  "The right way: the same key returns the first response":
    "O certo: a mesma chave devolve a primeira resposta",
  "The mistake once more, later: now nothing stops it":
    "O erro mais uma vez, mais tarde: agora nada o impede",
  "It is completed too": "Ele também é concluído",
  "The money was sent twice: this is the first time":
    "O dinheiro saiu duas vezes: esta é a primeira",
  "And this is the second": "E esta é a segunda",
  "The next payout fails with 502": "O próximo payout falha com 502",
  "The shop sends another refund, and does not learn whether it was sent":
    "A loja envia outro reembolso e não fica sabendo se ele foi enviado",
  "Mistake: it sends it under a new key, and never uses the first one again":
    "Erro: ela o envia com uma chave nova e nunca mais usa a primeira",
  "webhook_url contains a CPF, which every server on the way writes to its log.":
    "A webhook_url contém um CPF, que todo servidor no caminho registra em log.",
  "Mistake: the address of the charge's webhook contains the buyer's CPF":
    "Erro: a URL do webhook da cobrança contém o CPF do comprador",
  "The address is in the sandbox's log, with the CPF": "A URL está no log do sandbox, com o CPF",
  "The right way: the address contains the order's number at most":
    "O certo: a URL contém no máximo o número do pedido",
  "The webhook's body has the rest": "O resto vem no corpo do webhook",
  "The provider fails twice, then works; all three calls use the same key, and money moves once.":
    "O provedor falha duas vezes e depois funciona; as três chamadas usam a mesma chave, e o dinheiro sai uma vez só.",
  "The provider is down for two payouts": "O provedor fica fora do ar durante dois payouts",
  "The shop sends money, and is refused": "A loja faz um payout e recebe um erro",
  "It retries with the same key, and is refused again":
    "Ela tenta de novo com a mesma chave e é recusada de novo",
  "Charges still work": "As cobranças continuam funcionando",
  "The provider is up; the third call succeeds":
    "O provedor voltou; a terceira chamada tem sucesso",
  "A fourth call gets the same response": "Uma quarta chamada recebe a mesma resposta",
  "The charge is canceled": "A cobrança é cancelada",
  "A webhook with any text in its signature header reports a payment that does not exist.":
    "Um webhook com qualquer texto no cabeçalho de assinatura informa um pagamento que não existe.",
  "A forged webhook arrives: its signature is v1,any":
    "Chega um webhook forjado: a assinatura é v1,any",
  "The right way: a header that is present proves nothing; it compares the signature":
    "O certo: um cabeçalho presente não prova nada; ela compara a assinatura",
  "The gateway's next version sends a new type and an additional member.":
    "A próxima versão do gateway envia um tipo novo e um campo a mais.",
  "Its webhook is accepted": "O webhook dela é aceito",
  "Mistake: the handler refuses what it does not know": "Erro: o handler recusa o que não conhece",
  "A webhook of a new type is refused, again and again":
    "Um webhook de um tipo novo é recusado, repetidas vezes",
  "The right way: it responds with 200, and ignores it":
    "O certo: ele responde 200 e ignora o evento",
  "A new type is accepted": "Um tipo novo é aceito",
  "An additional member is accepted": "Um campo a mais é aceito",
  "The handler refuses a webhook whose signature is valid.":
    "O handler recusa um webhook com assinatura válida.",
  "Mistake: the handler verifies with a wrong secret, and responds with 401":
    "Erro: o handler verifica com o segredo errado e responde 401",
  "No attempt is accepted: the gateway gives up": "Nenhuma tentativa é aceita: o gateway desiste",
  "All four had a valid signature": "Todas as quatro tinham assinatura válida",
  "The right way: it uses the decoded secret and the raw bytes":
    "O certo: ele usa o segredo decodificado e os bytes originais",
  "The webhook is delivered": "O webhook é entregue",
  "A valid webhook reports another value than the order's.":
    "Um webhook válido informa um valor diferente do valor do pedido.",
  "The shop creates a charge over 10.50": "A loja cria uma cobrança de R$ 10,50",
  "A webhook reports that it was paid with one centavo":
    "Um webhook informa que ela foi paga com um centavo",
  "Mistake: the shop looks at the type only, and serves the order":
    "Erro: a loja olha só o tipo e entrega o pedido",
  "The right way: it compares with what it charged, which is still unpaid":
    "O certo: ela compara com o valor cobrado; o pedido continua sem pagamento",
  "The handler responds with 204: a stricter gateway counts that as a failure.":
    "O handler responde 204: para um gateway mais rígido, isso é uma falha.",
  "The gateway accepts only 200 (assumption webhook.success)":
    "O gateway só aceita 200 (premissa webhook.success)",
  "Mistake: the shop responds with 204": "Erro: a loja responde 204",
  "Every attempt counts as failed": "Todas as tentativas contam como falha",
  "The right way: it responds with 200": "O certo: ela responde 200",
  "The gateway accepts any 2xx again": "O gateway volta a aceitar qualquer 2xx",
  "The handler responds with a redirect, which no gateway follows.":
    "O handler responde com um redirecionamento, que nenhum gateway segue.",
  "Mistake: the address redirects, for example from http to https":
    "Erro: a URL redireciona, por exemplo de http para https",
  "The charge is paid, and the shop does not know": "A cobrança está paga, e a loja não sabe",
  "The right way: webhook_url is the final address, which responds with 200":
    "O certo: a webhook_url é a URL final, que responde 200",
  "The handler responds too late: the gateway sends the webhook again.":
    "O handler responde tarde demais: o gateway envia o webhook de novo.",
  "Mistake: the first response does not come in time (here, the connection closes)":
    "Erro: a primeira resposta não chega a tempo (aqui, a conexão fecha)",
  "The gateway counts the first attempt as failed, and sends it again":
    "Para o gateway, a primeira tentativa falhou; ele envia de novo",
  "The right way: store the webhook, respond, then work on it":
    "O certo: guardar o webhook, responder e só então processá-lo",
  "One attempt is enough": "Uma tentativa basta",
  "The handler accepts no attempt: a payment is never seen, until the webhook is resent.":
    "O handler não aceita nenhuma tentativa: a loja só fica sabendo do pagamento quando o webhook é reenviado.",
  "Mistake: the handler fails at each attempt": "Erro: o handler falha em toda tentativa",
  "The handler is repaired": "O handler é consertado",
  "The right way: find the failed webhook": "O certo: encontrar o webhook que falhou",
  "And resend it": "E reenviá-lo",
  "Now the shop knows of the payment": "Agora a loja sabe do pagamento",
  "After a lost response, the shop never repeats the call: it does not know whether it has paid.":
    "Depois de uma resposta perdida, a loja nunca repete a chamada e fica sem saber se pagou.",
  "The next two responses to a payout will be lost":
    "As próximas duas respostas a um payout serão perdidas",
  "The same happens to another refund": "O mesmo acontece com outro reembolso",
  "Mistake: it gives the first one up. The gateway may have sent it":
    "Erro: ela desiste do primeiro. O gateway pode tê-lo enviado",
  "The right way: it repeats the call with its key, and gets the payout":
    "O certo: ela repete a chamada com a mesma chave e recebe o payout",
  "The shop learns of it": "A loja fica sabendo",
  "A refund is requested again under another key, after the first one was completed.":
    "Um reembolso é solicitado de novo com outra chave, depois que o primeiro foi concluído.",
  "Mistake: the button is pressed again, and the shop makes a new key":
    "Erro: alguém clica de novo no botão, e a loja gera uma chave nova",
  "The money was sent twice: this is the second time":
    "O dinheiro foi enviado duas vezes: esta é a segunda",
  "The right way: one refund has one key, and a repeat returns the first response":
    "O certo: um reembolso tem uma só chave, e a repetição retorna a primeira resposta",
  "A call fails, and the shop repeats it again and again without a pause.":
    "Uma chamada falha, e a loja insiste sem nenhuma pausa.",
  "The next four payouts fail with 502": "Os próximos quatro payouts falham com 502",
  "Mistake: it repeats the call at once": "Erro: ela repete a chamada imediatamente",
  "The right way: it waits longer each time, and repeats the call with its key":
    "O certo: ela espera cada vez mais e repete a chamada com a mesma chave",
  "A canceled payout is requested again and again, while the reason for its cancellation lasts.":
    "Um payout cancelado é solicitado repetidas vezes, enquanto o motivo do cancelamento continua.",
  "The shop sends a receiver money": "A loja faz um payout a um recebedor",
  "It sends the same receiver a refund, which the gateway cancels: the first payout is in progress (assumption payout.rival)":
    "Ela envia um reembolso ao mesmo recebedor, que o gateway cancela: o primeiro payout está em andamento (premissa payout.rival)",
  "Mistake: it requests the refund again at once, which the gateway cancels too":
    "Erro: ela solicita o reembolso de novo imediatamente, e o gateway o cancela também",
  "The right way: the shop waits for its end, and then requests the refund once more":
    "O certo: a loja espera o primeiro terminar e só então solicita o reembolso de novo",
  "The shop sends a refund": "A loja envia um reembolso",
  "Nothing is left to do": "Não há mais nada a fazer",
  "A payout is canceled, and the shop repeats the call with its key: the receiver is never paid.":
    "Um payout é cancelado, e a loja repete a chamada com a mesma chave: o recebedor nunca é pago.",
  "Mistake: it repeats the call with the same key, which returns the canceled payout":
    "Erro: ela repete a chamada com a mesma chave, o que retorna o payout cancelado",
  "What happened in a sandbox: payins: {0}, payouts: {1}.":
    "O que aconteceu em um sandbox. Cobranças: {0}; payouts: {1}.",
  "The request log does not have the creation of {0} of {1} transactions: they are rebuilt from their records, without refused calls and retries.":
    "O log de requisições não tem a criação de {0} de {1} transações: elas são refeitas a partir dos registros, sem chamadas recusadas nem novas tentativas.",
  "Requests that cannot be repeated are left out: {0}.":
    "Requisições que não podem ser repetidas, deixadas de fora: {0}.",
  "Requests whose transactions no longer exist are left out: {0}.":
    "Requisições de transações que não existem mais, deixadas de fora: {0}.",
  "The order of reordered webhooks is not repeated: {0}.":
    "Webhooks reordenados, que aqui saem na ordem normal: {0}.",
  "Webhooks had attempts that failed; here the receiver responds with 200 to the first attempt: {0}.":
    "Webhooks com tentativas que falharam, aos quais aqui o receptor responde 200 na primeira: {0}.",
  "Steps that do not pass in a fresh sandbox are left out: {0}.":
    "Passos que não passam em um sandbox novo, deixados de fora: {0}.",
};
