import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { allCatalogues } from "../support/texts.ts";

/** A term of the project in Portuguese: what the catalogue and README.pt-BR.md say, and what they do not. */
interface Term {
  readonly english: string;
  readonly portuguese: string;
  /** What a reader would take for a translation. Code between backticks is not read. */
  readonly not: RegExp;
}

/** The words of the payments field, as Brazilians write them. A test reads every text for those to avoid. */
const GLOSSARY: readonly Term[] = [
  { english: "Pix", portuguese: "Pix", not: /\bPIX\b/ },
  {
    english: "copy and paste code",
    portuguese: "Pix Copia e Cola",
    not: /copy-and-paste|copia e cola/,
  },
  { english: "payin, charge", portuguese: "cobrança", not: /\bpayins?\b/i },
  { english: "payout", portuguese: "o payout", not: /\b(?:a|uma|da|na|esta) payout\b/i },
  {
    english: "recipient, receiver",
    portuguese: "recebedor",
    not: /\b(?:destinatário|beneficiário)/i,
  },
  { english: "merchant", portuguese: "lojista, loja", not: /\bcomerciante/i },
  { english: "paid", portuguese: "paga (paid)", not: /\bestá paid\b/ },
  {
    english: "simulated (injected) fault",
    portuguese: "falha simulada",
    not: /\bfalhas? (?:armad|injetad)|injeta(?:r)? falha/i,
  },
  { english: "broken rule", portuguese: "regra reprovada", not: /\bregras? quebrad/i },
  { english: "not seen", portuguese: "não verificada", not: /\bnão vist[ao]s?\b/i },
  { english: "to judge", portuguese: "avaliar", not: /\bjulg/i },
  { english: "what it costs", portuguese: "Consequência", not: /\bo que custa\b/i },
  { english: "next", portuguese: "Próximo passo", not: /^(?:\s*)(?:Agora|A seguir)[:,]/ },
  {
    english: "each alternative choice",
    portuguese: "escolha alternativa",
    not: /\bcada outra escolha/i,
  },
  {
    english: "to advance the clock",
    portuguese: "avançar o relógio",
    not: /\bmov\p{L}* o (?:relógio|tempo)/iu,
  },
  { english: "to draw a QR code", portuguese: "gerar, mostrar o QR Code", not: /\bdesenh/i },
  { english: "webhook address", portuguese: "URL do webhook", not: /\bendereço do webhook/i },
  { english: "in CI", portuguese: "na CI", not: /\bem CI\b/i },
  { english: "keys (shortcuts)", portuguese: "atalhos", not: /\bteclas\b/i },
  { english: "then after", portuguese: "depois de", not: /\bdepois após\b/i },
  { english: "Ctrl-C to stop", portuguese: "Ctrl-C para sair", not: /Ctrl-C para\.$/ },
  {
    english: "silent (of the specification)",
    portuguese: "omissa",
    not: /\bespecificação silencia/i,
  },
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
  it.each(GLOSSARY)("say $portuguese for $english", ({ not }) => {
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
