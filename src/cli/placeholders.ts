import { localize } from "./language.ts";

/** The names of arguments and option values, by the English one. */
const NAMES = {
  arguments: "argumentos",
  "BR code, image or id": "BR Code, imagem ou id",
  calls: "chamadas",
  command: "comando",
  "command|url": "comando|url",
  duration: "duração",
  effect: "efeito",
  email: "e-mail",
  "event type": "tipo de evento",
  file: "arquivo",
  "file|name": "arquivo|nome",
  format: "formato",
  from: "de",
  header: "cabeçalho",
  host: "host",
  key: "chave",
  language: "idioma",
  level: "nível",
  mode: "modo",
  n: "n",
  name: "nome",
  "name[=choice]": "nome[=escolha]",
  "name=choice": "nome=escolha",
  "name=value": "nome=valor",
  "name=variable": "nome=variável",
  number: "número",
  on: "onde",
  options: "opções",
  origin: "origem",
  "payin id or BR code": "id do payin ou BR Code",
  port: "porta",
  rule: "regra",
  seconds: "segundos",
  secret: "segredo",
  text: "texto",
  time: "instante",
  type: "tipo",
  url: "url",
  what: "o quê",
  when: "quando",
  where: "onde",
  to: "para",
} as const;

type Name = keyof typeof NAMES;

/** A required value in the current language, such as `<file>`; with `...`, several. */
export function arg(name: Name | `${Name}...`): string {
  return `<${translated(name)}>`;
}

/** An optional value in the current language, such as `[file]`. */
export function optionalArg(name: Name): string {
  return `[${translated(name)}]`;
}

function translated(text: Name | `${Name}...`): string {
  const name = text.replace("...", "") as Name;
  return localize({ en: name, pt: NAMES[name] }) + (text.endsWith("...") ? "..." : "");
}
