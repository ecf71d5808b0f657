import { toUrl } from "../../wire/url.ts";
import { isLoopback, isWebhookUrl } from "../../core/records/webhook-url.ts";
import { toSafeLine } from "../../text/safe-text.ts";
import { usageError } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";

/**
 * Checks the address of a handler.
 * @param isConfirmed whether the user has confirmed that another machine may be sent forged webhooks
 * @throws CliError for an address that no webhook is sent to, or that is not on this machine and not confirmed.
 */
export function checkTarget(text: string, isConfirmed: boolean): string {
  const url = toUrl(text);
  const shown = toSafeLine(JSON.stringify(text));
  if (!url || !isWebhookUrl(text))
    throw usageError(
      localize({ en: `Invalid address ${shown}.`, pt: `Endereço inválido: ${shown}.` }),
      localize({
        en: "Use the address of the handler, such as http://localhost:3000/webhooks/pix.",
        pt: "Use o endereço do handler, como http://localhost:3000/webhooks/pix.",
      }),
    );
  if (!isConfirmed && !isThisMachine(url.hostname))
    throw usageError(
      toSafeLine(
        localize({
          en: `${url.host} is not this machine. The check sends it forged webhooks.`,
          pt: `${url.host} não é esta máquina. A verificação envia a ele webhooks forjados.`,
        }),
      ),
      localize({
        en: "If that server is yours and is not in production, add --yes.",
        pt: "Se esse servidor é seu e não está em produção, acrescente --yes.",
      }),
    );
  return text;
}

function isThisMachine(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return host === "localhost" || host.endsWith(".localhost") || isLoopback(host);
}
