export default {
  "The specification does not show its path.": "A especificação não mostra o caminho.",
  "No buyer pays in staging.": "Em staging nenhum comprador paga.",
  "No webhook came.": "Nenhum webhook chegou.",
  "A webhook came.": "Um webhook chegou.",
  "Another webhook came: {0}.": "Chegou outro webhook: {0}.",
  "The response 201 was not enough: the webhook came again.":
    "A resposta 201 não bastou: o webhook foi repetido.",
  "Failed webhooks are not repeated either.": "Webhooks que falham também não são repetidos.",
  "After the response 201 the webhook did not come again.":
    "Depois da resposta 201 o webhook não foi repetido.",
  "The connection stayed open for {0} s.": "A conexão ficou aberta por {0} s.",
  "The connection was closed after {0} s.": "A conexão foi fechada depois de {0} s.",
  "{0} calls met no limit.": "{0} chamadas não atingiram limite algum.",
  "The next call within a minute was refused.": "A chamada seguinte no mesmo minuto foi recusada.",
  "The call that was too much was refused with {0}.":
    "A chamada acima do limite foi recusada com {0}.",
  "No webhook reached the receiver.": "Nenhum webhook chegou ao receptor.",
  "A call was refused, so no webhook was due.":
    "Uma chamada foi recusada, portanto nenhum webhook era devido.",
  "Only webhooks show it: pass --public-url.": "Só webhooks mostram isso: passe --public-url.",
  "The messages do not show their language.": "As mensagens não revelam o idioma.",
  "Some messages are in English, others in Portuguese.":
    "Algumas mensagens estão em inglês, outras em português.",
  "The messages are in this language.": "As mensagens estão neste idioma.",
  "Every member fits.": "Todos os campos conferem.",
  "The webhooks differ in: {0}.": "Os webhooks diferem em: {0}.",
  "The three headers came; the secret was not checked.":
    "Os três cabeçalhos chegaram; o segredo não foi verificado.",
  "Only some of the three headers came, or others: {0}.":
    "Chegaram só alguns dos três cabeçalhos, ou outros: {0}.",
  "No header of a signature came.": "Nenhum cabeçalho de assinatura chegou.",
  "The webhook came again after these seconds: {0}.":
    "O webhook foi repetido depois destes segundos: {0}.",
  "The webhook did not come again within {0} s.": "O webhook não foi repetido em {0} s.",
  "A payout still waited after {0} s. It may complete later, or never.":
    "Um payout ainda aguardava depois de {0} s. Pode ser concluído mais tarde, ou nunca.",
  "Some payouts completed by themselves, others did not.":
    "Alguns payouts foram concluídos sozinhos, outros não.",
  "A payout completed after {0} s.": "Um payout foi concluído depois de {0} s.",
  "Payouts complete by themselves after {0} to {1} s. Webhooks show when: pass --public-url.":
    "Payouts são concluídos sozinhos depois de {0} a {1} s. Webhooks mostram quando: passe --public-url.",
  "Keys are forgotten within {0} s.": "As chaves são esquecidas em até {0} s.",
  "Keys are remembered for at least {0} s.": "As chaves são lembradas por pelo menos {0} s.",
  "A payin without generate_qrcode is simulated, then again; then an unknown one.":
    "Uma cobrança sem generate_qrcode é simulada, e outra vez; depois, uma desconhecida.",
  "Two payouts to one recipient; the second is simulated.":
    "Dois payouts para um recebedor; o segundo é simulado.",
  "Two payouts to one CPF with two keys; the second is simulated.":
    "Dois payouts para o mesmo CPF, com chaves diferentes; o segundo é simulado.",
  "Two payouts to one key with two CPFs; the second is simulated.":
    "Dois payouts para uma chave com dois CPFs; o segundo é simulado.",
  "A payin without a name, with an empty e-mail address and with a description that is too long.":
    "Uma cobrança sem nome, com e-mail vazio e descrição longa demais.",
  "A payin with several unusual members. If it is refused: again, without those that the response names.":
    "Uma cobrança com vários campos incomuns. Se for recusada: de novo, sem os que a resposta cita.",
  "A payin with a value of 10.5, unless that was accepted.":
    "Uma cobrança com valor 10.5, se isso ainda não foi aceito.",
  "A payin for another country than Brazil.": "Uma cobrança para outro país que não o Brasil.",
  "A payin with a CPF whose check digits are wrong, unless that was accepted.":
    "Uma cobrança com um CPF de dígitos verificadores errados, se isso ainda não foi aceito.",
  "A payin with an e-mail address of 90 characters, unless that was accepted.":
    "Uma cobrança com um e-mail de 90 caracteres, se isso ainda não foi aceito.",
  "A payin with a member that is not documented, unless that was accepted.":
    "Uma cobrança com um campo que não está documentado, se isso ainda não foi aceito.",
  "A payin with a token that does not exist.": "Uma cobrança com um token que não existe.",
  "A payin with generate_qrcode, the same again with its key, another one with that key; the first again after {0} s. Then it is simulated as canceled.":
    "Uma cobrança com generate_qrcode, a mesma de novo com a sua chave, outra com essa chave; a primeira de novo depois de {0} s. Depois ela é simulada como cancelada.",
  "A payout to a phone key of 14 characters, and one of 13.":
    "Um payout para uma chave de telefone de 14 caracteres, e um para uma de 13.",
  "A payout to an evp key of version 1 in upper case. If it is refused: one to a key in upper case, and one to a key of version 1.":
    "Um payout para uma chave evp da versão 1 em maiúsculas. Se for recusado: um para uma chave em maiúsculas e um para uma da versão 1.",
  "A payout is looked at after 1.5 to 9.5 s, if the looks before leave the number of seconds open.":
    "Um payout é consultado depois de 1.5 a 9.5 s, se as consultas anteriores deixarem o número de segundos em aberto.",
  "Unknown payins are simulated until a call is refused, or {0} within a minute were not.":
    "Cobranças desconhecidas são simuladas até que uma chamada passe do limite, ou {0} em um minuto não passem.",
  "The webhook of a paid payin gets the response 201.":
    "O webhook de uma cobrança paga recebe a resposta 201.",
  "The webhook of a completed payout.": "O webhook de um payout concluído.",
  "The webhook of a canceled payout.": "O webhook de um payout cancelado.",
  "The webhook of a paid payin gets the response 500.":
    "O webhook de uma cobrança paga recebe a resposta 500.",
  "The webhook of a paid payin gets no response.":
    "O webhook de uma cobrança paga fica sem resposta.",
  "A payin expires after {0} s.": "Uma cobrança expira depois de {0} s.",
  "A payout is left alone.": "Um payout fica como está.",
  "It depends on when payouts complete by themselves.":
    "Depende de quando os payouts são concluídos sozinhos.",
  "Responses that depend on no choice differ in: {0}.":
    "Respostas que não dependem de escolha alguma diferem em: {0}.",
  "No call was made for it.": "Nenhuma chamada foi feita para isso.",
  "Only this choice fits the responses.": "Só esta escolha combina com as respostas.",
  "The responses fit several choices: {0}.": "As respostas combinam com várias escolhas: {0}.",
  "No choice describes this. The nearest, {0}, differs in: {1}.":
    "Nenhuma escolha descreve isto. A mais próxima, {0}, difere em: {1}.",
  "About {0} calls within a minute are accepted.": "Cerca de {0} chamadas por minuto são aceitas.",
  "A payin without a header, and one with an empty header and without another.":
    "Uma cobrança sem um cabeçalho, e uma com um cabeçalho vazio e sem outro.",
  "It depends on {0}, which was not observed.": "Depende de {0}, que não foi observado.",
  "A webhook came, but it names no type.": "Chegou um webhook, mas ele não informa o tipo.",
  "It is not a recording: write one with record --to FILE.":
    "Não é uma gravação: grave uma com record --to ARQUIVO.",
  "Its line {0} is damaged.": "A linha {0} está danificada.",
};
