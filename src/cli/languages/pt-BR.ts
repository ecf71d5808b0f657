/**
 * Brazilian Portuguese, by the English that it stands for. The same word for the same thing everywhere:
 *
 * | English | Portuguese |
 * | --- | --- |
 * | payin, payout | payin, payout, as the specification names them; in prose of a payin, cobrança |
 * | buyer, receiver | comprador, recebedor |
 * | request, call | requisição, chamada |
 * | answer | resposta; to answer: responder |
 * | refused, to refuse | recusada, recusar |
 * | header, member, field | cabeçalho, campo, campo |
 * | signature, secret | assinatura, segredo |
 * | state file, journal, snapshot | arquivo de estado, journal, snapshot |
 * | fault | falha |
 * | story, step | história, passo |
 * | choice, assumption | escolha, premissa |
 * | integration, resend, attempt | integração, reenvio, tentativa |
 * | damaged, sound | danificado, íntegro |
 * | canceled | cancelado (the status itself stays canceled) |
 *
 * Webhook, token, commit, payload, flag, sandbox, gateway, seed, fixtures and BR Code stay as developers say them.
 */
import type { Catalogue } from "../language.ts";
import { HELP } from "./pt-BR/help.ts";
import { OTHERS } from "./pt-BR/others.ts";
import { SENTENCES } from "./pt-BR/sentences.ts";
import { STORIES } from "./pt-BR/stories.ts";
import { TABLES } from "./pt-BR/tables.ts";

export const brazilianPortuguese: Catalogue = {
  own: { ...HELP, ...SENTENCES, ...TABLES, ...STORIES },
  others: OTHERS,
};
