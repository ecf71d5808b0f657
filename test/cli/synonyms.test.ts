import { describe, expect, it } from "vitest";
import { synonymOf } from "../../src/cli/definition/synonyms.ts";

/** A word that a person may type, and what it can mean, the most likely first. */
const WORDS: readonly string[] = [
  "amount value",
  "charge payin",
  "charges payin",
  "price value",
  "remove delete",
  "send resend",
  "start serve",
  "transfer payout",
  "update set",
  "adicionar add",
  "adiantar advance",
  "ajuda help",
  "aguardando waiting",
  "apagar delete remove clear",
  "arquivo output config",
  "avancar advance",
  "cancelada canceled",
  "cancelado canceled",
  "cancelar cancel",
  "chave pix-key key",
  "cobranca payin",
  "concluida completed",
  "concluido completed",
  "concluir complete",
  "congelar freeze",
  "cpf buyer-cpf receiver-cpf",
  "criar create",
  "definir set",
  "descricao description",
  "entregue delivered",
  "esperar wait",
  "estado state",
  "expirada expired",
  "expirado expired",
  "expirar expire",
  "expiracao expiration",
  "falha faults",
  "falhas faults",
  "formato as",
  "idioma lang",
  "iniciar serve init",
  "limite limit",
  "limpar clear reset",
  "listar list",
  "mostrar show",
  "nome buyer-name receiver-name",
  "paga paid",
  "pagar pay",
  "pago paid",
  "pendente pending waiting",
  "porta port",
  "reenviar resend",
  "relatorio report",
  "relogio clock",
  "remover remove delete",
  "requisicoes requests",
  "restaurar restore",
  "retomar resume",
  "rodar run",
  "salvar save",
  "segredo secret",
  "semente seed",
  "simular simulate",
  "tipo type pix-key-type",
  "todos all",
  "valor value",
  "ver show",
  "verificar verify check",
  "versao version",
];

describe("a word of another language or program", () => {
  it.each(WORDS)("means the first of what it can mean that exists here: %s", (line) => {
    const [word = "", ...meanings] = line.split(" ");
    for (const [index, meaning] of meanings.entries())
      expect(synonymOf(word, ["other", ...meanings.slice(index).toReversed()])).toBe(meaning);
    expect(synonymOf(word, ["other"])).toBeUndefined();
  });

  it("may have accents and capitals", () => {
    expect(synonymOf("Cobrança", ["payin"])).toBe("payin");
    expect(synonymOf("AVANÇAR", ["advance"])).toBe("advance");
    expect(synonymOf("versão", ["version"])).toBe("version");
  });

  it("is no name that every object has", () => {
    for (const word of ["constructor", "toString", "__proto__", ""])
      expect(synonymOf(word, ["value"])).toBeUndefined();
  });
});
