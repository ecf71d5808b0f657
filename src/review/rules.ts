import type { LocalizedText } from "../text/localized-text.ts";

/** A rule for integrations: a mistake that costs merchants money. */
export interface Rule {
  readonly number: number;
  readonly severity: "failure" | "warning";
  /**
   * How a rule is judged: by what happens anyway, or only by something that is sent for it. `effect`: also by
   * what the merchant does, which the wire does not show.
   */
  readonly judgedBy: "traffic" | "probe" | "effect";
  /** The mistake, as a sentence about the integration. */
  readonly mistake: LocalizedText;
  /** What it costs. */
  readonly harm: LocalizedText;
  /** What a run needs so that the rule can be judged. */
  readonly chance: LocalizedText;
  /** The rules that an integration with this mistake can break for no other reason. */
  readonly implies?: readonly string[];
}

const CHECK = {
  en: "Run npx pix-sandbox check-webhook with the address of the handler.",
  pt: "Rode npx pix-sandbox check-webhook com o endereço do handler.",
};
const CHECK_WITH_EFFECT = {
  en: "Run npx pix-sandbox check-webhook with --order and --effect: the response does not show what the merchant did.",
  pt: "Rode npx pix-sandbox check-webhook com --order e --effect: a resposta não mostra o que o lojista fez.",
};
const ANY_RESPONSE = {
  en: "The merchant responded to no webhook. Pay a charge whose webhook_url is the merchant's.",
  pt: "O lojista não respondeu a nenhum webhook. Pague uma cobrança cuja webhook_url seja a do lojista.",
};
const ACCEPTED_WEBHOOK = {
  en: "The merchant accepted no webhook. Pay a charge whose webhook_url is the merchant's, and respond with 200.",
  pt: "O lojista não aceitou nenhum webhook. Pague uma cobrança cuja webhook_url seja a do lojista, e responda com 200.",
};
const UNKNOWN_OUTCOME = {
  en: "Every response arrived. Lose one: npx pix-sandbox faults add payouts.create lost_answer --times 1",
  pt: "Todas as respostas chegaram. Perca uma: npx pix-sandbox faults add payouts.create lost_answer --times 1",
};

/**
 * Every rule, by its id, in the order of their numbers. The reviewer, `check-webhook`, the report's formats and
 * the documentation take the rules from here.
 */
export const RULES = {
  payout_new_key_after_failure: {
    number: 1,
    severity: "failure",
    judgedBy: "traffic",
    mistake: {
      en: "After a lost or failed response, it repeats a payout under a new idempotency key.",
      pt: "Depois de uma resposta perdida ou com falha, repete um payout com uma chave de idempotência nova.",
    },
    harm: { en: "The money is sent twice.", pt: "O dinheiro é enviado duas vezes." },
    chance: UNKNOWN_OUTCOME,
    implies: ["unknown_outcome_not_retried"],
  },
  unknown_outcome_not_retried: {
    number: 2,
    severity: "failure",
    judgedBy: "traffic",
    mistake: {
      en: "After a lost or failed response, it never repeats the call with its key, so it never learns the outcome.",
      pt: "Depois de uma resposta perdida ou com falha, nunca repete a chamada com a chave dela, e não fica sabendo do resultado.",
    },
    harm: {
      en: "The order stays open, and the shop does not know whether it was paid.",
      pt: "O pedido fica em aberto, e a loja não sabe se foi pago.",
    },
    chance: UNKNOWN_OUTCOME,
  },
  key_reused_with_other_body: {
    number: 3,
    severity: "failure",
    judgedBy: "traffic",
    mistake: {
      en: "It uses one idempotency key for different requests.",
      pt: "Usa uma chave de idempotência para requisições diferentes.",
    },
    harm: {
      en: "The second request is refused: a lost sale.",
      pt: "A segunda requisição é recusada: uma venda perdida.",
    },
    chance: {
      en: "No key was used twice. Repeat a call with its key, for example after a lost response.",
      pt: "Nenhuma chave foi usada duas vezes. Repita uma chamada com a chave dela, por exemplo depois de uma resposta perdida.",
    },
  },
  charge_created_twice: {
    number: 4,
    severity: "warning",
    judgedBy: "traffic",
    mistake: {
      en: "It creates the same charge twice within seconds, each time with a new key.",
      pt: "Cria a mesma cobrança duas vezes em segundos, cada vez com uma chave nova.",
    },
    harm: { en: "The buyer can pay twice.", pt: "O comprador pode pagar duas vezes." },
    chance: {
      en: "Fewer than two charges were created.",
      pt: "Foram criadas menos de duas cobranças.",
    },
  },
  webhook_answer_slow: {
    number: 5,
    severity: "warning",
    judgedBy: "traffic",
    mistake: {
      en: "It responds to a webhook after more than 5 s.",
      pt: "Responde a um webhook depois de mais de 5 s.",
    },
    harm: {
      en: "Gateways stop waiting, and send the webhook again.",
      pt: "Os gateways deixam de esperar e enviam o webhook de novo.",
    },
    chance: ANY_RESPONSE,
  },
  webhook_answer_not_200: {
    number: 6,
    severity: "warning",
    judgedBy: "traffic",
    mistake: {
      en: "It responds to a webhook with a 2xx that is not 200.",
      pt: "Responde a um webhook com um 2xx diferente de 200.",
    },
    harm: {
      en: "Stricter gateways count the webhook as failed.",
      pt: "Gateways mais rígidos contam o webhook como falho.",
    },
    chance: ACCEPTED_WEBHOOK,
  },
  webhook_answer_redirects: {
    number: 7,
    severity: "failure",
    judgedBy: "traffic",
    mistake: {
      en: "It responds to a webhook with a redirect.",
      pt: "Responde a um webhook com um redirecionamento.",
    },
    harm: {
      en: "No gateway follows it: the webhook is never delivered.",
      pt: "Nenhum gateway o segue: o webhook nunca é entregue.",
    },
    chance: ANY_RESPONSE,
    implies: ["webhook_never_received"],
  },
  webhook_never_received: {
    number: 8,
    severity: "failure",
    judgedBy: "traffic",
    mistake: {
      en: "It accepts none of a webhook's attempts.",
      pt: "Não aceita nenhuma das tentativas de um webhook.",
    },
    harm: { en: "It never learns of the payment.", pt: "Nunca fica sabendo do pagamento." },
    chance: {
      en: "No webhook was accepted, and none has failed in all its attempts. Pay a charge whose webhook_url is the merchant's.",
      pt: "Nenhum webhook foi aceito, e nenhum falhou em todas as tentativas. Pague uma cobrança cuja webhook_url seja a do lojista.",
    },
  },
  valid_signature_refused: {
    number: 9,
    severity: "failure",
    judgedBy: "traffic",
    mistake: {
      en: "It refuses a webhook whose signature is valid.",
      pt: "Recusa um webhook cuja assinatura é válida.",
    },
    harm: { en: "It never learns of the payment.", pt: "Nunca fica sabendo do pagamento." },
    chance: ACCEPTED_WEBHOOK,
    implies: ["webhook_never_received"],
  },
  canceled_payout_ignored: {
    number: 10,
    severity: "warning",
    judgedBy: "traffic",
    mistake: {
      en: "It does nothing about a payout that was canceled.",
      pt: "Não faz nada quando um payout é cancelado.",
    },
    harm: { en: "The receiver is never paid.", pt: "O recebedor nunca é pago." },
    chance: {
      en: "The merchant accepted no payout.canceled webhook. Cancel a payout: npx pix-sandbox payout cancel last",
      pt: "O lojista não aceitou nenhum webhook payout.canceled. Cancele um payout: npx pix-sandbox payout cancel last",
    },
  },
  personal_data_in_address: {
    number: 11,
    severity: "warning",
    judgedBy: "traffic",
    mistake: {
      en: "It puts a CPF or an e-mail address into webhook_url.",
      pt: "Coloca um CPF ou um e-mail na webhook_url.",
    },
    harm: {
      en: "Personal data leaks into the logs of every server on the way.",
      pt: "Dados pessoais vazam para os logs de todos os servidores no caminho.",
    },
    chance: {
      en: "No record was created with an address of the merchant.",
      pt: "Nenhum registro foi criado com um endereço do lojista.",
    },
  },
  duplicate_refused: {
    number: 12,
    severity: "failure",
    judgedBy: "probe",
    mistake: {
      en: "It refuses a webhook that it has accepted before.",
      pt: "Recusa um webhook que já aceitou antes.",
    },
    harm: {
      en: "The gateway sends it again until it gives up, and may block the address.",
      pt: "O gateway o reenvia até desistir, e pode bloquear o endereço.",
    },
    chance: {
      en: "No webhook was sent twice. Add the fault duplicate, resend one, or run npx pix-sandbox check-webhook.",
      pt: "Nenhum webhook foi enviado duas vezes. Crie a falha duplicate, reenvie um, ou rode npx pix-sandbox check-webhook.",
    },
    implies: ["webhook_never_received"],
  },
  duplicate_acts_twice: {
    number: 13,
    severity: "failure",
    judgedBy: "effect",
    mistake: {
      en: "It acts on the same webhook twice.",
      pt: "Age duas vezes com o mesmo webhook.",
    },
    harm: { en: "The order is credited twice.", pt: "O pedido é creditado duas vezes." },
    chance: CHECK_WITH_EFFECT,
    implies: ["concurrent_duplicates_act_twice"],
  },
  concurrent_duplicates_act_twice: {
    number: 14,
    severity: "failure",
    judgedBy: "effect",
    mistake: {
      en: "It acts twice on a webhook that arrives twice at the same time.",
      pt: "Age duas vezes com um webhook que chega duas vezes ao mesmo tempo.",
    },
    harm: { en: "The order is credited twice.", pt: "O pedido é creditado duas vezes." },
    chance: CHECK_WITH_EFFECT,
  },
  early_webhook_lost: {
    number: 15,
    severity: "failure",
    judgedBy: "effect",
    mistake: {
      en: "It accepts a webhook that arrives before the response to the create call, and forgets it.",
      pt: "Aceita um webhook que chega antes da resposta à criação, e o esquece.",
    },
    harm: { en: "A paid order stays open.", pt: "Um pedido pago fica em aberto." },
    chance: CHECK_WITH_EFFECT,
  },
  older_event_overwrites: {
    number: 16,
    severity: "failure",
    judgedBy: "effect",
    mistake: {
      en: "It lets an older event overwrite a newer state.",
      pt: "Deixa um evento antigo sobrescrever um estado mais novo.",
    },
    harm: {
      en: "A paid order is no longer paid.",
      pt: "Um pedido pago deixa de estar pago.",
    },
    chance: CHECK_WITH_EFFECT,
  },
  bad_signature_accepted: {
    number: 17,
    severity: "failure",
    judgedBy: "probe",
    mistake: {
      en: "It accepts a webhook whose signature is not valid.",
      pt: "Aceita um webhook cuja assinatura não é válida.",
    },
    harm: { en: "Anyone can forge a payment.", pt: "Qualquer um pode forjar um pagamento." },
    chance: CHECK,
  },
  signature_not_checked: {
    number: 18,
    severity: "failure",
    judgedBy: "probe",
    mistake: {
      en: "It accepts a webhook whose signature header contains any text.",
      pt: "Aceita um webhook com qualquer texto no cabeçalho de assinatura.",
    },
    harm: { en: "Anyone can forge a payment.", pt: "Qualquer um pode forjar um pagamento." },
    chance: CHECK,
    implies: ["bad_signature_accepted", "old_timestamp_accepted"],
  },
  old_timestamp_accepted: {
    number: 19,
    severity: "failure",
    judgedBy: "probe",
    mistake: {
      en: "It accepts a webhook that was signed ten minutes ago.",
      pt: "Aceita um webhook que foi assinado há dez minutos.",
    },
    harm: {
      en: "A recorded webhook can be replayed.",
      pt: "Um webhook gravado pode ser repetido por outra pessoa.",
    },
    chance: CHECK,
  },
  body_reserialised: {
    number: 20,
    severity: "failure",
    judgedBy: "probe",
    mistake: {
      en: "It parses the body and writes it again before it verifies the signature.",
      pt: "Interpreta o corpo e o escreve de novo antes de conferir a assinatura.",
    },
    harm: {
      en: "Valid webhooks are refused as soon as the gateway writes its JSON differently.",
      pt: "Webhooks válidos são recusados assim que o gateway escreve o JSON de outra forma.",
    },
    chance: CHECK,
    implies: ["webhook_never_received"],
  },
  value_not_compared: {
    number: 21,
    severity: "failure",
    judgedBy: "effect",
    mistake: {
      en: "It does not compare the value that was paid with the order's.",
      pt: "Não compara o valor pago com o do pedido.",
    },
    harm: { en: "Underpaid orders are served.", pt: "Pedidos pagos a menos são atendidos." },
    chance: CHECK_WITH_EFFECT,
  },
  foreign_transaction_settles: {
    number: 22,
    severity: "failure",
    judgedBy: "effect",
    mistake: {
      en: "It settles an order with a transaction that is not the order's.",
      pt: "Dá um pedido por pago com uma transação que não é dele.",
    },
    harm: { en: "Goods are given away.", pt: "Mercadorias são entregues de graça." },
    chance: CHECK_WITH_EFFECT,
  },
  unknown_type_refused: {
    number: 23,
    severity: "failure",
    judgedBy: "probe",
    mistake: {
      en: "It refuses a webhook of an unknown type, or with an additional member.",
      pt: "Recusa um webhook de um tipo desconhecido, ou com um campo a mais.",
    },
    harm: {
      en: "It breaks with the gateway's next version.",
      pt: "Quebra na próxima versão do gateway.",
    },
    chance: CHECK,
    implies: ["webhook_never_received"],
  },
  last_second_dropped: {
    number: 24,
    severity: "failure",
    judgedBy: "effect",
    mistake: {
      en: "It drops a payment that was made in the last second before the charge expired.",
      pt: "Descarta um pagamento feito no último segundo antes de a cobrança expirar.",
    },
    harm: {
      en: "The buyer is charged, and not served.",
      pt: "O comprador paga e não é atendido.",
    },
    chance: CHECK_WITH_EFFECT,
  },
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof RULES;

/** The ids, in the order of the rules' numbers. */
export const RULE_IDS = Object.keys(RULES) as readonly RuleId[];

/** A rule by its id. */
export function ruleOf(id: RuleId): Rule {
  return RULES[id];
}

/** The rules that a broken rule can have caused; only ids of other rules. */
export function impliedBy(id: RuleId): readonly RuleId[] {
  return (ruleOf(id).implies ?? []) as readonly RuleId[];
}
