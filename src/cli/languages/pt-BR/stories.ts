/** The stories that the package brings: what each is about, and its steps. */
export const STORIES: Readonly<Record<string, string>> = {
  // duplicate webhook
  "A webhook arrives twice, with one id and the same bytes, and must count once.":
    "Um webhook chega duas vezes, com um só id e os mesmos bytes, e deve contar uma vez.",
  "The next webhook will be sent twice": "O próximo webhook será enviado duas vezes",
  "The shop asks for a charge": "A loja pede uma cobrança",
  "The buyer pays": "O comprador paga",
  "It is one webhook, received twice": "É um só webhook, recebido duas vezes",
  "Both have the same webhook-id, and signatures that hold":
    "Os dois têm o mesmo webhook-id e assinaturas que conferem",
  "The shop asks for another charge": "A loja pede outra cobrança",
  "Its buyer pays too": "O comprador dela também paga",
  "Of that one it hears once": "Dessa ela ouve uma vez",

  // expired
  "Nobody pays a charge in its time: it expires, and no webhook tells of it.":
    "Ninguém paga uma cobrança a tempo: ela expira, e nenhum webhook fala dela.",
  "The shop asks for a charge of one minute": "A loja pede uma cobrança de um minuto",
  "Two minutes pass": "Passam dois minutos",
  "The charge has expired": "A cobrança expirou",
  "It did so in the moment that its time was up": "Expirou no momento em que o prazo acabou",
  "Nobody can pay it any more": "Ninguém pode mais pagar",
  "Nor does a simulation complete it": "Uma simulação também não a conclui",
  "No webhook was sent": "Nenhum webhook foi enviado",
  "And none was received": "E nenhum foi recebido",

  // lost answer
  "The answer to a payout is lost: the retry with the same key gets it, and money moves once.":
    "A resposta a um payout se perde: a nova tentativa com a mesma chave a recebe, e o dinheiro sai uma vez.",
  "The next answer to a payout will be lost": "A próxima resposta a um payout se perderá",
  "The shop sends money, and the connection dies": "A loja envia dinheiro, e a conexão cai",
  "It tries again with the same key, and gets the first answer":
    "Ela tenta de novo com a mesma chave e recebe a primeira resposta",
  "And once more, to be sure": "E mais uma vez, para ter certeza",
  "The same key for another payout is refused": "A mesma chave para outro payout é recusada",
  "The payout is in progress: no retry has canceled it":
    "O payout está em andamento: nenhuma nova tentativa o cancelou",
  "It is completed": "Ele é concluído",
  "One webhook was sent in all": "Ao todo, foi enviado um webhook",

  // paid in the last second
  "A charge is paid a second before it expires, and stays paid; another is a second late.":
    "Uma cobrança é paga um segundo antes de expirar e continua paga; outra se atrasa um segundo.",
  "Time stands still, so that a second is one":
    "O tempo fica parado, para que um segundo seja um segundo",
  "And for another": "E mais uma",
  "59 seconds pass": "Passam 59 segundos",
  "The buyer of the first pays": "O comprador da primeira paga",
  "The last second passes": "Passa o último segundo",
  "The buyer of the second is too late": "O comprador da segunda chega tarde",
  "An hour passes": "Passa uma hora",
  "The first is paid, and did not expire": "A primeira está paga e não expirou",
  "The second has expired": "A segunda expirou",
  "The shop hears of the first": "A loja ouve da primeira",
  "Of the second it hears nothing": "Da segunda não ouve nada",
  "That is one webhook in all, and its signature holds":
    "É um webhook ao todo, e a assinatura dele confere",

  // paid
  "A charge is paid, and its webhook arrives once, signed.":
    "Uma cobrança é paga, e o webhook dela chega uma vez, assinado.",
  "It waits for its buyer, and nobody is told of anything":
    "Ela espera o comprador, e ninguém é avisado de nada",
  "No webhook has been sent": "Nenhum webhook foi enviado ainda",
  "The charge is paid": "A cobrança está paga",
  "One webhook was sent, and received at once": "Um webhook foi enviado e recebido de primeira",
  "The shop has it once, and its signature holds":
    "A loja o tem uma vez, e a assinatura dele confere",
  "Nobody can pay a second time": "Ninguém pode pagar uma segunda vez",

  // rival payout
  "A second payout to a receiver who has one in progress is canceled, and only its webhook says so.":
    "Um segundo payout a um recebedor que já tem um em andamento é cancelado, e só o webhook dele diz isso.",
  "The shop sends money": "A loja envia dinheiro",
  "It sends money to the same receiver again, and is answered as if all were well":
    "Ela envia dinheiro de novo ao mesmo recebedor, e a resposta é como se tudo estivesse bem",
  "The second is canceled": "O segundo é cancelado",
  "The first goes on": "O primeiro segue",
  "A webhook says that the second is canceled": "Um webhook diz que o segundo foi cancelado",
  "The shop has that one alone, and its signature holds":
    "A loja tem só esse, e a assinatura dele confere",
  "The first is completed": "O primeiro é concluído",
  "Money can be sent to that receiver again": "Pode-se enviar dinheiro a esse recebedor de novo",
  "And arrives": "E chega",
  "The shop hears of it": "A loja fica sabendo",

  // webhook retried
  "A payout is completed while the shop is down: its webhook comes again until it is received.":
    "Um payout é concluído enquanto a loja está fora do ar: o webhook dele volta até ser recebido.",
  "The shop's handler fails once": "O handler da loja falha uma vez",
  "The payout is completed": "O payout é concluído",
  "Ten seconds pass": "Passam dez segundos",
  "The webhook was tried again, and then received":
    "O webhook foi tentado de novo, e então recebido",
  "Both times it was the same one, and its signature holds":
    "Nas duas vezes foi o mesmo, e a assinatura dele confere",
  "It cannot be canceled any more": "Ele não pode mais ser cancelado",

  // provider down
  "The provider fails twice, then works: the same key is good for all three, and money moves once.":
    "O provedor falha duas vezes e depois funciona: a mesma chave serve para as três, e o dinheiro sai uma vez.",
  "The provider is down for two payouts": "O provedor está fora do ar para dois payouts",
  "The shop sends money, and is refused": "A loja envia dinheiro e é recusada",
  "It tries again with the same key, and is refused again":
    "Ela tenta de novo com a mesma chave e é recusada de novo",
  "Nothing was done, and nobody is told of anything": "Nada foi feito, e ninguém é avisado de nada",
  "Charges work all the while": "As cobranças funcionam o tempo todo",
  "The provider is up: the third try is the first that counts":
    "O provedor voltou: a terceira tentativa é a primeira que conta",
  "A fourth gets its answer again": "Uma quarta recebe a mesma resposta",
  "The shop hears of it once": "A loja fica sabendo uma vez",
  "The charge is canceled, and the story leaves nothing behind":
    "A cobrança é cancelada, e a história não deixa nada para trás",
};
