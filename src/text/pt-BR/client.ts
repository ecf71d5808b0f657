export default {
  "{0} ({1}) was sent again: the effect of {2} changed from {3} to {4}.":
    "{0} ({1}) foi enviado de novo: o efeito de {2} mudou de {3} para {4}.",
  "The merchant accepted no payin.paid and no payout.completed that can be sent again. Pay a charge whose webhook_url is the merchant's.":
    "O lojista não aceitou nenhum payin.paid nem payout.completed que possa ser reenviado. Pague uma cobrança com a webhook_url dele.",
  "The merchant had processed the webhooks before: only a new one can show a race. Run npx pix-sandbox check-webhook with --order and --effect.":
    "O lojista já tinha processado os webhooks: só um novo pode mostrar uma corrida. Rode npx pix-sandbox check-webhook com --order e --effect.",
  "The effect of {0} changes by itself. Read something that only the webhook changes, without the time.":
    "O efeito de {0} muda sozinho. Leia algo que só o webhook muda, sem o horário.",
  "the status {0}": "status {0}",
  "{0} was sent again, but the merchant did not accept it ({1}).":
    "{0} foi enviado de novo, mas o lojista não o aceitou ({1}).",
};
