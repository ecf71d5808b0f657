export default {
  "It requests a canceled payout again with the same key, which sends nothing, or shows it as completed.":
    "Solicita de novo um payout cancelado com a mesma chave, o que não envia nada, ou o mostra como concluído.",
  "It took no canceled payout for a sent one.": "Não tratou payout cancelado como enviado.",
  "{0} This depends on an assumption: {1}.": "{0} Depende de uma premissa: {1}.",
  "The {0} of {1} {2} contains {3}.": "O campo {0} contém {3} ({1} {2}).",
  "Judged by the status alone: `--order` and `--effect` also show what it does.":
    "Avaliado só pelo status: `--order` e `--effect` mostram também o que o handler faz.",
  "{0} Seen at least {1} times.": "{0} Aconteceu pelo menos {1} vezes.",
  "{0} Seen {1} times.": "{0} Aconteceu {1} vezes.",
  "{0} ({1} {2}) used the key {3} of another request.":
    "{0} ({1} {2}) usou a chave {3} de outra requisição.",
  "Integration review": "Avaliação da integração",
  Failure: "Reprovada",
  Warning: "Aviso",
  "What it costs": "Consequência",
  "What to change": "O que mudar",
  "This implies": "Isso causa também",
  "Not seen": "Não verificadas",
  "Payin {0} has the same body as {1}, which was created {2} s before with another key.":
    "A cobrança {0} tem o mesmo corpo que {1}, criada {2} s antes com outra chave.",
  "Run npx pix-sandbox check-webhook with the address of the handler.":
    "Rode npx pix-sandbox check-webhook com a URL do handler.",
  "The response does not show what the merchant did. Run npx pix-sandbox check-webhook with --order COMMAND, which creates an order and prints its transaction's id, and --effect URL, which shows what became of the order.":
    "A resposta não mostra o que o lojista fez. Rode npx pix-sandbox check-webhook com --order COMANDO, que cria um pedido e imprime o id da transação, e --effect URL, que mostra o que aconteceu com o pedido.",
  "The merchant responded to no webhook. Pay a charge whose webhook_url is the merchant's.":
    "O lojista não respondeu a nenhum webhook. Pague uma cobrança com a webhook_url dele.",
  "The merchant accepted no webhook. Pay a charge whose webhook_url is the merchant's, and respond with 200.":
    "O lojista não aceitou nenhum webhook. Pague uma cobrança com a webhook_url dele e responda 200.",
  "Every response arrived. Lose one: npx pix-sandbox faults add payouts.create lost_answer --times 1":
    "Todas as respostas chegaram. Simule uma resposta perdida: npx pix-sandbox faults add payouts.create lost_answer --times 1",
  "No call was repeated. Let one fail several times: npx pix-sandbox faults add payouts.create error=EXTERNAL_ERROR --times 5":
    "Nenhuma chamada foi repetida. Faça uma falhar várias vezes: npx pix-sandbox faults add payouts.create error=EXTERNAL_ERROR --times 5",
  "After a lost or failed response, it repeats a payout under a new idempotency key.":
    "Depois de uma resposta perdida ou com falha, repete um payout com uma chave de idempotência nova.",
  "The money is sent twice.": "O dinheiro é enviado duas vezes.",
  "After a lost or failed response, it never repeats the call with its key, so it never learns the outcome.":
    "Depois de uma resposta perdida ou com falha, nunca repete a chamada com a mesma chave e não fica sabendo do resultado.",
  "The order stays open, and the shop does not know whether it was paid.":
    "O pedido fica em aberto, e a loja não sabe se foi pago.",
  "It uses one idempotency key for different requests.":
    "Usa uma chave de idempotência para requisições diferentes.",
  "The second request is refused: a lost sale.":
    "A segunda requisição é recusada, e a venda se perde.",
  "No key was used twice. Repeat a call with its key, for example after a lost response.":
    "Nenhuma chave foi usada duas vezes. Repita uma chamada com a mesma chave, por exemplo depois de uma resposta perdida.",
  "It creates the same charge twice within seconds, each time with a new key.":
    "Cria a mesma cobrança duas vezes em poucos segundos, cada vez com uma chave nova.",
  "The buyer can pay twice.": "O comprador pode pagar duas vezes.",
  "Fewer than two charges were created, or nothing shows whether equal ones are one order: put its number into the description.":
    "Foram criadas menos de duas cobranças, ou nada mostra se cobranças iguais são um só pedido: ponha o número dele na descrição.",
  "No webhook got 200. Another 2xx is a mistake only with the assumption webhook.success=only_200: ask the provider.":
    "Nenhum webhook teve 200 como resposta. Outro 2xx só é erro com a premissa webhook.success=only_200: pergunte ao provedor.",
  "It responds to a webhook after more than 5 s.":
    "Demora mais de 5 s para responder a um webhook.",
  "Gateways stop waiting, and send the webhook again.":
    "Os gateways deixam de esperar e enviam o webhook de novo.",
  "It responds to a webhook with a 2xx that is not 200.":
    "Responde a um webhook com um 2xx diferente de 200.",
  "Stricter gateways count the webhook as failed.": "Para gateways mais rígidos, o webhook falhou.",
  "It responds to a webhook with a redirect.": "Responde a um webhook com um redirecionamento.",
  "No gateway follows it: the webhook is never delivered.":
    "Nenhum gateway o segue: o webhook nunca é entregue.",
  "It accepts none of a webhook's attempts.": "Não aceita nenhuma das tentativas de um webhook.",
  "It never learns of the payment.": "A loja não fica sabendo do pagamento.",
  "No webhook was accepted, and none has failed in all its attempts. Pay a charge whose webhook_url is the merchant's.":
    "Nenhum webhook foi aceito, e nenhum falhou em todas as tentativas. Pague uma cobrança com a webhook_url do lojista.",
  "It refuses a webhook whose signature is valid.": "Recusa um webhook com assinatura válida.",
  "The receiver is never paid.": "O recebedor nunca é pago.",
  "The merchant accepted no payout.canceled webhook. Cancel a payout: npx pix-sandbox payout cancel last":
    "O lojista não aceitou nenhum webhook payout.canceled. Cancele um payout: npx pix-sandbox payout cancel last",
  "Personal data leaks into logs and onto bank statements.":
    "Dados pessoais vazam para logs e extratos bancários.",
  "No record was created with an address of the merchant.":
    "Nenhum registro foi criado com uma URL do lojista.",
  "It refuses a webhook that it has accepted before.": "Recusa um webhook que já aceitou antes.",
  "The gateway sends it again until it gives up, and may block the address.":
    "O gateway reenvia até desistir e pode bloquear a URL.",
  "No webhook was sent twice. Add the fault duplicate, resend one, or run npx pix-sandbox check-webhook.":
    "Nenhum webhook foi enviado duas vezes. Simule a falha duplicate, reenvie um, ou rode npx pix-sandbox check-webhook.",
  "It accepts the payment of an order and does nothing about it, or forgets it at a restart.":
    "Aceita o pagamento de um pedido e não faz nada com ele, ou o perde ao reiniciar.",
  "It acts on the same payment twice.": "Processa o mesmo pagamento duas vezes.",
  "The order is credited twice.": "O pedido é creditado duas vezes.",
  "It acts twice on a webhook that arrives twice at the same time.":
    "Processa duas vezes um webhook que chega duas vezes ao mesmo tempo.",
  "It loses a webhook that arrives before the response to the create call.":
    "Perde um webhook que chega antes da resposta à criação.",
  "A paid order stays open.": "Um pedido pago fica em aberto.",
  "It lets an older event overwrite a newer state.":
    "Deixa um evento antigo sobrescrever um status mais novo.",
  "A paid order is no longer paid.": "Um pedido pago deixa de estar pago.",
  "It accepts a webhook whose signature is not valid.":
    "Aceita um webhook com assinatura inválida.",
  "Anyone can forge a payment.": "Qualquer um pode forjar um pagamento.",
  "It accepts a webhook whose signature header contains any text.":
    "Aceita um webhook com qualquer texto no cabeçalho de assinatura.",
  "It accepts a webhook whose timestamp is ten minutes old, or ahead.":
    "Aceita um webhook com timestamp de dez minutos atrás ou à frente.",
  "A recorded webhook can be replayed.":
    "Um webhook capturado pode ser reenviado por outra pessoa.",
  "It parses the body and writes it again before it verifies the signature.":
    "Faz o parse do corpo e o serializa de novo antes de verificar a assinatura.",
  "Valid webhooks are refused as soon as the gateway writes its JSON differently.":
    "Webhooks válidos são recusados assim que o gateway formatar o JSON de outro jeito.",
  "It does not compare the value that was paid with the order's.":
    "Não compara o valor pago com o do pedido.",
  "Underpaid orders are served.": "Pedidos pagos a menor são entregues.",
  "It settles an order with a transaction that is not the order's.":
    "Dá um pedido por pago com uma transação que não é dele.",
  "Goods are given away.": "Mercadorias são entregues de graça.",
  "It refuses a webhook of an unknown type or with an additional member, or takes another event for a payment.":
    "Recusa um webhook de tipo desconhecido ou com um campo a mais, ou trata outro evento como pagamento.",
  "It breaks with the gateway's next version.": "Quebra na próxima versão do gateway.",
  "It drops a payment that was made in the last second before the charge expired.":
    "Descarta um pagamento feito no último segundo antes da expiração da cobrança.",
  "The buyer is charged, and not served.": "O comprador paga e não recebe.",
  "{0} repeats the payout of {1}, {2}, under the new key {3}.":
    "{0} repete o payout de {1}, {2}, com a chave nova {3}.",
  "{0} ({1} {2}), {3}, was not repeated with its key {4}.":
    "{0} ({1} {2}), {3}, não foi repetida com a chave {4}.",
  "whose response was lost": "cuja resposta se perdeu",
  "which failed with {0}": "que falhou com {0}",
  "Attempt {0} of {1} ({2}) to {3}: {4} after {5} s.":
    "Tentativa {0} de {1} ({2}) para {3}: {4} depois de {5} s.",
  "the person's CPF": "o CPF da pessoa",
  "the person's e-mail address": "o e-mail da pessoa",
  "the person's name": "o nome da pessoa",
  "Payout {0} was canceled; {1} pays the same to the same receiver. If both had one purpose, there is nothing to do.":
    "O payout {0} foi cancelado; o {1} paga o mesmo valor ao mesmo recebedor. Se os dois eram para a mesma coisa, não há nada a fazer.",
  "Payout {0} follows {1} payouts of the same value to the same receiver, all canceled.":
    "O payout {0} vem depois de {1} payouts do mesmo valor ao mesmo recebedor, todos cancelados.",
  "Payouts {0} and {1} both replace the same canceled payout.":
    "Os payouts {0} e {1} substituem o mesmo payout cancelado.",
  "{0} Not decided yet: it has another {1} s.": "{0} Resultado ainda em aberto: restam {1} s.",
  Pending: "Pendente",
  "one|{0} pending": "{0} pendente",
  "{0} pending": "{0} pendentes",
  "Payout {0} has the receiver, the value and the description of {1}, which is completed, and another key.":
    "O payout {0} tem o recebedor, o valor e a descrição do {1}, que está concluído, e outra chave.",
  "{0} repeats in a row came at once: {1} came {2} ms after the response before it.":
    "{0} repetições seguidas vieram sem pausa: {1} veio {2} ms depois da resposta anterior.",
  "{0} repeats in a row came too early: {1} came {2} ms after a response whose retry-after was {3} s.":
    "{0} repetições seguidas vieram cedo demais: {1} veio {2} ms depois de uma resposta com retry-after de {3} s.",
  "It puts a person's CPF, e-mail address or name into webhook_url, or the CPF into a description.":
    "Coloca o CPF, o e-mail ou o nome de uma pessoa na webhook_url, ou o CPF numa descrição.",
  "It uses the key of a charge that has ended for a new one, and gets the old charge.":
    "Usa a chave de uma cobrança encerrada para uma nova e recebe de volta a cobrança antiga.",
  "After an expired charge, it created one under a new key.":
    "Depois de uma cobrança expirada, criou outra com uma chave nova.",
  "The buyer cannot pay: the code is that of the old charge.":
    "O comprador não consegue pagar: o código é o da cobrança antiga.",
  "Derive the key from the order and its attempt, never from the buyer and the value.":
    "Derive a chave do pedido e da tentativa, nunca do comprador e do valor.",
  "No buyer ordered again after a charge had expired. Let a charge expire, and order again.":
    "Nenhum comprador pediu de novo depois de uma cobrança expirada. Deixe uma cobrança expirar e peça de novo.",
  "{0} used the key of payin {1} again, which has expired: the response is the old charge.":
    "{0} usou de novo a chave da cobrança {1}, que expirou: a resposta é a cobrança antiga.",
  "{0} used the key of payin {1} again. The key is made of the body alone, so that two equal orders share a charge.":
    "{0} usou de novo a chave da cobrança {1}. A chave vem só do corpo: dois pedidos iguais dividem uma cobrança.",
  "It requests a payout again, under another key, after the first one was completed.":
    "Solicita um payout de novo, com outra chave, depois que o primeiro foi concluído.",
  "Fewer than two payouts had a number in their description, such as that of an order.":
    "Menos de dois payouts tinham um número na descrição, como o de um pedido.",
  "It repeats a failed call without a pause, or before the time in retry-after.":
    "Repete uma chamada que falhou sem pausa, ou antes do tempo em retry-after.",
  "The gateway, which is in trouble already, gets more calls, and may block the integration.":
    "O gateway, que já está com problemas, recebe mais chamadas e pode bloquear a integração.",
  "It requests a canceled payout again and again, or twice for one webhook.":
    "Solicita um payout cancelado repetidas vezes, ou duas vezes por causa de um só webhook.",
  "Payouts cancel each other for ever, or the money is sent twice.":
    "Os payouts se cancelam para sempre, ou o dinheiro é enviado duas vezes.",
  "No canceled payout was requested again. Cancel a payout: npx pix-sandbox payout cancel last":
    "Nenhum payout cancelado foi solicitado de novo. Cancele um payout: npx pix-sandbox payout cancel last",
  "{0} ({1} {2}) was sent {3} times with its key; none got an outcome.":
    "{0} ({1} {2}) foi enviada {3} vezes com a mesma chave; nenhuma teve resultado.",
  "{0} attempt": "{0} tentativa",
  "{0} attempts": "{0} tentativas",
  "Nothing listened at {0} ({1} in {2} s).": "Não havia servidor em {0} ({1} em {2} s).",
  "{0} accepted none of {1}, but all came within {2} s: a server may fail for so long.":
    "{0} não aceitou nenhuma de {1}, mas todas vieram em {2} s: pode ter sido só uma queda curta.",
  "Payout {0} was canceled. If its receiver is still owed the money, request a new payout with a new key, or tell a person.":
    "O payout {0} foi cancelado. Se o recebedor ainda deve receber o dinheiro, solicite um novo payout com uma chave nova ou avise alguém da equipe.",
  "{0} used the key of payout {1} again, after it was canceled: that sends nothing.":
    "{0} usou de novo a chave do payout {1}, depois do cancelamento: isso não envia nada.",
  "No call used the token {0}, so no rule was judged.":
    "Nenhuma chamada usou o token {0}, por isso nenhuma regra foi avaliada.",
  Ignored: "Ignoradas",
  "It repeated a payout with the same key.": "Repetiu um payout com a mesma chave.",
  "It repeated a call until it had an outcome.": "Repetiu uma chamada até ter um resultado.",
  "Each key stood for one request.": "Usou cada chave em uma só requisição.",
  "It created no charge twice.": "Não criou cobranças em dobro.",
  "It responded within 5 s.": "Respondeu em até 5 s.",
  "It responded with 200.": "Respondeu 200.",
  "It responded without a redirect.": "Respondeu sem redirecionar.",
  "It accepted webhooks.": "Aceitou webhooks.",
  "It accepted valid signatures.": "Aceitou assinaturas válidas.",
  "It served each payment.": "Processou todos os pagamentos.",
  "No address or description had personal data.": "Nenhuma URL ou descrição tinha dados pessoais.",
  "It accepted a duplicate.": "Aceitou uma duplicata.",
  "A duplicate changed nothing.": "Uma duplicata não mudou nada.",
  "Simultaneous duplicates acted once.": "Duplicatas simultâneas contaram uma vez só.",
  "It acted on an early webhook.": "Processou um webhook adiantado.",
  "An older event changed nothing.": "Um evento mais antigo não mudou nada.",
  "It refused a wrong signature.": "Recusou uma assinatura errada.",
  "It refused a text as a signature.": "Recusou um texto como assinatura.",
  "It refused an old timestamp.": "Recusou um timestamp antigo.",
  "It verified the bytes as they arrived.": "Verificou os bytes como chegaram.",
  "A wrong value settled no order.": "Um valor errado não quitou nenhum pedido.",
  "It ignored a foreign transaction.": "Ignorou uma transação alheia.",
  "It accepted an unknown type.": "Aceitou um tipo desconhecido.",
  "It counted a payment in the last second.": "Contou um pagamento no último segundo.",
  "It requested no completed payout again.": "Não pediu de novo um payout concluído.",
  "It waited before each retry.": "Esperou antes de cada nova tentativa.",
  "It started no loop after a cancellation.": "Não entrou em loop depois de um cancelamento.",
  "one|{0} ignored": "{0} ignorada",
  "{0} ignored": "{0} ignoradas",
  "Store the key before the call, and use it for every attempt.":
    "Grave a chave antes da chamada e use-a em todas as tentativas.",
  "Repeat the call with its key until it has an outcome, also after a restart.":
    "Repita a chamada com a mesma chave até ter um resultado, também depois de reiniciar.",
  "Derive the key from the order and its version, not from the cart or the customer.":
    "Derive a chave do pedido e da versão dele, não do carrinho nem do cliente.",
  "Derive the key from the order, so that a second click returns the first charge.":
    "Derive a chave do pedido, para que um segundo clique devolva a primeira cobrança.",
  "Store the webhook, respond with 200, and do the work afterwards.":
    "Grave o webhook, responda 200 e faça o trabalho depois.",
  "Respond with 200.": "Responda 200.",
  "Register the final address: its protocol, host and slash at the end.":
    "Cadastre o endereço final: protocolo, host e barra no fim.",
  "Respond with 200 to each valid webhook, and make its address reachable.":
    "Responda 200 a cada webhook válido e deixe o endereço acessível.",
  "Verify id, timestamp and raw body, joined by dots, with the decoded secret.":
    "Verifique id, timestamp e corpo bruto, unidos por pontos, com o segredo decodificado.",
  "Request a canceled payout again once, under a new key, or show a person that it was canceled.":
    "Solicite um payout cancelado de novo, uma vez e com uma chave nova, ou mostre a alguém da equipe que ele foi cancelado.",
  "Put the order's number there, not a person's data.":
    "Ponha ali o número do pedido, não os dados de uma pessoa.",
  "Respond with 200 to a webhook whose id is stored already.":
    "Responda 200 a um webhook cujo id já foi gravado.",
  "Store the webhook's id, unique, in the same transaction as its effect.":
    "Grave o id do webhook, com restrição de unicidade, na mesma transação que o efeito.",
  "Let a unique constraint decide, not a query before the change.":
    "Deixe uma restrição de unicidade decidir, não uma consulta antes da alteração.",
  "Keep a webhook of an unknown charge until the charge is known, or respond with 503.":
    "Guarde o webhook de uma cobrança desconhecida até conhecê-la, ou responda 503.",
  "Change an order's state only forward: paid stays paid.":
    "Mude o estado de um pedido só para a frente: pago continua pago.",
  "Compare the signature before you act, and refuse with 401 if it differs.":
    "Compare a assinatura antes de agir e recuse com 401 se for diferente.",
  "Compute the signature and compare it; that the header exists shows nothing.":
    "Calcule a assinatura e compare; a existência do cabeçalho não prova nada.",
  "Refuse a timestamp that is more than five minutes from now.":
    "Recuse um timestamp a mais de cinco minutos da hora atual.",
  "Verify the raw bytes, before any parser reads the body.":
    "Verifique os bytes brutos, antes que um parser leia o corpo.",
  "Compare the paid value with the order's, in centavos.":
    "Compare o valor pago com o do pedido, em centavos.",
  "Find the order by the transaction's id that the create call returned.":
    "Encontre o pedido pelo id da transação que a criação devolveu.",
  "Ignore unknown types and members, and respond with 200.":
    "Ignore tipos e campos desconhecidos e responda 200.",
  "Let the gateway's event decide, not the shop's clock.":
    "Deixe o evento do gateway decidir, não o relógio da loja.",
  "Derive the key from what the payout pays back.": "Derive a chave daquilo que o payout devolve.",
  "Wait longer after each attempt, and as long as retry-after says.":
    "Espere mais a cada tentativa, e o tempo que retry-after pedir.",
  "Request a canceled payout again once, under one new key.":
    "Solicite de novo um payout cancelado uma só vez, com uma só chave nova.",
  "Store the payment where a restart does not reach it, and only then respond.":
    "Grave o pagamento onde um reinício não o apague, e só então responda.",
};
