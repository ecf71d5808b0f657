import { localize } from "../terminal/language.ts";
import { say } from "../../text/message.ts";

/** The names of arguments and option values, by the English one. */
const NAMES = {
  arguments: say.for("argument")`arguments`,
  calls: say.for("argument")`calls`,
  code: say.for("argument")`code`,
  command: say.for("argument")`command`,
  "command|url": say.for("argument")`command|url`,
  cpf: say.for("argument")`cpf`,
  duration: say.for("argument")`duration`,
  effect: say.for("argument")`effect`,
  email: say.for("argument")`email`,
  event: say.for("argument")`event`,
  "event type": say.for("argument")`event type`,
  file: say.for("argument")`file`,
  from: say.for("argument")`from`,
  header: say.for("argument")`header`,
  host: say.for("argument")`host`,
  id: say.for("argument")`id`,
  key: say.for("argument")`key`,
  language: say.for("argument")`language`,
  level: say.for("argument")`level`,
  mode: say.for("argument")`mode`,
  n: say.for("argument")`n`,
  name: say.for("argument")`name`,
  "from=to": say.for("argument")`from=to`,
  "name=choice": say.for("argument")`name=choice`,
  "name=value": say.for("argument")`name=value`,
  "name=variable": say.for("argument")`name=variable`,
  number: say.for("argument")`number`,
  on: say.for("argument")`on`,
  options: say.for("argument")`options`,
  origin: say.for("argument")`origin`,
  "payin id or BR code": say.for("argument")`payin id or BR code`,
  port: say.for("argument")`port`,
  rule: say.for("argument")`rule`,
  "rule=reason": say.for("argument")`rule=reason`,
  seconds: say.for("argument")`seconds`,
  secret: say.for("argument")`secret`,
  status: say.for("argument")`status`,
  text: say.for("argument")`text`,
  time: say.for("argument")`time`,
  token: say.for("argument")`token`,
  type: say.for("argument")`type`,
  url: say.for("argument")`url`,
  what: say.for("argument")`what`,
  when: say.for("argument")`when`,
  where: say.for("argument")`where`,
  to: say.for("argument")`to`,
} as const;

export type Name = keyof typeof NAMES;

/** A required value in the current language, such as `<file>`; with `...`, several. */
export function arg(name: Name | `${Name}...`): string {
  const several = name.endsWith("...") ? "..." : "";
  return `<${placeholder(name.replace("...", "") as Name)}${several}>`;
}

/** An optional value in the current language, such as `[file]`; with `...`, several. */
export function optionalArg(name: Name | `${Name}...`): string {
  return arg(name).replace("<", "[").replace(">", "]");
}

/** The name of a value in the current language. */
export function placeholder(name: Name): string {
  return localize(NAMES[name]);
}
