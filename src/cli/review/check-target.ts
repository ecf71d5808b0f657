import { toUrl } from "../../wire/names.ts";
import { isLoopbackHost, isWebhookUrl } from "../../core/records/webhook-url.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { PlayError } from "../../play/play-error.ts";
import { say } from "../../text/message.ts";

/**
 * Checks the address of a handler.
 * @param isConfirmed whether the user has confirmed that another machine may be sent forged webhooks
 * @throws PlayError for an address that no webhook is sent to, or that is not on this machine and not confirmed.
 */
export function checkTarget(text: string, isConfirmed: boolean): string {
  const url = toUrl(text);
  const shown = toSafeLine(JSON.stringify(text));
  if (!url || !isWebhookUrl(text))
    throw new PlayError(
      "USAGE",
      say`Invalid address ${shown}.`,
      say`Use the address of the handler, such as http://localhost:3000/webhooks/pix.`,
    );
  if (!isConfirmed && !isLoopbackHost(url.hostname))
    throw new PlayError(
      "USAGE",
      say`${toSafeLine(url.host)} is not this machine. The check sends it forged webhooks.`,
      say`If that server is yours and is not in production, add --yes.`,
    );
  return text;
}
