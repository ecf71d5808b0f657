import { type Message, say } from "../../text/message.ts";
import type { Words } from "../terminal/language.ts";

/** What took the place of commands and options that left. A key is an option of every command, or of one. */
const LEFT: Readonly<Record<string, Words>> = {
  matrix: "exec --each",
  scenario: say`exec, with a test of your own`,
  export: say`requests --json, or the curl line of a request in the inspector`,
  listen: say`webhooks received, webhooks tail, or receiver() in a test`,
  doctor: "ready",
  "state check": say`serve, which names the file and the line if it refuses a state`,
  "state repair": say`serve, which names the file and the line if it refuses a state`,
  "--strict-state": say`serve, which names the file and the line if it refuses a state`,
  "--help-all": "--help",
  "serve --from": "--fixtures",
  "exec --from": "--fixtures",
  "--trace-unmasked": "requests --json",
  "trace --unmasked": "requests --json",
  "--check-webhook-host": say`check-webhook, on the machine of the handler`,
  "exec --ui": "serve --open",
  "report --effect": "check-webhook URL --order COMMAND --effect COMMAND|URL",
  "--baseline": "report --ignore RULE=REASON",
  "--require": "report --json",
  "report --wait": "exec --report",
  "webhooks verify --header": say`the captured request, raw or as JSON`,
  "webhooks verify --body": say`the captured request, raw or as JSON`,
  "webhooks tail --cursor": "webhooks list",
  "webhooks tail --since": "webhooks list",
  "requests list --follow": say`requests --json, or the log of serve`,
};

/**
 * A hint for an unknown command or option that existed before.
 * @param path the words before it, such as `webhooks tail`
 */
export function hintForLeft(path: string, word: string): Message | undefined {
  const key = [`${path} ${word}`.trim(), word].find((one) => Object.hasOwn(LEFT, one));
  return key === undefined ? undefined : say`It was removed. Use instead: ${LEFT[key] ?? ""}`;
}
