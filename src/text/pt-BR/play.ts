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
};
