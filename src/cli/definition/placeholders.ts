import { localize } from "../terminal/language.ts";

/** The names of arguments and option values, by the English one. */
const NAMES = {
  arguments: "argumentos",
  "BR code, image or id": "BR Code, imagem ou id",
  calls: "chamadas",
  command: "comando",
  "command|url": "comando|url",
  cpf: "cpf",
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
  id: "id",
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
  status: "status",
  shell: "shell",
  text: "texto",
  time: "instante",
  token: "token",
  type: "tipo",
  url: "url",
  what: "o quê",
  when: "quando",
  where: "onde",
  to: "para",
} as const;

export type Name = keyof typeof NAMES;

/** A required value in the current language, such as `<file>`; with `...`, several. */
export function arg(name: Name | `${Name}...`): string {
  const several = name.endsWith("...") ? "..." : "";
  return `<${placeholder(name.replace("...", "") as Name)}${several}>`;
}

/** An optional value in the current language, such as `[file]`. */
export function optionalArg(name: Name): string {
  return `[${placeholder(name)}]`;
}

/** The name of a value in the current language. */
export function placeholder(name: Name): string {
  return localize({ en: name, pt: NAMES[name] });
}
