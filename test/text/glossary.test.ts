import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { allCatalogues } from "../support/texts.ts";

/**
 * The words of the payments field, as Brazilians write them: the English term, what the catalogue and README.pt-BR.md
 * say, and what a reader would take for a translation. A test reads every text for those to avoid, but not code
 * between backticks.
 */
const GLOSSARY: readonly (readonly [english: string, portuguese: string, not: RegExp])[] = [
  ["Pix", "Pix", /\bPIX\b/],
  ["copy and paste code", "Pix Copia e Cola", /copy-and-paste|copia e cola/],
  ["payin, charge", "cobrança", /\bpayins?\b/i],
  ["payout", "o payout", /\b(?:a|uma|da|na|esta) payout\b/i],
  ["recipient, receiver", "recebedor", /\b(?:destinatário|beneficiário)/i],
  ["merchant", "lojista, loja", /\bcomerciante/i],
  ["paid", "paga (paid)", /\bestá paid\b/],
  [
    "simulated (injected) fault",
    "falha simulada",
    /\bfalhas? (?:armad|injetad)|injeta(?:r)? falha/i,
  ],
  ["broken rule", "regra reprovada", /\bregras? quebrad/i],
  ["not seen", "não verificada", /\bnão vist[ao]s?\b/i],
  ["to judge", "avaliar", /\bjulg/i],
  ["what it costs", "Consequência", /\bo que custa\b/i],
  ["next", "Próximo passo", /^(?:\s*)(?:Agora|A seguir)[:,]/],
  ["each alternative choice", "escolha alternativa", /\bcada outra escolha/i],
  ["to advance the clock", "avançar o relógio", /\bmov\p{L}* o (?:relógio|tempo)/iu],
  ["to draw a QR code", "gerar, mostrar o QR Code", /\bdesenh/i],
  ["webhook address", "URL do webhook", /\bendereço do webhook/i],
  ["in CI", "na CI", /\bem CI\b/i],
  ["keys (shortcuts)", "atalhos", /\bteclas\b/i],
  ["then after", "depois de", /\bdepois após\b/i],
  ["Ctrl-C to stop", "Ctrl-C para sair", /Ctrl-C para\.$/],
  ["silent (of the specification)", "omissa", /\bespecificação silencia/i],
];

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DOCS = path.join(ROOT, "docs/pt-BR");

const catalogue = Object.entries<Record<string, string | Record<string, string>>>(
  allCatalogues().get("pt-BR") ?? {},
).flatMap(([room, entries]) =>
  Object.values(entries)
    .flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry)))
    .map((text) => [room, text] as const),
);
const pages = [
  path.join(ROOT, "README.pt-BR.md"),
  ...(existsSync(DOCS) ? readdirSync(DOCS).map((name) => path.join(DOCS, name)) : []),
].flatMap((file) =>
  withoutBlocks(readFileSync(file, "utf8"))
    .split("\n")
    .map((line) => [path.basename(file), line] as const),
);

describe("the Portuguese texts", () => {
  it.each(GLOSSARY)("say for %s %s", (_english, _portuguese, not) => {
    expect(catalogue.length).toBeGreaterThan(1000);
    const found = [...catalogue, ...pages].filter(([, text]) => not.test(withoutCode(text)));
    expect(found).toEqual([]);
  });
});

function withoutBlocks(markdown: string): string {
  return markdown.replace(/^```[^]*?^```$/gm, "");
}

/** A text without its code: quoted code, commands, types of events, names of assumptions, addresses and paths. */
function withoutCode(text: string): string {
  return text
    .replace(/`[^`]*`|\]\([^)]*\)|https?:\S+|\/[\w/-]+/g, "")
    .replace(
      /\b(?:payin|payout)s?(?:\.\w+| (?:list|create|show|pay|cancel|expire|complete)\b)/g,
      "",
    );
}
